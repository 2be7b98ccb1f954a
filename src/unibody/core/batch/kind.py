"""What actors are made of: bodies, degrees of freedom and shapes of a tree of links."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from unibody.core.assets.description import Asset, Joint, JointType, ShapeKind
from unibody.core.batch import tables
from unibody.core.batch.layout import Control
from unibody.core.engine.records.options import BodyOptions, DriveDefaults, SelfCollision
from unibody.core.engine.records.rule_table import DriveMode
from unibody.errors import NotSupportedError

_AXES = "xyz"
_ONE_AXIS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass(slots=True, frozen=True)
class Dof:
    """A degree of freedom.

    Attributes:
        name: Its name.
        link: Index of the link below its joint.
        component: Which one of the rotation vector of a ball joint; -1: the joint has one axis.
    """

    name: str
    link: int
    component: int = -1


@dataclass(slots=True, frozen=True)
class ShapePlace:
    """A collision shape.

    Attributes:
        body: Number of its rigid body.
        number: Index among the collision shapes of the link.
    """

    body: int
    number: int


def default_placement() -> BodyOptions:
    """How actors are placed where nothing else is said: with drives that do nothing yet."""
    return BodyOptions(
        drives=DriveDefaults(DriveMode.PD),
        self_collision=SelfCollision.EXCLUDE_PARENT,
        vector_drives=True,
        joint_damping=False,
        joint_friction=False,
    )


@dataclass(eq=False)
class Kind:
    """A robot or object of which there are many.

    A link that is no rigid body has no mass and no shape: a joint of several axes is a chain of
    these.

    Attributes:
        name: Its name.
        tree: As the engine gets it; links are in the order of the rigid bodies.
        fixed: The base does not move.
        body_names: Of the rigid bodies.
        body_links: Link of each rigid body.
        dofs: All degrees of freedom.
        shapes: The collision shapes of all bodies, in order.
        placement: The engine's options for it; pose and base are each actor's own.
    """

    name: str
    tree: Asset
    fixed: bool
    body_names: list[str]
    body_links: list[int]
    dofs: list[Dof]
    shapes: list[ShapePlace]
    placement: BodyOptions = field(default_factory=default_placement)

    @property
    def resizable(self) -> bool:
        """Whether its size may differ between worlds: meshes are the same in all."""
        kinds = {shape.kind for link in self.tree.links for shape in link.collisions}
        return not kinds & {ShapeKind.MESH, ShapeKind.HEIGHTFIELD}

    def slides(self, dof: Dof) -> bool:
        """Whether a degree of freedom is a translation."""
        return self.tree.links[dof.link].joint.type is JointType.PRISMATIC

    def joint_of(self, dof: Dof) -> Joint:
        """What moves in a degree of freedom."""
        joint = self.tree.links[dof.link].joint
        return joint.axes[dof.component] if dof.component >= 0 and joint.axes else joint


def kind_of(
    tree: Asset, *, fixed: bool | None = None, placement: BodyOptions | None = None
) -> Kind:
    """What a tree of links is as a kind: each link a rigid body.

    Args:
        tree: As a reader gives it; not changed afterwards.
        fixed: The base does not move; None: as the file says.
        placement: Other options of the engine.

    Raises:
        NotSupportedError: It has a planar or floating joint.
    """
    dofs: list[Dof] = []
    for number, link in enumerate(tree.links[1:], start=1):
        joint = link.joint
        if joint.type in _ONE_AXIS:
            dofs.append(Dof(joint.name, number))
        elif joint.type is JointType.SPHERICAL:
            dofs += [Dof(f"{joint.name}:{axis}", number, k) for k, axis in enumerate(_AXES)]
        elif joint.type is not JointType.FIXED:
            raise NotSupportedError(
                f"the {joint.type.value} joint {joint.name!r} in a batch", "joints of one axis"
            )
    shapes = [
        ShapePlace(body, place)
        for body, link in enumerate(tree.links)
        for place in range(len(link.collisions))
    ]
    held = bool(tree.fixed_base) if fixed is None else fixed
    names, links = [link.name for link in tree.links], list(range(len(tree.links)))
    return Kind(tree.name, tree, held, names, links, dofs, shapes, placement or default_placement())


def dof_records(kind: Kind) -> tables.Records:
    """Properties that the tree states for the degrees of freedom, one ``tables.DOF`` each.

    The gains are those of the joint's drive, else of its spring and damper. What the tree does not
    limit is not limited.
    """
    records = np.zeros(len(kind.dofs), tables.DOF)
    records["controls"] = Control.ALL
    for record, dof in zip(records, kind.dofs, strict=True):
        joint = kind.joint_of(dof)
        limited = joint.type is not JointType.CONTINUOUS and joint.lower <= joint.upper
        record["limited"] = limited and not math.isinf(joint.upper - joint.lower)
        record["lower"], record["upper"] = joint.lower, joint.upper
        record["speed"] = joint.velocity or math.inf
        record["effort"] = joint.effort or math.inf
        record["friction"], record["armature"] = joint.friction, joint.armature
        record["stiffness"], record["damping"] = joint.stiffness, joint.damping
        for drive in joint.drives[:1]:
            record["stiffness"], record["damping"] = drive.stiffness, drive.damping
            record["acceleration"] = drive.acceleration
            record["effort"] = min(float(record["effort"]), drive.max_force)
    return records


def surface_records(kind: Kind) -> tables.Records:
    """Surfaces that the tree states for the collision shapes, one ``tables.SURFACE`` each."""
    records = np.zeros(len(kind.shapes), tables.SURFACE)
    for record, place in zip(records, kind.shapes, strict=True):
        link = kind.tree.links[kind.body_links[place.body]]
        own, whole = link.collisions[place.number].friction, link.contact
        stated = own[0] if own is not None else whole.lateral_friction
        record["friction"] = kind.placement.friction[0] if stated is None else stated
        bounce = whole.restitution
        record["restitution"] = kind.placement.restitution if bounce is None else bounce
    return records
