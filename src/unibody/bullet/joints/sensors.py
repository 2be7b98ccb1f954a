"""Force and torque sensors in joints."""

from __future__ import annotations

from operator import index

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.substeps.joint_sensors import NO_REACTION, SensorReader
from unibody.core.assets.description import JointType, Vec3
from unibody.core.assets.transforms import quat_conjugate, quat_rotate


def enableJointForceTorqueSensor(
    bodyUniqueId: int, jointIndex: int, enableSensor: int = 1, physicsClientId: int = 0
) -> None:
    """Switch the sensor in a joint on or off, whose readings getJointState then has.

    It reads the force [N] and torque [Nm] of the parent on the child in the last step, without
    what the joint's own motor and limits exert, in the child's inertial frame and about its mass
    centre. ``setPhysicsEngineParameter(jointFeedbackMode=...)``: JOINT_FEEDBACK_IN_WORLD_SPACE
    turns both into the world frame, JOINT_FEEDBACK_IN_JOINT_FRAME takes the torque about the
    joint.

    Raises:
        error: No such body or joint.
    """
    client = get_client(physicsClientId)
    number, joint = index(bodyUniqueId), index(jointIndex)
    if number < 0:
        raise error("Error: invalid bodyUniqueId")
    body = client.bodies.get(number)
    if body is None or not 0 <= joint < body.joint_count:
        raise error("Error: invalid jointIndex.")
    if client.joint_sensors is None:
        client.joint_sensors = SensorReader(client.scene)
        client.ticks.append(client.joint_sensors)
    if enableSensor:
        client.joint_sensors.sensors.add(number, joint + 1)
    else:
        client.joint_sensors.forget(number, joint + 1)


def reaction(body: Body, joint: int) -> tuple[float, ...]:
    """What the sensor of a joint reads, (6,): zeros without one and before a step."""
    sensors = body.client.joint_sensors
    wrench = sensors.sensors.reading(body.id, joint + 1) if sensors is not None else None
    if wrench is None:
        return NO_REACTION
    mode = body.client.parameters.jointFeedbackMode
    if mode == 0:
        return wrench.local
    force, torque = np.array(wrench.local[:3]), np.array(wrench.local[3:])
    link = body.record.links[joint + 1]
    if mode & c.JOINT_FEEDBACK_IN_JOINT_FRAME and link.link.joint.type is not JointType.PLANAR:
        torque = torque + np.cross(_arm(body, joint), force)
    if mode & c.JOINT_FEEDBACK_IN_WORLD_SPACE:
        turn = np.reshape(wrench.turn, (3, 3))
        force, torque = turn @ force, turn @ torque
    return (*force.tolist(), *torque.tolist())


def _arm(body: Body, joint: int) -> Vec3:
    """From a joint to the child's mass centre, in the child's inertial frame [m]."""
    com = body.record.links[joint + 1].com
    return quat_rotate(quat_conjugate(com.quat), com.pos)
