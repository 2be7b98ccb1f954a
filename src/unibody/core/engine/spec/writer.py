"""Writing one asset into an ``MjSpec``: bodies, joints, shapes, drives, collision excludes."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.description import (
    Asset,
    Inertial,
    JointType,
    Link,
    Pose,
    Quat,
    Shape,
    Vec3,
)
from unibody.core.assets.link_order import parents_first
from unibody.core.assets.mass.physical import MIN_INERTIA, MIN_MASS, physical_inertia
from unibody.core.assets.transforms import pose_multiply, quat_conjugate, quat_rotate
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord, JointRecord, LinkRecord
from unibody.core.engine.records.free_body_constants import UNTURNED
from unibody.core.engine.records.options import BodyOptions, SelfCollision
from unibody.core.engine.records.rule_table import DriveMode
from unibody.core.engine.spec.geometry import (
    MeshStore,
    geom_count,
    geom_user,
    write_shape,
)

_JOINT = mujoco.mjtJoint
NO_INERTIA = 2.3e-16  # kg m^2: what Bullet takes for none
_UNIT = 1e-3  # an axis is as good as of unit length
_ALONG = 0.999  # cosine from which an axis counts as parallel to x


def make_record(
    body_id: int, asset: Asset, options: BodyOptions, *, like: BodyRecord | None = None
) -> BodyRecord:
    """The record of an asset that is not written yet; ``like`` gives its present parameters."""
    links = [_link_record(link, options) for link in asset.links]
    if like is not None:
        links = [_unwritten(state) for state in like.links]
    joints = [JointRecord(link=index) for index in range(len(asset.links))]
    return BodyRecord(
        id=body_id,
        asset=asset,
        options=options,
        links=links,
        joints=joints,
        self_collision=like.self_collision if like else options.self_collision,
        home=options.pose,
        pairs=dict(like.pairs) if like else {},
    )


def _unwritten(state: LinkRecord) -> LinkRecord:
    """The parameters of a link, that is not in a spec."""
    return dataclasses.replace(state, spec_body=None, spec_geoms=[], shape_of_geom=[], waits=0)


def _link_record(link: Link, options: BodyOptions) -> LinkRecord:
    contact = link.contact
    sliding, spinning, rolling = options.friction
    group = next((s.group for s in link.collisions if s.group is not None), options.group)
    mask = next((s.mask for s in link.collisions if s.mask is not None), options.mask)
    inertia, com = principal(link.inertial)
    return LinkRecord(
        link=link,
        mass=link.inertial.mass,
        inertia=inertia,
        com=com,
        friction=(
            sliding if contact.lateral_friction is None else contact.lateral_friction,
            spinning if contact.spinning_friction is None else contact.spinning_friction,
            rolling if contact.rolling_friction is None else contact.rolling_friction,
        ),
        restitution=options.restitution if contact.restitution is None else contact.restitution,
        stiffness=contact.stiffness or 0.0,
        damping=contact.damping or 0.0,
        group=group,
        mask=mask,
    )


def principal(inertial: Inertial) -> tuple[Vec3, Pose]:
    """Principal moments of a link, and the frame of its principal axes in the link."""
    xx, yy, zz, xy, xz, yz = inertial.inertia
    if xy == xz == yz == 0.0:
        return (xx, yy, zz), inertial.pose
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, axes.ravel())
    w, x, y, z = quat.tolist()
    turned = Pose((0.0, 0.0, 0.0), (w, x, y, z))
    return tuple(moments.tolist()), pose_multiply(inertial.pose, turned)


def write_body(spec: Any, record: BodyRecord, store: MeshStore) -> None:
    """Write all of a record into the spec. On an error nothing of it stays behind."""
    try:
        for index in parents_first(record.asset.links):
            _add_body(spec, record, index)
        for index in range(len(record.links)):
            _write_link(spec, record, index, store)
        write_excludes(spec, record)
    except Exception:
        erase_body(spec, record, store)
        raise


def await_writing(record: BodyRecord) -> bool:
    """Say what ``write_body`` would of a body, without writing it, if it is simple enough."""
    if len(record.links) > 1:
        return False
    state = record.links[0]
    counts = [geom_count(shape) for shape in state.link.collisions]
    if not all(counts):
        return False
    state.shape_of_geom = [number for number, count in enumerate(counts) for _ in range(count)]
    if not record.fixed:
        record.joints[0].nq, record.joints[0].nv = 7, 6
    return True


def erase_body(spec: Any, record: BodyRecord, store: MeshStore) -> None:
    """Remove from the spec all that ``write_body`` wrote."""
    for element in itertools.chain(record.excludes.values(), record.tendons):
        spec.delete(element)
    record.excludes.clear()
    record.tendons.clear()
    if record.links[0].spec_body is not None:
        spec.delete(record.links[0].spec_body)
    for link in record.links:
        link.spec_body = None
        link.spec_geoms.clear()
    for key in record.meshes:
        store.release(key)
    record.meshes.clear()


def body_name(record: BodyRecord, link: int) -> str:
    """Name of a link's body in the spec."""
    return f"b{record.id}_{link}"


def _add_body(spec: Any, record: BodyRecord, index: int) -> None:
    """Write the body of a link, whose parent has one."""
    state = record.links[index]
    link = state.link
    if index == 0:
        parent, pose = spec.worldbody, record.home
    else:
        parent, pose = record.links[link.parent].spec_body, link.joint.origin
    state.spec_body = parent.add_body(name=body_name(record, index), pos=pose.pos, quat=pose.quat)


def _write_link(spec: Any, record: BodyRecord, index: int, store: MeshStore) -> None:
    """Write what a link has, into its body."""
    state = record.links[index]
    if index == 0 and record.fixed:
        state.spec_body.mocap = True
    else:
        _write_joint(spec, record, index)
    write_inertial(state, *body_mass(record, index))
    state.spec_body.userdata = body_user(record.options)
    state.spec_body.gravcomp = 0.0 if record.options.gravity else 1.0
    _write_shapes(record, index, store)


def with_collisions(asset: Asset, index: int, shapes: list[Shape]) -> Asset:
    """An asset with other collision shapes in one link."""
    links = list(asset.links)
    links[index] = dataclasses.replace(links[index], collisions=shapes)
    return dataclasses.replace(asset, links=links)


def replace_shapes(
    spec: Any, record: BodyRecord, index: int, asset: Asset, store: MeshStore
) -> None:
    """Write the collision shapes that a link has in another asset in place of its own."""
    state = record.links[index]
    for geom in state.spec_geoms:
        spec.delete(geom)
    state.spec_geoms.clear()
    state.shape_of_geom.clear()
    record.asset, record.origin, state.link = asset, None, asset.links[index]
    _write_shapes(record, index, store)


def _write_shapes(record: BodyRecord, index: int, store: MeshStore) -> None:
    """Write the collision shapes of a link that has none in the spec."""
    state = record.links[index]
    state.shape_of_geom = []
    moving = moves(record, index)
    for number, shape in enumerate(state.link.collisions):
        geoms = write_shape(
            state.spec_body,
            shape,
            store,
            record.meshes,
            moving=moving,
            triangles=not moving or record.options.moving_triangles,
            friction=state.friction,
            condim=condim(state.friction),
            userdata=surface_numbers(state),
            mass=0.0,
        )
        state.spec_geoms.extend(geoms)
        state.shape_of_geom.extend([number] * len(geoms))


def surface_numbers(state: LinkRecord) -> list[float]:
    """The numbers of ``geom_user`` of a link's shapes (see rule_table)."""
    joined = state.compound or any(shape.concave for shape in state.link.collisions)
    values = geom_user(state.restitution, state.stiffness, state.damping, state.anisotropy, joined)
    if state.farthest_contact is not None:
        values[t.G_FARTHEST] = 1.0 + state.farthest_contact
    return values


def body_user(options: BodyOptions) -> list[float]:
    """The numbers of ``body_user`` (see rule_table)."""
    turning = options.speed_limit if options.turn_limit is None else options.turn_limit
    return [
        options.linear_damping,
        options.angular_damping,
        options.quadratic_damping,
        options.speed_limit if math.isfinite(options.speed_limit) else 0.0,
        turning if math.isfinite(turning) else 0.0,
    ]


def moves(record: BodyRecord, index: int) -> bool:
    """True if a link can move in the world."""
    while index > 0:
        if record.links[index].link.joint.type is not JointType.FIXED:
            return True
        index = record.links[index].link.parent
    return not record.fixed


def jointed(record: BodyRecord, index: int) -> bool:
    """True if a link moves by a joint of its own, a free base by that which MuJoCo gives it."""
    if index == 0:
        return not record.fixed
    return record.links[index].link.joint.type is not JointType.FIXED


def write_inertial(state: LinkRecord, mass: float, inertia: Vec3) -> None:
    """Write mass and principal inertia of a link, from ``body_mass``, and their frame."""
    body = state.spec_body
    body.explicitinertial = True
    body.mass, body.inertia = mass, inertia
    body.ipos = state.com.pos
    body.iquat = state.com.quat


def body_mass(record: BodyRecord, index: int) -> tuple[float, Vec3]:
    """Mass and principal inertia of a link as MuJoCo takes them.

    Links that are fixed to another may have none: five massless ones with a millionth of a
    kilogram each would make a small drone heavier by a fiftieth of a per cent. A body that floats
    alone without moments of inertia is one that no torque turns, as in Bullet and PhysX.
    """
    state = record.links[index]
    if not jointed(record, index):
        return max(state.mass, 0.0), physical_inertia(state.inertia, 0.0)
    mass = max(state.mass, MIN_MASS)
    if len(record.links) == 1 and min(state.inertia) < NO_INERTIA:
        moment = mass * UNTURNED * UNTURNED
        return mass, (moment, moment, moment)
    return mass, physical_inertia(state.inertia, MIN_INERTIA)


def condim(friction: tuple[float, float, float]) -> int:
    """Dimension of the contacts of a surface: 3 slides, 4 also spins, 6 also rolls."""
    if friction[2] > 0.0:
        return 6
    return 4 if friction[1] > 0.0 else 3


def _write_joint(spec: Any, record: BodyRecord, index: int) -> None:
    state, joint = record.links[index], record.links[index].link.joint
    out = record.joints[index]
    body = state.spec_body
    if index == 0 or joint.type is JointType.FLOATING:
        out.spec_joints.append(body.add_freejoint())
        out.nq, out.nv = 7, 6
        return
    common: dict[str, Any] = {
        "damping": joint.damping if record.options.joint_damping else 0.0,
        "frictionloss": joint.friction if record.options.joint_friction else 0.0,
        "armature": joint.armature,
    }
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS | JointType.PRISMATIC:
            prismatic = joint.type is JointType.PRISMATIC
            name = f"j{record.id}_{index}"
            limited = joint.lower <= joint.upper and joint.type is not JointType.CONTINUOUS
            out.spec_joints.append(
                body.add_joint(
                    name=name,
                    type=_JOINT.mjJNT_SLIDE if prismatic else _JOINT.mjJNT_HINGE,
                    axis=joint.axis,
                    userdata=_joint_user(record, joint.axis_length),
                    pos=joint.anchor,
                    limited=limited,
                    range=joint_range(joint.lower, joint.upper) if limited else (0.0, 0.0),
                    stiffness=joint.stiffness,
                    springref=joint.spring_reference,
                    **common,
                )
            )
            out.nq = out.nv = 1
            _write_drive(spec, record, index, name)
        case JointType.SPHERICAL:
            if record.options.ball_drives is not None:  # its friction rows are the drive's
                common["frictionloss"] = 1.0
                out.local_ball = len(record.ball_joints)
                record.ball_joints.append(index)
            elif record.options.vector_drives:
                common["frictionloss"] = 1.0
                _write_vector_drives(spec, record, index)
            out.spec_joints.append(
                body.add_joint(type=_JOINT.mjJNT_BALL, pos=joint.anchor, **common)
            )
            out.nq, out.nv = 4, 3
        case JointType.PLANAR:
            first, second = _plane_axes(joint.axis, state.com.quat)
            common["pos"] = joint.anchor
            for axis, kind in (
                (first, _JOINT.mjJNT_SLIDE),
                (second, _JOINT.mjJNT_SLIDE),
                (joint.axis, _JOINT.mjJNT_HINGE),
            ):
                out.spec_joints.append(body.add_joint(type=kind, axis=axis, **common))
            out.nq = out.nv = 3
        case _:
            return


def _joint_user(record: BodyRecord, axis_length: float) -> list[float]:
    """The numbers of ``jnt_user`` of a joint with one axis (see rule_table)."""
    numbers = [0.0] * t.JOINT_USER_SIZE
    if record.options.scaled_axes and abs(axis_length - 1.0) > _UNIT:
        numbers[t.J_AXIS] = axis_length
    return numbers


def joint_range(lower: float, upper: float) -> tuple[float, float]:
    """Limits as MuJoCo takes them: it refuses an empty range, so a locked joint gets a hair."""
    return (lower, upper if upper > lower else lower + 1e-9)


def _plane_axes(normal: Vec3, frame: Quat) -> tuple[Vec3, Vec3]:
    """The two directions of a planar joint, as Bullet chooses them.

    Args:
        normal: Of the plane, in the link's frame.
        frame: Orientation of the inertial frame in the link, whose x axis tells the directions.
    """
    x, y, z = quat_rotate(quat_conjugate(frame), normal)
    across_y = x > _ALONG * math.hypot(x, y, z)
    p = (-z, 0.0, x) if across_y else (0.0, z, -y)  # normal x (0, 1, 0) or (1, 0, 0)
    length = math.hypot(*p)
    p = quat_rotate(frame, (p[0] / length, p[1] / length, p[2] / length))
    x, y, z = normal
    length = math.hypot(x, y, z)
    q = (p[1] * z - p[2] * y, p[2] * x - p[0] * z, p[0] * y - p[1] * x)
    return p, (q[0] / length, q[1] / length, q[2] / length)


def _write_drive(spec: Any, record: BodyRecord, index: int, joint_name: str) -> None:
    """A fixed tendon over one joint: its friction row is the drive's row (see rule_table)."""
    out = record.joints[index]
    out.local_drive = len(record.drive_joints)
    out.enabled = record.options.drives.mode is not DriveMode.OFF
    tendon = spec.add_tendon(frictionloss=1.0 if out.enabled else 0.0)
    tendon.wrap_joint(joint_name, 1.0)
    record.tendons.append(tendon)
    record.drive_joints.append(index)


def _write_vector_drives(spec: Any, record: BodyRecord, index: int) -> None:
    """Three drives of a ball joint, for the components of its rotation vector.

    MuJoCo has no tendons over such a joint. Those that number the drives run between two points of
    the link, so that they do nothing; the rows are those of the joint's friction.
    """
    out, body = record.joints[index], record.links[index].spec_body
    out.local_drive = len(record.drive_joints)
    ends = [f"s{record.id}_{index}_{end}" for end in range(2)]
    for place, end in enumerate(ends):
        body.add_site(name=end, pos=(float(place), 0.0, 0.0))
    for _ in range(3):
        tendon = spec.add_tendon()
        for end in ends:
            tendon.wrap_site(end)
        record.tendons.append(tendon)
        record.drive_joints.append(index)


def write_excludes(spec: Any, record: BodyRecord) -> None:
    """Exclude the pairs of links that do not collide under the body's self-collision rule.

    Those that do collide now keep an element that excludes nothing: deleting one takes longer the
    more bodies there are.
    """
    wanted, known = set(excluded_pairs(record)), record.excludes
    for pair, element in known.items():
        if pair not in wanted:
            element.bodyname2 = element.bodyname1
    for pair in sorted(wanted):
        element = known.get(pair)
        if element is None:
            element = known[pair] = spec.add_exclude(bodyname1=body_name(record, pair[0]))
        element.bodyname2 = body_name(record, pair[1])


def write_pairs(
    spec: Any, key: tuple[tuple[int, int], tuple[int, int]], a: LinkRecord, b: LinkRecord
) -> list[Any]:
    """Let the shapes of two links collide whatever their contact bits say."""
    for (body, link), state in zip(key, (a, b), strict=True):
        for number, geom in enumerate(state.spec_geoms):
            geom.name = f"g{body}_{link}_{number}"
    return [
        spec.add_pair(
            geomname1=first.name,
            geomname2=second.name,
            condim=max(condim(a.friction), condim(b.friction)),
            solimp=t.SOLIMP,
        )
        for first in a.spec_geoms
        for second in b.spec_geoms
    ]


def excluded_pairs(record: BodyRecord) -> Iterator[tuple[int, int]]:
    """Pairs of links with shapes that must not collide."""
    shaped = [index for index, state in enumerate(record.links) if state.link.collisions]
    if record.self_collision is SelfCollision.ALL and not record.pairs:
        return
    for pair in itertools.combinations(shaped, 2):
        if not record.pairs.get(pair, _collide(record, *pair)):
            yield pair


def _collide(record: BodyRecord, first: int, second: int) -> bool:
    """What the body's self-collision rule says of two links."""
    match record.self_collision:
        case SelfCollision.ALL:
            return True
        case SelfCollision.NONE:
            return False
        case SelfCollision.EXCLUDE_PARENT:
            parents = record.links[first].link.parent, record.links[second].link.parent
            return parents[1] != first and parents[0] != second
        case _:
            above = _ancestors(record, first), _ancestors(record, second)
            return second not in above[0] and first not in above[1]


def _ancestors(record: BodyRecord, index: int) -> Iterator[int]:
    while index > 0:
        index = record.links[index].link.parent
        yield index
