"""Motors of joints with several degrees of freedom."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.kinds import listed, number, numbers
from unibody.bullet.arguments.vectors import joint_indices
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.joints.motors import clamped
from unibody.bullet.joints.multidof import BallJoint, Numbers, add_torques, is_ball, sizes
from unibody.bullet.joints.pd_control import PdControl, control_pd
from unibody.bullet.joints.stable_pd import Goal, control_stable_pd
from unibody.core.engine.records.rule_table import DriveMode

_MOTOR = int(DriveMode.MOTOR)
_FORCE = 1e6  # N or Nm, where no force is given
_LATENT_GAIN = 0.1  # kp of a position and kd of a velocity that come without one
_OUT_OF_RANGE = "Joint index out-of-range."
_AXES = 3
_BALL_Q = 4
_AT_REST = (0.0,)
_POSITION = c.POSITION_CONTROL
_ARRAY_MODES = (c.TORQUE_CONTROL, c.PD_CONTROL, c.STABLE_PD_CONTROL, c.POSITION_CONTROL)
Gain = float | Sequence[float]


@dataclass(slots=True)
class _Command:
    """What a call asks of one joint; None where it says nothing, or nothing that fits."""

    position: Numbers | None
    velocity: Numbers | None
    force: Numbers | None
    kp: Numbers | None
    kd: Numbers | None
    damping: Numbers | None
    max_velocity: float


def setJointMotorControlMultiDof(
    bodyUniqueId: int,
    jointIndex: int,
    controlMode: int,
    targetPosition: Sequence[float] | None = None,
    targetVelocity: Sequence[float] | None = None,
    force: Sequence[float] | None = None,
    positionGain: Gain = 0.1,
    velocityGain: Gain = 1.0,
    maxVelocity: float = -1.0,
    damping: Gain = 1.0,
    physicsClientId: int = 0,
) -> None:
    """Control a joint of any type; a motor stays as set until the next call for this joint.

    ``POSITION_CONTROL`` of a spherical joint turns it towards ``targetPosition`` (x, y, z, w) by
    ``positionGain * erp`` of the error a step, takes ``damping`` of its angular velocity away, and
    uses at most ``force`` [Nm] about each axis. As in PyBullet, ``targetVelocity``,
    ``velocityGain`` and ``maxVelocity`` do nothing to a spherical joint, and gains and forces
    differ between its axes only where all three of ``force``, ``positionGain`` and
    ``velocityGain`` are lists of three; else the first of each counts. Joints with one axis are
    controlled as by setJointMotorControl2, all others cannot be.

    ``TORQUE_CONTROL`` adds ``force`` for the next step.

    Raises:
        error: No such joint, or an unknown mode.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
        if controlMode == _POSITION and body.drive_of_joint[jointIndex] >= 0 <= jointIndex:
            given: tuple[Any, ...] = (targetPosition, force, positionGain, velocityGain)
            (position,), (limit,), kp, kd = given  # a joint with one axis, as it mostly is
            (velocity,) = _AT_REST if targetVelocity is None else targetVelocity
            lower, upper = body.limits[jointIndex]
            if position < lower <= upper:
                position = lower
            elif position > upper >= lower:
                position = upper
            cap = maxVelocity if maxVelocity > 0.0 else None
            body.set_drive(jointIndex, _MOTOR, kp, kd, position, velocity, limit, cap)
            return
    except (KeyError, IndexError, TypeError, ValueError):
        pass  # lists of other lengths, gains an axis, or a mistake that is told below
    body = get_client(physicsClientId).bodies.get(index(bodyUniqueId))
    number = index(jointIndex)
    if body is None or not 0 <= number < body.joint_count:
        raise error(_OUT_OF_RANGE)
    if controlMode not in (c.TORQUE_CONTROL, c.POSITION_CONTROL):
        raise error("Illegal control mode.")
    command = _command(
        sizes(body, number), targetPosition, targetVelocity, force, positionGain, velocityGain,
        maxVelocity, damping,
    )  # fmt: skip
    _obey(body, number, controlMode, command)


def setJointMotorControlMultiDofArray(
    bodyUniqueId: int,
    jointIndices: Sequence[int],
    controlMode: int,
    targetPositions: Sequence[Sequence[float]] | None = None,
    targetVelocities: Sequence[Sequence[float]] | None = None,
    forces: Sequence[Sequence[float]] | None = None,
    positionGains: Sequence[float] | None = None,
    velocityGains: Sequence[float] | None = None,
    maxVelocities: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Control several joints of any type; see setJointMotorControlMultiDof.

    ``PD_CONTROL`` is that of setJointMotorControl2. ``STABLE_PD_CONTROL`` adds torques for the next
    step that bring the joints to where they would be driven by springs and dampers that act at
    the end of the step. Lists of different lengths change nothing and ``maxVelocities`` is not
    used, as in PyBullet.

    Raises:
        error: No such joint, or an unknown mode; then no joint is changed.
    """
    client = get_client(physicsClientId)
    if controlMode not in _ARRAY_MODES:
        raise error("Illegal control mode.")
    left_out = (targetPositions is None, targetVelocities is None)
    settings = (jointIndices, controlMode, forces, positionGains, velocityGains, left_out)
    try:
        body = client.bodies[bodyUniqueId]
        known = body.renew_targets(settings, _flat(targetPositions), _flat(targetVelocities))
    except (KeyError, TypeError, ValueError):
        known = False  # arrays, joints with several axes, or a mistake that is told below
    if known:
        return
    joints = joint_indices(jointIndices)
    given = {
        "targetPositions": targetPositions,
        "targetVelocities": targetVelocities,
        "forces": forces,
        "positionGains": positionGains,
        "velocityGains": velocityGains,
    }
    lists = [listed(name, values) if values is not None else [] for name, values in given.items()]
    if not joints or any(values and len(values) != len(joints) for values in lists):
        return
    body = client.bodies.get(index(bodyUniqueId))
    if body is None or any(not 0 <= joint < body.joint_count for joint in joints):
        raise error(_OUT_OF_RANGE)
    defaults = (None, None, None, 0.1, 1.0)
    commands: list[_Command] = []
    for place, joint in enumerate(joints):
        position, velocity, force, kp, kd = (
            values[place] if values else default
            for values, default in zip(lists, defaults, strict=True)
        )
        command = _command(sizes(body, joint), position, velocity, force, kp, kd, -1.0, 1.0)
        commands.append(command)
    if controlMode == c.STABLE_PD_CONTROL:
        control_stable_pd(body, [_goal(*pair) for pair in zip(joints, commands, strict=True)])
        return
    for joint, command in zip(joints, commands, strict=True):
        _obey(body, joint, controlMode, command)
    complete = all(command.position and command.force for command in commands)
    if controlMode == c.POSITION_CONTROL and complete:
        body.remember_motors(tuple(joints), copy.deepcopy(settings), controlMode)


def _flat(rows: Any) -> list[float] | None:
    """The numbers of rows of one number each.

    Raises:
        ValueError: There are rows of other lengths.
    """
    return None if rows is None else [number for (number,) in rows]


def _command(
    shown: tuple[int, int],
    position: Any,
    velocity: Any,
    force: Any,
    kp: Any,
    kd: Any,
    max_velocity: float,
    damping: Any,
) -> _Command:
    """The arguments of a call, without those of a length that does not fit the joint."""
    positions, velocities = shown
    return _Command(
        position=_fitting("targetPosition", position, (positions,), _BALL_Q),
        velocity=_fitting("targetVelocity", velocity, (velocities,), _AXES),
        force=_fitting("force", force, (velocities, 1), _AXES),
        kp=_gain("positionGain", kp, velocities, 0.1),
        kd=_gain("velocityGain", kd, velocities, 1.0),
        damping=_gain("damping", damping, velocities, 1.0),
        max_velocity=float(max_velocity),
    )


def _fitting(name: str, values: Any, lengths: tuple[int, ...], most: int) -> Numbers | None:
    if values is None:
        return None
    if 1 in lengths and values.__class__ is list and len(values) == 1:
        return (number(name, values[0]),)
    found = tuple(numbers(name, listed(name, values)[:most]))
    return found if found and len(found) in lengths else None


def _gain(name: str, value: Any, axes: int, default: float) -> Numbers | None:
    if value.__class__ is float:
        return (value,)
    try:
        found = list(value)
    except TypeError:
        return (number(name, value),)
    return _fitting(name, found, (axes, 1), _AXES) if found else (default,)


def _obey(body: Body, joint: int, mode: int, command: _Command) -> None:
    """Make a command effective."""
    if mode == c.TORQUE_CONTROL:
        if command.force and len(command.force) == sizes(body, joint)[1]:
            add_torques(body, joint, command.force)
    elif command.position is None and command.velocity is None:
        return
    elif is_ball(body, joint):
        if mode == c.POSITION_CONTROL:
            _set_ball(body, joint, command)
    elif body.drive_of_joint[joint] >= 0:
        _set_single(body, joint, mode, command)


def _set_single(body: Body, joint: int, mode: int, command: _Command) -> None:
    """Set the motor of a joint with one axis."""
    kp = _first(command.kp, _LATENT_GAIN if command.position else 0.0)
    kd = _first(command.kd, _LATENT_GAIN if command.velocity else 0.0)
    position, velocity = _first(command.position, 0.0), _first(command.velocity, 0.0)
    force = _first(command.force, _FORCE)
    position = clamped(body, joint, position)
    if mode == c.PD_CONTROL:
        control_pd(body, joint, PdControl(position, velocity, kp, kd, force))
        return
    cap = command.max_velocity
    body.set_drive(joint, _MOTOR, kp, kd, position, velocity, force, cap if cap > 0.0 else None)


def _first(values: Numbers | None, default: float) -> float:
    return values[0] if values else default


def _set_ball(body: Body, joint: int, command: _Command) -> None:
    """Set the motor of a spherical joint."""
    ball = BallJoint(body, joint)
    each = all(
        values is not None and len(values) == _AXES
        for values in (command.force, command.kp, command.kd)
    )
    kp = command.kp or (_LATENT_GAIN if command.position else 0.0,)
    limit, damping = command.force or (_FORCE,), command.damping or (1.0,)
    if not each:
        kp, limit = kp[:1] * _AXES, limit[:1] * _AXES
        (body.braked_balls.add if limit[0] == 0.0 else body.braked_balls.discard)(joint)
    elif joint in body.braked_balls:  # no force for the whole motor stays in effect
        limit = (0.0,) * _AXES
    damping = damping if len(damping) == _AXES else damping * _AXES
    ball.set_motor(command.position or (0.0, 0.0, 0.0, 1.0), kp, damping, limit)


def _goal(joint: int, command: _Command) -> Goal:
    kp, kd = _first(command.kp, 0.1), _first(command.kd, 1.0)
    return Goal(joint, command.position, command.velocity, kp, kd, command.force)
