"""What articulations of a kind have in common: names and structure."""

from __future__ import annotations

from dataclasses import dataclass, field

from unibody.core.assets.description import JointType as TreeJoint
from unibody.isaac_core.physics.models import Model
from unibody.isaac_core.physics.tensors.types import DofType, JointType

_TYPES = {
    TreeJoint.FIXED: JointType.Fixed,
    TreeJoint.REVOLUTE: JointType.Revolute,
    TreeJoint.CONTINUOUS: JointType.Revolute,
    TreeJoint.PRISMATIC: JointType.Prismatic,
    TreeJoint.SPHERICAL: JointType.Spherical,
    None: JointType.Spherical,  # several axes, as PhysX has them
}


@dataclass
class ArticulationMetatype:
    """Names and structure of an articulation."""

    link_names: list[str]
    link_parents: list[str]
    joint_names: list[str]
    dof_names: list[str]
    joint_types: list[JointType]
    joint_dof_offsets: list[int]
    joint_dof_counts: list[int]
    dof_types: list[DofType]
    fixed_base: bool
    link_count: int = 0
    joint_count: int = 0
    dof_count: int = 0
    link_indices: dict[str, int] = field(default_factory=dict[str, int])
    link_parent_indices: dict[str, int] = field(default_factory=dict[str, int])
    joint_indices: dict[str, int] = field(default_factory=dict[str, int])
    dof_indices: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.link_count = len(self.link_names)
        self.joint_count = len(self.joint_names)
        self.dof_count = len(self.dof_names)
        self.link_indices = {name: n for n, name in enumerate(self.link_names)}
        self.joint_indices = {name: n for n, name in enumerate(self.joint_names)}
        self.dof_indices = {name: n for n, name in enumerate(self.dof_names)}
        self.link_parent_indices = {
            name: self.link_indices[parent]
            for name, parent in zip(self.link_names, self.link_parents, strict=True)
            if parent
        }


def dof_types(model: Model) -> list[DofType]:
    """Whether each degree of freedom turns or slides."""
    slides = [model.kind.slides(dof) for dof in model.kind.dofs]
    return [DofType.Translation if value else DofType.Rotation for value in slides]


def metatype_of(model: Model) -> ArticulationMetatype:
    """The metatype of a model."""
    return ArticulationMetatype(
        link_names=list(model.names),
        link_parents=[model.names[p] if p >= 0 else "" for p in model.parents],
        joint_names=[joint.name for joint in model.joints],
        dof_names=[dof.name for dof in model.kind.dofs],
        joint_types=[_TYPES[joint.type] for joint in model.joints],
        joint_dof_offsets=[joint.first for joint in model.joints],
        joint_dof_counts=[joint.count for joint in model.joints],
        dof_types=dof_types(model),
        fixed_base=model.kind.fixed,
    )
