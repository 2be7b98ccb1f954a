"""Tendons and actuators of MuJoCo's schemas of USD, as attributes that SolverMuJoCo reads."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.plain import spec as plain
from unibody.errors import AssetError, InvalidArgumentError
from unibody.newton import usd
from unibody.newton.builder import custom
from unibody.newton.dialect import in_use, is_after_first_of_1
from unibody.newton.enums import (
    ActuatorControl,
    ActuatorKind,
    ActuatorMode,
    ActuatorTarget,
    ShapeFlags,
)
from unibody.newton.importers.mjcf_actuator_leniency import KINDS

_FIXED = 0
_AUTO = 2
_SWITCHES = {"false": 0, "true": 1, "auto": _AUTO}
_TENDON_NUMBERS = {  # attribute of the builder -> of the prim
    "stiffness": "stiffness",
    "damping": "damping",
    "frictionloss": "frictionloss",
    "margin": "margin",
    "armature": "armature",
    "springlength": "springlength",
    "solref_limit": "solreflimit",
    "solimp_limit": "solimplimit",
    "solref_friction": "solreffriction",
    "solimp_friction": "solimpfriction",
}
_TENDON_RANGES = {
    "range": ("range", "limited", "limited"),
    "actuator_force_range": ("actuatorfrcrange", "actuator_force_limited", "actuatorfrclimited"),
}
_ACTUATOR_NUMBERS = {
    "gear": "gear",
    "gainprm": "gainPrm",
    "biasprm": "biasPrm",
    "dynprm": "dynPrm",
    "actdim": "actDim",
    "actearly": "actEarly",
    "cranklength": "crankLength",
    "damping": "damping",
    "dampingpoly": "dampingPoly",
    "armature": "armature",
    "ctrlspec": "ctrlSpec",
}
_KINDS = {  # attribute of the builder -> of the prim, MuJoCo's part, and the usual kind
    "dyntype": ("dynType", "Dyn", "none"),
    "gaintype": ("gainType", "Gain", "fixed"),
    "biastype": ("biasType", "Bias", "none"),
}


def add_mujoco_prims(builder: Any, stage: Any, joints: dict[str, int]) -> None:
    """Add what prims ``MjcTendon`` and ``MjcActuator`` say, where the builder knows of it.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
        joints: Path of a prim -> joint.

    Raises:
        AssetError: A prim names what is not there, or numbers do not fit one another.
    """
    known = builder.custom_attributes
    if "mujoco:tendon_type" not in known or "mujoco:actuator_trnid" not in known:
        return
    prims = list(stage.Traverse())
    tendons: dict[str, int] = {}
    for prim in (prim for prim in prims if prim.GetTypeName() == "MjcTendon"):
        number = _add_tendon(builder, prim, joints)
        if number is not None:
            tendons[str(prim.GetPath())] = number
    for prim in (prim for prim in prims if prim.GetTypeName() == "MjcActuator"):
        _add_actuator(builder, prim, joints, tendons)


def _add_tendon(builder: Any, prim: Any, joints: dict[str, int]) -> int | None:
    path = str(prim.GetPath())
    if str(usd.get_attribute(prim, "mjc:type", "")).lower() != "fixed":
        warnings.warn(
            f"{path}: tendons of stages other than fixed ones are left out; add_mjcf reads them",
            stacklevel=2,
        )
        return None
    relation = prim.GetRelationship("mjc:path")
    targets = [str(target) for target in relation.GetTargets()] if relation else []
    stated = usd.get_attribute(prim, "mjc:path:indices")
    order = range(len(targets)) if stated is None else [int(i) for i in stated]
    factors = [float(v) for v in usd.get_attribute(prim, "mjc:path:coef", [])]
    if len(factors) != len(order) or not all(0 <= i < len(targets) for i in order):
        problem = f"{len(factors)} coefficients of {len(order)} of {len(targets)} joints"
        raise AssetError("", path, problem)
    start = len(builder.custom_attributes["mujoco:tendon_joint"].values or ())
    for place, factor in zip(order, factors, strict=True):
        if targets[place] not in joints:
            raise AssetError("", path, f"mjc:path names no joint that was read: {targets[place]}")
        builder.add_custom_values(
            **{"mujoco:tendon_joint": joints[targets[place]], "mujoco:tendon_coef": factor}
        )
    values = _numbers(builder, prim, "tendon", _TENDON_NUMBERS)
    for name, (span, switch, limited) in _TENDON_RANGES.items():
        values[f"mujoco:tendon_{name}"] = _range(prim, span) or wp.vec2()
        values[f"mujoco:tendon_{switch}"] = _switch(prim, limited)
    values |= {
        "mujoco:tendon_world": builder.current_world,
        "mujoco:tendon_type": _FIXED,
        "mujoco:tendon_label": path,
        "mujoco:tendon_joint_adr": start,
        "mujoco:tendon_joint_num": len(factors),
    }
    return custom.add_row(builder, "mujoco:tendon", values)


def _add_actuator(builder: Any, prim: Any, joints: dict[str, int], tendons: dict[str, int]) -> None:
    found = _target(builder, prim, joints, tendons)
    if found is None:
        return
    path, (kind, number, target) = str(prim.GetPath()), found
    values = _numbers(builder, prim, "actuator", _ACTUATOR_NUMBERS)
    for name, (attribute, part, usual) in _KINDS.items():
        word = str(usd.get_attribute(prim, f"mjc:{attribute}", usual))
        if is_after_first_of_1() and word.lower() not in KINDS[name]:
            logging.getLogger("newton").warning(
                "unsupported %s '%s' on prim '%s': '%s' counts", name, word, path, usual
            )
            word = usual
        try:
            values[f"mujoco:actuator_{name}"] = plain.actuator_kind(part, word)
        except InvalidArgumentError as error:
            raise AssetError("", path, f"mjc:{attribute}={word!r}: {error}") from error
    for name in ("ctrl", "force", "act"):
        span = _range(prim, f"{name}Range")
        values[f"mujoco:actuator_has_{name}range"] = int(span is not None)
        if span is not None:
            values[f"mujoco:actuator_{name}range"] = span
        values[f"mujoco:actuator_{name}limited"] = _switch(prim, f"{name}Limited")
    span = _range(prim, "lengthRange")
    if span is not None:
        values["mujoco:actuator_lengthrange"] = span
    share = usd.get_float(prim, "mjc:inheritRange") or 0.0
    if share > 0.0 and kind == ActuatorTarget.JOINT and not values["mujoco:actuator_has_ctrlrange"]:
        values |= _inherited(builder, int(number), share)
    values |= {
        "mujoco:actuator_trntype": int(kind),
        "mujoco:actuator_trnid": wp.vec2i(number, -1 if kind == ActuatorTarget.SITE else 0),
        "mujoco:actuator_target_label": target,
        "mujoco:actuator_world": builder.current_world,
        "mujoco:ctrl_source": int(ActuatorControl.CTRL_DIRECT),
        "mujoco:ctrl": 0.0,
    }
    if kind == ActuatorTarget.JOINT and is_after_first_of_1():
        values |= _target_of_joint(builder, int(number), values)
    custom.add_row(builder, "mujoco:actuator", values)


def _target(
    builder: Any, prim: Any, joints: dict[str, int], tendons: dict[str, int]
) -> tuple[ActuatorTarget, int, str] | None:
    """What an actuator acts on: its kind, its number and the path of its prim."""
    path = str(prim.GetPath())
    relation = prim.GetRelationship("mjc:target")
    targets = [str(target) for target in relation.GetTargets()] if relation else []
    if len(targets) != 1:
        raise AssetError("", path, f"mjc:target names {len(targets)} prims, not one")
    target = targets[0]
    if target in joints:
        kind, number = ActuatorTarget.JOINT, builder.joint_qd_start[joints[target]]
    elif target in tendons:
        kind, number = ActuatorTarget.TENDON, tendons[target]
    elif (site := _site(builder, target)) is not None:
        kind, number = ActuatorTarget.SITE, site
    else:
        warnings.warn(
            f"{path}: its target {target} is no joint, tendon or site that was read: left out",
            stacklevel=2,
        )
        return None
    return kind, int(number), target


def _site(builder: Any, path: str) -> int | None:
    """The site at a prim, or None; before newton 1.0 actuators of stages act on none."""
    if not is_after_first_of_1():
        return None
    for shape, key in enumerate(builder.shape_key):
        if key == path and builder.shape_flags[shape] & int(ShapeFlags.SITE):
            return shape
    return None


def _target_of_joint(builder: Any, dof: int, values: dict[str, Any]) -> dict[str, Any]:
    """What an actuator that holds a position or a velocity is instead: a target of its joint.

    Those with a state of their own, a gear, or a ratio that MuJoCo works the damping out of stay
    what they are: targets have none of these.
    """
    usual = [plain.actuator_kind(*kind) for kind in (("Dyn", "none"), ("Gain", "fixed"))]
    if [values[f"mujoco:actuator_{name}"] for name in ("dyntype", "gaintype")] != usual:
        return {}
    attributes = [
        builder.custom_attributes[f"mujoco:actuator_{n}"] for n in ("gear", "gainprm", "biasprm")
    ]
    gear, gain, bias = (
        np.array(values.get(attribute.key, attribute.default)) for attribute in attributes
    )
    strength = float(gain[0])
    affine = values["mujoco:actuator_biastype"] == plain.actuator_kind("Bias", "affine")
    if strength <= 0.0 or not affine or not np.allclose(gear, [1.0, *[0.0] * 5]):
        return {}
    if np.allclose(bias[:2], [0.0, -strength]) and bias[2] <= 0.0:
        added, other, kind = ActuatorMode.POSITION, ActuatorMode.VELOCITY, ActuatorKind.POSITION
        builder.joint_target_ke[dof] = strength
        damping = -float(bias[2])
    elif np.allclose(bias[:3], [0.0, 0.0, -strength]):
        added, other, kind = ActuatorMode.VELOCITY, ActuatorMode.POSITION, ActuatorKind.VELOCITY
        builder.joint_target_kd[dof] = damping = strength
    else:
        return {}
    mode = builder.joint_act_mode[dof]
    if mode == other:
        builder.joint_act_mode[dof] = int(ActuatorMode.POSITION_VELOCITY)
    elif mode == ActuatorMode.NONE:
        builder.joint_act_mode[dof] = int(added)
        builder.joint_target_kd[dof] = damping
    return {
        "mujoco:ctrl_source": int(ActuatorControl.JOINT_TARGET),
        "mujoco:ctrl_type": int(kind),
    }


def _inherited(builder: Any, dof: int, share: float) -> dict[str, Any]:
    """A range of controls that is a share of the joint's, about its middle."""
    attribute = builder.custom_attributes.get("mujoco:dof_ref")
    stated = {} if attribute is None else attribute.values or {}
    ref = float(stated.get(dof, 0.0)) if in_use() == "1" else 0.0
    lower, upper = builder.joint_limit_lower[dof] + ref, builder.joint_limit_upper[dof] + ref
    if lower >= upper:
        return {}
    middle, reach = (lower + upper) / 2.0, (upper - lower) / 2.0 * share
    return {
        "mujoco:actuator_ctrlrange": wp.vec2(middle - reach, middle + reach),
        "mujoco:actuator_has_ctrlrange": 1,
        "mujoco:actuator_ctrllimited": 1,
    }


def _numbers(builder: Any, prim: Any, kind: str, names: dict[str, str]) -> dict[str, Any]:
    """The numbers that a prim states, of the types that a builder has for them."""
    found: dict[str, Any] = {}
    for name, own in names.items():
        value = usd.get_attribute(prim, f"mjc:{own}")
        attribute = builder.custom_attributes[f"mujoco:{kind}_{name}"]
        if value is None:
            continue
        length = getattr(attribute.dtype, "_length_", 0)
        if length > 1:
            row = [float(v) for v in value][:length]
            value = attribute.dtype(*row, *[0.0] * (length - len(row)))
        found[attribute.key] = value
    return found


def _range(prim: Any, name: str) -> Any:
    """A range, if either end is stated; the other one is zero."""
    ends = [usd.get_float(prim, f"mjc:{name}:{end}") for end in ("min", "max")]
    return None if ends == [None, None] else wp.vec2(*(end or 0.0 for end in ends))


def _switch(prim: Any, name: str) -> int:
    word = str(usd.get_attribute(prim, f"mjc:{name}", "auto")).lower()
    if word not in _SWITCHES:
        raise AssetError("", str(prim.GetPath()), f"mjc:{name}={word!r} is none of {[*_SWITCHES]}")
    return _SWITCHES[word]
