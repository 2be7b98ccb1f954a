"""HolonomicRobotUsdSetup: what a stage says of wheels that roll sideways."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles

_ANGLE, _RADIUS = "isaacmecanumwheel:angle", "isaacmecanumwheel:radius"
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


class HolonomicRobotUsdSetup:
    """The wheels of a robot, as its joints state them.

    Args:
        robot_prim_path: Of the robot.
        com_prim_path: Of the prim that commands are about; "": the robot's.

    Raises:
        InvalidArgumentError: There is no such prim, or none of its joints has the attributes
            isaacmecanumwheel:radius and isaacmecanumwheel:angle.
    """

    def __init__(self, robot_prim_path: str, com_prim_path: str) -> None:
        self._robot_prim_path, self._com_prim_path = robot_prim_path, com_prim_path
        self.from_usd(robot_prim_path, com_prim_path)

    def from_usd(self, robot_prim_path: str, com_prim_path: str) -> None:
        """Read a robot of the stage, see the class."""
        stage = handles.current_stage()
        robot = _prim(stage, "robot_prim_path", robot_prim_path)
        middle = _prim(stage, "com_prim_path", com_prim_path or robot_prim_path)
        joints = [prim for prim in Usd.PrimRange(robot) if prim.GetAttribute(_ANGLE)]
        if not joints:
            allowed = f"a prim with joints that have {_RADIUS} and {_ANGLE}"
            raise InvalidArgumentError("robot_prim_path", robot_prim_path, allowed)
        self._radius = [joint.GetAttribute(_RADIUS).Get() for joint in joints]
        self._angles = [joint.GetAttribute(_ANGLE).Get() for joint in joints]
        self._names = [joint.GetName() for joint in joints]
        places = UsdGeom.XformCache()
        inverse = places.GetLocalToWorldTransform(middle).GetInverse()
        found = [_frame(places, UsdPhysics.RevoluteJoint(joint)) * inverse for joint in joints]
        self._positions = np.array([matrix.ExtractTranslation() for matrix in found])
        quats = [matrix.ExtractRotationQuat() for matrix in found]
        self._orientations = np.array([(q.GetReal(), *q.GetImaginary()) for q in quats])
        self._wheel_axis = np.array(_AXES[UsdPhysics.RevoluteJoint(joints[-1]).GetAxisAttr().Get()])
        self._up_axis = np.array(_AXES[str(UsdGeom.GetStageUpAxis(stage))])

    def get_holonomic_controller_params(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """Radius, positions, orientations, angles, axis of the wheels, and the axis up."""
        return (
            self.wheel_radius,
            self.wheel_positions,
            self.wheel_orientations,
            self.mecanum_angles,
            self.wheel_axis,
            self.up_axis,
        )

    def get_articulation_controller_params(self) -> list[str]:
        """Names of the joints of the wheels."""
        return self.wheel_dof_names

    @property
    def wheel_radius(self) -> list[float]:
        """Radius of each wheel [m]."""
        return self._radius

    @property
    def wheel_positions(self) -> Any:
        """Of the joints, from the middle, (wheels, 3) [m]."""
        return self._positions

    @property
    def wheel_orientations(self) -> Any:
        """Frames of the joints, w x y z, (wheels, 4)."""
        return self._orientations

    @property
    def mecanum_angles(self) -> list[float]:
        """Between each wheel's axis and its push [degrees]."""
        return self._angles

    @property
    def wheel_dof_names(self) -> list[str]:
        """Names of the joints."""
        return self._names

    @property
    def wheel_axis(self) -> Any:
        """The axis of the wheels, in the frames of the joints."""
        return self._wheel_axis

    @property
    def up_axis(self) -> Any:
        """The stage's axis up."""
        return self._up_axis


def _prim(stage: Usd.Stage, name: str, path: str) -> Usd.Prim:
    prim = stage.GetPrimAtPath(path)
    if not prim:
        raise InvalidArgumentError(name, path, "the path of a prim of the stage")
    return prim


def _frame(places: Any, joint: Any) -> Gf.Matrix4d:
    """The frame of a joint in its first body, in the world."""
    (chassis,) = joint.GetBody0Rel().GetTargets()
    local = Gf.Matrix4d(Gf.Rotation(Gf.Quatd(joint.GetLocalRot0Attr().Get())), Gf.Vec3d(0.0))
    local.SetTranslateOnly(Gf.Vec3d(joint.GetLocalPos0Attr().Get()))
    return local * places.GetLocalToWorldTransform(
        joint.GetPrim().GetStage().GetPrimAtPath(chassis)
    )
