"""STABLE_PD_CONTROL: torques of springs and dampers that act at the end of the step.

The law is that of Tan, Liu and Turk, "Stable Proportional-Derivative Controllers" (2011): with the
mass matrix M, bias forces C and gains K and D,
``a = (M + dt D)^-1 (K (q_target - q - dt v) + D (v_target - v) - C)`` and
``torque = K (q_target - q - dt v) + D (v_target - v - dt a)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.handles.body import Body
from unibody.bullet.joints.multidof import BallJoint, is_ball
from unibody.core.assets.transforms import quat_conjugate, quat_multiply
from unibody.core.engine.queries.dynamics import tree_dynamics

_FORCE = 1e5  # N or Nm, where no force is given
_Numbers = Sequence[float]


@dataclass(slots=True)
class Goal:
    """What one joint is to do; None: the zero position, at rest, with any force."""

    joint: int
    position: _Numbers | None
    velocity: _Numbers | None
    kp: float
    kd: float
    limit: _Numbers | None


def control_stable_pd(body: Body, goals: Sequence[Goal]) -> None:
    """Add the torques of the goals for the next step; other joints get none."""
    world = body.world()
    record = body.record
    mass, bias = tree_dynamics(world, record)
    dt = body.client.parameters.fixedTimeStep
    kp, kd = np.zeros(record.nv), np.zeros(record.nv)
    error, limit = np.zeros(record.nv), np.zeros(record.nv)
    target_velocity = np.zeros(record.nv)
    for goal in goals:
        joint = record.joints[goal.joint + 1]
        if joint.nv not in (1, 3) or (joint.nv == 3 and not is_ball(body, goal.joint)):
            continue
        dofs = slice(joint.dof - record.dof, joint.dof - record.dof + joint.nv)
        kp[dofs], kd[dofs] = goal.kp, goal.kd
        limit[dofs] = goal.limit or _FORCE
        error[dofs] = _error(body, goal, dt)
        target_velocity[dofs] = _in_link(body, goal, goal.velocity)
    velocity = np.array(world.data.qvel[record.dof : record.dof + record.nv])
    late = kp * error + kd * (target_velocity - velocity)
    acceleration = np.linalg.solve(mass + np.diag(dt * kd), late - bias)
    torque = np.clip(late - dt * kd * acceleration, -limit, limit)
    world.data.qfrc_applied[record.dof : record.dof + record.nv] += torque
    body.client.forces_applied = True


def _error(body: Body, goal: Goal, dt: float) -> Any:
    """How far a joint will be from its goal at the end of the step, in MuJoCo's coordinates."""
    if not is_ball(body, goal.joint):
        positions, velocities = body.joint_coordinates()
        wanted = goal.position[0] if goal.position else 0.0
        return wanted - positions[goal.joint] - dt * velocities[goal.joint]
    ball = BallJoint(body, goal.joint)
    x, y, z, w = ball.position
    u, v, r = ball.velocity
    rate = quat_multiply((w, x, y, z), (0.0, u, v, r))
    late = np.array((w, x, y, z)) + 0.5 * dt * np.array(rate)
    late /= np.linalg.norm(late)
    tx, ty, tz, tw = goal.position or (0.0, 0.0, 0.0, 1.0)
    lw, lx, ly, lz = late.tolist()
    turn = np.array(quat_multiply(quat_conjugate((lw, lx, ly, lz)), (tw, tx, ty, tz)))
    return ball.to_link(_rotation_vector(turn))


def _rotation_vector(quat: NDArray[np.float64]) -> Any:
    """Axis times angle [rad] of a quaternion (w, x, y, z) of any length but 0, the shorter way."""
    sine = float(np.linalg.norm(quat[1:]))
    if sine == 0.0:
        return np.zeros(3)
    turn = 2.0 * np.arctan2(sine, abs(quat[0]))
    return quat[1:] / sine * (turn if quat[0] >= 0.0 else -turn)


def _in_link(body: Body, goal: Goal, values: _Numbers | None) -> Any:
    if not values:
        return 0.0
    return BallJoint(body, goal.joint).to_link(values) if is_ball(body, goal.joint) else values
