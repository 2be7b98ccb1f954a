"""``isaacgym.gymapi``: the types, the constants, and the way to a ``Gym``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.isaacgym.api import acquire_gym, carb_init
from unibody.isaacgym.handles import Asset, Env, ForceSensor, Sim, UsdExporter, Viewer
from unibody.isaacgym.types import constants, enums, inputs
from unibody.isaacgym.types.asset_options import AssetOptions, VhacdParams
from unibody.isaacgym.types.constants import *  # noqa: F403 - the module's names are its interface
from unibody.isaacgym.types.contacts import RigidContact, SoftContact
from unibody.isaacgym.types.enums import (
    CameraFollowMode,
    ContactCollection,
    CoordinateSpace,
    DofDriveMode,
    DofType,
    GymEnum,
    ImageType,
    IndexDomain,
    JointType,
    MeshNormalMode,
    MeshType,
    SimType,
    SoftMaterialType,
    TendonType,
    TensorDataType,
    UpAxis,
    UsdMaterialMode,
)
from unibody.isaacgym.types.inputs import KeyboardInput, MouseInput
from unibody.isaacgym.types.poses import (
    DofFrame,
    DofState,
    IndexRange,
    ParticleState,
    RigidBodyState,
    SpatialForce,
    Transform,
    Velocity,
)
from unibody.isaacgym.types.properties import (
    ActuatorProperties,
    AttractorProperties,
    ForceSensorProperties,
    RigidBodyProperties,
    RigidShapeProperties,
    SoftMaterial,
    TendonProperties,
)
from unibody.isaacgym.types.rotations import Mat44, Quat
from unibody.isaacgym.types.sim_params import FlexParams, PhysXParams, SimParams
from unibody.isaacgym.types.tensors import Tensor
from unibody.isaacgym.types.terrain_params import (
    HeightFieldParams,
    PlaneParams,
    TriangleMeshParams,
)
from unibody.isaacgym.types.usd import OmniConnectionParams, UsdExportOptions
from unibody.isaacgym.types.vector_math import (
    cross,
    dot,
    eulers_to_quats_zyx,
    quats_to_eulers_zyx,
    rotate,
    rotate_inverse,
    transform,
    transform_inverse,
)
from unibody.isaacgym.types.vectors import Int2, Int3, Mat33, Vec2, Vec3
from unibody.isaacgym.types.viewing import (
    ActionEvent,
    CameraProperties,
    PerformanceTimers,
    Version,
)

if TYPE_CHECKING:
    from unibody.isaacgym.gym.api import Gym


def _enum_members() -> dict[str, GymEnum]:
    """Every member of every enum, by name: ``SIM_PHYSX``, ``KEY_ESCAPE``."""
    members: dict[str, GymEnum] = {}
    for module in (enums, inputs):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, GymEnum):
                members.update(kind.__members__)
    return members


globals().update(_enum_members())


def __getattr__(name: str) -> Any:
    if name == "Gym":
        from unibody.isaacgym.gym.api import Gym

        return Gym
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [  # noqa: PLE0604 - the members of the enums are names of this module
    "ActionEvent",
    "ActuatorProperties",
    "Asset",
    "AssetOptions",
    "AttractorProperties",
    "CameraFollowMode",
    "CameraProperties",
    "ContactCollection",
    "CoordinateSpace",
    "DofDriveMode",
    "DofFrame",
    "DofState",
    "DofType",
    "Env",
    "FlexParams",
    "ForceSensor",
    "ForceSensorProperties",
    "Gym",
    "HeightFieldParams",
    "ImageType",
    "IndexDomain",
    "IndexRange",
    "Int2",
    "Int3",
    "JointType",
    "KeyboardInput",
    "Mat33",
    "Mat44",
    "MeshNormalMode",
    "MeshType",
    "MouseInput",
    "OmniConnectionParams",
    "ParticleState",
    "PerformanceTimers",
    "PhysXParams",
    "PlaneParams",
    "Quat",
    "RigidBodyProperties",
    "RigidBodyState",
    "RigidContact",
    "RigidShapeProperties",
    "Sim",
    "SimParams",
    "SimType",
    "SoftContact",
    "SoftMaterial",
    "SoftMaterialType",
    "SpatialForce",
    "TendonProperties",
    "TendonType",
    "Tensor",
    "TensorDataType",
    "Transform",
    "TriangleMeshParams",
    "UpAxis",
    "UsdExportOptions",
    "UsdExporter",
    "UsdMaterialMode",
    "Vec2",
    "Vec3",
    "Velocity",
    "Version",
    "VhacdParams",
    "Viewer",
    "acquire_gym",
    "carb_init",
    "cross",
    "dot",
    "eulers_to_quats_zyx",
    "quats_to_eulers_zyx",
    "rotate",
    "rotate_inverse",
    "transform",
    "transform_inverse",
    *(name for name in vars(constants) if name.isupper()),
    *sorted(_enum_members()),
]
