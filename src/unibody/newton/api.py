"""The names of Newton's package."""

from __future__ import annotations

from unibody.newton.builder.model_builder import ModelBuilder
from unibody.newton.collision.pipeline import CollisionPipeline, CollisionPipelineUnified
from unibody.newton.enums import (
    MAXVAL,
    ActuatorMode,
    Axis,
    EqType,
    GeoType,
    JointType,
    ParticleFlags,
    ShapeFlags,
)
from unibody.newton.heightfield import Heightfield
from unibody.newton.jacobians import eval_jacobian, eval_mass_matrix
from unibody.newton.kinematics import eval_fk, eval_ik
from unibody.newton.mesh import Mesh
from unibody.newton.model import Model
from unibody.newton.state import Contacts, Control, State

JointTargetMode = ActuatorMode
"""The later name."""

AxisType = Axis | str | int

__all__ = [
    "MAXVAL",
    "ActuatorMode",
    "Axis",
    "AxisType",
    "CollisionPipeline",
    "CollisionPipelineUnified",
    "Contacts",
    "Control",
    "EqType",
    "GeoType",
    "Heightfield",
    "JointTargetMode",
    "JointType",
    "Mesh",
    "Model",
    "ModelBuilder",
    "ParticleFlags",
    "ShapeFlags",
    "State",
    "eval_fk",
    "eval_ik",
    "eval_jacobian",
    "eval_mass_matrix",
]
