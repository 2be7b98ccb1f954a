"""Joint, link and base states."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, cast

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import finite
from unibody.bullet.arguments.vectors import joint_indices, real, vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_body, get_client
from unibody.bullet.convert import signed_xyzw
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.joint_reader import JointReader, is_live
from unibody.bullet.handles.soft_records import is_soft
from unibody.bullet.joints.sensors import reaction
from unibody.core.assets.description import Asset, JointType, Quat, Vec3
from unibody.core.assets.transforms import (
    pose_inverse,
    pose_multiply,
    quat_multiply,
    quat_rotate,
)
from unibody.notices import tell_once

_NO_REACTION = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_NO_LINK = "Invalid linkIndex."
_NO_POSITION = "position needs a 3 coordinates [x,y,z]."
_NOT_FELT = (
    "applyExternalForce of a soft body has no effect in the deformable world, as in PyBullet: "
    "createSoftBodyAnchor moves its particles"
)
_HAS_MOTOR = 1  # JOINT_HAS_MOTORIZED_POWER


def _state_body(body_id: int, client_id: int, function: str) -> Body:
    """The body a state is asked of, with PyBullet's two messages if there is none."""
    negative = index(body_id) < 0
    message = f"{function} failed; invalid bodyUniqueId" if negative else f"{function} failed."
    return get_body(body_id, client_id, message)


def _no_joint(joint: int) -> error:
    if joint < 0:
        return error("getJointState failed; invalid jointIndex")
    return error("getJointState failed (2).")


def getNumJoints(bodyUniqueId: int, physicsClientId: int = 0) -> int:
    """Number of joints, fixed ones included; 0 for an unknown body, as in PyBullet."""
    try:
        return clients[physicsClientId].bodies[bodyUniqueId].joint_count
    except (KeyError, TypeError):
        body = get_client(physicsClientId).bodies.get(index(bodyUniqueId))
        return body.joint_count if body else 0


def getJointInfo(bodyUniqueId: int, jointIndex: int, physicsClientId: int = 0) -> tuple[Any, ...]:
    """Description of a joint as loaded, in PyBullet's 17 fields; changeDynamics does not show.

    (index, name, type, q index, u index, flags, damping, friction, lower limit, upper limit,
    maximum force, maximum velocity, link name, axis in the link's inertial frame, position and
    orientation (x, y, z, w) of the joint in the parent's inertial frame, parent index).

    Raises:
        error: No such joint.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = get_body(bodyUniqueId, physicsClientId, "GetJointInfo failed.")
    if not 0 <= jointIndex < body.joint_count:
        raise error("GetJointInfo failed.")
    info = body.joint_infos.get(jointIndex)
    if info is None:
        info = body.joint_infos[jointIndex] = _joint_info(body, jointIndex)
    return info


def _joint_info(body: Body, joint_index: int) -> tuple[Any, ...]:
    link = body.asset.links[joint_index + 1]
    joint = link.joint
    axis, pos, quat = joint_frames(body.asset, joint_index + 1)
    moving = joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
    return (
        joint_index,
        joint.name.encode(),
        body.joint_type(joint_index),
        body.qindex[joint_index],
        body.uindex[joint_index],
        _HAS_MOTOR if moving else 0,
        joint.damping,
        joint.friction,
        joint.lower,
        joint.upper,
        joint.effort,
        joint.velocity,
        link.name.encode(),
        axis,
        pos,
        quat,
        link.parent - 1,
    )


def joint_frames(asset: Asset, index: int) -> tuple[Any, Any, Any]:
    """Axis, position and orientation of a link's joint as Bullet stores them.

    The axis is in the link's inertial frame; the position is that of the joint in the parent's
    inertial frame; the orientation takes vectors of that frame into the link's inertial frame.
    """
    link = asset.links[index]
    parent = asset.links[link.parent]
    own = link.inertial.pose
    axis = (0.0, 0.0, 0.0)
    if link.joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
        length = link.joint.axis_length
        x, y, z = link.joint.axis
        axis = quat_rotate(pose_inverse(own).quat, (length * x, length * y, length * z))
    frame = pose_multiply(pose_inverse(parent.inertial.pose), link.joint.origin)
    here, there = (_signed(pose_inverse(pose).quat) for pose in (own, frame))
    w, x, y, z = quat_multiply(here, there)
    return axis, frame.pos, (x, y, z, w)


def _signed(quat: Quat) -> Quat:
    """A quaternion with the sign that Bullet gives it when it takes it from a matrix."""
    x, y, z, w = signed_xyzw(quat)
    return (w, x, y, z)


def getJointState(bodyUniqueId: int, jointIndex: int, physicsClientId: int = 0) -> tuple[Any, ...]:
    """(position, velocity, reaction forces (6), motor force of the last step) of a joint.

    Units: rad and Nm, or m and N.

    Raises:
        error: No such joint.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = _state_body(bodyUniqueId, physicsClientId, "getJointState")
    if not 0 <= jointIndex < body.joint_count:
        raise _no_joint(jointIndex)
    world = body.world()
    if is_live(body, world):
        reader = body.joint_readers[jointIndex]
        if reader is None or not reader.serves(body, world):
            reader = body.joint_readers[jointIndex] = JointReader(body, world, [index(jointIndex)])
        found = reader.read(1.0 / body.client.impulse_scale)
        if found is not None:
            return found[0]
    positions, velocities = body.joint_coordinates()
    return (
        positions[jointIndex],
        velocities[jointIndex],
        _NO_REACTION if body.client.joint_sensors is None else reaction(body, jointIndex),
        body.applied_torques()[jointIndex],
    )


def getJointStates(
    bodyUniqueId: int, jointIndices: Iterable[int], physicsClientId: int = 0
) -> tuple[tuple[Any, ...], ...]:
    """States of several joints; see getJointState.

    Raises:
        error: No such joint.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = _state_body(bodyUniqueId, physicsClientId, "getJointState")
    client, reader, world = body.client, body.plans.reader, body.world()
    live = is_live(body, world)
    if live and reader is not None and reader.serves(body, world):
        found = _read_again(reader, jointIndices, client.impulse_scale)
        if found is not None:
            return found
    positions, velocities = body.joint_coordinates()
    torques = body.applied_torques()
    indices = jointIndices if jointIndices.__class__ is list else joint_indices(jointIndices)
    try:
        if indices and not 0 <= min(indices) <= max(indices) < body.joint_count:
            raise error("Joint index out-of-range.")
    except TypeError:
        raise error("Joint index out-of-range.") from None
    if live:
        body.plans.reader = JointReader(body, world, joint_indices(indices))
    if client.joint_sensors is None:
        return tuple([(positions[i], velocities[i], _NO_REACTION, torques[i]) for i in indices])
    return tuple([(positions[i], velocities[i], reaction(body, i), torques[i]) for i in indices])


def _read_again(reader: JointReader, joints: Any, scale: float) -> tuple[Any, ...] | None:
    """The states of the joints that were read last; None for other ones, and other types."""
    if joints.__class__ is not list:
        if joints.__class__ is not range and joints.__class__ is not tuple:
            return None
        joints = list(joints)
    return reader.read(1.0 / scale) if reader.joints == joints else None


def resetJointState(
    bodyUniqueId: int,
    jointIndex: int,
    targetValue: float,
    targetVelocity: float = 0.0,
    physicsClientId: int = 0,
) -> None:
    """Put a joint to a position and velocity, without physics.

    Raises:
        error: No such joint.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = get_body(bodyUniqueId, physicsClientId, "Joint index out-of-range.")
    if not 0 <= jointIndex < body.joint_count:
        raise error("Joint index out-of-range.")
    position, velocity = real(targetValue), real(targetVelocity)
    finite("targetValue", position)
    finite("targetVelocity", velocity)
    body.set_joint(jointIndex, position, velocity)


def getLinkState(
    bodyUniqueId: int,
    linkIndex: int,
    computeLinkVelocity: int = 0,
    computeForwardKinematics: int = 0,
    physicsClientId: int = 0,
) -> tuple[Any, ...]:
    """Pose of a link, and its velocity if asked. All in the world frame.

    (centre of mass, orientation of the inertial frame, centre of mass in the link, orientation of
    the inertial frame in the link, position of the link frame, its orientation[, linear velocity
    of the centre of mass, angular velocity]). Orientations are (x, y, z, w). After a step, poses
    are, as in PyBullet, those that its last substep started from, until something of the body is
    reset; ``computeForwardKinematics`` brings them up to the present joint positions. Of a soft
    body None, as in PyBullet: it has no links.

    Raises:
        error: No such link.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = _state_body(bodyUniqueId, physicsClientId, "getLinkState")
    if not 0 <= linkIndex < body.joint_count:
        if linkIndex >= 0 and is_soft(body.client, body):
            return cast("tuple[Any, ...]", None)  # no script for rigid bodies looks for None
        raise error("getLinkState failed; invalid linkIndex" if linkIndex < 0 else _NO_LINK)
    return body.link_state(linkIndex, bool(computeLinkVelocity), bool(computeForwardKinematics))


def getLinkStates(
    bodyUniqueId: int,
    linkIndices: Iterable[int],
    computeLinkVelocity: int = 0,
    computeForwardKinematics: int = 0,
    physicsClientId: int = 0,
) -> tuple[tuple[Any, ...], ...]:
    """States of several links; see getLinkState.

    Raises:
        error: No such link.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = _state_body(bodyUniqueId, physicsClientId, "getLinkState")
    links = joint_indices(linkIndices)
    if any(not 0 <= link < body.joint_count for link in links):
        raise error(_NO_LINK)
    velocity, forward = bool(computeLinkVelocity), bool(computeForwardKinematics)
    return tuple([body.link_state(link, velocity, forward) for link in links])


def getBasePositionAndOrientation(
    bodyUniqueId: int, physicsClientId: int = 0
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position of the base's centre of mass [m] and orientation (x, y, z, w), world frame.

    Raises:
        error: No such body.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = get_body(bodyUniqueId, physicsClientId, "GetBasePositionAndOrientation failed.")
    return body.base_position_and_orientation()


def resetBasePositionAndOrientation(
    bodyUniqueId: int,
    posObj: Sequence[float],
    ornObj: Sequence[float],
    physicsClientId: int = 0,
) -> None:
    """Put the base's centre of mass to a pose, at rest. An unknown body is ignored.

    Raises:
        error: ``posObj`` is not three or ``ornObj`` not four numbers.
    """
    try:
        if clients[physicsClientId].bodies[bodyUniqueId].place_base(posObj, ornObj) is None:
            return
    except (KeyError, TypeError):
        pass  # what is wrong with the ids is said below
    client = get_client(physicsClientId)
    try:
        px, py, pz = map(real, posObj)
    except (TypeError, ValueError):
        raise error(_NO_POSITION) from None
    try:
        x, y, z, w = map(real, ornObj)
        norm = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    except (TypeError, ValueError):
        raise error("orientation needs a 4 coordinates, quaternion [x,y,z,w].") from None
    except ZeroDivisionError:
        x = y = z = 0.0
        w = norm = 1.0
    finite("posObj", px, py, pz)
    finite("ornObj", x, y, z, w)
    body = client.bodies.get(index(bodyUniqueId))
    if body is not None:
        body.set_base_com_pose((px, py, pz), (w * norm, x * norm, y * norm, z * norm))


def getBaseVelocity(
    bodyUniqueId: int, physicsClientId: int = 0
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Linear velocity of the base's centre of mass [m/s] and angular velocity [rad/s], world frame.

    Raises:
        error: No such body.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = get_body(bodyUniqueId, physicsClientId, "getBaseVelocity failed.")
    return body.base_velocity()


def resetBaseVelocity(
    objectUniqueId: int,
    linearVelocity: Sequence[float] | None = None,
    angularVelocity: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Set the linear and/or angular velocity of a base, world frame. Unknown bodies are ignored.

    Raises:
        error: Neither velocity is given, or one is not three numbers.
    """
    try:
        body = clients[physicsClientId].bodies[objectUniqueId]
        if body.write_base_velocity(linearVelocity, angularVelocity) is None:
            return
    except (KeyError, TypeError):
        pass  # what is wrong with the ids is said below
    client = get_client(physicsClientId)
    if linearVelocity is None and angularVelocity is None:
        raise error("expected at least linearVelocity and/or angularVelocity.")
    message = "velocity needs 3 coordinates [x,y,z]."
    linear = None if linearVelocity is None else vector(linearVelocity, 3, message)
    angular = None if angularVelocity is None else vector(angularVelocity, 3, message)
    finite("linearVelocity", *(linear or ()))
    finite("angularVelocity", *(angular or ()))
    body = client.bodies.get(index(objectUniqueId))
    if body is not None:
        body.set_base_velocity(linear, angular)


def applyExternalForce(
    objectUniqueId: int,
    linkIndex: int,
    forceObj: Sequence[float],
    posObj: Sequence[float],
    flags: int,
    physicsClientId: int = 0,
) -> None:
    """Apply a force [N] at a point [m] of a link for the next step; -1 is the base.

    ``WORLD_FRAME``: force and point are in the world. ``LINK_FRAME``: both are in the frame of
    the link's centre of mass. Of a soft body the link is one of its particles, which feels the
    force where the world is not deformable, as in PyBullet; nothing else of it feels forces.

    Raises:
        error: ``flags`` is neither frame, or a vector is not three numbers.
    """
    try:
        body = clients[physicsClientId].bodies[objectUniqueId]
        if body.add_force(linkIndex, forceObj, posObj, flags) is None:
            return
    except (KeyError, TypeError):
        pass  # what is wrong is said below
    client = get_client(physicsClientId)
    force = vector(forceObj, 3, "force needs a 3 coordinates [x,y,z].")
    point = vector(posObj, 3, _NO_POSITION)
    finite("forceObj", *force)
    finite("posObj", *point)
    local = _frame(flags)
    body = client.bodies.get(index(objectUniqueId))
    if body is not None and linkIndex >= 0 and is_soft(client, body):
        _push_particle(client, body.id, linkIndex, force)
        return
    if body is None or not -1 <= linkIndex < body.joint_count:
        return
    pos, quat = body.pushed_pose(linkIndex)
    if local:
        force = quat_rotate(quat, force)
        arm = quat_rotate(quat, point)
    else:
        arm = (point[0] - pos[0], point[1] - pos[1], point[2] - pos[2])
    torque = (
        arm[1] * force[2] - arm[2] * force[1],
        arm[2] * force[0] - arm[0] * force[2],
        arm[0] * force[1] - arm[1] * force[0],
    )
    _add_wrench(body, linkIndex, force, torque)


def _push_particle(client: Client, body_id: int, particle: int, force: Vec3) -> None:
    """Add a force on a particle of a soft body for the next step [N]."""
    soft = client.soft_bodies
    assert soft is not None
    if client.deformable_world:
        tell_once(_NOT_FELT)
    elif particle < len(soft.records[body_id].rest):
        soft.add_force(body_id, particle, force)


def applyExternalTorque(
    objectUniqueId: int,
    linkIndex: int,
    torqueObj: Sequence[float],
    flags: int,
    physicsClientId: int = 0,
) -> None:
    """Apply a torque [Nm] to a link for the next step; frames as in applyExternalForce.

    Raises:
        error: ``flags`` is neither frame, or the torque is not three numbers.
    """
    try:
        body = clients[physicsClientId].bodies[objectUniqueId]
        if body.add_link_torque(linkIndex, torqueObj, flags) is None:
            return
    except (KeyError, TypeError):
        pass  # what is wrong is said below
    client = get_client(physicsClientId)
    torque = vector(torqueObj, 3, "torque needs a 3 coordinates [x,y,z].")
    finite("torqueObj", *torque)
    if linkIndex < -1:
        raise error("Invalid link index, has to be -1 or larger")
    local = _frame(flags)
    body = client.bodies.get(index(objectUniqueId))
    if body is None or not -1 <= linkIndex < body.joint_count:
        return
    if local:
        torque = quat_rotate(body.pushed_pose(linkIndex)[1], torque)
    _add_wrench(body, linkIndex, (0.0, 0.0, 0.0), torque)


def _frame(flags: int) -> bool:
    if index(flags) not in (c.LINK_FRAME, c.WORLD_FRAME):
        raise error("flag has to be either WORLD_FRAME or LINK_FRAME")
    return flags == c.LINK_FRAME


def _add_wrench(body: Body, link: int, force: tuple[float, ...], torque: tuple[float, ...]) -> None:
    wrench = body.world().data.xfrc_applied[body.record.links[link + 1].body]
    wrench[:3] += force
    wrench[3:] += torque
    body.client.forces_applied = True
