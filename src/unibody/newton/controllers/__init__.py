"""Control laws whose outputs robots are driven by, for all robots of a model at once."""

from __future__ import annotations

from unibody.newton.absent_classes import absent_class
from unibody.newton.controllers.base import ControllerBase
from unibody.newton.controllers.joint_impedance import ControllerJointImpedance
from unibody.newton.controllers.joint_impedance_model_free import (
    ControllerJointImpedanceModelFree,
)

_IK = "newton.ik.IKSolver finds coordinates of joints for poses of links"
_TASK = "ControllerJointImpedance drives joints by forces"
ControllerDifferentialIK: type = absent_class("newton.controllers", "ControllerDifferentialIK", _IK)
ControllerDifferentialIKModelFree: type = absent_class(
    "newton.controllers", "ControllerDifferentialIKModelFree", _IK
)
ControllerOperationalSpace: type = absent_class(
    "newton.controllers", "ControllerOperationalSpace", _TASK
)
ControllerOperationalSpaceModelFree: type = absent_class(
    "newton.controllers", "ControllerOperationalSpaceModelFree", _TASK
)
DifferentialIKMethod: type = absent_class("newton.controllers", "DifferentialIKMethod", _IK)

__all__ = [
    "ControllerBase",
    "ControllerDifferentialIK",
    "ControllerDifferentialIKModelFree",
    "ControllerJointImpedance",
    "ControllerJointImpedanceModelFree",
    "ControllerOperationalSpace",
    "ControllerOperationalSpaceModelFree",
    "DifferentialIKMethod",
]
