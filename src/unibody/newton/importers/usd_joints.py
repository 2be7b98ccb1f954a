"""What prims of a stage say of joints and of motion, by the rules of later releases of 1.x."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import usd
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import Axis, JointType
from unibody.newton.exceptions import warn

_PLAIN = {"newton:armature": "armature", "newton:friction": "friction"}
_PER_ANGLE = {  # gains, which the stage states for a degree
    "newton:damping": "damping",
    "newton:limitStiffness": "limit_ke",
    "newton:limitDamping": "limit_kd",
}
_USUAL = ("armature", "friction", "damping", "stiffness", "limit_ke", "limit_kd", "velocity_limit")
_EARTH = 9.81  # m/s^2
OF_JOINTS = ("mujoco:dof_passive_stiffness", "mujoco:dof_springref")
"""Attributes that joints have fields of their own for."""


class JointFields:
    """Reads fields of joints.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
    """

    def __init__(self, builder: Any, stage: Any) -> None:
        from pxr import UsdPhysics

        self._builder, self._stage = builder, stage
        self._scenes = [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.Scene)]

    def gains(self, given: float) -> float:
        """The factor on gains of drives that the scene states, or the given one.

        Releases before the later ones of 1.x take the given one.
        """
        if not is_after_first_of_1():
            return given
        names = "newton:joint_drive_gains_scaling"
        return usd.get_float_with_fallback(self._scenes, names, given)

    def angle(self) -> float:
        """Radians in a unit of the angles that MuJoCo's schemas state."""
        units = [usd.get_attribute(scene, "mjc:compiler:angle") for scene in self._scenes]
        return 1.0 if "radian" in units else math.radians(1.0)

    def of_axis(self, path: str, *, turns: bool, single: bool) -> dict[str, Any]:
        """Arguments of the configuration of an axis.

        Args:
            path: Of the joint's prim.
            turns: Whether the axis is one of rotation.
            single: Whether the joint has no other axis.
        """
        default = self._builder.default_joint_cfg
        found = {name: getattr(default, name) for name in _USUAL}
        prim = self._stage.GetPrimAtPath(path)
        if not prim:
            return found
        degree = math.radians(1.0) if turns else 1.0
        for name, field in _PLAIN.items():
            value = usd.get_float(prim, name)
            if value is not None:
                found[field] = value
        for name, field in _PER_ANGLE.items():
            value = usd.get_float(prim, name)
            if value is not None:
                found[field] = value / degree
        speed = usd.get_float(prim, "newton:velocityLimit")
        if speed is not None:
            found["velocity_limit"] = speed * degree
        return found | self._spring(prim, turns=turns, single=single)

    def _spring(self, prim: Any, *, turns: bool, single: bool) -> dict[str, Any]:
        """Stiffness and rest of a joint's own spring, where the builder knows MuJoCo's fields."""
        known = self._builder.custom_attributes
        if "mujoco:dof_passive_stiffness" not in known:
            return {}
        found: dict[str, Any] = {}
        stiffness = usd.get_float(prim, "mjc:stiffness")
        if stiffness is not None:
            found["stiffness"] = stiffness
        stated = [usd.get_float(prim, f"mjc:{name}") for name in ("springref", "ref")]
        if single and stated != [None, None]:
            rest, origin = (value or 0.0 for value in stated)
            found["rest_q"] = (rest - origin) * (self.angle() if turns else 1.0)
        return found

    def collides(self, path: str) -> bool:
        """Whether the bodies of a joint collide with each other."""
        prim = self._stage.GetPrimAtPath(path)
        return bool(prim) and bool(usd.get_attribute(prim, "physics:collisionEnabled", False))

    def set_gravity(self, place: Any) -> None:
        """Let the builder's world have the gravity of the stage's scene.

        Args:
            place: Pose of the stage, its axes turned to those of the builder.
        """
        from pxr import UsdGeom

        builder = self._builder
        if not self._scenes:
            return
        scene = self._scenes[0]
        up = Axis.from_any(str(UsdGeom.GetStageUpAxis(self._stage)))
        direction = np.array(usd.get_attribute(scene, "physics:gravityDirection", (0, 0, 0)), float)
        length = float(np.linalg.norm(direction))
        if not 0.0 < length < math.inf:
            direction, length = -np.array(up.to_vec3()), 1.0
        size = usd.get_attribute(scene, "physics:gravityMagnitude", -math.inf)
        if not 0.0 <= size < math.inf:
            size = _EARTH / UsdGeom.GetStageMetersPerUnit(self._stage)
        if usd.get_attribute(scene, "newton:gravityEnabled") is False:
            size = 0.0
        turn = up.quat_between_axes(Axis.Z)
        vector = wp.quat_rotate(turn, wp.vec3(*(direction * (size / length))))
        vector = wp.transform_vector(place, vector)
        if builder.current_world >= 0:
            builder.world_gravity[builder.current_world] = tuple(vector)
        else:
            builder.gravity = tuple(vector)

    def set_velocities(self, bodies: dict[str, int], place: Any) -> None:
        """Let bodies, and joints that leave them free, move as the stage states.

        Args:
            bodies: Path of a prim -> body.
            place: Pose of the stage.
        """
        builder = self._builder
        free = {
            child: joint
            for joint, child in enumerate(builder.joint_child)
            if builder.joint_type[joint] == JointType.FREE
        }
        for path, body in bodies.items():
            prim = self._stage.GetPrimAtPath(path)
            stated = [usd.get_vector(prim, f"physics:{n}elocity") for n in ("v", "angularV")]
            if not any(v is not None and v.any() for v in stated):
                continue
            turn = wp.transform_get_rotation(place * usd.get_transform(prim, local=False))
            linear, angular = (np.zeros(3) if v is None else v for v in stated)
            ahead = wp.quat_rotate(turn, wp.vec3(*linear))
            spin = wp.quat_rotate(turn, wp.vec3(*np.radians(angular)))
            builder.body_qd[body] = wp.spatial_vector(*ahead, *spin)
            joint = free.get(body)
            if joint is not None:
                first = builder.joint_qd_start[joint]
                builder.joint_qd[first : first + 6] = [*ahead, *spin]


def warn_of_mixed_mimic(builder: Any, joint: int, path: str, offset: float) -> None:
    """Warn of the offset of a joint with several axes that follows another one."""
    axes = sum(builder.joint_dof_dim[joint])
    if offset and axes > 1:
        warn(
            f"NewtonMimicAPI on {path}: newton:mimicCoef0 has no defined unit for a joint of"
            f" {axes} axes: it is applied to each as it stands"
        )
