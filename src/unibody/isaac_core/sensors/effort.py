"""EffortSensor: the force or torque along one joint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.simulation.step_events import read_after_steps


@dataclass
class EsSensorReading:
    """What the sensor read.

    Attributes:
        is_valid: Whether it read anything.
        time: Of the simulation [s].
        value: Force or torque [N or Nm].
    """

    is_valid: bool = False
    time: float = 0
    value: float = 0


class EffortSensor:
    """Reads the effort along a joint of an articulation after each step.

    Args:
        prim_path: Of the joint.
        sensor_period: Time between readings [s]; not positive: each step.
        use_latest_data: Whether the last step is read between them.
        enabled: Whether it reads.

    Raises:
        InvalidArgumentError: The joint is not there, or in no articulation.
    """

    def __init__(
        self,
        prim_path: str,
        sensor_period: float = -1,
        use_latest_data: bool = False,
        enabled: bool = True,
    ) -> None:
        self.prim_path: str = prim_path
        self.dof_name = prim_path.rsplit("/", 1)[-1]
        self.sensor_period: float = sensor_period
        self.use_latest_data: bool = use_latest_data
        self.enabled = enabled
        self._view = ArticulationView(_articulation_of(prim_path), f"{self.dof_name}_effort")
        self._reading = self._latest = EsSensorReading()
        self._events = read_after_steps(self._read)

    def get_sensor_reading(
        self,
        interpolation_function: Callable[..., Any] | None = None,
        use_latest_data: bool = False,
    ) -> EsSensorReading:
        """The last reading; it is not valid before the first step, or while disabled.

        Args:
            interpolation_function: Between readings; only None: the last one stands.
            use_latest_data: Whether the last step is read.

        Raises:
            InvalidArgumentError: A function was given.
        """
        if interpolation_function is not None:
            raise InvalidArgumentError("interpolation_function", interpolation_function, "None")
        if not self.enabled:
            return EsSensorReading()
        return self._latest if use_latest_data or self.use_latest_data else self._reading

    def update_dof_name(self, dof_name: str) -> None:
        """Read another joint of the articulation."""
        self.dof_name: str = dof_name

    def _read(self, _dt: float, _simulation: Any) -> None:
        if not functions.is_prim_path_valid(self.prim_path):  # its stage was closed
            self._events.unsubscribe()
            return
        if not self.enabled:
            return
        if not self._view.is_physics_handle_valid():
            self._view.initialize()
        number = self._view.get_dof_index(self.dof_name)
        value = float(self._view.get_measured_joint_efforts()[0][number])
        now = float(SimulationManager.get_simulation_time())
        self._latest = EsSensorReading(True, now, value)
        begun = now < self._reading.time  # the simulation began again
        if not self._reading.is_valid or begun or now >= self._reading.time + self.sensor_period:
            self._reading = self._latest


def _articulation_of(prim_path: str) -> str:
    """Path of the articulation above a joint."""
    prim = functions.get_prim_at_path(prim_path)
    if not prim:
        raise InvalidArgumentError("prim_path", prim_path, "the path of a joint")
    found = functions.get_first_matching_parent_prim(
        prim_path,
        lambda path: functions.get_prim_at_path(path).HasAPI("PhysicsArticulationRootAPI"),
    )
    if not found:
        raise InvalidArgumentError("prim_path", prim_path, "the path of a joint of an articulation")
    return str(found.GetPath())
