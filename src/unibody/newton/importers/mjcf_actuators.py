"""Actuators of MJCF files: drives of joints, and attributes that SolverMuJoCo reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import MjcfModel
from unibody.newton.builder import custom
from unibody.newton.enums import ActuatorMode
from unibody.newton.importers.mjcf_leniency import Activation

_JOINT, _JOINT_IN_PARENT, _TENDON, _BODY = 0, 1, 3, 5
_TYPE_NUMBERS = {_JOINT: 0, _JOINT_IN_PARENT: 1, _TENDON: 2, _BODY: 4}  # mujoco:actuator_trntype
_AFFINE = 1
_TARGET, _DIRECT = 0, 1  # mujoco:ctrl_source
_TYPES = ("dyntype", "gaintype", "biastype", "gear", "dynprm", "gainprm", "biasprm")
_RANGES = {"ctrl": "ctrlrange", "force": "forcerange", "act": "actrange"}


class Targets(NamedTuple):
    """What actuators act on.

    Attributes:
        bodies: MuJoCo's body -> body.
        dofs: MuJoCo's joint -> joint and degree of freedom.
        tendons: Name of a tendon -> its number.
    """

    bodies: dict[int, int]
    dofs: dict[int, tuple[int, int]]
    tendons: dict[str, int]


def add_actuators(
    builder: Any,
    found: MjcfModel,
    targets: Targets,
    activations: dict[int, Activation],
    *,
    direct: bool,
) -> None:
    """Add actuators on joints, tendons and bodies.

    Args:
        builder: The builder.
        found: The file.
        targets: What they act on.
        activations: Number of an actuator without dynamics -> what the file says of its state.
        direct: Whether scripts set the controls of all of them.
    """
    model = found.model
    for number in range(model.nu):
        kind, target = int(model.actuator_trntype[number]), int(model.actuator_trnid[number, 0])
        if kind in {_JOINT, _JOINT_IN_PARENT}:
            if target not in targets.dofs:
                continue
            target = targets.dofs[target][1]
        elif kind == _BODY and target in targets.bodies:
            target = targets.bodies[target]
        elif kind == _TENDON and (name := found.spec.actuators[number].target) in targets.tendons:
            target = targets.tendons[name]
        else:
            continue
        drives = kind == _JOINT and not direct and _is_servo(model, number)
        if drives:
            _drive(builder, model, number, target)
        if "mujoco:actuator_trnid" in builder.custom_attributes:
            values = _values(builder, found, number)
            if number in activations:
                values |= _stated(activations[number])
            values["mujoco:ctrl_source"] = _TARGET if drives else _DIRECT
            values["mujoco:actuator_trntype"] = _TYPE_NUMBERS[kind]
            values["mujoco:actuator_trnid"] = wp.vec2i(target, 0)
            values["mujoco:actuator_world"] = builder.current_world
            values["mujoco:ctrl"] = 0.0
            values["mujoco:actuator_target_label"] = str(found.spec.actuators[number].target)
            custom.add_row(builder, "mujoco:actuator", values)


def _is_servo(model: Any, number: int) -> bool:
    """Whether an actuator is what MJCF calls position or velocity."""
    gain, bias = model.actuator_gainprm[number], model.actuator_biasprm[number]
    plain = int(model.actuator_gaintype[number]) == 0 and int(model.actuator_dyntype[number]) == 0
    if not plain or int(model.actuator_biastype[number]) != _AFFINE or bias[0] != 0.0:
        return False
    position = bias[1] != 0.0 and np.isclose(gain[0], -bias[1])
    velocity = bias[1] == 0.0 and bias[2] != 0.0 and np.isclose(gain[0], -bias[2])
    return bool(position or velocity)


def _drive(builder: Any, model: Any, number: int, dof: int) -> None:
    bias = model.actuator_biasprm[number]
    ke, kd = float(-bias[1]), float(-bias[2])
    mode = builder.joint_act_mode[dof]
    if ke:
        builder.joint_target_ke[dof] = ke
        if mode == ActuatorMode.VELOCITY:
            builder.joint_act_mode[dof] = int(ActuatorMode.POSITION_VELOCITY)
        else:
            builder.joint_act_mode[dof] = int(ActuatorMode.POSITION)
            builder.joint_target_kd[dof] = kd
        return
    both = mode == ActuatorMode.POSITION
    chosen = ActuatorMode.POSITION_VELOCITY if both else ActuatorMode.VELOCITY
    builder.joint_act_mode[dof] = int(chosen)
    builder.joint_target_kd[dof] = kd


def _stated(activation: Activation) -> dict[str, Any]:
    low, high = activation.range
    return {
        "mujoco:actuator_actlimited": activation.limited,
        "mujoco:actuator_has_actrange": int(low < high),
        "mujoco:actuator_actrange": wp.vec2(low, high),
        "mujoco:actuator_actdim": activation.dimension,
        "mujoco:actuator_actearly": activation.early,
    }


def _values(builder: Any, file: MjcfModel, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    model, stated = file.model, file.spec.actuators[number]
    ratio = float(stated.biasprm[2]) if _is_servo(model, number) else 0.0
    for name in _TYPES:
        value: Any = getattr(model, f"actuator_{name}")[number]
        if name == "biasprm" and ratio > 0.0:
            # MuJoCo works the damping out of the ratio
            value = np.array([*value[:2], ratio, *value[3:]])
        attribute = builder.custom_attributes[f"mujoco:actuator_{name}"]
        found[attribute.key] = attribute.dtype(*value) if np.ndim(value) else int(value)
    for limit, span in _RANGES.items():
        limited = int(getattr(stated, f"{limit}limited"))
        low, high = (float(v) for v in getattr(model, f"actuator_{span}")[number])
        found[f"mujoco:actuator_{limit}limited"] = limited
        found[f"mujoco:actuator_has_{span}"] = int(low < high)
        found[f"mujoco:actuator_{span}"] = wp.vec2(low, high)
    found["mujoco:actuator_dampratio"] = max(ratio, 0.0)
    found["mujoco:actuator_actdim"] = int(stated.actdim)
    found["mujoco:actuator_actearly"] = bool(stated.actearly)
    return found
