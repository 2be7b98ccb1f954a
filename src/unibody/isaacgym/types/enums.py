"""Enumerations with the original's names and values.

Where no public text gives a value, it is the position in the documented order, counted from zero.
"""

from __future__ import annotations

from enum import IntEnum


class GymEnum(IntEnum):
    """An enum that prints like the original's: ``SimType.SIM_PHYSX``."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, spec: str) -> str:
        return format(str(self) if not spec or spec[-1] == "s" else int(self), spec)


class CameraFollowMode(GymEnum):
    """What a camera follows of the body it is attached to."""

    FOLLOW_POSITION = 0
    FOLLOW_TRANSFORM = 1


class ContactCollection(GymEnum):
    """In which substeps contacts are collected."""

    CC_NEVER = 0
    CC_LAST_SUBSTEP = 1
    CC_ALL_SUBSTEPS = 2


class CoordinateSpace(GymEnum):
    """The frame of forces and positions."""

    ENV_SPACE = 0
    LOCAL_SPACE = 1
    GLOBAL_SPACE = 2


class DofDriveMode(GymEnum):
    """What a DOF responds to."""

    DOF_MODE_NONE = 0
    DOF_MODE_POS = 1
    DOF_MODE_VEL = 2
    DOF_MODE_EFFORT = 3


class DofType(GymEnum):
    """How a DOF moves."""

    DOF_INVALID = 0
    DOF_ROTATION = 1
    DOF_TRANSLATION = 2


class ImageType(GymEnum):
    """What a camera image shows."""

    IMAGE_COLOR = 0
    IMAGE_DEPTH = 1
    IMAGE_SEGMENTATION = 2
    IMAGE_OPTICAL_FLOW = 3


class IndexDomain(GymEnum):
    """What an index counts in."""

    DOMAIN_ACTOR = 0
    DOMAIN_ENV = 1
    DOMAIN_SIM = 2


class JointType(GymEnum):
    """How a joint moves."""

    JOINT_INVALID = 0
    JOINT_FIXED = 1
    JOINT_REVOLUTE = 2
    JOINT_PRISMATIC = 3
    JOINT_BALL = 4
    JOINT_PLANAR = 5
    JOINT_FLOATING = 6


class MeshNormalMode(GymEnum):
    """Where the normals of a mesh come from."""

    FROM_ASSET = 0
    COMPUTE_PER_VERTEX = 1
    COMPUTE_PER_FACE = 2


class MeshType(GymEnum):
    """What a mesh is used for; two bits."""

    MESH_NONE = 0
    MESH_COLLISION = 1
    MESH_VISUAL = 2
    MESH_VISUAL_AND_COLLISION = 3


class SimType(GymEnum):
    """The physics engine a script asks for."""

    SIM_PHYSX = 0
    SIM_FLEX = 1


class SoftMaterialType(GymEnum):
    """Law of a deformable material."""

    MAT_COROTATIONAL = 0
    MAT_NEOHOOKEAN = 1


class TendonType(GymEnum):
    """Kind of a tendon."""

    TENDON_FIXED = 0
    TENDON_SPATIAL = 1


class TensorDataType(GymEnum):
    """Element type of a tensor."""

    DTYPE_FLOAT32 = 0
    DTYPE_UINT32 = 1
    DTYPE_UINT64 = 2
    DTYPE_UINT8 = 3
    DTYPE_INT16 = 4


class UpAxis(GymEnum):
    """The axis that points up."""

    UP_AXIS_Y = 0
    UP_AXIS_Z = 1


class UsdMaterialMode(GymEnum):
    """How materials are written to USD."""

    USD_MATERIAL_DISPLAY_COLOR = 0
    USD_MATERIAL_PREVIEW_SURFACE = 1
    USD_MATERIAL_MDL = 2
