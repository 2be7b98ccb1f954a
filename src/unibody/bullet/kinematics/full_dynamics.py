"""Mass matrix and inverse dynamics with the pose of the base and spherical joints (``flags=1``).

Positions are those of the base (x, y, z, quaternion x, y, z, w; not of a fixed one), then a number
a joint with one axis and a quaternion (x, y, z, w) a spherical joint. Velocities and results have
as many places: the seventh of the base and the fourth of a spherical joint are not used. The base's
are linear, then angular, in the world frame; a fixed base has seven places in results too. PyBullet
takes inertias of the links' outlines for this, here they are the links' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.arguments.kinds import numbers
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.joints.multidof import BallJoint, is_ball
from unibody.core.engine.queries.dynamics import tree_dynamics_at
from unibody.errors import NotSupportedError

_Array = NDArray[np.float64]
_BASE, _BALL = 7, 4


def full_mass_matrix(body: Body, positions: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    """The mass matrix; places that are not used have a one on the diagonal."""
    qpos, velocity_map = _state(body, np.array(numbers("objPositions", positions)))
    mass, _ = tree_dynamics_at(body.world(), body.record, qpos, np.zeros(body.record.nv))
    out = velocity_map.T @ mass @ velocity_map
    unused = np.flatnonzero(np.diag(out) == 0.0)
    out[unused, unused] = 1.0
    return tuple(map(tuple, out.tolist()))


def full_inverse_dynamics(
    body: Body, positions: Sequence[float], velocities: Sequence[float]
) -> tuple[float, ...]:
    """The forces that let a body move on as it does: accelerations do not count, as in PyBullet."""
    qpos, velocity_map = _state(body, np.array(numbers("objPositions", positions)))
    given = numbers("objVelocities", velocities)
    fixed = _BASE if body.record.fixed else 0
    speeds = np.zeros(velocity_map.shape[1])
    count = min(len(given), len(speeds) - fixed)
    speeds[fixed : fixed + count] = given[:count]
    body.scene.apply_gravity()  # that of now; a step would do so, too
    _, bias = tree_dynamics_at(body.world(), body.record, qpos, velocity_map @ speeds)
    return tuple((velocity_map.T @ bias).tolist())


def _state(body: Body, positions: _Array) -> tuple[_Array, _Array]:
    """MuJoCo's coordinates of the body, and the map from velocities to MuJoCo's, (nv, places)."""
    body.world()  # brings addresses up to date
    record = body.record
    fixed = record.fixed
    kinds = [(joint, is_ball(body, joint)) for joint in range(body.joint_count)]
    moving = [(j, ball) for j, ball in kinds if record.joints[j + 1].nv]
    wanted = sum(_BALL if ball else 1 for _, ball in moving) + (0 if fixed else _BASE)
    if any(record.joints[j + 1].nv > 1 and not ball for j, ball in moving):
        raise NotSupportedError("flags=1 for a body with a planar joint", "use flags=0")
    if len(positions) < wanted:
        raise error(f"flags=1 needs {wanted} positions, received {len(positions)}")
    qpos, velocity_map = (
        np.zeros(record.nq),
        np.zeros((record.nv, wanted + (_BASE if fixed else 0))),
    )
    source, place = 0, _BASE
    if not fixed:
        qpos[:3] = positions[:3]
        x, y, z, w = positions[3:_BASE] / np.linalg.norm(positions[3:_BASE])
        qpos[3:_BASE] = (w, x, y, z)
        velocity_map[:3, :3] = np.eye(3)
        velocity_map[3:6, 3:6] = _rotation(w, x, y, z).T
        source = _BASE
    for joint, ball in moving:
        at = record.joints[joint + 1]
        q, dof = at.qpos - record.qpos, at.dof - record.dof
        if ball:
            view = BallJoint(body, joint)
            qpos[q : q + _BALL] = view.in_link(positions[source : source + _BALL].tolist())
            for k in range(3):
                velocity_map[dof : dof + 3, place + k] = view.to_link(np.eye(3)[k].tolist())
        else:
            qpos[q] = positions[source]
            velocity_map[dof, place] = 1.0
        source, place = source + (_BALL if ball else 1), place + (_BALL if ball else 1)
    return qpos, velocity_map


def _rotation(w: float, x: float, y: float, z: float) -> Any:
    """Rotation matrix of a unit quaternion."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
