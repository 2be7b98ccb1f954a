"""SensorInterface: what reads sensors of one kind after each step, by the paths of their prims."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.isaac_core import convert, handles
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.simulation.manager import IsaacEvents, simulation

F64 = npt.NDArray[np.float64]
_FIRST = -1  # before the calls of scripts, which read sensors


class Sensor:
    """One sensor.

    Args:
        prim: Of the sensor.
    """

    def __init__(self, prim: Usd.Prim) -> None:
        self.prim = prim
        self.reading: Any = None

    def fits(self, prim: Usd.Prim) -> bool:
        """Whether it is still that of the prim at its path."""
        return prim == self.prim

    def read(self, dt: float) -> None:
        """Read after a step of a time [s]."""
        raise NotImplementedError


Kind = TypeVar("Kind", bound=Sensor)


class SensorInterface(Generic[Kind]):
    """Reads sensors of one kind.

    Sensors of the stage are found when the simulation begins; others are there once they are
    made. They end with the simulation.
    """

    _TYPE = ""  # of prims that are found
    _READING: type = object

    def __init__(self) -> None:
        self._sensors: dict[str, Kind] = {}
        self._dt = 0.0
        simulation.connect()
        listen = simulation.add_listener
        self._listening = [
            listen(IsaacEvents.POST_PHYSICS_STEP, self._step, _FIRST),
            listen(IsaacEvents.PHYSICS_READY, self._find, _FIRST),
            listen(IsaacEvents.TIMELINE_STOP, self._sensors.clear, _FIRST),
        ]

    def create_sensor(self, path: str) -> bool:
        """Begin to read a sensor.

        Args:
            path: Of its prim.

        Returns:
            Whether it can be read: there is a simulation, and all that it needs.
        """
        prim = handles.current_stage().GetPrimAtPath(path)
        if not prim or simulation.view is None:
            self._sensors.pop(path, None)
            return False
        there = self._sensors.get(path)
        if there is not None and there.fits(prim):
            return True
        made = self._make(prim)
        if made is None:
            self._sensors.pop(path, None)
            return False
        self._sensors[path] = made
        return True

    def remove_sensor(self, path: str) -> None:
        """Read a sensor no more."""
        self._sensors.pop(path, None)

    def get_sensor_reading(self, path: str) -> Any:
        """What a sensor read last; not valid where there is no such sensor, or it read nothing."""
        sensor = self._alive(path)
        if sensor is not None and sensor.reading is None and self._dt > 0.0:
            sensor.read(self._dt)  # made after the last step
        found = None if sensor is None else sensor.reading
        return self._READING() if found is None else found

    def shutdown(self) -> None:
        """Let go of all sensors, and end the calls of the simulation."""
        self._sensors.clear()
        for number in self._listening:
            simulation.remove_listener(number)

    def _make(self, prim: Usd.Prim) -> Kind | None:
        """The sensor of a prim; None if it cannot be read."""
        raise NotImplementedError

    def _alive(self, path: str) -> Kind | None:
        sensor = self._sensors.get(path)
        if sensor is None or sensor.prim.IsValid():
            return sensor
        del self._sensors[path]
        return None

    def _find(self) -> None:
        self._dt = 0.0
        self._sensors.clear()
        if self._TYPE:
            for prim in handles.current_stage().Traverse():
                if prim.GetTypeName() == self._TYPE:
                    self.create_sensor(str(prim.GetPath()))

    def _step(self, dt: float) -> None:
        self._dt = dt
        for path in list(self._sensors):
            sensor = self._alive(path)
            if sensor is not None:
                sensor.read(dt)


def body_above(prim: Usd.Prim) -> str:
    """Path of the nearest body above a prim that moves; "" if there is none."""
    above = prim.GetParent()
    while above and not above.IsPseudoRoot():
        enabled = above.GetAttribute("physics:rigidBodyEnabled")
        if enabled.Get() if enabled else above.HasAPI(UsdPhysics.RigidBodyAPI):
            return str(above.GetPath())
        above = above.GetParent()
    return ""


class Mount:
    """Where a sensor is on its body, and how that moves.

    Args:
        prim: Of the sensor.
        body: Path of the body.
    """

    def __init__(self, prim: Usd.Prim, body: str) -> None:
        self.path: str = body
        self._view = RigidPrimView(body, "sensor_body", reset_xform_properties=False)
        cache = UsdGeom.XformCache()
        base = _rigid(cache, prim.GetStage().GetPrimAtPath(body))
        self._in_body = _rigid(cache, prim) * base.GetInverse()

    def pose(self) -> tuple[F64, F64, F64]:
        """(3,) position, (3, 3) rotation and (4,) w, x, y, z of the sensor in the world."""
        places, turns = (convert.plain(x)[0] for x in self._ready().get_world_poses())
        whole = self._in_body * convert.pose_matrix(places, turns)
        turn = convert.quat_wxyz(whole.ExtractRotationQuat().GetNormalized())
        matrix = convert.column_matrix(whole)
        return matrix[:3, 3], matrix[:3, :3], turn

    def velocities(self) -> tuple[F64, F64]:
        """(3,) velocity of the body's centre of mass [m/s] and (3,) turning [rad/s]."""
        moving = convert.plain(self._ready().get_velocities())[0].astype(np.float64)
        return moving[:3], moving[3:]

    def _ready(self) -> RigidPrimView:
        if not self._view.is_physics_handle_valid():
            self._view.initialize()
        return self._view


def _rigid(cache: UsdGeom.XformCache, prim: Usd.Prim) -> Gf.Matrix4d:
    """The transform of a prim to the world, without scale and shear."""
    return Gf.Matrix4d(cache.GetLocalToWorldTransform(prim)).RemoveScaleShear()


def is_enabled(prim: Usd.Prim) -> bool:
    """Whether a sensor's prim says that it reads."""
    found = prim.GetAttribute("enabled")
    return bool(found.Get()) if found and found.Get() is not None else True
