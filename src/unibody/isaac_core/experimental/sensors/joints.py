"""The interfaces of sensors of joints: efforts of one, and the state of all of an articulation."""

from __future__ import annotations

import functools

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

from unibody.isaac_core import convert
from unibody.isaac_core.experimental.sensors.interface import Sensor, SensorInterface
from unibody.isaac_core.experimental.sensors.readings import (
    EffortSensorReading,
    JointStateSensorReading,
)
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.simulation.manager import simulation


class _OfJoints(Sensor):
    """What is read of an articulation."""

    def __init__(self, prim: Usd.Prim, root: str) -> None:
        super().__init__(prim)
        self._root = root
        self._view = ArticulationView(root, "sensor_joints", reset_xform_properties=False)

    def fits(self, prim: Usd.Prim) -> bool:
        return super().fits(prim) and articulation_above(prim) == self._root

    def _ready(self) -> ArticulationView:
        if not self._view.is_physics_handle_valid():
            self._view.initialize()
        return self._view


class _Effort(_OfJoints):
    def knows(self) -> bool:
        """Whether the articulation has a degree of freedom of the prim's name."""
        return self.prim.GetName() in self._ready().dof_names

    def read(self, dt: float) -> None:
        view = self._ready()
        efforts = convert.plain(view.get_measured_joint_efforts())[0]
        value = float(efforts[view.get_dof_index(self.prim.GetName())])
        self.reading = EffortSensorReading(True, simulation.time, value)


class _JointState(_OfJoints):
    def read(self, dt: float) -> None:
        view = self._ready()
        positions, velocities, efforts = (
            convert.plain(row)[0].astype(np.float32)
            for row in (
                view.get_joint_positions(), view.get_joint_velocities(),
                view.get_measured_joint_efforts(),
            )
        )  # fmt: skip
        self.reading = JointStateSensorReading(
            True, simulation.time, list(view.dof_names), positions, velocities, efforts,
            np.array([int(kind) for kind in view.get_dof_types()], np.uint8),
            UsdGeom.GetStageMetersPerUnit(self.prim.GetStage()),
        )  # fmt: skip


def articulation_above(prim: Usd.Prim) -> str:
    """Path of the articulation that a prim is, or is in; "" if it is in none."""
    while prim and not prim.IsPseudoRoot():
        for found in Usd.PrimRange(prim):
            if found.HasAPI(UsdPhysics.ArticulationRootAPI):
                return str(found.GetPath())
        prim = prim.GetParent()
    return ""


class EffortInterface(SensorInterface[_Effort]):
    """Reads the effort along joints."""

    _READING = EffortSensorReading

    def _make(self, prim: Usd.Prim) -> _Effort | None:
        root = articulation_above(prim.GetParent())
        made = _Effort(prim, root) if root else None
        return made if made is not None and made.knows() else None


class JointStateInterface(SensorInterface[_JointState]):
    """Reads the joints of articulations."""

    _READING = JointStateSensorReading

    def _make(self, prim: Usd.Prim) -> _JointState | None:
        root = articulation_above(prim)
        return _JointState(prim, root) if root else None


@functools.cache
def get_effort_sensor_interface() -> EffortInterface:
    """The interface of the process."""
    return EffortInterface()


@functools.cache
def get_joint_state_sensor_interface() -> JointStateInterface:
    """The interface of the process."""
    return JointStateInterface()
