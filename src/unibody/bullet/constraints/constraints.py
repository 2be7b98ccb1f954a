"""createConstraint, changeConstraint, removeConstraint and what reads them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot
from operator import index
from typing import Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import MOST, finite
from unibody.bullet.arguments.optional import optional_vector
from unibody.bullet.arguments.vectors import plain_vector, real
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.convert import IDENTITY, wxyz
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.soft_records import is_soft
from unibody.core.assets.description import Pose, Quat, Vec3
from unibody.core.assets.transforms import pose_multiply, quat_multiply, quat_rotate
from unibody.core.engine.queries.constraint_forces import ForceReader, earlier_quat
from unibody.core.engine.spec.constraint import ConstraintKind, ConstraintRecord
from unibody.core.engine.world.world import World
from unibody.errors import InvalidArgumentError
from unibody.machine_code.calls.argument_forms import Form

DEFAULT_FORCE = 500.0  # what PyBullet says constraints start with; it takes it for an impulse, Ns
_NO_FORCE = 1e-12  # N; the engine takes 0 for no limit
_CALL = "createConstraint"
_FAILED = "createConstraint failed."
_ZERO = (0.0, 0.0, 0.0)
_UNTURNED = (0.0, 0.0, 0.0, 1.0)
_NO_TARGET = 1e10  # from here on a target counts as left out
_AXES: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_KINDS = {
    c.JOINT_POINT2POINT: ConstraintKind.POINT,
    c.JOINT_FIXED: ConstraintKind.FIXED,
    c.JOINT_PRISMATIC: ConstraintKind.SLIDER,
    c.JOINT_GEAR: ConstraintKind.GEAR,
}


@dataclass
class HeldConstraint:
    """A constraint as the user described it, and the engine's record of it."""

    record: ConstraintRecord
    parent: int
    parent_link: int
    child: int
    child_link: int
    kind: int
    axis: Vec3
    parent_position: Vec3
    child_position: Vec3
    parent_orientation: Quat  # (x, y, z, w)
    child_orientation: Quat  # (x, y, z, w)
    max_force: float = field(default=DEFAULT_FORCE, init=False)
    ratio: float = field(default=0.0, init=False)
    aux_link: int = field(default=0, init=False)
    target: float = field(default=0.0, init=False)
    erp: float = field(default=0.0, init=False)
    reader: ForceReader | None = field(  # of its forces, for one generation of the world
        default=None, init=False
    )
    state: tuple[float, ...] = field(default=(), init=False)  # getConstraintState's
    state_version: int = field(default=-1, init=False)  # of the world, that it is of

    def holds(self, body_id: int) -> bool:
        """True if the constraint belongs to a body."""
        return body_id in (self.parent, self.child)


def createConstraint(
    parentBodyUniqueId: int,
    parentLinkIndex: int,
    childBodyUniqueId: int,
    childLinkIndex: int,
    jointType: int,
    jointAxis: Sequence[float],
    parentFramePosition: Sequence[float],
    childFramePosition: Sequence[float],
    parentFrameOrientation: Sequence[float] | None = _UNTURNED,
    childFrameOrientation: Sequence[float] | None = _UNTURNED,
    physicsClientId: int = 0,
) -> int:
    """Hold two links together, or a link to the world (child -1), and return the constraint's id.

    Args:
        parentBodyUniqueId: Body of the parent.
        parentLinkIndex: Its link; -1 is the base.
        childBodyUniqueId: Body of the child; -1 is the world.
        childLinkIndex: Its link.
        jointType: ``JOINT_POINT2POINT``, ``JOINT_FIXED``, ``JOINT_PRISMATIC`` or ``JOINT_GEAR``.
        jointAxis: Free axis of a prismatic constraint, in the frame of the parent's centre of mass.
        parentFramePosition: In the frame of the parent's centre of mass [m].
        childFramePosition: In the frame of the child's centre of mass, or in the world [m].
        parentFrameOrientation: (x, y, z, w).
        childFrameOrientation: (x, y, z, w).
        physicsClientId: The client.

    Raises:
        error: No such body or link, a soft parent (createSoftBodyAnchor holds particles), another
            joint type, or a gear that does not join two joints with one axis.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    kind = _KINDS.get(index(jointType))
    parent = _end(client, parentBodyUniqueId, parentLinkIndex)
    if is_soft(client, parent):
        raise error(_FAILED)
    child = None
    if childBodyUniqueId >= 0 and not _is_soft_id(client, childBodyUniqueId):
        child = _end(client, childBodyUniqueId, childLinkIndex)
    axis = _vector(client, "jointAxis", jointAxis)
    first = _vector(client, "parentFramePosition", parentFramePosition)
    second = _vector(client, "childFramePosition", childFramePosition)
    orientations = _orientations(client, parentFrameOrientation, childFrameOrientation)
    if not hypot(*axis, *first, *second, *orientations[0], *orientations[1]) <= MOST:
        finite("jointAxis", *axis)
        finite("parentFramePosition", *first)
        finite("childFramePosition", *second)
        finite("parentFrameOrientation", *orientations[0])
        finite("childFrameOrientation", *orientations[1])
    if kind is None:
        raise error(_FAILED)
    _check_kind(kind, child, axis)
    try:
        record = client.scene.add_constraint(
            kind,
            (parentBodyUniqueId, parentLinkIndex + 1),
            None if child is None else (childBodyUniqueId, childLinkIndex + 1),
            _frame(parent, parentLinkIndex, first, orientations[0]),
            _frame(child, childLinkIndex, second, orientations[1]),
        )
    except InvalidArgumentError as problem:
        raise error(f"{_FAILED} {problem}") from problem
    record.max_force = DEFAULT_FORCE / client.scene.options.timestep  # it is an impulse
    if kind is ConstraintKind.GEAR:
        record.erp, record.ratio = 0.0, -1.0
    elif kind is ConstraintKind.SLIDER:
        com = parent.record.links[parentLinkIndex + 1].com
        record.axis = quat_rotate(com.quat, axis)
    unique_id = client.constraint_ids.take()
    client.constraints[unique_id] = HeldConstraint(
        record, parentBodyUniqueId, parentLinkIndex, childBodyUniqueId, childLinkIndex, jointType,
        axis, first, second, *orientations,
    )  # fmt: skip
    client.constraint_order.add(unique_id)
    return unique_id


def _end(client: Client, body_id: int, link: int) -> Body:
    body = client.bodies.get(body_id)
    if body is None or not -1 <= link < body.joint_count:
        raise error(_FAILED)
    return body


def _is_soft_id(client: Client, body_id: int) -> bool:
    """Whether a body is soft: as a child it stands for the world, as in PyBullet."""
    body = client.bodies.get(body_id)
    return body is not None and is_soft(client, body)


def _vector(client: Client, name: str, value: Any) -> Vec3:
    """An argument of three numbers, zeros where PyBullet passes it over."""
    return plain_vector(value, 3) or optional_vector(client, _CALL, name, value, 3) or _ZERO


def _orientations(client: Client, parent: Any, child: Any) -> tuple[Quat, Quat]:
    """The orientations of the two frames, (x, y, z, w)."""
    if parent is _UNTURNED and child is _UNTURNED:
        return (_UNTURNED, _UNTURNED)
    return (
        optional_vector(client, _CALL, "parentFrameOrientation", parent, 4) or _UNTURNED,
        optional_vector(client, _CALL, "childFrameOrientation", child, 4) or _UNTURNED,
    )


def _check_kind(kind: ConstraintKind, child: Body | None, axis: Vec3) -> None:
    """Refuse what a kind of constraint cannot be made of."""
    if kind is ConstraintKind.GEAR and child is None:
        raise error(f"{_FAILED} A gear needs a child joint.")
    if kind is ConstraintKind.SLIDER and axis == _ZERO:
        raise error(f"{_FAILED} jointAxis={axis} has to have a direction")


def _frame(body: Body | None, link: int, pos: Vec3, quat: Quat) -> Pose:
    """A frame in the centre-of-mass frame of a link, as a frame in the link (or the world)."""
    if quat is _UNTURNED or quat == _UNTURNED:
        frame = Pose(pos)
        if body is None:
            return frame
        com = body.record.links[link + 1].com
        return frame if com is IDENTITY or com == IDENTITY else pose_multiply(com, frame)
    frame = Pose(pos, wxyz(quat))
    return frame if body is None else pose_multiply(body.record.links[link + 1].com, frame)


def _set_gear(client: Client, held: HeldConstraint, *, has_aux: bool) -> None:
    """Bullet's gear: ``v_parent + ratio * v_child = 0``; its error reduction counts twice."""
    record = held.record
    if held.ratio != 0.0:
        record.ratio = -held.ratio
    record.offset = held.target
    record.erp = held.erp * client.scene.options.limit_erp
    if has_aux:
        record.aux = (held.parent, held.aux_link + 1)


def _find(number: int, client_id: int) -> tuple[Client, HeldConstraint | None]:
    """The client of a call, and its constraint of a number, if there is one."""
    try:
        client = clients[client_id]
        return client, client.constraints[number]
    except (KeyError, TypeError):
        client = get_client(client_id)
        return client, client.constraints.get(index(number))


def changeConstraint(
    userConstraintUniqueId: int,
    jointChildPivot: Sequence[float] | None = None,
    jointChildFrameOrientation: Sequence[float] | None = None,
    maxForce: float = -1,
    gearRatio: float = 0,
    gearAuxLink: int = -1,
    relativePositionTarget: float = 1e30,
    erp: float = -1,
    physicsClientId: int = 0,
) -> None:
    """Move the child frame of a constraint, or change its limit [N] or gains.

    A gear holds ``v_parent + gearRatio * v_child`` at zero, or at the velocity that the joint
    ``gearAuxLink`` of the parent had before the step; with an ``erp`` it also brings
    ``q_parent - q_aux + gearRatio * q_child`` to ``relativePositionTarget``. These arguments do
    nothing to other constraints. An unknown constraint is ignored, as in PyBullet.

    Raises:
        error: ``gearAuxLink`` of a gear is no joint with one axis.
    """
    client, held = _find(userConstraintUniqueId, physicsClientId)
    if held is None:
        return
    geared = (gearRatio, gearAuxLink, relativePositionTarget, erp)
    has_gear = geared != _GEAR_LEFT_OUT
    if has_gear and held.kind == c.JOINT_GEAR:
        _check_aux_link(client, held, gearAuxLink)
    call = "changeConstraint"
    pivot = optional_vector(client, call, "jointChildPivot", jointChildPivot, 3)
    turn = optional_vector(
        client, call, "jointChildFrameOrientation", jointChildFrameOrientation, 4
    )
    finite("jointChildPivot", *(pivot or ()))
    finite("jointChildFrameOrientation", *(turn or ()))
    _set_child_frame(client, held, pivot, turn)
    if maxForce >= 0:
        _set_limit(client, held, maxForce)
    if has_gear:
        _keep_gear(held, *geared)
    if held.kind == c.JOINT_GEAR:
        _set_gear(client, held, has_aux=gearAuxLink >= 0)
    client.scene.update_constraint(held.record)


def _set_child_frame(
    client: Client, held: HeldConstraint, pivot: Vec3 | None, turn: Quat | None
) -> None:
    """Move the child frame to a finite pivot and orientation; None keeps one."""
    if pivot is None and turn is None:
        return
    before = held.child_orientation
    held.child_position = pivot or held.child_position
    held.child_orientation = turn or before
    record = held.record
    if record.child is None and held.child_orientation == before:
        record.child_frame = Pose(held.child_position, record.child_frame.quat)
        return
    child = None if record.child is None else client.bodies[held.child]
    record.child_frame = _frame(child, held.child_link, held.child_position, held.child_orientation)


def _set_limit(client: Client, held: HeldConstraint, force: float) -> None:
    held.max_force = real(force)
    share = client.impulse_scale / (client.parameters.numSubSteps or 1)
    held.record.max_force = held.max_force * share or _NO_FORCE


def _move_frame(
    client: Client, number: int, pivot: Vec3 | None, turn: Quat | None, force: float
) -> Any:
    """What changeConstraint does for what a script drags along."""
    held = client.constraints.get(number)
    if held is None or held.kind == c.JOINT_GEAR:
        return NotImplemented
    _set_child_frame(client, held, pivot, turn)
    if force >= 0:
        _set_limit(client, held, force)
    client.scene.update_constraint(held.record)
    return None


FORMS = (
    Form(
        _move_frame,
        ("userConstraintUniqueId", "jointChildPivot", "jointChildFrameOrientation", "maxForce"),
        ("physicsClientId",),
        {"jointChildPivot": 3, "jointChildFrameOrientation": 4},
        finite=True,
    ),
)
_GEAR_LEFT_OUT = (0, -1, 1e30, -1)


def _check_aux_link(client: Client, held: HeldConstraint, link: int) -> None:
    joints = client.bodies[held.parent].record.joints[1:]
    if link >= 0 and (link >= len(joints) or joints[link].nv != 1):
        raise error(f"gearAuxLink={link} is not allowed: expected a joint with one axis")


def _keep_gear(
    held: HeldConstraint, ratio: float, aux_link: int, target: float, erp: float
) -> None:
    """Keep what was said of a gear; PyBullet keeps and tells it of other constraints too."""
    if ratio != 0:
        held.ratio = float(ratio)
    if aux_link >= 0:
        held.aux_link = int(aux_link)
    if target < _NO_TARGET:
        held.target = float(target)
    if erp >= 0:
        held.erp = float(erp)


def removeConstraint(userConstraintUniqueId: int, physicsClientId: int = 0) -> None:
    """Remove a constraint or an anchor; an unknown one is ignored, as in PyBullet."""
    client = get_client(physicsClientId)
    number = index(userConstraintUniqueId)
    held: HeldConstraint | None = client.constraints.pop(number, None)
    if held is not None:
        client.constraint_order.remove(number)
        client.scene.remove_constraint(held.record.id)
    elif client.soft_bodies is not None and number in client.soft_bodies.anchors:
        client.soft_bodies.let_go(number)


def getNumConstraints(physicsClientId: int = 0) -> int:
    """Number of constraints and anchors of soft bodies."""
    client = get_client(physicsClientId)
    soft_bodies = client.soft_bodies
    return len(client.constraints) + (len(soft_bodies.anchors) if soft_bodies is not None else 0)


def getConstraintUniqueId(serialIndex: int, physicsClientId: int = 0) -> int:
    """Id of the ``serialIndex``-th constraint, in PyBullet's order; -1 past the end."""
    return get_client(physicsClientId).constraint_order.at(index(serialIndex))


def getConstraintState(constraintUniqueId: int, physicsClientId: int = 0) -> tuple[float, ...]:
    """Force and torque of a constraint in the last step, row by row as Bullet has them [N, Nm].

    JOINT_POINT2POINT: the force on the child, world frame (3). JOINT_FIXED: the force on the
    parent, world frame, and the torque on it, in the frame of the constraint in the parent (6).
    JOINT_PRISMATIC: the force on the parent along two directions across the axis, then its torque
    about z, x and y of that frame (5). JOINT_GEAR: the force on the parent's joint (1).

    Raises:
        error: No such constraint.
    """
    client, held = _find(constraintUniqueId, physicsClientId)
    if held is None:
        raise error("Couldn't getConstraintState.")
    world = client.scene.running
    if client.scene.stale or world is None:
        world = client.world
    if held.state_version != world.version:
        held.state = _read_state(client, held, world)
        held.state_version = world.version
    return held.state


def _read_state(client: Client, held: HeldConstraint, world: World) -> tuple[float, ...]:
    reader = held.reader
    if reader is None or reader.generation != world.generation:
        link = client.bodies[held.parent].record.links[held.parent_link + 1]
        reader = held.reader = ForceReader(world, held.record, link.body)
    force, torque = reader.read(world)
    if held.kind == c.JOINT_GEAR:
        return force[:1]
    if held.kind == c.JOINT_POINT2POINT:
        x, y, z = force
        return (-x, -y, -z)
    if held.kind == c.JOINT_FIXED:
        return (*force, *torque)
    if not any(force) and not any(torque):
        return (0.0,) * 5  # before a step there are no poses that it began with
    link = client.bodies[held.parent].record.links[held.parent_link + 1]
    quat = earlier_quat(world, link.body)
    frame = quat_multiply(quat, held.record.parent_frame.quat)
    axes = [quat_rotate(frame, axis) for axis in _AXES]
    across = _across(axes, quat_rotate(quat, held.record.axis))
    return (*(float(direction @ force) for direction in across), torque[2], torque[0], torque[1])


def _across(frame: list[Vec3], axis: Vec3) -> list[Any]:
    """The two directions in which Bullet's prismatic constraint holds."""
    first = next(a for a in (np.cross(column, axis) for column in frame) if np.linalg.norm(a) > 0)
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    return [first, second / np.linalg.norm(second)]


def getConstraintInfo(constraintUniqueId: int, physicsClientId: int = 0) -> tuple[Any, ...]:
    """What a constraint was made with, in PyBullet's 15 fields.

    Raises:
        error: No such constraint.
    """
    constraints = get_client(physicsClientId).constraints
    held: HeldConstraint | None = constraints.get(index(constraintUniqueId))
    if held is None:
        raise error("Couldn't get user constraint info")
    return (
        held.parent,
        held.parent_link,
        held.child,
        held.child_link,
        held.kind,
        held.axis,
        held.parent_position,
        held.child_position,
        held.parent_orientation,
        held.child_orientation,
        held.max_force,
        held.ratio,
        held.aux_link,
        held.target,
        held.erp,
    )
