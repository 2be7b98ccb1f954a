"""ContactSensor: whether a body touches anything near a place on it, and how hard."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, UsdPhysics

from unibody.core.engine.kinematics.chain import rotation_matrix
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.prims.base_sensor import BaseSensor
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.sensors.felt import Felt, feel
from unibody.isaac_core.sensors.imu import body_of
from unibody.isaac_core.simulation.manager import simulation
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.simulation.step_events import read_after_steps

_ATTRIBUTES = {
    "threshold": (Sdf.ValueTypeNames.Float2, Gf.Vec2f(0.0, 100000.0)),
    "radius": (Sdf.ValueTypeNames.Float, -1.0),
    "sensorPeriod": (Sdf.ValueTypeNames.Float, 0.0),
    "enabled": (Sdf.ValueTypeNames.Bool, True),
}


class ContactSensor(BaseSensor):
    """Reads, after each step, the contacts that push its body.

    What it is set to stands in attributes of its prim: threshold, radius, sensorPeriod, enabled.

    Args:
        prim_path: Of the sensor, right below a collider of its body.
        name: By which a scene finds it.
        frequency: Of the readings [1/s]; None: each step.
        dt: Time between readings [s], in its place.
        translation: To the body [m]; where it stands on the body is read here.
        position: In the world, in its place.
        min_threshold: Force below which nothing is felt [N]; None: as it is, or 0.
        max_threshold: The greatest force that is read [N]; None: as it is, or 100000.
        radius: Of the ball in which contacts are felt [m]; not positive: everywhere.

    Raises:
        InvalidArgumentError: It is below no collider of a body, or both frequency and dt are given.
    """

    def __init__(
        self,
        prim_path: str,
        name: str | None = "contact_sensor",
        frequency: int | None = None,
        dt: float | None = None,
        translation: Vector | None = None,
        position: Vector | None = None,
        min_threshold: float | None = None,
        max_threshold: float | None = None,
        radius: float | None = None,
    ) -> None:
        if frequency is not None and dt is not None:
            raise InvalidArgumentError("dt", dt, "None where frequency is given")
        above = functions.get_prim_at_path(prim_path.rsplit("/", 1)[0])
        if above and not above.HasAPI(UsdPhysics.CollisionAPI):
            raise InvalidArgumentError("prim_path", prim_path, "a path right below a collider")
        self._body_path = body_of(prim_path)
        if not functions.is_prim_path_valid(prim_path):
            functions.define_prim(prim_path)
        super().__init__(
            prim_path, name or "contact_sensor", position=position, translation=translation
        )
        for attribute, (kind, value) in _ATTRIBUTES.items():
            if not self.prim.HasAttribute(attribute):
                self.prim.CreateAttribute(attribute, kind).Set(value)
        if min_threshold is not None:
            self.set_min_threshold(min_threshold)
        if max_threshold is not None:
            self.set_max_threshold(max_threshold)
        if radius is not None:
            self.set_radius(radius)
        if frequency is not None or dt is not None:
            self.set_dt(1.0 / frequency if frequency is not None else dt or 0.0)
        self._body = RigidPrimView(self._body_path, f"{name}_body", reset_xform_properties=False)
        at, turn = self._pose_of_body()
        self._place = turn.T @ (np.asarray(self._plain(self.get_world_pose()[0]), float) - at)
        self._frame: dict[str, Any] = {}
        self.post_reset()
        self._events = read_after_steps(self._read)

    def post_reset(self) -> None:
        """Forget what was read."""
        raw = {"contacts": []} if "contacts" in self._frame else {}
        self._frame = {"time": 0, "physics_step": 0, **raw}

    def get_current_frame(self) -> dict[str, Any]:
        """The last reading.

        Returns:
            time [s] and physics_step; once it has read, in_contact, force (the length of the sum of
            the normal forces within the radius) [N], number_of_contacts of the whole body; and, if
            they were asked for, contacts: body0 (this one), body1 ("" for one of several fixed
            colliders), position, normal towards body0, and impulse [N s], of each.
        """
        return self._frame

    def add_raw_contact_data_to_frame(self) -> None:
        """Let frames have the contacts one by one."""
        self._frame["contacts"] = []

    def remove_raw_contact_data_from_frame(self) -> None:
        """Let frames not have the contacts one by one."""
        del self._frame["contacts"]

    def pause(self) -> None:
        """Stop reading."""
        self.prim.GetAttribute("enabled").Set(False)

    def resume(self) -> None:
        """Go on reading."""
        self.prim.GetAttribute("enabled").Set(True)

    def is_paused(self) -> bool:
        """Whether it has stopped reading."""
        return not self.prim.GetAttribute("enabled").Get()

    def get_dt(self) -> float:
        """Time between readings [s]; 0: each step."""
        return self.prim.GetAttribute("sensorPeriod").Get()

    def set_dt(self, value: float) -> None:
        """Set the time between readings [s]."""
        self.prim.GetAttribute("sensorPeriod").Set(float(value))

    def get_frequency(self) -> int:
        """Of the readings [1/s]."""
        return round(1.0 / (self.get_dt() or SimulationManager.get_physics_dt()))

    def set_frequency(self, value: float) -> None:
        """Set that of the readings [1/s]."""
        self.set_dt(1.0 / value)

    def get_radius(self) -> float:
        """Of the ball in which contacts are felt [m]."""
        return self.prim.GetAttribute("radius").Get()

    def set_radius(self, value: float) -> None:
        """Set that of the ball in which contacts are felt [m]; not positive: everywhere."""
        self.prim.GetAttribute("radius").Set(float(value))

    def get_min_threshold(self) -> float:
        """Force below which nothing is felt [N]."""
        return self.prim.GetAttribute("threshold").Get()[0]

    def set_min_threshold(self, value: float) -> None:
        """Set the force below which nothing is felt [N]."""
        self.prim.GetAttribute("threshold").Set(Gf.Vec2f(value, self.get_max_threshold()))

    def get_max_threshold(self) -> float:
        """The greatest force that is read [N]."""
        return self.prim.GetAttribute("threshold").Get()[1]

    def set_max_threshold(self, value: float) -> None:
        """Set the greatest force that is read [N]."""
        self.prim.GetAttribute("threshold").Set(Gf.Vec2f(self.get_min_threshold(), value))

    @staticmethod
    def _plain(values: Any) -> np.ndarray:
        return simulation.backend_utils().to_numpy(values)

    def _pose_of_body(self) -> tuple[np.ndarray, np.ndarray]:
        places, turns = (
            self._plain(part)[0].astype(float) for part in self._body.get_world_poses()
        )
        return places, rotation_matrix(tuple(turns))

    def _read(self, dt: float, _simulation: Any) -> None:
        if not self.is_valid():  # its stage was closed
            self._events.unsubscribe()
            return
        now = float(SimulationManager.get_simulation_time())
        last = self._frame["time"]
        if self.is_paused() or 0.0 < last <= now < last + self.get_dt() - 1e-6:
            return
        if not self._body.is_physics_handle_valid():
            self._body.initialize()
        at, turn = self._pose_of_body()
        felt = feel(self._body_path, at + turn @ self._place, self.get_radius())
        whole = felt.force
        touched = felt.near and whole >= self.get_min_threshold()
        rows = felt.pushing if touched else []
        self._frame |= {
            "in_contact": touched,
            "force": min(whole, self.get_max_threshold()) if touched else 0.0,
            "time": now,
            "number_of_contacts": len(rows),
            "physics_step": float(SimulationManager.get_num_physics_steps()),
        }
        if "contacts" in self._frame:
            self._frame["contacts"] = [self._contact(felt, row, dt) for row in rows]

    def _contact(self, felt: Felt, row: int, dt: float) -> dict[str, Any]:
        make = simulation.backend_utils().create_tensor_from_list
        tensors = {
            key: make(one.tolist(), dtype="float32", device=simulation.device)
            for key, one in felt.contact(row, dt).items()
        }
        return {"body0": self._body_path, "body1": felt.others[row], **tensors}
