"""The interface of sensors of rays."""

from __future__ import annotations

import functools
import importlib

import numpy as np
from pxr import Usd, UsdGeom

from unibody.core.engine.kinematics.chain import rotation_matrix
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.sensors.interface import (
    F64,
    Mount,
    Sensor,
    SensorInterface,
    body_above,
    is_enabled,
)
from unibody.isaac_core.experimental.sensors.readings import RaycastSensorReading
from unibody.isaac_core.kit import log
from unibody.isaac_core.simulation import seam
from unibody.isaac_core.simulation.manager import simulation


class _Raycast(Sensor):
    """One sensor of rays. What the stage says of it is taken once a run."""

    def __init__(self, prim: Usd.Prim, mount: Mount | None) -> None:
        super().__init__(prim)
        self._mount = mount
        self._steps = 0
        get = {name: prim.GetAttribute(name).Get() for name in _ATTRIBUTES}
        self._near, self._far = float(get["minRange"]), float(get["maxRange"])
        self._origins, self._directions = (_table(get[name]) for name in _ATTRIBUTES[:2])
        self._offsets = np.asarray(get["rayTimeOffsets"] or [], float)
        self._count = int(get["numRays"])
        self._in_world = get["outputFrameOfReference"] == "WORLD"
        self._names = bool(get["reportHitPrimPaths"])
        self._wrong = self._what_is_wrong()
        if self._wrong:
            log.log_error(f"the rays of {prim.GetPath()} are not cast: {self._wrong}")
            return
        lengths = np.linalg.norm(self._directions, axis=1, keepdims=True)
        ahead = np.array([1.0, 0.0, 0.0])
        self._directions = np.where(lengths > 0.0, self._directions / np.maximum(lengths, 1e-30),
                                    ahead)  # fmt: skip
        self._sweep = float(self._offsets.max()) if len(self._offsets) else 0.0

    def fits(self, prim: Usd.Prim) -> bool:
        mounted = "" if self._mount is None else self._mount.path
        return super().fits(prim) and body_above(prim) == mounted

    def _what_is_wrong(self) -> str:
        if not self._count:
            return "numRays is 0"
        if not self._near < self._far:
            return f"minRange {self._near} is not less than maxRange {self._far}"
        for name, rows in (("rayOrigins", self._origins), ("rayDirections", self._directions),
                           ("rayTimeOffsets", self._offsets)):  # fmt: skip
            if len(rows) != self._count and (len(rows) or name != "rayTimeOffsets"):
                return f"{name} are {len(rows)}, numRays is {self._count}"
        return ""

    def read(self, dt: float) -> None:
        if self._wrong or not is_enabled(self.prim):
            self.reading = None
            return
        place, turn = self._pose()
        places, turns = self._extrapolated(place, turn)
        starts = places + np.einsum("nij,nj->ni", turns, self._origins)
        directions = np.einsum("nij,nj->ni", turns, self._directions)
        ends = starts + self._far * directions
        cast = importlib.import_module("unibody.isaac_core.physics.rays").cast
        physics = importlib.import_module("unibody.isaac_core.physics")
        hits = cast(
            physics.current(), starts + self._near * directions, ends, str(self.prim.GetPath())
        )
        now = self._active(dt)
        met = np.any(hits.normals != 0.0, axis=1) & now
        points, normals = hits.points, hits.normals
        if not self._in_world:
            points = np.einsum("nji,nj->ni", turns, points - places)
            normals = np.einsum("nji,nj->ni", turns, normals)
        reached = np.where(met[:, None], hits.points, ends)
        starts, reached = (np.where(now[:, None], x, place) for x in (starts, reached))
        values = (
            np.where(met, self._near + hits.distances, self._far),
            np.where(met[:, None], points, 0.0),
            np.where(met[:, None], normals, 0.0),
        )
        depths, points, normals = (x.astype(np.float32) for x in values)
        paths = [path if hit else "" for path, hit in zip(hits.paths, met, strict=True)]
        self.reading = RaycastSensorReading(
            self._count, simulation.time, True, depths, points, normals,
            paths if self._names else [], starts.astype(np.float32), reached.astype(np.float32),
        )  # fmt: skip

    def _pose(self) -> tuple[F64, F64]:
        if self._mount is not None:
            place, turn, _ = self._mount.pose()
            return place, turn
        seam.flush([self.prim])
        matrix = UsdGeom.XformCache().GetLocalToWorldTransform(self.prim).RemoveScaleShear()
        found = convert.column_matrix(matrix)
        return found[:3, 3], found[:3, :3]

    def _extrapolated(self, place: F64, turn: F64) -> tuple[F64, F64]:
        """(rays, 3) places and (rays, 3, 3) rotations of the sensor when each ray is cast."""
        if self._mount is None or not len(self._offsets):
            return np.tile(place, (self._count, 1)), np.tile(turn, (self._count, 1, 1))
        velocity, turning = self._mount.velocities()
        places = place + self._offsets[:, None] * velocity
        # To first order, as the original: (1, w dt / 2), at unit length.
        steps = np.concatenate(
            [np.ones((self._count, 1)), 0.5 * self._offsets[:, None] * turning], axis=1
        )
        steps /= np.linalg.norm(steps, axis=1, keepdims=True)
        return places, np.stack([rotation_matrix(tuple(one)) @ turn for one in steps])

    def _active(self, dt: float) -> np.ndarray:
        """(rays,) which rays are cast in this step: those whose time of the sweep is in it."""
        self._steps += 1
        if self._sweep <= 0.0:
            return np.ones(self._count, bool)
        end = (self._steps * dt) % self._sweep
        start = end - dt
        if start < 0.0:
            return (self._offsets >= start + self._sweep) | (self._offsets < end)
        return (self._offsets >= start) & (self._offsets < end)


_ATTRIBUTES = (
    "rayOrigins", "rayDirections", "rayTimeOffsets", "numRays", "minRange", "maxRange",
    "outputFrameOfReference", "reportHitPrimPaths",
)  # fmt: skip


def _table(values: object) -> F64:
    return np.asarray(values if values is not None else [], float).reshape(-1, 3)


class RaycastInterface(SensorInterface[_Raycast]):
    """Reads sensors of rays."""

    _TYPE = "IsaacRaycastSensor"
    _READING = RaycastSensorReading

    def _make(self, prim: Usd.Prim) -> _Raycast | None:
        if prim.GetTypeName() != self._TYPE:
            return None
        body = body_above(prim)
        return _Raycast(prim, Mount(prim, body) if body else None)


@functools.cache
def get_raycast_sensor_interface() -> RaycastInterface:
    """The interface of the process."""
    return RaycastInterface()
