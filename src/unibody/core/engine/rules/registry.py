"""The rules of rows: what asks for each, and what carries it out on the CPU and on Warp devices.

A rule without a twin on Warp devices is refused there when worlds are made that ask for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.options import WorldOptions
from unibody.errors import NotSupportedError

Asked = Callable[[WorldOptions, Any, Any], bool]


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: What it does.
        option: What asks for it: a field of ``WorldOptions``, or the part of a body that has it.
        numba: Module of ``core.engine`` and function of the CPU.
        warp: The same of Warp devices; empty: there is none, and the rule is refused.
        asked: Whether a world asks for it, by its options, MjModel and MjData.
        columns: The numbers of ``rule_table`` for a whole world that it reads.
    """

    name: str
    option: str
    numba: str
    warp: str
    asked: Asked
    columns: tuple[int, ...] = ()


def _option(name: str) -> Asked:
    """Whether an option is on, or another number than that of a world that says nothing."""
    usual = getattr(WorldOptions(), name)
    return lambda options, model, data: getattr(options, name) != usual


def _always(options: WorldOptions, model: Any, data: Any) -> bool:
    return True


def _has_balls(options: WorldOptions, model: Any, data: Any) -> bool:
    return bool((model.jnt_user[:, t.J_BALL] > 0.0).any())


def _has_vectors(options: WorldOptions, model: Any, data: Any) -> bool:
    return bool((model.jnt_user[:, t.J_BALL] < 0.0).any())


def _has_axis_lengths(options: WorldOptions, model: Any, data: Any) -> bool:
    lengths = model.jnt_user[:, t.J_AXIS]
    return bool(((lengths != 0.0) & (lengths != 1.0)).any())


def _equalities(model: Any, data: Any) -> Any:
    """The numbers of constraints with a rule, (N, EQUALITY_SIZE)."""
    begin = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
    count = int(model.numeric_data[t.N_EQUALITIES])
    numbers = data.userdata[begin : begin + count * t.EQUALITY_SIZE]
    return np.reshape(numbers, (count, t.EQUALITY_SIZE))


def _has_springs(options: WorldOptions, model: Any, data: Any) -> bool:
    return bool((_equalities(model, data)[:, t.E_SPRING] != 0.0).any())


def _has_limited_constraints(options: WorldOptions, model: Any, data: Any) -> bool:
    rules = _equalities(model, data)
    stiff = rules[rules[:, t.E_SPRING] == 0.0]
    asks = (stiff[:, t.E_LIMIT] > 0.0) | (stiff[:, t.E_ERP] > 0.0) | (stiff[:, t.E_AUX] != 0.0)
    return bool((asks | stiff[:, t.E_AXIS : t.E_AXIS + 3].any(axis=1)).any())


def _has_pairs_ahead(options: WorldOptions, model: Any, data: Any) -> bool:
    """Two shapes may meet ahead; terrain has kernels of its own that do."""
    shapes = model.geom_type != mujoco.mjtGeom.mjGEOM_HFIELD
    return options.contact_reach != 0.0 and int(shapes.sum()) > 1


def has_acceleration_drives(model: Any, userdata: Any) -> bool:
    """Whether a drive gives accelerations, in one world's ``userdata`` or in any of many rows."""
    last = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
    modes = userdata[..., t.D_MODE : last : t.DRIVE_SIZE]
    return bool((modes == t.DriveMode.ACCELERATION).any())


def _accelerates(options: WorldOptions, model: Any, data: Any) -> bool:
    return has_acceleration_drives(model, data.userdata)


RULES = (
    Rule(
        "motors and drives", "BodyOptions.drives",
        "rules.drives:apply_friction_rows", "rules.warp_kernels:joint_rows", _always,
        (t.N_DRIVES,),
    ),
    Rule(
        "drives of accelerations", "DriveMode.ACCELERATION",
        "rules.smooth_acceleration:moved_inertia", "rules.warp_drive_inertias:drive_inertias",
        _accelerates, (t.N_DRIVES,),
    ),
    Rule(
        "drives of ball joints", "BodyOptions.ball_drives",
        "rules.ball_drives:ball_rows", "", _has_balls, (t.N_BALLS,),
    ),
    Rule(
        "drives and bounds of the rotation vector of ball joints", "BodyOptions.vector_drives",
        "rules.drives:apply_friction_rows", "rules.warp_kernels:joint_rows", _has_vectors,
        (t.N_DRIVES,),
    ),
    Rule(
        "limits of joints", "limit_erp, limit_depth",
        "rules.drives:apply_limits", "rules.warp_kernels:joint_rows", _always,
        (t.N_LIMIT_ERP, t.N_LIMIT_DEPTH),
    ),
    Rule(
        "speeds that count in lengths of a joint's axis", "BodyOptions.scaled_axes",
        "world.world:World", "", _has_axis_lengths,
    ),
    Rule(
        "friction of joints as a share of what they carry", "joint_loads",
        "rules.joint_load_friction:apply_loads", "rules.warp_joint_load_friction:apply_loads",
        _option("joint_loads"), (t.N_JOINT_LOADS,),
    ),
    Rule(
        "creeping of joints that friction holds", "joint_moves, joint_rounds",
        "rules.joint_creep:creep", "rules.warp_joint_creep:Creeping", _option("joint_moves"),
        (t.N_JOINT_MOVES, t.N_JOINT_ROUNDS),
    ),
    Rule(
        "largest speeds", "speed_limits",
        "rules.speed_limits:limit_speeds", "worlds.warp_speed_kernels:SpeedLimits",
        _option("speed_limits"), (t.N_SPEED_LIMIT,),
    ),
    Rule(
        "corrections of positions that leave no speed", "passing_corrections",
        "rules.position_corrections:correct_limits",
        "worlds.warp_correction_kernels:Corrections", _option("passing_corrections"),
        (t.N_CORRECTIONS,),
    ),
    Rule(
        "damping of bodies", "BodyOptions.linear_damping, angular_damping",
        "rules.damping:apply_damping", "rules.warp_kernels:drag_forces", _always, (t.N_DAMPING,),
    ),
    Rule(
        "springs that hold bodies or joints", "ConstraintRecord.spring",
        "rules.equalities:apply_equalities", "rules.warp_kernels:joint_rows", _has_springs,
        (t.N_EQUALITIES,),
    ),
    Rule(
        "constraints with a largest force, a share of their error or a free axis",
        "ConstraintRecord.max_force, erp, axis",
        "rules.equalities:apply_equalities", "", _has_limited_constraints, (t.N_EQUALITIES,),
    ),
    Rule(
        "restitution, combined friction, depth and softness of contacts",
        "friction_rule, restitution_rule, restitution_speed, contact_erp, parting_speed, "
        "friction_cfm, free_friction_cfm",
        "rules.contacts:apply_contacts", "rules.warp_contacts:contact_rows", _always,
        (
            t.N_FRICTION_RULE, t.N_RESTITUTION_RULE, t.N_RESTITUTION_SPEED, t.N_CONTACT_ERP,
            t.N_PARTING_SPEED, t.N_FRICTION_CFM, t.N_FREE_FRICTION_CFM,
        ),
    ),
    Rule(
        "depth of a contact that is left as it is", "contact_slop",
        "rules.contacts:apply_contacts", "", _option("contact_slop"), (t.N_SLOP,),
    ),
    Rule(
        "contacts ahead of what moves", "contact_reach",
        "rules.pair_filter:apart", "", _has_pairs_ahead,
    ),
    Rule(
        "Coulomb's law where contacts slip", "exact_slipping",
        "rules.slipping:settle_slipping", "", _option("exact_slipping"), (t.N_SLIPPING,),
    ),
    Rule(
        "Bullet's direction of friction where contacts slip", "slip_by_mass, box_friction",
        "rules.friction_directions:turn_rows", "",
        lambda options, model, data: options.slip_by_mass or options.box_friction,
        (t.N_SLIP_BY_MASS,),
    ),
    Rule(
        "points of contact that come one by one", "point_by_point",
        "rules.manifolds:is_shallow_and_new", "", _option("point_by_point"), (t.N_POINT_BY_POINT,),
    ),
    Rule(
        "what two surfaces make together in Bullet", "bullet_pairs",
        "rules.surface_friction:act_at_surfaces", "", _option("bullet_pairs"), (t.N_PAIRS,),
    ),
    Rule(
        "friction that depends on the direction", "anisotropic_friction",
        "rules.anisotropy:turn_friction", "", _option("anisotropic_friction"), (t.N_ANISOTROPY,),
    ),
    Rule(
        "surfaces that carry along what touches them", "moving_surfaces",
        "rules.moving_surfaces:add_surface_velocity", "", _option("moving_surfaces"),
        (t.N_MOVING_SURFACES,),
    ),
    Rule(
        "the report of contact and joint forces", "report_forces",
        "rules.force_reports:report_forces", "worlds.warp_kernels:contact_wrenches",
        _option("report_forces"), (t.N_REPORT,),
    ),
)  # fmt: skip
NO_RULES = (t.N_MAGIC, t.N_EXCLUDES, t.N_ISLAND_ORDER)
"""Numbers of a world that are no rule's: whose it is, a short cut to the same contacts, and the
order in which MuJoCo eliminates."""


def refuse_without_twin(options: WorldOptions, model: Any, data: Any, device: str) -> None:
    """Refuse a world that asks for rules that Warp devices do not have.

    Raises:
        NotSupportedError: With the first of them.
    """
    for rule in RULES:
        if not rule.warp and rule.asked(options, model, data):
            raise NotSupportedError(
                f"{rule.name} ({rule.option}) on {device}", 'the device "cpu" has it'
            )
