"""The attributes of MuJoCo that builders can hold for its solver, in the namespace ``mujoco``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.attributes import CustomAttribute, CustomFrequency
from unibody.newton.dialect import is_after_first_of_1, is_first_of_1
from unibody.newton.enums import ActuatorTarget, AttributeAssignment, AttributeFrequency
from unibody.newton.solvers.mujoco import owners

NAMESPACE = "mujoco"
VEC5 = wp.types.vector(length=5, dtype=wp.float32)
VEC6 = wp.types.vector(length=6, dtype=wp.float32)
VEC10 = wp.types.vector(length=10, dtype=wp.float32)

TENDON_NUMBERS = (
    "stiffness",
    "damping",
    "frictionloss",
    "range",
    "margin",
    "solref_limit",
    "solimp_limit",
    "solref_friction",
    "solimp_friction",
    "armature",
    "springlength",
)
"""Attributes of tendons, less "tendon_", that MuJoCo's specifications call so, too."""
_SOLREF = (0.02, 1.0)
_SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
_ONE_THEN_ZEROS = (1.0, *(0.0,) * 9)
_SHAPE, _DOF = AttributeFrequency.SHAPE, AttributeFrequency.JOINT_DOF
_EQUALITY = AttributeFrequency.EQUALITY_CONSTRAINT
_WORLD, _ONCE = AttributeFrequency.WORLD, AttributeFrequency.ONCE
_PAIR, _ACTUATOR = "mujoco:pair", "mujoco:actuator"
_TENDON, _TENDON_JOINT, _WRAP = "mujoco:tendon", "mujoco:tendon_joint", "mujoco:tendon_wrap"
_AUTO = 2  # a limit acts where a range is stated

# name, frequency, type, default, name in MJCF files
_ATTRIBUTES: tuple[tuple[str, Any, Any, Any, str], ...] = (
    ("condim", _SHAPE, wp.int32, 3, "condim"),
    ("geom_priority", _SHAPE, wp.int32, 0, "priority"),
    ("geom_solimp", _SHAPE, VEC5, _SOLIMP, "solimp"),
    ("geom_solmix", _SHAPE, wp.float32, 1.0, "solmix"),
    ("geom_gap", _SHAPE, wp.float32, 0.0, "gap"),
    ("geom_group", _SHAPE, wp.int32, 0, "group"),
    ("limit_margin", _DOF, wp.float32, 0.0, "margin"),
    ("solimplimit", _DOF, VEC5, _SOLIMP, "solimplimit"),
    ("solreffriction", _DOF, wp.vec2, _SOLREF, "solreffriction"),
    ("solimpfriction", _DOF, VEC5, _SOLIMP, "solimpfriction"),
    ("dof_passive_stiffness", _DOF, wp.float32, 0.0, "stiffness"),
    ("dof_passive_damping", _DOF, wp.float32, 0.0, "damping"),
    ("dof_springref", _DOF, wp.float32, 0.0, "springref"),
    ("dof_ref", _DOF, wp.float32, 0.0, "ref"),
    ("jnt_actgravcomp", _DOF, wp.bool, False, "actuatorgravcomp"),
    ("joint_dof_label", _DOF, str, "", "joint_dof_label"),
    ("gravcomp", AttributeFrequency.BODY, wp.float32, 0.0, "gravcomp"),
    ("eq_solref", _EQUALITY, wp.vec2, _SOLREF, "solref"),
    ("eq_solimp", _EQUALITY, VEC5, _SOLIMP, "solimp"),
    ("impratio", _WORLD, wp.float32, 1.0, "impratio"),
    ("tolerance", _WORLD, wp.float32, 1e-8, "tolerance"),
    ("ls_tolerance", _WORLD, wp.float32, 0.01, "ls_tolerance"),
    ("ccd_tolerance", _WORLD, wp.float32, 1e-6, "ccd_tolerance"),
    ("density", _WORLD, wp.float32, 0.0, "density"),
    ("viscosity", _WORLD, wp.float32, 0.0, "viscosity"),
    ("wind", _WORLD, wp.vec3, (0.0, 0.0, 0.0), "wind"),
    ("magnetic", _WORLD, wp.vec3, (0.0, -0.5, 0.0), "magnetic"),
    ("iterations", _ONCE, wp.int32, 100, "iterations"),
    ("ls_iterations", _ONCE, wp.int32, 50, "ls_iterations"),
    ("ccd_iterations", _ONCE, wp.int32, 35, "ccd_iterations"),
    ("sdf_iterations", _ONCE, wp.int32, 10, "sdf_iterations"),
    ("sdf_initpoints", _ONCE, wp.int32, 40, "sdf_initpoints"),
    ("integrator", _ONCE, wp.int32, 3, "integrator"),
    ("solver", _ONCE, wp.int32, 2, "solver"),
    ("cone", _ONCE, wp.int32, 0, "cone"),
    ("jacobian", _ONCE, wp.int32, 2, "jacobian"),
    ("pair_world", _PAIR, wp.int32, 0, "pair_world"),
    ("pair_geom1", _PAIR, wp.int32, -1, "geom1"),
    ("pair_geom2", _PAIR, wp.int32, -1, "geom2"),
    ("pair_condim", _PAIR, wp.int32, 3, "condim"),
    ("pair_solref", _PAIR, wp.vec2, _SOLREF, "solref"),
    ("pair_solreffriction", _PAIR, wp.vec2, _SOLREF, "solreffriction"),
    ("pair_solimp", _PAIR, VEC5, _SOLIMP, "solimp"),
    ("pair_margin", _PAIR, wp.float32, 0.0, "margin"),
    ("pair_gap", _PAIR, wp.float32, 0.0, "gap"),
    ("pair_friction", _PAIR, VEC5, (1.0, 1.0, 0.005, 0.0001, 0.0001), "friction"),
    ("actuator_world", _ACTUATOR, wp.int32, -1, "actuator_world"),
    ("actuator_trnid", _ACTUATOR, wp.vec2i, (-1, -1), "actuator_trnid"),
    ("actuator_target_label", _ACTUATOR, str, "", "actuator_target_label"),
    ("actuator_trntype", _ACTUATOR, wp.int32, 0, "trntype"),
    ("actuator_dyntype", _ACTUATOR, wp.int32, 0, "dyntype"),
    ("actuator_gaintype", _ACTUATOR, wp.int32, 0, "gaintype"),
    ("actuator_biastype", _ACTUATOR, wp.int32, 0, "biastype"),
    ("actuator_ctrllimited", _ACTUATOR, wp.int32, 2, "ctrllimited"),
    ("actuator_forcelimited", _ACTUATOR, wp.int32, 2, "forcelimited"),
    ("actuator_ctrlrange", _ACTUATOR, wp.vec2, (-1.0, 1.0), "ctrlrange"),
    ("actuator_has_ctrlrange", _ACTUATOR, wp.int32, 0, "has_ctrlrange"),
    ("actuator_forcerange", _ACTUATOR, wp.vec2, (-1.0, 1.0), "forcerange"),
    ("actuator_has_forcerange", _ACTUATOR, wp.int32, 0, "has_forcerange"),
    ("actuator_dampratio", _ACTUATOR, wp.float32, 0.0, "dampratio"),
    ("actuator_actlimited", _ACTUATOR, wp.int32, _AUTO, "actlimited"),
    ("actuator_actrange", _ACTUATOR, wp.vec2, (0.0, 0.0), "actrange"),
    ("actuator_has_actrange", _ACTUATOR, wp.int32, 0, "has_actrange"),
    ("actuator_actdim", _ACTUATOR, wp.int32, -1, "actdim"),
    ("actuator_actearly", _ACTUATOR, wp.bool, False, "actearly"),
    ("actuator_gear", _ACTUATOR, VEC6, (1.0, *(0.0,) * 5), "gear"),
    ("actuator_dynprm", _ACTUATOR, VEC10, _ONE_THEN_ZEROS, "dynprm"),
    ("actuator_gainprm", _ACTUATOR, VEC10, _ONE_THEN_ZEROS, "gainprm"),
    ("actuator_biasprm", _ACTUATOR, VEC10, (0.0,) * 10, "biasprm"),
    ("actuator_cranklength", _ACTUATOR, wp.float32, 0.0, "cranklength"),
    ("actuator_lengthrange", _ACTUATOR, wp.vec2, (0.0, 0.0), "lengthrange"),
    ("actuator_damping", _ACTUATOR, wp.float32, 0.0, "damping"),
    ("actuator_dampingpoly", _ACTUATOR, wp.vec2, (0.0, 0.0), "dampingpoly"),
    ("actuator_armature", _ACTUATOR, wp.float32, 0.0, "armature"),
    ("actuator_ctrlspec", _ACTUATOR, wp.int32, 0, "ctrlspec"),
    ("ctrl_source", _ACTUATOR, wp.int32, 1, "ctrl_source"),
    ("ctrl_type", _ACTUATOR, wp.int32, 2, "ctrl_type"),
    ("equality_constraint_joint1_dof", _EQUALITY, wp.int32, -1, "joint1_dof"),
    ("equality_constraint_joint2_dof", _EQUALITY, wp.int32, -1, "joint2_dof"),
    ("equality_constraint_tendon1", _EQUALITY, wp.int32, -1, "tendon1"),
    ("equality_constraint_tendon2", _EQUALITY, wp.int32, -1, "tendon2"),
    ("tendon_world", _TENDON, wp.int32, 0, "tendon_world"),
    ("tendon_type", _TENDON, wp.int32, 0, "tendon_type"),
    ("tendon_label", _TENDON, str, "", "name"),
    ("tendon_stiffness", _TENDON, wp.float32, 0.0, "stiffness"),
    ("tendon_damping", _TENDON, wp.float32, 0.0, "damping"),
    ("tendon_frictionloss", _TENDON, wp.float32, 0.0, "frictionloss"),
    ("tendon_limited", _TENDON, wp.int32, _AUTO, "limited"),
    ("tendon_range", _TENDON, wp.vec2, (0.0, 0.0), "range"),
    ("tendon_margin", _TENDON, wp.float32, 0.0, "margin"),
    ("tendon_solref_limit", _TENDON, wp.vec2, _SOLREF, "solreflimit"),
    ("tendon_solimp_limit", _TENDON, VEC5, _SOLIMP, "solimplimit"),
    ("tendon_solref_friction", _TENDON, wp.vec2, _SOLREF, "solreffriction"),
    ("tendon_solimp_friction", _TENDON, VEC5, _SOLIMP, "solimpfriction"),
    ("tendon_armature", _TENDON, wp.float32, 0.0, "armature"),
    ("tendon_springlength", _TENDON, wp.vec2, (-1.0, -1.0), "springlength"),
    ("tendon_actuator_force_limited", _TENDON, wp.int32, _AUTO, "actuatorfrclimited"),
    ("tendon_actuator_force_range", _TENDON, wp.vec2, (0.0, 0.0), "actuatorfrcrange"),
    ("tendon_joint_adr", _TENDON, wp.int32, 0, "tendon_joint_adr"),
    ("tendon_joint_num", _TENDON, wp.int32, 0, "tendon_joint_num"),
    ("tendon_joint", _TENDON_JOINT, wp.int32, -1, "tendon_joint"),
    ("tendon_coef", _TENDON_JOINT, wp.float32, 0.0, "coef"),
    ("tendon_wrap_adr", _TENDON, wp.int32, 0, "tendon_wrap_adr"),
    ("tendon_wrap_num", _TENDON, wp.int32, 0, "tendon_wrap_num"),
    ("tendon_wrap_type", _WRAP, wp.int32, 0, "tendon_wrap_type"),
    ("tendon_wrap_shape", _WRAP, wp.int32, -1, "tendon_wrap_shape"),
    ("tendon_wrap_sidesite", _WRAP, wp.int32, -1, "tendon_wrap_sidesite"),
    ("tendon_wrap_articulation", _WRAP, wp.int32, -1, "tendon_wrap_articulation"),
    ("tendon_wrap_prm", _WRAP, wp.float32, 0.0, "tendon_wrap_prm"),
)
_LATER = (
    "geom_group",
    "tendon_wrap_articulation",
    "equality_constraint_joint1_dof",
    "equality_constraint_joint2_dof",
)
_REFERENCES = {
    "pair_world": "world",
    "pair_geom1": "shape",
    "pair_geom2": "shape",
    "actuator_world": "world",
    "tendon_world": "world",
    "tendon_joint": "joint",
    "tendon_joint_adr": _TENDON_JOINT,
    "tendon_wrap_adr": _WRAP,
    "tendon_wrap_articulation": "articulation",
    "tendon_wrap_shape": "shape",
    "tendon_wrap_sidesite": "shape",
    "equality_constraint_joint1_dof": "joint_dof",
    "equality_constraint_joint2_dof": "joint_dof",
    "equality_constraint_tendon1": _TENDON,
    "equality_constraint_tendon2": _TENDON,
}
_TARGETS: dict[int, str] = {
    ActuatorTarget.JOINT: "joint_dof",
    ActuatorTarget.JOINT_IN_PARENT: "joint_dof",
    ActuatorTarget.TENDON: _TENDON,
    ActuatorTarget.SITE: "shape",
    ActuatorTarget.BODY: "body",
    ActuatorTarget.SLIDERCRANK: "shape",
}
"""What an actuator acts on -> the entities whose indices ``actuator_trnid`` holds."""


def _move_targets(values: list[Any], context: dict[str, Any]) -> list[Any]:
    """What actuators of a copied builder act on."""
    kinds = context["builder"].custom_attributes["mujoco:actuator_trntype"].values
    found = []
    for row, value in zip(context["row_indices"], values, strict=True):
        kind = kinds[row] if row < len(kinds) and kinds[row] is not None else 0
        offset = context["entity_offsets"].get(_TARGETS.get(kind, ""), 0)
        moved = None if value is None else [v + offset if v >= 0 else v for v in map(int, value)]
        found.append(None if moved is None else wp.vec2i(*moved))
    return found


_WORDS = {
    "integrator": ("euler", "rk4", "implicit", "implicitfast", "discrete"),
    "solver": ("pgs", "cg", "newton"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
}
"""Options that files give by a word -> their words, in the order of their numbers."""


DISABLED_BY_FLAGS = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "clampctrl",
    "warmstart", "actuation", "refsafe", "sensor", "eulerdamp", "nativeccd", "island", "multiccd",
)  # fmt: skip
"""Flags of MuJoCo's that leave something out: all but the last are on where nothing is stated."""
ENABLED_BY_FLAGS = ("energy", "invdiscrete")
"""Flags of MuJoCo's that add something, where they are stated."""
FLAGS = dict.fromkeys(DISABLED_BY_FLAGS, True) | dict.fromkeys(
    ("multiccd", *ENABLED_BY_FLAGS), False
)
"""Flags, attributes with ``flag_`` in front of them, and whether they are on by default."""


def switch(value: Any) -> bool:
    """What a file says of a flag: "enable" or "disable".

    Raises:
        InvalidArgumentError: It is something else.
    """
    if value not in ("enable", "disable"):
        raise InvalidArgumentError("flag", value, "'enable' or 'disable'")
    return value == "enable"


def _register_flags(builder: Any) -> None:
    for name, usual in FLAGS.items():
        builder.add_custom_attribute(
            CustomAttribute(
                name=f"flag_{name}",
                frequency=_ONCE,
                dtype=wp.bool,
                default=usual,
                namespace=NAMESPACE,
                mjcf_attribute_name=name,
                usd_attribute_name=f"mjc:flag:{name}",
            )
        )


def _usd_name(frequency: Any, mjcf: str) -> str | None:
    if frequency in {_WORLD, _ONCE}:
        return f"mjc:option:{mjcf}"
    return None if isinstance(frequency, str) else f"mjc:{mjcf}"


def _words_of(name: str) -> Callable[..., int] | None:
    """What makes the number of an option from its word in a USD file."""
    words = _WORDS.get(name)
    if words is None:
        return None

    def number(value: Any, context: Any = None) -> int:
        text = str(value).lower()
        if text.isdigit() and int(text) < len(words):
            return int(text)
        if text not in words:
            where = "" if context is None else f" of {context['prim'].GetPath()}"
            raise InvalidArgumentError(f"{name}{where}", value, f"one of {words}")
        return words.index(text)

    return number


def register(builder: Any) -> None:
    """Let a builder know the attributes."""
    for key in (_PAIR, _ACTUATOR, _TENDON, _TENDON_JOINT, _WRAP):
        given: dict[str, Any] = {"name": key.partition(":")[2], "namespace": NAMESPACE}
        if key == _WRAP and is_after_first_of_1():
            given["articulation_owner_attribute"] = f"{_WRAP}_articulation"
            given["articulation_owner_resolver"] = owners.of_wraps
        builder.add_custom_frequency(CustomFrequency(**given))
    for name, frequency, dtype, default, mjcf in _ATTRIBUTES:
        if name in _LATER and not is_after_first_of_1():
            continue
        if name == "geom_gap" and is_first_of_1():
            continue  # there a gap is a property of the shape, which MuJoCo is not told
        value = dtype(*default) if isinstance(default, tuple) else default
        builder.add_custom_attribute(
            CustomAttribute(
                name=name,
                frequency=frequency,
                dtype=dtype,
                default=value,
                namespace=NAMESPACE,
                references=_REFERENCES.get(name),
                reference_value_transformer=_move_targets if name == "actuator_trnid" else None,
                mjcf_attribute_name=mjcf,
                usd_attribute_name=_usd_name(frequency, mjcf),
                usd_value_transformer=_words_of(name),
            )
        )
    if is_after_first_of_1():
        _register_flags(builder)
    builder.add_custom_attribute(
        CustomAttribute(
            name="ctrl",
            frequency=_ACTUATOR,
            assignment=AttributeAssignment.CONTROL,
            dtype=wp.float32,
            default=0.0,
            namespace=NAMESPACE,
        )
    )


def values_of(model: Any, name: str) -> Any:
    """An attribute's values as a NumPy array, or None where a model has none."""
    holder = getattr(model, NAMESPACE, None) if NAMESPACE in vars(model) else None
    array = getattr(holder, name, None)
    return None if array is None else array.numpy()


OPTIONS = tuple(name for name, frequency, *_ in _ATTRIBUTES if frequency in {_WORLD, _ONCE})
"""Attributes that are options of the solver."""
