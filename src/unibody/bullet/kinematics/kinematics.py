"""Inverse kinematics, Jacobians, mass matrices and inverse dynamics, with PyBullet's frames.

PyBullet computes all of them in the inertial frame of the base, wherever the body is in the
world, and takes gravity as if that frame were not turned.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import asin, atan2, cos, pi, sin
from operator import index
from typing import Any, NamedTuple

from unibody.bullet import constants as c
from unibody.bullet.arguments.kinds import listed
from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.convert import rotate_back, wxyz
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.soft_records import is_soft
from unibody.bullet.kinematics.full_dynamics import full_inverse_dynamics, full_mass_matrix
from unibody.core.assets.description import JointType, Quat
from unibody.core.assets.transforms import quat_conjugate, quat_multiply, quat_rotate
from unibody.core.engine.kinematics.chain import Chain
from unibody.core.engine.records.body import BodyRecord
from unibody.errors import NotSupportedError
from unibody.machine_code.calls.argument_forms import Form

_ITERATIONS = 20
_THRESHOLD = 1e-4  # m
_MAX_EFFECTORS = 128
_NUMBERS_WANTED = "must be real numbers"
_IK_FAILED = "Error in calculateInverseKinematics"
_IK_POSITION = "calculateInverseKinematics couldn't extract position vector3"
_IK_START = (
    "calculateInverseKinematics the size of input current positions needs to be equal to the "
    "number of degrees of freedom."
)
_IK_DAMPING = (
    "calculateInverseKinematics: the size of input joint damping values should be equal to the "
    "number of degrees of freedom, not using joint damping."
)
_JACOBIAN_SIZES = (
    "calculateJacobian [numDof] needs to be positive, [local position] needs to be of size 3 and "
    "[joint positions], [joint velocities], [joint accelerations] need to match the number of DoF."
)
_MASS_SIZES = (
    "calculateMassMatrix [numJoints] needs to be positive and [joint positions] need to match the "
    "number of joints."
)
_DYNAMICS_SIZES = (
    "calculateInverseDynamics numDofs needs to be positive and [joint velocities] and"
    "[joint accelerations] need to be equal and match the number of degrees of freedom."
)
_DYNAMICS_FAILED = "Error in calculateInverseDynamics, please check arguments."

_MISSING: Any = object()  # required arguments stand behind one that has an older name


def computeDofCount(bodyUniqueId: int, physicsClientId: int = 0) -> int:
    """Number of joints with one axis; -1 or -2 if a spherical or planar joint comes first.

    Raises:
        error: No such client. An unknown body has 0.
    """
    body = get_client(physicsClientId).bodies.get(index(bodyUniqueId))
    return 0 if body is None else _dof_count(body)


def calculateInverseKinematics(
    bodyUniqueId: int = _MISSING,
    endEffectorLinkIndex: int = _MISSING,
    targetPosition: Sequence[float] = _MISSING,
    targetOrientation: Sequence[float] | None = None,
    lowerLimits: Sequence[float] | None = None,
    upperLimits: Sequence[float] | None = None,
    jointRanges: Sequence[float] | None = None,
    restPoses: Sequence[float] | None = None,
    jointDamping: Sequence[float] | None = None,
    solver: int = 0,
    currentPositions: Sequence[float] | None = None,
    maxNumIterations: int = -1,
    residualThreshold: float = -1,
    physicsClientId: int = 0,
    *,
    bodyIndex: int | None = None,
) -> tuple[float, ...]:
    """Joint positions that bring a link to a pose, for the joints that move, in index order.

    The target is the origin of the link's frame [m] and the orientation (x, y, z, w) of its
    inertial frame: in the world, or, together with ``currentPositions``, in the inertial frame of
    the base. As in PyBullet, a null space is used if limits, ranges and rest poses all have one
    number a joint, and then ``jointDamping`` is not; and iterations (20 by default) stop at a
    distance of ``residualThreshold`` (1e-4 m by default), whatever the orientation.

    Raises:
        error: No such body or link, or an argument has the wrong size.
        NotSupportedError: ``solver`` is IK_SDLS, or the body has spherical or planar joints.
    """
    bodyUniqueId = _older_name(
        bodyUniqueId,
        bodyIndex,
        endEffectorLinkIndex=endEffectorLinkIndex,
        targetPosition=targetPosition,
    )
    client = get_client(physicsClientId)
    position = _numbers(targetPosition, 3)
    body = client.bodies.get(index(bodyUniqueId))
    endEffectorLinkIndex = index(endEffectorLinkIndex)
    dofs = 0 if body is None else _dof_count(body)
    limits = {
        "lowerLimits": lowerLimits, "upperLimits": upperLimits, "jointRanges": jointRanges,
        "restPoses": restPoses,
    }  # fmt: skip
    null = _null_space(dofs, limits)
    start = _start(dofs, currentPositions)
    damping = _damping(dofs, jointDamping)
    if position is None:
        raise error(_IK_POSITION)
    orientation = None if targetOrientation is None else _numbers(targetOrientation, 4)
    quat = None if orientation is None else wxyz(orientation)
    return _solve(
        body,
        [endEffectorLinkIndex],
        [position],
        quat,
        null,
        damping,
        solver,
        start,
        maxNumIterations,
        residualThreshold,
    )


def calculateInverseKinematics2(
    bodyUniqueId: int,
    endEffectorLinkIndices: Sequence[int],
    targetPositions: Sequence[Sequence[float]],
    lowerLimits: Sequence[float] | None = None,
    upperLimits: Sequence[float] | None = None,
    jointRanges: Sequence[float] | None = None,
    restPoses: Sequence[float] | None = None,
    jointDamping: Sequence[float] | None = None,
    solver: int = 0,
    currentPositions: Sequence[float] | None = None,
    maxNumIterations: int = -1,
    residualThreshold: float = -1,
    physicsClientId: int = 0,
) -> tuple[float, ...]:
    """Joint positions that bring several links to positions; see calculateInverseKinematics.

    Raises:
        error: No such body or link, or an argument has the wrong size.
        NotSupportedError: A null space (PyBullet then forgets the targets), ``solver`` is IK_SDLS,
            or the body has spherical or planar joints.
    """
    client = get_client(physicsClientId)
    try:
        links = [index(link) for link in endEffectorLinkIndices]
        points = [_numbers(item, 3) for item in targetPositions]
    except TypeError:
        raise error(_IK_POSITION) from None
    positions = [point for point in points if point is not None]
    if len(positions) > _MAX_EFFECTORS:
        raise error("Number of vertices exceeds the maximum.")
    body = client.bodies.get(bodyUniqueId)
    dofs = 0 if body is None else _dof_count(body)
    limits = {
        "lowerLimits": lowerLimits, "upperLimits": upperLimits, "jointRanges": jointRanges,
        "restPoses": restPoses,
    }  # fmt: skip
    if _null_space(dofs, limits) is not None:
        raise NotSupportedError(
            "calculateInverseKinematics2 with a null space",
            "leave the limits out, or solve for one link with calculateInverseKinematics",
        )
    start = _start(dofs, currentPositions)
    damping = _damping(dofs, jointDamping)
    if not positions:
        raise error(_IK_POSITION)
    if len(links) < len(positions):
        raise error(_IK_FAILED)
    return _solve(
        body,
        links[: len(positions)],
        positions,
        None,
        None,
        damping,
        solver,
        start,
        maxNumIterations,
        residualThreshold,
    )


def calculateJacobian(
    bodyUniqueId: int,
    linkIndex: int,
    localPosition: Sequence[float],
    objPositions: Sequence[float],
    objVelocities: Sequence[float],
    objAccelerations: Sequence[float],
    physicsClientId: int = 0,
) -> tuple[tuple[tuple[float, ...], ...], tuple[tuple[float, ...], ...]]:
    """Linear and angular Jacobian of a point of a link, three rows each.

    ``localPosition`` is seen from the origin of the link's frame, along the axes of its inertial
    frame [m]. Rows are in the inertial frame of the base. A moving base has the first six columns:
    its angular, then its linear velocity. A link that does not exist has a Jacobian of zeros.
    Velocities and accelerations have no influence; only their number is checked.

    Raises:
        error: No such body, an argument has the wrong size, or a joint is spherical or planar.
    """
    body = get_client(physicsClientId).bodies.get(index(bodyUniqueId))
    linkIndex = index(linkIndex)
    if body is None:
        raise error(_JACOBIAN_SIZES)
    chain = _chain(body)
    dofs = chain.dofs
    if chain.unsupported:
        _refuse_jacobian(body)
    try:
        if not dofs or not (
            len(localPosition) == 3
            and len(objPositions) == len(objVelocities) == len(objAccelerations) == dofs
        ):
            raise error(_JACOBIAN_SIZES)
        if -1 <= linkIndex < body.joint_count:
            point = localPosition
            turn = body.record.links[linkIndex + 1].com.quat
            if turn != _NO_TURN:
                x, y, z = localPosition
                point = quat_rotate(turn, (x, y, z))
            rows = chain.jacobian(objPositions, linkIndex + 1, point)
        else:
            rows = ((0.0,) * (chain.base + dofs),) * 6
    except (TypeError, struct.error):
        raise error(_JACOBIAN_SIZES) from None
    return rows[:3], rows[3:]


def calculateMassMatrix(
    bodyUniqueId: int, objPositions: Sequence[float], flags: int = 0, physicsClientId: int = 0
) -> tuple[tuple[float, ...], ...]:
    """Joint-space inertia matrix, row by row; a moving base has the first six rows and columns.

    ``objPositions`` are those of the joints alone; numbers beyond the last joint are ignored.
    The base's coordinates are its angular, then its linear velocity. ``flags=1``: see
    ``full_dynamics``.

    Raises:
        error: No such body, a soft one, or fewer positions than joints.
        NotSupportedError: The body has a planar joint, or without ``flags=1`` a spherical one.
    """
    body = get_client(physicsClientId).bodies.get(index(bodyUniqueId))
    if body is None or is_soft(body.client, body):
        raise error("Internal error in calculateMassMatrix")
    if flags & _WITH_BASE:
        return full_mass_matrix(body, objPositions)
    chain = _chain(body)
    _refuse_joints("calculateMassMatrix", chain)
    dofs = chain.dofs
    if chain.base + dofs == 0:
        return ()
    try:
        if len(objPositions) < dofs:
            raise error(_MASS_SIZES)
        positions = objPositions if len(objPositions) == dofs else objPositions[:dofs]
        return chain.mass_matrix(positions)
    except (TypeError, struct.error):
        raise error(_MASS_SIZES) from None


def calculateInverseDynamics(
    bodyUniqueId: int = _MISSING,
    objPositions: Sequence[float] = _MISSING,
    objVelocities: Sequence[float] = _MISSING,
    objAccelerations: Sequence[float] = _MISSING,
    flags: int = 0,
    physicsClientId: int = 0,
    *,
    bodyIndex: int | None = None,
) -> tuple[float, ...]:
    """Joint forces [Nm or N] that give joints the accelerations, under the client's gravity.

    For a moving base, positions begin with its pose (x, y, z and quaternion x, y, z, w),
    velocities and accelerations with six numbers (angular, linear, in its inertial frame), and
    the result with the force and the moment on it, in that frame. As in PyBullet, the turn of the
    base only tells the direction of gravity, by its roll, pitch and yaw taken in reverse order.
    ``flags=1``: see ``full_dynamics``.

    Raises:
        error: No such body, a soft one, or a wrong number of positions, velocities or
            accelerations.
        NotSupportedError: The body has a planar joint, or without ``flags=1`` a spherical one.
    """
    required = (bodyUniqueId, objPositions, objVelocities, objAccelerations)
    if bodyIndex is not None or any(value is _MISSING for value in required):
        bodyUniqueId = _older_name(
            bodyUniqueId,
            bodyIndex,
            objPositions=objPositions,
            objVelocities=objVelocities,
            objAccelerations=objAccelerations,
        )
    try:
        client = clients[physicsClientId]
        body = client.bodies[bodyUniqueId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
        body = client.bodies.get(index(bodyUniqueId))
    try:
        if len(objVelocities) != len(objAccelerations):
            raise error(_DYNAMICS_SIZES)
    except TypeError:
        raise error(_DYNAMICS_SIZES) from None
    try:
        if body is None or is_soft(client, body):
            raise error(_DYNAMICS_FAILED)
        if flags & _WITH_BASE:
            return full_inverse_dynamics(body, objPositions, objVelocities)
        chain = _chain(body)
        _refuse_joints("calculateInverseDynamics", chain)
        dofs, base = chain.dofs, chain.base
        pose = 7 if base else 0
        if len(objPositions) != pose + dofs or len(objVelocities) != base + dofs:
            raise error(_DYNAMICS_FAILED)
        gravity = client.scene.options.gravity
        if not base:
            return chain.inverse_dynamics(objPositions, objVelocities, objAccelerations, gravity)
        gravity = _gravity_in_base(objPositions[3:7], gravity)
        forces = chain.inverse_dynamics(objPositions[7:], objVelocities, objAccelerations, gravity)
    except (TypeError, struct.error):
        raise error(_DYNAMICS_FAILED) from None
    return (*forces[3:6], *forces[:3], *forces[6:])


def _joint_forces(
    body: Body, positions: Any, velocities: Any, accelerations: Any, flags: int
) -> Any:
    """What calculateInverseDynamics does for a fixed base, if nothing is wrong."""
    chain = _chain(body)
    if flags or chain.base or chain.unsupported or is_soft(body.client, body):
        return NotImplemented
    try:
        if not len(positions) == len(velocities) == len(accelerations) == chain.dofs:
            return NotImplemented
        gravity = body.scene.options.gravity
        return chain.inverse_dynamics(positions, velocities, accelerations, gravity)
    except (TypeError, struct.error):
        return NotImplemented


DYNAMICS_FORMS = tuple(
    Form(
        _joint_forces,
        ("objPositions", "objVelocities", "objAccelerations", "flags"),
        ("physicsClientId", name),
    )
    for name in ("bodyUniqueId", "bodyIndex")
)


def _older_name(body_id: int, older_name: int | None, **others: Any) -> int:
    """The body id, under its name or as ``bodyIndex``, if the other arguments are there too."""
    found = body_id if older_name is None else older_name
    given = {"bodyUniqueId": found, **others}
    for position, (name, value) in enumerate(given.items(), 1):
        if value is _MISSING:
            raise TypeError(f"function missing required argument '{name}' (pos {position})")
    return found


# --- the chain of a body ---------------------------------------------------------------------

_NO_TURN: Quat = (1.0, 0.0, 0.0, 0.0)


_WITH_BASE = 1  # flags


class _Known(NamedTuple):
    """The arrays of a body, and what of it they were made from."""

    record: BodyRecord
    inertias_version: int
    chain: Chain


def _chain(body: Body) -> Chain:
    """The arrays of a body, with its present inertias."""
    known: _Known | None = body.chain
    if known is None or known.record is not body.record:
        chain = Chain(body.record)
    elif known.inertias_version == body.inertias_version:
        return known.chain
    else:
        chain = known.chain
        chain.refresh(body.record.links)
    body.chain = _Known(body.record, body.inertias_version, chain)
    return chain


def _dof_count(body: Body) -> int:
    chain = _chain(body)
    for kind in chain.unsupported:
        return -1 if kind is JointType.SPHERICAL else -2
    return chain.dofs


def _refuse_jacobian(body: Body) -> None:
    kind = "Planar" if _dof_count(body) == -2 else "Spherirical"
    raise error(f"{kind} joints are not supported in the pybullet binding")


def _refuse_joints(function: str, chain: Chain) -> None:
    if chain.unsupported:
        raise NotSupportedError(
            f"{function} for a body with a {chain.unsupported[0].value} joint",
            "use a body whose joints are revolute, prismatic or fixed",
        )


def _gravity_in_base(quat: Sequence[float], gravity: tuple[float, ...]) -> tuple[float, ...]:
    """Gravity as PyBullet turns it into the base frame: ``Rz(yaw)^T Ry(pitch)^T Rx(roll)^T g``."""
    x, y, z, w = map(float, quat)
    sine = -2.0 * (x * z - w * y)
    if sine <= -0.99999:
        roll, pitch, yaw = 0.0, -0.5 * pi, 2.0 * atan2(x, -y)
    elif sine >= 0.99999:
        roll, pitch, yaw = 0.0, 0.5 * pi, 2.0 * atan2(-x, y)
    else:
        roll = atan2(2.0 * (y * z + w * x), w * w - x * x - y * y + z * z)
        pitch = asin(sine)
        yaw = atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)
    gx, gy, gz = gravity
    gy, gz = cos(roll) * gy + sin(roll) * gz, cos(roll) * gz - sin(roll) * gy
    gx, gz = cos(pitch) * gx - sin(pitch) * gz, cos(pitch) * gz + sin(pitch) * gx
    gx, gy = cos(yaw) * gx + sin(yaw) * gy, cos(yaw) * gy - sin(yaw) * gx
    return gx, gy, gz


# --- inverse kinematics ----------------------------------------------------------------------


def _solve(
    body: Body | None,
    links: list[int],
    targets: list[tuple[float, ...]],
    quat: Quat | None,
    null: list[tuple[float, ...]] | None,
    damping: tuple[float, ...] | None,
    solver: int,
    start: tuple[float, ...] | None,
    iterations: int,
    threshold: float,
) -> tuple[float, ...]:
    if body is None or any(not -1 <= link < body.joint_count for link in links):
        raise error(_IK_FAILED)
    if solver & c.IK_SDLS:
        raise NotSupportedError("solver=IK_SDLS", "use IK_DLS; PyBullet itself crashes here")
    chain = _chain(body)
    _refuse_joints("calculateInverseKinematics", chain)
    if not chain.dofs:
        raise error(_IK_FAILED)
    if start is None:
        start = _present(body)
        targets, quat = _in_base(body, targets, quat)
    turn = None if quat is None else (quat, body.record.links[links[0] + 1].com.quat)
    return chain.inverse_kinematics(
        start,
        [link + 1 for link in links],
        targets,
        turn=turn,
        damping=damping,
        null=null,
        iterations=iterations if iterations > 0 else _ITERATIONS,
        threshold=threshold if threshold >= 0 else _THRESHOLD,
    )


def _present(body: Body) -> tuple[float, ...]:
    """Positions of the joints that move."""
    positions = body.joint_coordinates()[0]
    return tuple(q for q, index in zip(positions, body.qindex, strict=True) if index >= 0)


def _in_base(
    body: Body, targets: list[tuple[float, ...]], quat: Quat | None
) -> tuple[list[tuple[float, ...]], Quat | None]:
    """Targets in the inertial frame of the base."""
    (x, y, z), turn = body.base_com_pose()
    local = [rotate_back(turn, (a - x, b - y, d - z)) for a, b, d in targets]
    return local, None if quat is None else quat_multiply(quat_conjugate(turn), quat)


def _numbers(value: Any, size: int) -> tuple[float, ...] | None:
    """A sequence of so many numbers as floats; None if it is no sequence of that size."""
    try:
        if len(value) != size:
            return None
    except TypeError:
        return None
    return vector(value, size, _NUMBERS_WANTED)


def _null_space(
    dofs: int, limits: dict[str, Sequence[float] | None]
) -> list[tuple[float, ...]] | None:
    rows = [_sized(name, row) for name, row in limits.items()]
    if dofs <= 0 or any(len(row) != dofs for row in rows):
        return None
    return [vector(row, dofs, _NUMBERS_WANTED) for row in rows]


def _sized(name: str, values: Sequence[float] | None) -> Sequence[float]:
    """A sequence; an empty one where there is none."""
    if values is None:
        return ()
    return values if values.__class__ in (list, tuple) else listed(name, values)


def _start(dofs: int, positions: Sequence[float] | None) -> tuple[float, ...] | None:
    positions = _sized("currentPositions", positions)
    if not positions:
        return None
    return vector(positions, dofs, _IK_START)


def _damping(dofs: int, values: Sequence[float] | None) -> tuple[float, ...] | None:
    values = _sized("jointDamping", values)
    if not values or dofs <= 0:
        return None
    if len(values) < dofs:
        print(_IK_DAMPING)  # noqa: T201 - PyBullet prints it, and goes on
        return None
    return vector(values, len(values), _NUMBERS_WANTED)[:dofs]
