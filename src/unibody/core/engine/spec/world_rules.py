"""The options of a world in its model, and what a spec reserves for what a world keeps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.solver.settings import set_solver

_RULES = np.array(
    [
        t.N_MAGIC, t.N_DRIVES, t.N_EQUALITIES, t.N_FRICTION_RULE, t.N_RESTITUTION_RULE,
        t.N_RESTITUTION_SPEED, t.N_CONTACT_ERP, t.N_LIMIT_ERP, t.N_LIMIT_DEPTH, t.N_FRICTION_CFM,
        t.N_FREE_FRICTION_CFM, t.N_DAMPING, t.N_REPORT, t.N_SPEED_LIMIT, t.N_ANISOTROPY,
        t.N_MOVING_SURFACES, t.N_SLIP_BY_MASS, t.N_JOINT_LOADS,
        t.N_POINT_BY_POINT, t.N_PAIRS, t.N_SLOP, t.N_PARTING_SPEED,
        t.N_JOINT_MOVES, t.N_JOINT_ROUNDS, t.N_CORRECTIONS,
    ]
)  # fmt: skip


_MOST_BY_SQUARE = 1 << 30  # bytes
_BYTES_A_LINK = 1 << 16  # 45 contacts of three rows between free bodies, of 1400 bytes each
_BYTES_A_DOF = 1 << 14  # rows of articulated bodies are longer


def write_rules(model: Any, options: WorldOptions, drives: int, equalities: int) -> None:
    """Write the options of a world, and how many drives and equalities it has, into its model."""
    model.opt.timestep = options.timestep
    model.opt.gravity = options.gravity
    model.opt.iterations = options.solver_iterations
    model.jnt_margin[:] = options.limit_margin
    set_solver(model, options)
    model.numeric_data[_RULES] = (
        t.MAGIC, drives, equalities, options.friction_rule, options.restitution_rule,
        options.restitution_speed, options.contact_erp, options.limit_erp, options.limit_depth,
        options.friction_cfm, options.free_friction_cfm, 1.0, options.report_forces,
        options.speed_limits, options.anisotropic_friction, options.moving_surfaces,
        t.BOX if options.box_friction else options.slip_by_mass, options.joint_loads,
        options.point_by_point,
        options.bullet_pairs, options.contact_slop, options.parting_speed,
        options.joint_moves, options.joint_rounds, options.passing_corrections,
    )  # fmt: skip


def reserve_memory(spec: Any, bodies: Collection[BodyRecord], places: int) -> None:
    """Reserve memory for MuJoCo's stack and contacts, with room for ``places`` more bodies.

    MuJoCo sizes it by the square of the degrees of freedom: 3 GB for 1500 boxes. From some size
    on, contacts and their rows get room by the body. The broad phase needs two arrays of 2 n^2
    bytes for n bodies, which is more where there are many bodies that do not move. Memory that is
    never used takes addresses alone.
    """
    count = sum(len(record.links) for record in bodies) + places
    dofs = _dofs(bodies) + 6 * places
    own = 40 * (500 + dofs) ** 2
    needed = 5 * count**2
    most = max(_MOST_BY_SQUARE, _BYTES_A_LINK * count + _BYTES_A_DOF * dofs)
    spec.memory = min(own, most) + needed if needed > own or own > most else -1


def reserve_report(spec: Any, options: WorldOptions, bodies: Collection[BodyRecord]) -> None:
    """Make room for the report of forces, if it is wanted, or just have the sensor called."""
    wanted = options.report_forces or options.speed_limits or options.exact_slipping
    wanted = wanted or options.joint_moves > 1 or options.passing_corrections
    if not spec.sensors and wanted:
        spec.add_sensor(
            type=mujoco.mjtSensor.mjSENS_USER, needstage=mujoco.mjtStage.mjSTAGE_ACC, dim=1
        )
    if options.report_forces:
        count = 1 + sum(len(record.links) for record in bodies)
        spec.sensors[0].dim = t.REPORT_WRENCH * count + _dofs(bodies)


def _dofs(bodies: Collection[BodyRecord]) -> int:
    return sum(joint.nv for record in bodies for joint in record.joints)
