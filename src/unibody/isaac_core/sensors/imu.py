"""IMUSensor: acceleration and rotation of a place on a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.core.engine.kinematics.chain import rotation_matrix
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.rotations import rot_matrix_to_quat
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.prims.base_sensor import BaseSensor
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.simulation.manager import simulation
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.simulation.step_events import read_after_steps


class IMUSensor(BaseSensor):
    """Reads, after each step, how a place on a body moves.

    Args:
        prim_path: Of the sensor, below its body.
        name: By which a scene finds it.
        frequency: Of the readings [1/s]; None: each step.
        dt: Time between readings [s], in its place.
        translation: To the body [m].
        position: In the world, in its place.
        orientation: w, x, y, z.
        linear_acceleration_filter_size: Only 1: readings are not averaged.
        angular_velocity_filter_size: The same.
        orientation_filter_size: The same.

    Raises:
        InvalidArgumentError: Nothing above it is a body, or both frequency and dt were given.
        NotSupportedError: Readings were to be averaged.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "imu_sensor",
        frequency: int | None = None,
        dt: float | None = None,
        translation: Vector | None = None,
        position: Vector | None = None,
        orientation: Vector | None = None,
        linear_acceleration_filter_size: int = 1,
        angular_velocity_filter_size: int = 1,
        orientation_filter_size: int = 1,
    ) -> None:
        sizes = (linear_acceleration_filter_size, angular_velocity_filter_size,
                 orientation_filter_size)  # fmt: skip
        if sizes != (1, 1, 1):
            raise NotSupportedError("averages of an IMU's readings", "filter sizes of 1")
        if frequency is not None and dt is not None:
            raise InvalidArgumentError("dt", dt, "None where frequency is given")
        body = body_of(prim_path)
        if not functions.is_prim_path_valid(prim_path):
            functions.define_prim(prim_path)
        super().__init__(
            prim_path, name, position=position, translation=translation, orientation=orientation
        )
        self._period = 1.0 / frequency if frequency else dt or 0.0
        self._body = RigidPrimView(body, f"{name}_body", reset_xform_properties=False)
        local = self.get_local_pose()
        self._place, self._turn = np.asarray(local[0], float), rotation_matrix(tuple(local[1]))
        self._paused = False
        self._frame: dict[str, Any] = {}
        self._before: np.ndarray | None = None
        self.post_reset()
        self._events = read_after_steps(self._read)

    def post_reset(self) -> None:
        """Forget what was read."""
        self._before = None
        self._frame = {
            "time": 0.0, "physics_step": 0.0, "lin_acc": np.zeros(3), "gravity": np.zeros(3),
            "ang_vel": np.zeros(3), "orientation": np.array([1.0, 0.0, 0.0, 0.0]),
        }  # fmt: skip

    def get_current_frame(self, read_gravity: bool = True) -> dict[str, Any]:
        """The last reading.

        Args:
            read_gravity: Whether a sensor at rest reads what holds it against gravity.

        Returns:
            Time [s], physics_step, lin_acc [m/s^2] and ang_vel [rad/s] in the sensor's frame, and
            its orientation w, x, y, z in the world.
        """
        frame = {key: value for key, value in self._frame.items() if key != "gravity"}
        if not read_gravity:
            frame["lin_acc"] = frame["lin_acc"] + self._frame["gravity"]
        return frame

    def pause(self) -> None:
        """Stop reading."""
        self._paused = True

    def resume(self) -> None:
        """Go on reading."""
        self._paused, self._before = False, None

    def is_paused(self) -> bool:
        """Whether it has stopped reading."""
        return self._paused

    def get_dt(self) -> float:
        """Time between readings [s]; 0: each step."""
        return self._period

    def set_dt(self, value: float) -> None:
        """Set the time between readings [s]."""
        self._period = float(value)

    def get_frequency(self) -> float:
        """Of the readings [1/s]."""
        return 1.0 / (self._period or SimulationManager.get_physics_dt())

    def set_frequency(self, value: float) -> None:
        """Set that of the readings [1/s]."""
        self._period = 1.0 / value

    def _read(self, dt: float, _simulation: Any) -> None:
        if not self.is_valid():  # its stage was closed
            self._events.unsubscribe()
            return
        if self._paused:
            return
        if not self._body.is_physics_handle_valid():
            self._body.initialize()
        utils = simulation.backend_utils()
        quat = utils.to_numpy(self._body.get_world_poses()[1])[0].astype(float)
        speeds = utils.to_numpy(self._body.get_velocities())[0].astype(float)
        centre = utils.to_numpy(self._body.get_coms()[0]).reshape(-1, 3)[0].astype(float)
        body = rotation_matrix(tuple(quat))
        velocity = speeds[:3] + np.cross(speeds[3:], body @ (self._place - centre))
        before, self._before = self._before, velocity
        now = float(SimulationManager.get_simulation_time())
        early = 0.0 < self._frame["time"] <= now < self._frame["time"] + self._period - 1e-9
        if before is None or early:
            return
        turn = body @ self._turn
        weight = turn.T @ np.asarray(simulation.view.get_gravity(), float)
        self._frame = {
            "time": now,
            "physics_step": float(SimulationManager.get_num_physics_steps()),
            "lin_acc": turn.T @ ((velocity - before) / dt) - weight,
            "gravity": weight,
            "ang_vel": turn.T @ speeds[3:],
            "orientation": rot_matrix_to_quat(turn),
        }


def body_of(prim_path: str) -> str:
    """Path of the body above a sensor."""
    path = prim_path.rsplit("/", 1)[0]
    while path:
        prim = functions.get_prim_at_path(path)
        if prim and prim.HasAPI(UsdPhysics.RigidBodyAPI):
            return path
        path = path.rsplit("/", 1)[0]
    raise InvalidArgumentError("prim_path", prim_path, "a path below a rigid body")
