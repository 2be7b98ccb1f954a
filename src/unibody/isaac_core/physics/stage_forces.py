"""Forces that the stage states for bodies (PhysxForceAPI), which act in each step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pxr import Usd

from unibody.core.assets.rotations import rotations
from unibody.core.batch.layout import Space
from unibody.core.batch.selection import Selection

Array = npt.NDArray[np.float64]
_NAMES = ("force", "torque", "mode", "worldFrameEnabled", "forceEnabled")
_DEFAULTS = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "acceleration", False, True)


class _Force(NamedTuple):
    """What the stage states for one body."""

    force: Array
    torque: Array
    mode: str
    in_world: bool
    enabled: bool


class StageForces:
    """Forces and torques of a scene's bodies, at the origins of their frames.

    Args:
        batch: The batch of the scene.
        stage: The stage.
        bodies: Of the scene.
    """

    def __init__(self, batch: Any, stage: Usd.Stage, bodies: list[Any]) -> None:
        stated: dict[int, list[tuple[int, _Force]]] = {}
        found: list[tuple[Any, int, _Force]] = []
        for body in bodies:
            if id(body.model) not in stated:  # clones are equal
                stated[id(body.model)] = [
                    (number, force)
                    for number, path in enumerate(body.paths)
                    if path and (force := _stated(stage.GetPrimAtPath(path))) is not None
                ]
            found += [(body.actor, number, force) for number, force in stated[id(body.model)]]
        self._parts = [
            _Part(batch, [row for row in found if row[2].in_world == in_world], in_world)
            for in_world in (False, True)
            if any(row[2].in_world == in_world for row in found)
        ]

    def apply(self) -> None:
        """Add them, for one step."""
        for part in self._parts:
            part.apply()


class _Part:
    """Those in the axes of bodies, or those in the axes of the world."""

    def __init__(self, batch: Any, rows: list[tuple[Any, int, _Force]], in_world: bool) -> None:
        numbers = np.array([number for _, number, _ in rows], np.int64)
        self._bodies = Selection(batch, "body", [actor for actor, _, _ in rows], numbers, [])
        self._forces = np.array([force.force for _, _, force in rows])
        self._torques = np.array([force.torque for _, _, force in rows])
        self._scaled = np.array([force.mode == "acceleration" for _, _, force in rows])
        self._in_world = in_world

    def apply(self) -> None:
        bodies = self._bodies
        poses = _host(bodies.read("poses")).astype(float)
        masses = np.where(self._scaled, _host(bodies.read("masses")), 1.0)
        inertias = _host(bodies.read("inertias")).astype(float)
        if self._in_world:
            turns = rotations(np.roll(poses[:, 3:], 1, axis=-1))
            inertias = turns @ inertias @ np.swapaxes(turns, -1, -2)
        moments = np.where(self._scaled[:, None, None], inertias, np.eye(3))
        points = poses[:, :3] if self._in_world else np.zeros_like(self._forces)
        values = [
            self._forces * masses[:, None],
            np.einsum("bij,bj->bi", moments, self._torques),
            points,
        ]
        if bodies.batch.device != "cpu":
            import warp as wp

            device = bodies.batch.device.replace("warp-", "")
            values = [wp.array(np.float32(value), device=device) for value in values]
        forces, torques, places = values
        bodies.add_wrenches(forces, torques, places, Space.WORLD if self._in_world else Space.LOCAL)


def _stated(prim: Usd.Prim) -> _Force | None:
    """What a prim states; None: nothing that acts."""
    if not any(prim.GetAttribute(f"physxForce:{name}").HasAuthoredValue() for name in _NAMES[:2]):
        return None
    values = []
    for name, default in zip(_NAMES, _DEFAULTS, strict=True):
        value = prim.GetAttribute(f"physxForce:{name}").Get()
        values.append(default if value is None else value)
    force = _Force(np.array(values[0], float), np.array(values[1], float), *values[2:])
    return force if force.enabled and (force.force.any() or force.torque.any()) else None


def _host(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.numpy()
