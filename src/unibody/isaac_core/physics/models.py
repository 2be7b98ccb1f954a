"""From trees of links to kinds of actors, with the names and orders that PhysX has."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from unibody.core.assets.description import Asset, Joint, JointType, Link
from unibody.core.batch import tables
from unibody.core.batch.kind import Dof, Kind, ShapePlace, dof_records
from unibody.core.engine.records.dialects import PHYSX
from unibody.core.engine.records.options import DriveDefaults, SelfCollision
from unibody.core.engine.records.rule_table import DriveMode
from unibody.errors import NotSupportedError
from unibody.isaac_core.physics.stage_velocities import stated_links

_ONE_AXIS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
_FRICTION = 0.5  # of a shape without a material
_TURN_LIMIT = 100.0  # rad/s: PhysX's own 5729.58 degrees a second
_ANGULAR_DAMPING = 0.05


@dataclass(slots=True)
class ModelJoint:
    """A joint of a model, above a body.

    Attributes:
        name: Of its prim.
        path: Of its prim, from the environment.
        body: Number of the body below it.
        first: Number of its first degree of freedom.
        count: Of its degrees of freedom.
        type: Of the joint, as the tree has it; None where it has several axes.
    """

    name: str
    path: str
    body: int
    first: int
    count: int
    type: JointType | None


@dataclass(eq=False)
class Model:
    """A tree of bodies of a template.

    Attributes:
        asset: As it was read.
        kind: What its actors are.
        path: Of the prim that is the articulation, from the environment, which is "/" itself;
            "": it is none.
        bodies: Paths of the bodies, from the environment; "" for colliders without a body.
        names: Of the bodies.
        parents: Number of the body that each is joined to; -1 for the first.
        joints: In the order of the bodies below them.
        starts: Position of each degree of freedom on the stage.
        targets: Position and velocity targets of its drives.
        body_records, dof_records: Properties that actors begin with.
        moving: Numbers of the bodies that the stage says to be in motion.
    """

    asset: Asset
    kind: Kind
    path: str
    bodies: list[str]
    names: list[str]
    parents: list[int]
    joints: list[ModelJoint]
    starts: list[float]
    targets: list[tuple[float, float]]
    body_records: Any
    dof_records: Any
    moving: list[int]


def model_of(asset: Asset, prefix: str) -> Model:
    """What a tree of links is.

    Bodies and joints come level by level, as PhysX has them.

    Args:
        asset: As it was read.
        prefix: Path of the environment.

    Raises:
        NotSupportedError: It has a joint that a batch cannot have.
    """
    links = asset.links
    bodies = _level_order(links)
    place = {number: body for body, number in enumerate(bodies)}
    parents = [place.get(_body_above(links, number), -1) for number in bodies]
    dofs: list[Dof] = []
    joints: list[ModelJoint] = []
    for body, number in enumerate(bodies):
        if body == 0 and parents[0] < 0 and number == 0:
            continue
        own = _dofs_above(links, number)
        joint_path = dict(links[number].notes).get("joint_prim_path", "")
        tail = joint_path.rsplit("/", 1)[-1] or links[number].joint.name
        kinds = {links[dof.link].joint.type for dof in own}
        single = len(own) <= 1 or kinds == {JointType.SPHERICAL}
        joint_type = (kinds.pop() if kinds else JointType.FIXED) if single else None
        joints.append(
            ModelJoint(tail, _relative(joint_path, prefix), body, len(dofs), len(own), joint_type)
        )
        dofs += own
    _name_dofs(dofs, joints)
    paths = [dict(links[number].notes).get("prim_path", "") for number in bodies]
    names = _unique([path.rsplit("/", 1)[-1] or "world" for path in paths])
    tree, kind = _kind(asset, names, bodies, dofs)
    stated = [kind.joint_of(dof) for dof in dofs]
    drives = [joint.drives[0] if joint.drives else None for joint in stated]
    return Model(
        tree,
        kind,
        _relative(dict(asset.notes).get("prim_path", ""), prefix),
        [_relative(path, prefix) for path in paths],
        names,
        parents,
        joints,
        [
            0.0 if dof.component >= 0 else joint.start
            for dof, joint in zip(dofs, stated, strict=True)
        ],
        [(d.target_position, d.target_velocity) if d else (0.0, 0.0) for d in drives],
        _body_records(kind),
        dof_records(kind),
        stated_links(tree, bodies),
    )


def _kind(asset: Asset, names: list[str], bodies: list[int], dofs: list[Dof]) -> tuple[Asset, Kind]:
    links = [_with_surfaces(link) for link in asset.links]
    tree = replace(asset, links=links)
    shapes = [
        ShapePlace(body, number)
        for body, link in enumerate(bodies)
        for number in range(len(links[link].collisions))
    ]
    facts = dict(links[bodies[0]].notes)
    collides = asset.self_collision is not False
    placement = PHYSX.body_options(
        drives=DriveDefaults(DriveMode.PD),
        friction=(_FRICTION, 0.0, 0.0),
        linear_damping=_number(facts, "physxRigidBody:linearDamping", 0.0),
        angular_damping=_number(facts, "physxRigidBody:angularDamping", _ANGULAR_DAMPING),
        turn_limit=_TURN_LIMIT,
        self_collision=SelfCollision.EXCLUDE_PARENT if collides else SelfCollision.NONE,
    )
    kind = Kind(asset.name, tree, bool(asset.fixed_base), names, bodies, dofs, shapes, placement)
    return tree, kind


def _number(facts: dict[str, str], name: str, default: float) -> float:
    return float(facts[name]) if name in facts else default


def _with_surfaces(link: Link) -> Link:
    """A link whose shapes have the friction of their own materials."""
    shapes = [
        shape
        if shape.surface is None
        else replace(shape, friction=(shape.surface.dynamic_friction, 0.0, 0.0))
        for shape in link.collisions
    ]
    return replace(link, collisions=shapes)


def _body_records(kind: Kind) -> Any:
    records = tables.body_records(kind.tree, kind.body_links)
    for record, number in zip(records, kind.body_links, strict=True):
        if dict(kind.tree.links[number].notes).get("physxRigidBody:disableGravity") == "True":
            record["flags"] |= tables.BodyFlag.WEIGHTLESS
    return records


def _level_order(links: list[Link]) -> list[int]:
    """Links that are bodies, parents first, level by level."""
    children: dict[int, list[int]] = {}
    for number, link in enumerate(links[1:], start=1):
        children.setdefault(link.parent, []).append(number)
    found: list[int] = []
    queue = deque([0])
    while queue:
        number = queue.popleft()
        if _is_body(links, number):
            found.append(number)
            queue.extend(children.get(number, []))
        else:  # an axis of a joint: what it carries is of the same level
            queue.extendleft(reversed(children.get(number, [])))
    return found


def _is_body(links: list[Link], number: int) -> bool:
    return "prim_path" in dict(links[number].notes) or len(links) == 1


def _body_above(links: list[Link], number: int) -> int:
    parent = links[number].parent
    while parent >= 0 and not _is_body(links, parent):
        parent = links[parent].parent
    return parent


def _dofs_above(links: list[Link], number: int) -> list[Dof]:
    """Degrees of freedom between a body and the one it is joined to."""
    chain = [number]
    while (parent := links[chain[0]].parent) >= 0 and not _is_body(links, parent):
        chain.insert(0, parent)
    found: list[Dof] = []
    for place in chain:
        joint: Joint = links[place].joint
        if joint.type in _ONE_AXIS:
            found.append(Dof(joint.name, place))
        elif joint.type is JointType.SPHERICAL:
            found += [Dof(joint.name, place, component) for component in range(3)]
        elif joint.type is not JointType.FIXED:
            raise NotSupportedError(
                f"the {joint.type.value} joint {joint.name!r}", "joints of one axis, or spherical"
            )
    return found


def _name_dofs(dofs: list[Dof], joints: list[ModelJoint]) -> None:
    """Name joints once each, and degrees of freedom by their joints."""
    for joint, name in zip(joints, _unique([joint.name for joint in joints]), strict=True):
        joint.name = name
        for number in range(joint.first, joint.first + joint.count):
            own = name if joint.count == 1 else f"{name}:{number - joint.first}"
            dofs[number] = replace(dofs[number], name=own)


def _unique(names: list[str]) -> list[str]:
    taken: set[str] = set()
    found: list[str] = []
    for name in names:
        own, number = name, 0
        while own in taken:
            own, number = f"{name}_{number}", number + 1
        taken.add(own)
        found.append(own)
    return found


def _relative(path: str, prefix: str) -> str:
    """The path from an environment; "/" is that of the environment itself."""
    inside = prefix and (path == prefix or path.startswith(f"{prefix}/"))
    return path[len(prefix) :] or "/" if inside else path
