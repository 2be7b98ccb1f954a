"""Snapshots: a simulation as it is at a moment, and back to it, bit for bit."""

from __future__ import annotations

import random
import weakref
from typing import Any

import numpy as np

from unibody.core.engine.snapshots import snapshot as engine
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.fleet.bodies.physics_world import PhysicsWorld, is_open
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.bodies.templates import BodyTemplate
from unibody.fleet.controllers.controller import KinematicController
from unibody.fleet.foundation.events import EventBus
from unibody.fleet.foundation.loggers import NamedLazyLogger
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.recording.captured_state import CapturedState

_CORE = (
    "sim_time", "_elapsed_sim_time", "_step_count", "_last_collision_check",
    "_registered_managers", "_robot_original_colors",
)  # fmt: skip
_UPDATES = (
    "busy", "plain", "jointed", "carriers", "noted", "listeners", "motion_rows", "joint_rows",
    "regroup",
)  # fmt: skip
_COLLISIONS = ("cell", "count", "all_rows", "_rows", "_stale", "_keys", "_last_ignore")
_PHYSICS_WORLD = ("_kinematic_joints", "_halted", "colors")
_OUTSIDE = (PhysicsWorld, Tables, EventBus, BodyTemplate, NamedLazyLogger)
_KEPT = {
    KinematicController: frozenset({"_m", "_tables"}),  # where its row is
    SimObject: frozenset({"_events", "_logger", "_path_items", "_row"}),
    ControllerParams: frozenset({"_rows"}),  # who is bound to them, which new controllers may be
}


class FleetSnapshot:
    """A simulation as it is at a moment; made by ``core.snapshot()``.

    It holds poses, velocities, joints, controllers with their paths, actions and queues, what is
    attached to what, managers, plugins, behaviour trees, collisions, the clock, Python's and
    NumPy's random numbers, and with physics the state of the engine. It does not hold settings,
    who listens to events, whether the simulation is paused, and what functions keep to themselves.

    Args:
        core: The simulation.
        simulations: The class of simulations: no other one is looked into.

    Attributes:
        time: Of the simulation [s].
        step: Steps so far.

    Raises:
        InvalidArgumentError: The simulation is over, or in the middle of a step.
        NotSupportedError: An action, plugin or controller holds an iterator.
    """

    def __init__(self, core: Any, simulations: type) -> None:
        _check_rests(core)
        self._core = weakref.ref(core)
        self._engine = None
        if core._params.physics:
            core._physics_world.refresh()
            core._physics_world.read()
            self._engine = engine.take(core._physics_world.session.scene)
        self.time: float = core._elapsed_sim_time
        self.step: int = core._step_count
        self._objects: list[SimObject] = list(core._sim_objects)
        self._modes = [obj.collision_mode for obj in self._objects]
        self._calls = [(entry, entry["last_exec"]) for entry in core._callbacks]
        self._captured = CapturedState((simulations, *_OUTSIDE), _KEPT)
        self._captured.note_attributes(core, _CORE)
        self._captured.note_attributes(core._updates, _UPDATES)
        self._captured.note_attributes(core._monitor, ("logged_collisions",))
        self._captured.note_attributes(core._collisions, _COLLISIONS)
        self._captured.note_attributes(core._physics_world, _PHYSICS_WORLD)
        self._captured.note(*self._objects, *core.plugins, *core.behavior_trees)
        self._draws = random.getstate(), np.random.get_state()  # noqa: NPY002 - what scripts use
        self._take_rows(core._tables)

    def __repr__(self) -> str:
        return (
            f"FleetSnapshot(step={self.step}, time={self.time:g} s, {len(self._objects)} objects)"
        )

    def _take_rows(self, tables: Tables) -> None:
        self._rows = np.array([obj._row for obj in self._objects], dtype=np.int64)
        self._bodies = tables.bodies.data[self._rows].copy()
        counts = np.array([obj._template.joint_count for obj in self._objects], dtype=np.int64)
        self._joint_rows = _ranges(self._bodies["joint"], counts)
        self._joints = tables.joints.data[self._joint_rows].copy()
        self._drivers = [
            (value, *value._held())
            for value, _ in self._captured.instances
            if isinstance(value, KinematicController)
        ]

    # --- back ----------------------------------------------------------------------------------

    def put_back(self, core: Any) -> None:
        """Put a simulation back to this; see ``core.restore``.

        Raises:
            InvalidArgumentError: It is another simulation, it is over or in the middle of a step,
                or objects came or went since.
            NotSupportedError: Constraints of the engine came or went since.
        """
        self._check(core)
        physics_world = core._physics_world
        if self._engine is not None:
            physics_world.refresh()
            engine.restore(physics_world.session.scene, self._engine)
        for obj, mode in zip(self._objects, self._modes, strict=True):
            if obj.collision_mode is not mode:
                physics_world.set_collides(obj.body_id, mode is not CollisionMode.DISABLED)
        self._captured.put_back()
        for entry, last in self._calls:
            entry["last_exec"] = last
        random.setstate(self._draws[0])
        np.random.set_state(self._draws[1])  # noqa: NPY002 - what scripts use
        self._put_rows_back(core._tables)
        for agent in core._agents:  # who listens now decides anew what is done for it in a step
            core._note_agent(agent)
        physics_world._held = None
        if self._engine is None:
            core._tables.bodies.data["pending"][self._rows] = 1
        else:
            world = physics_world.session.scene.world
            physics_world._seen = (world.generation, world.version)
        core._speed_history.clear()
        core._pacing_rebase_requested = True

    def _check(self, core: Any) -> None:
        _check_rests(core)
        if self._core() is not core:
            raise InvalidArgumentError("snapshot", self, "a snapshot of this simulation")
        now = core._sim_objects
        if len(now) != len(self._objects) or any(
            one is not other for one, other in zip(now, self._objects, strict=True)
        ):
            before = {id(obj) for obj in self._objects}
            came = [obj.object_id for obj in now if id(obj) not in before]
            present = {id(obj) for obj in now}
            gone = [obj.object_id for obj in self._objects if id(obj) not in present]
            raise InvalidArgumentError(
                "snapshot",
                self,
                "one with the objects that are there now; since then came "
                f"{_listed(came)}, went {_listed(gone)}",
            )
        scene = core._physics_world.session.scene
        if self._engine is not None and tuple(scene.constraints) != self._engine.constraints:
            raise NotSupportedError(
                "restoring a snapshot after objects were attached or detached with physics",
                "restore one that was taken since",
            )

    def _put_rows_back(self, tables: Tables) -> None:
        tables.bodies.data[self._rows] = self._bodies
        tables.joints.data[self._joint_rows] = self._joints
        for driver, motion, points in self._drivers:
            driver._put_back(motion, points)


def _check_rests(core: Any) -> None:
    if not is_open(core._physics_world):
        raise InvalidArgumentError("core", core, "a simulation that is not over")
    if core._in_step:
        raise InvalidArgumentError("core", core, "a simulation that is not in the middle of a step")


def _ranges(firsts: Any, counts: Any) -> Any:
    """All indices of blocks: ``counts[i]`` from ``firsts[i]`` on."""
    inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(firsts, counts) + inside


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:5]))
    return f"{shown} and {len(numbers) - 5} more" if len(numbers) > 5 else shown or "none"
