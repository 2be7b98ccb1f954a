"""SolverMuJoCo: models as plain MuJoCo's; and what adds to builders what only MuJoCo knows."""

from unibody.newton.solvers.mujoco.authoring.actuators import (
    add_actuator_dcmotor,
    add_actuator_general,
    add_actuator_motor,
    add_actuator_position,
    add_actuator_velocity,
)
from unibody.newton.solvers.mujoco.authoring.constraints import (
    add_contact_pair,
    add_equality_connect,
    add_equality_joint,
    add_equality_tendon,
    add_equality_weld,
)
from unibody.newton.solvers.mujoco.authoring.targets import ActuatorTarget
from unibody.newton.solvers.mujoco.authoring.tendons import (
    TendonWrapGeom,
    TendonWrapPulley,
    TendonWrapSite,
    add_tendon_fixed,
    add_tendon_spatial,
)

__all__ = [
    "ActuatorTarget",
    "TendonWrapGeom",
    "TendonWrapPulley",
    "TendonWrapSite",
    "add_actuator_dcmotor",
    "add_actuator_general",
    "add_actuator_motor",
    "add_actuator_position",
    "add_actuator_velocity",
    "add_contact_pair",
    "add_equality_connect",
    "add_equality_joint",
    "add_equality_tendon",
    "add_equality_weld",
    "add_tendon_fixed",
    "add_tendon_spatial",
]
