"""Views of what moves, as arrays of NumPy, torch or Warp (``omni.physics.tensors``)."""

from __future__ import annotations

from unibody.isaac_core.physics.tensors.api import create_simulation_view, reset
from unibody.isaac_core.physics.tensors.articulations import ArticulationView
from unibody.isaac_core.physics.tensors.bodies import RigidBodyView
from unibody.isaac_core.physics.tensors.contacts import RigidContactView
from unibody.isaac_core.physics.tensors.metatype import ArticulationMetatype
from unibody.isaac_core.physics.tensors.simulation import SimulationView
from unibody.isaac_core.physics.tensors.types import (
    DofDriveType,
    DofMotion,
    DofType,
    JointType,
    ObjectType,
)

__all__ = [
    "ArticulationMetatype",
    "ArticulationView",
    "DofDriveType",
    "DofMotion",
    "DofType",
    "JointType",
    "ObjectType",
    "RigidBodyView",
    "RigidContactView",
    "SimulationView",
    "create_simulation_view",
    "reset",
]
