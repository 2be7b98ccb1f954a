"""States of joints with several degrees of freedom, and joints like others seen that way.

A spherical joint has a quaternion (x, y, z, w) and the angular velocity [rad/s] of the child
relative to its parent, both in the child's inertial frame. Of a planar joint PyBullet shows two of
its three coordinates, the angle and the first shift, and lets nobody set them. The velocity of the
latter is along the axis as it is turned.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

from unibody.bullet.arguments.finite import finite, no_nan
from unibody.bullet.arguments.vectors import joint_indices
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.joint_reader import JointReader, is_live
from unibody.bullet.joints.sensors import NO_REACTION, reaction
from unibody.core.assets.description import JointType, Quat, Vec3
from unibody.core.assets.transforms import quat_conjugate, quat_multiply, quat_rotate
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.world.world import World

Numbers = tuple[float, ...]
_BALL_Q, _BALL_V = 4, 3
_NUMBER = 8  # bytes
_DOUBLE, _VECTOR, _QUAT = struct.Struct("=d"), struct.Struct("=3d"), struct.Struct("=4d")
_MOTOR = struct.Struct("=13d")  # all of a drive but its row
_PLANE_SHOWN = 2  # of three coordinates
_OUT_OF_RANGE = "Joint index out-of-range."
_NO_VALUES = "Expected an position and/or velocity list."


class BallJoint:
    """A spherical joint of a body, in PyBullet's frame.

    Args:
        body: The body.
        joint: Number of a spherical joint.
    """

    def __init__(self, body: Body, joint: int) -> None:
        self._world = body.world()
        self._scale = body.client.impulse_scale
        self._joint = body.record.joints[joint + 1]
        self._axes: Quat = body.record.links[joint + 1].com.quat
        number = body.record.ball + self._joint.local_ball
        end = len(self._world.userdata)  # the motors lie from there on backwards, see rule_table
        self._drive_at = end - (number + 1) * t.BALL_SIZE * _NUMBER

    @property
    def position(self) -> Quat:
        """Orientation (x, y, z, w)."""
        return self._shown(_QUAT.unpack_from(self._world.qpos, _NUMBER * self._joint.qpos))

    @property
    def velocity(self) -> Vec3:
        """Angular velocity [rad/s]."""
        return self._turned(_VECTOR.unpack_from(self._world.qvel, _NUMBER * self._joint.dof))

    @property
    def torque(self) -> Vec3:
        """What the motor exerted in the last step [Nm]."""
        forces = self._world.constraint_forces()
        (number,) = _DOUBLE.unpack_from(self._world.userdata, self._drive_at + _NUMBER * t.S_ROW)
        row = int(number)
        if not 0 <= row < len(forces):
            return (0.0, 0.0, 0.0)
        x, y, z = forces[row : row + _BALL_V].tolist()
        scale = self._scale
        return self._turned((x / scale, y / scale, z / scale))

    def set_position(self, position: Sequence[float]) -> None:
        """Put the joint to an orientation (x, y, z, w) of any length, at rest."""
        quat = self.in_link(position)
        _QUAT.pack_into(self._world.qpos, _NUMBER * self._joint.qpos, *quat)
        self.set_velocity((0.0, 0.0, 0.0))

    def set_velocity(self, velocity: Sequence[float]) -> None:
        """Give the joint an angular velocity [rad/s]."""
        numbers = self.to_link(velocity)
        _VECTOR.pack_into(self._world.qvel, _NUMBER * self._joint.dof, *numbers)
        self._world.changed()

    def add_torque(self, torque: Sequence[float]) -> None:
        """Add a torque [Nm] for the next step."""
        self._world.data.qfrc_applied[self._dofs()] += self.to_link(torque)

    @property
    def target(self) -> Quat:
        """What the motor turns the joint to, (x, y, z, w)."""
        place = self._drive_at + _NUMBER * t.S_TARGET
        return self._shown(_QUAT.unpack_from(self._world.userdata, place))

    def set_motor(
        self,
        target: Sequence[float],
        kp: Sequence[float],
        damping: Sequence[float],
        limit: Sequence[float],
    ) -> None:
        """Set all of the motor; the last three have a number an axis (see rule_table)."""
        finite("targetPosition", *target)
        finite("positionGain", *kp)
        for value in limit:
            no_nan("force", value)
        limits = [max(value, 0.0) * self._scale for value in limit]
        numbers = (*self.in_link(target), *kp, *damping, *limits)
        _MOTOR.pack_into(self._world.userdata, self._drive_at, *numbers)

    def in_link(self, position: Sequence[float]) -> Quat:
        """An orientation (x, y, z, w) of any length as MuJoCo has it, of unit length."""
        x, y, z, w = position
        length = math.sqrt(x * x + y * y + z * z + w * w)
        if not length > 0.0:
            raise error(f"a quaternion {tuple(position)} of no length is no orientation")
        unit = (w / length, x / length, y / length, z / length)
        return quat_multiply(self._axes, quat_multiply(unit, quat_conjugate(self._axes)))

    def to_link(self, vector: Sequence[float]) -> Vec3:
        """A vector of PyBullet's frame in MuJoCo's."""
        x, y, z = vector
        return quat_rotate(self._axes, (x, y, z))

    def _shown(self, quat: Quat) -> Quat:
        """An orientation of MuJoCo's as PyBullet has it, (x, y, z, w)."""
        back = quat_conjugate(self._axes)
        w, x, y, z = quat_multiply(back, quat_multiply(quat, self._axes))
        return (x, y, z, w)

    def _dofs(self) -> slice:
        return slice(self._joint.dof, self._joint.dof + _BALL_V)

    def _turned(self, values: Vec3) -> Vec3:
        return quat_rotate(quat_conjugate(self._axes), values)


def is_ball(body: Body, joint: int) -> bool:
    """Whether a joint is spherical."""
    return body.record.links[joint + 1].link.joint.type is JointType.SPHERICAL


def sizes(body: Body, joint: int) -> tuple[int, int]:
    """How many positions and velocities PyBullet shows of a joint."""
    record = body.record.joints[joint + 1]
    if record.nv > 1 and not is_ball(body, joint):
        return _PLANE_SHOWN, _PLANE_SHOWN
    return record.nq, record.nv


def add_torques(body: Body, joint: int, torques: Sequence[float]) -> None:
    """Add torques for the next step, one for each velocity that PyBullet shows of a joint."""
    finite("force", *torques)
    if is_ball(body, joint):
        BallJoint(body, joint).add_torque(torques)
    elif len(torques) == 1:
        body.add_torque(joint, torques[0])
    elif torques:  # a planar joint: its angle comes last in MuJoCo
        data = body.world().data
        dof = body.record.joints[joint + 1].dof
        angle = float(data.qpos[body.record.joints[joint + 1].qpos + 2])
        turn, push = torques
        force = (push * math.cos(angle), -push * math.sin(angle), turn)
        data.qfrc_applied[dof : dof + 3] += force
    body.client.forces_applied = True


def getJointStateMultiDof(
    bodyUniqueId: int, jointIndex: int, physicsClientId: int = 0
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Positions, velocities, reaction forces (6) and motor forces of the last step of a joint.

    A spherical joint has four positions and three of the others, a joint with one axis one of
    each, a fixed one none.

    Raises:
        error: No such joint.
    """
    body = _body(bodyUniqueId, physicsClientId)
    number = index(jointIndex)
    if number < 0:
        raise error("getJointState failed; invalid jointIndex")
    return _state(body, number)


def getJointStatesMultiDof(
    bodyUniqueId: int, jointIndex: Iterable[int], physicsClientId: int = 0
) -> tuple[tuple[Numbers, Numbers, Numbers, Numbers], ...] | None:
    """States of several joints, None of none; see getJointStateMultiDof.

    Raises:
        error: No such joint.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = _body(bodyUniqueId, physicsClientId)
    last = body.plans.multi_reader
    if last is not None and last.given is jointIndex:
        joints = last.joints
    else:
        joints = jointIndex if isinstance(jointIndex, list) else joint_indices(jointIndex)
    world = body.world()
    if is_live(body, world):
        reader = joint_reader(body, world, joints)
        found = None if reader is None else reader.read(1.0 / body.client.impulse_scale)
        if found and reader is not None:
            if jointIndex.__class__ is tuple:
                reader.given = jointIndex
            return found
    return tuple([_state(body, number) for number in joint_indices(joints)]) or None


def joint_reader(body: Body, world: World, joints: list[int]) -> JointReader | None:
    """What reads and writes some joints at once; None if one has several axes, or does not exist.

    It is kept for the next call with the same joints.
    """
    reader = body.plans.multi_reader
    records, count = body.record.joints, body.joint_count
    try:
        if reader is not None and reader.joints == joints and reader.serves(body, world):
            return reader
        fits = all(0 <= joint < count and records[joint + 1].nv <= 1 for joint in joints)
    except (TypeError, ValueError):  # what is no integer; an array is no truth value
        return None
    if not fits:
        return None
    reader = body.plans.multi_reader = JointReader(body, world, joints, nested=True)
    return reader


def _body(body_id: int, client_id: int) -> Body:
    client = get_client(client_id)
    number = index(body_id)
    if number < 0:
        raise error("getJointState failed; invalid bodyUniqueId")
    return client.body(number, "getJointState failed.")


def _state(body: Body, joint: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    if not 0 <= joint < body.joint_count:
        raise error("getJointState failed (2).")
    record = body.record.joints[joint + 1]
    if record.nv == _BALL_V and is_ball(body, joint):
        ball = BallJoint(body, joint)
        return ball.position, ball.velocity, reaction(body, joint), ball.torque
    if record.nv > 1:
        data = body.world().data  # which also brings the addresses up to date
        positions = data.qpos[record.qpos : record.qpos + 3].tolist()
        velocities = data.qvel[record.dof : record.dof + 3].tolist()
        _, _, angle = positions
        x, y, spin = velocities
        along = x * math.cos(angle) - y * math.sin(angle)
        shown = ((angle, positions[0]), (spin, along))
        return *shown, reaction(body, joint), (0.0, 0.0)
    positions, velocities = body.joint_coordinates()
    forces = NO_REACTION if body.client.joint_sensors is None else reaction(body, joint)
    if record.nv == 0:
        return (), (), forces, ()
    torques = body.applied_torques()
    return (positions[joint],), (velocities[joint],), forces, (torques[joint],)


def resetJointStateMultiDof(
    bodyUniqueId: int,
    jointIndex: int,
    targetValue: Sequence[float],
    targetVelocity: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Put a joint to a position and velocity, without physics.

    Four numbers (a quaternion x, y, z, w of any length) for a spherical joint, one for a joint with
    one axis. As in PyBullet, a list of another length changes nothing, and a position without a
    velocity brings the joint to rest.

    Raises:
        error: No such joint, or two empty lists.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
        known = 0 <= jointIndex < body.joint_count
        if known and body.place_joint(jointIndex, targetValue, targetVelocity):
            return
    except (KeyError, TypeError):
        pass  # what is wrong is said below
    client = get_client(physicsClientId)
    position, velocity = _values(targetValue), _values(targetVelocity)
    if not position and not velocity:
        raise error(_NO_VALUES)
    _check_finite(position, velocity)
    found = _joint_of(client.bodies.get(index(bodyUniqueId)), jointIndex)
    _check(found, position)
    _reset(*found, position, velocity)


def resetJointStatesMultiDof(
    bodyUniqueId: int,
    jointIndices: Sequence[int],
    targetValues: Sequence[Sequence[float]],
    targetVelocities: Sequence[Sequence[float]] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Put several joints to positions and velocities; see resetJointStateMultiDof.

    Raises:
        error: No such joint, or lists of different lengths; then no joint is changed.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
        joints = jointIndices if isinstance(jointIndices, list) else list(jointIndices)
        if joints and _write_at_once(body, joints, targetValues, targetVelocities):
            return
    except (KeyError, TypeError):
        pass  # what is wrong is said below
    client = get_client(physicsClientId)
    joints = joint_indices(jointIndices)
    if not joints:
        return
    lists = [_rows(rows) for rows in (targetValues, targetVelocities)]
    if any(rows and len(rows) != len(joints) for rows in lists):
        raise error("Number of targetValues and targetVelocities needs to match number of indices.")
    body = client.bodies.get(index(bodyUniqueId))
    positions, velocities = (rows or [None] * len(joints) for rows in lists)
    wanted: list[tuple[Body, int, Numbers, Numbers]] = []
    for joint, given, speeds in zip(joints, positions, velocities, strict=True):
        position, velocity = _values(given), _values(speeds)
        found = _joint_of(body, joint)
        if not position and not velocity:
            raise error(_NO_VALUES)
        _check_finite(position, velocity)
        _check(found, position)
        wanted.append((*found, position, velocity))
    for body, joint, position, velocity in wanted:
        if not body.place_joint(joint, position, velocity or None):
            _reset(body, joint, position, velocity)


def _write_at_once(body: Body, joints: list[int], positions: Any, velocities: Any) -> bool:
    """Reset joints with one axis; False, and nothing done, for other ones and unusual forms."""
    world = body.world()
    reader = joint_reader(body, world, joints)
    if reader is None or not reader.write(positions, velocities):
        return False
    world.version += 1
    body.links_placed()
    return True


def _rows(rows: Any) -> list[Any]:
    try:
        return [] if rows is None else list(rows)
    except TypeError:
        raise error(_NO_VALUES) from None


def _values(values: Sequence[float] | None) -> Numbers:
    try:
        return () if values is None else tuple(map(float, values))
    except (TypeError, ValueError):
        raise error(_NO_VALUES) from None


def _check_finite(position: Numbers, velocity: Numbers) -> None:
    finite("targetValue", *position)
    finite("targetVelocity", *velocity)


def _joint_of(body: Body | None, joint: int) -> tuple[Body, int]:
    number = index(joint)
    if body is None or not 0 <= number < body.joint_count:
        raise error(_OUT_OF_RANGE)
    return body, number


def _check(target: tuple[Body, int], position: Numbers) -> None:
    if len(position) == _BALL_Q and is_ball(*target):
        BallJoint(*target).in_link(position)


def _reset(body: Body, joint: int, position: Numbers, velocity: Numbers) -> None:
    if not position:
        return  # PyBullet sets no velocity without a position
    if body.drive_of_joint[joint] >= 0 and len(position) == 1:
        body.set_joint(joint, position[0], velocity[0] if len(velocity) == 1 else 0.0)
    elif is_ball(body, joint):
        ball = BallJoint(body, joint)
        if len(position) == _BALL_Q:
            ball.set_position(position)
        if len(velocity) == _BALL_V:
            ball.set_velocity(velocity)
        body.links_placed()
    elif body.record.joints[joint + 1].nv == 1:
        if len(position) == 1:
            body.set_joint(joint, position[0], velocity[0] if len(velocity) == 1 else 0.0)
        elif len(velocity) == 1:
            body.set_joint(joint, body.joint_coordinates()[0][joint], velocity[0])
