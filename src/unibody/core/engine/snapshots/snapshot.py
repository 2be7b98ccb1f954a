"""Saving the state of a world and putting it back, bit by bit, also across edits."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.library.layout import offsets_of
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.states import transfer
from unibody.core.engine.world.world import STATE, Poses, World
from unibody.errors import EngineError
from unibody.machine_code.calls.copying import CopyPlan, copier

FIELDS = (
    "qpos",
    "qvel",
    "qacc_warmstart",
    "qfrc_applied",
    "xfrc_applied",
    "mocap_pos",
    "mocap_quat",
    "userdata",
)
_INPUTS = ("userdata", "qfrc_applied", "xfrc_applied")


@dataclass(slots=True)
class Snapshot:
    """The state of a scene: what a step depends on, and where each body's part of it lies."""

    time: float
    addresses: dict[int, transfer.Address]
    arrays: dict[str, NDArray[Any]]
    constraints: tuple[int, ...]
    origin: tuple[Any, int] | None = None  # a reference to its world, and the generation of that
    copies: tuple[memoryview, ...] = ()  # of that world's ``state``, the memory of ``arrays``
    poses: Poses = (b"", b"", b"")  # ``World.earlier_poses``; empty: the present ones
    plan: CopyPlan | None = None  # how ``copies`` get back, once they did
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def __getattr__(self, name: str) -> NDArray[Any]:
        """An array by its name in MjData, so that a snapshot can be copied from like one."""
        try:
            return self.arrays[name]
        except KeyError:
            raise AttributeError(name) from None


def take(scene: Scene) -> Snapshot:
    """The present state of a scene."""
    world = scene.world
    data = world.data
    xpos, xquat, xipos = world.earlier_poses()
    arrays = {name: getattr(data, name).copy() for name in FIELDS}
    return Snapshot(
        time=float(data.time),
        addresses=_addresses(scene, world),
        arrays=arrays,
        constraints=tuple(scene.constraints),
        origin=(weakref.ref(world), world.generation),
        copies=tuple([arrays[name].reshape(-1).data for name in STATE if arrays[name].size]),
        poses=(bytes(xpos), bytes(xquat), bytes(xipos)),
    )


_known: WeakKeyDictionary[World, tuple[int, dict[int, transfer.Address]]] = WeakKeyDictionary()


def _addresses(scene: Scene, world: World) -> dict[int, transfer.Address]:
    """The addresses of all bodies, found once a generation of the world."""
    known = _known.get(world)
    if known is None or known[0] != world.generation:
        known = _known[world] = world.generation, transfer.addresses(scene.bodies)
    return known[1]


def restore(scene: Scene, snapshot: Snapshot, *, inputs: bool = True) -> World:
    """Put a state back.

    Bodies added since keep their state; everything else, solver warm start included, becomes as
    it was, so that the same steps follow bit by bit.

    Args:
        scene: The scene.
        snapshot: From ``take``.
        inputs: Also put back what the drives were told, and the forces applied for the next step.

    Returns:
        The running world of the scene.

    Raises:
        EngineError: A body of the snapshot is no longer in the scene, or is another one now.
    """
    world = scene.running
    if scene.stale or world is None:
        world = scene.world
    origin = snapshot.origin
    if origin is not None and origin[1] == world.generation and origin[0]() is world:
        plan = snapshot.plan
        if plan is None:
            plan = snapshot.plan = _plan(snapshot, world)
        if not copier()(plan.address):
            for memory, copy in zip(world.state, snapshot.copies, strict=True):
                memory[:] = copy
            world.data.time = snapshot.time
        if inputs:
            for name in _INPUTS:
                getattr(world.data, name)[:] = snapshot.arrays[name]
        world.version += 1
        world.set_earlier_poses(snapshot.poses)
        return world
    now = _addresses(scene, world)
    for body_id, saved in snapshot.addresses.items():
        present = now.get(body_id)
        if present is None or (present.nq, present.nv, present.nbody) != (
            saved.nq,
            saved.nv,
            saved.nbody,
        ):
            raise EngineError(f"body {body_id} of the saved state is not in the world any more")
    kept = {name: np.array(getattr(world.data, name)) for name in _INPUTS}
    for body_id, saved in snapshot.addresses.items():
        transfer.copy_body(snapshot, world.data, saved, now[body_id])
    if not inputs:
        for name, array in kept.items():
            getattr(world.data, name)[:] = array
    world.data.time = snapshot.time
    world.changed()
    world.set_earlier_poses(_poses(scene, snapshot, world))
    return world


def _plan(snapshot: Snapshot, world: World) -> CopyPlan:
    """How the state and the time of a snapshot get into the world it was taken of."""
    time = np.array([snapshot.time])
    rows = [(world.data._address + offsets_of("mjData")["time"], time.ctypes.data, 1)]
    for memory, copy in zip(world.state, snapshot.copies, strict=True):
        to, origin = np.frombuffer(memory), np.frombuffer(copy)
        rows.append((to.ctypes.data, origin.ctypes.data, len(to)))
    return CopyPlan(rows, (time, snapshot.copies))


def _poses(scene: Scene, snapshot: Snapshot, world: World) -> Poses:
    """The earlier poses of a snapshot in the order of a world; newer bodies keep their own."""
    present = world.earlier_poses()
    if not snapshot.poses[0] or not present[0]:
        return b"", b"", b""
    return transfer.move_poses(
        snapshot.poses, snapshot.addresses, scene.bodies, world.model.nbody, onto=present
    )
