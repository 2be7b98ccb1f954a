"""How joints creep that friction holds: PhysX's temporal solver.

It adds what forces do in a step to the velocities before it iterates, and moves joints after each
iteration. Friction is bounded in each (``loads``), so that a joint it holds has still moved until
enough of them have stopped it. The velocity at the end is zero: such a joint moves without a speed.

What else pushes the joint back (contacts, a drive, a limit) does so within the same iterations, and
little is needed to hold a joint that has no more speed than it creeps at.
"""

from __future__ import annotations

import math

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.rules.drives import FRICTION_DOF
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import f64_array, i32_array, int_at

SLIDE, HINGE = 2, 3  # mjtJoint
HOLDS = 1.0 - 1e-6  # of the largest friction


@inlined
def creeping(speed: float, lost: float, moves: int, rounds: int, limit: float) -> float:
    """The mean velocity in a step of a joint that friction stops in its ``rounds``, else 0.

    Args:
        speed: What it would have without constraints [rad/s, m/s].
        lost: What one round of friction takes of it.
        moves: Rounds after each of which it moves.
        rounds: All of them.
        limit: Its largest speed, 0: none. A round takes a share of what is above it, PhysX's
            bias coefficient.
    """
    left, share = abs(speed), min(1.0, 2.0 / math.sqrt(moves))
    if left >= rounds * lost:
        return 0.0
    total = 0.0
    for _ in range(moves):
        left = max(left - lost, 0.0)
        if limit > 0.0:
            left -= share * max(left - limit, 0.0)
        total += left
    return math.copysign(total / moves, speed)


@rule
def creep(m: int, d: int, lay: Layout, dt: float) -> None:
    """Move joints that friction holds; ``loads`` has left their velocities in ``efc_margin``.

    MuJoCo does not read the margin of a friction row again.
    """
    start = int_at(d, lay.d_ne)
    end = start + int_at(d, lay.d_nf)
    kind, qpos_of = i32_array(m, lay.m_jnt_type), i32_array(m, lay.m_jnt_qposadr)
    efc_type, efc_id = i32_array(d, lay.d_efc_type), i32_array(d, lay.d_efc_id)
    if start == end or efc_type[start] != FRICTION_DOF:  # they come before those of drives
        return
    joint_of, margin = i32_array(m, lay.m_dof_jntid), f64_array(d, lay.d_efc_margin)
    force, limit = f64_array(d, lay.d_efc_force), f64_array(d, lay.d_efc_frictionloss)
    all_forces, weight = f64_array(d, lay.d_qfrc_constraint), f64_array(d, lay.d_efc_diagA)
    qpos = f64_array(d, lay.d_qpos)
    for row in range(start, end):
        if efc_type[row] != FRICTION_DOF or margin[row] == 0.0:
            continue
        dof = efc_id[row]
        joint = joint_of[dof]
        single = kind[joint] == SLIDE or kind[joint] == HINGE
        if single and abs(force[row]) < HOLDS * limit[row]:
            against = math.copysign(1.0, margin[row]) * (force[row] - all_forces[dof])
            speed = max(abs(margin[row]) - max(against, 0.0) * dt * weight[row], 0.0)
            qpos[qpos_of[joint]] += dt * math.copysign(speed, margin[row])
        margin[row] = 0.0
