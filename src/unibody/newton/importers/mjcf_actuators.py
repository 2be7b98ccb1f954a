"""Actuators of MJCF files: drives of joints, and attributes that SolverMuJoCo reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import MjcfModel
from unibody.newton.builder import custom
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import ActuatorKind, ActuatorMode
from unibody.newton.importers.mjcf_leniency import Activation

_JOINT, _JOINT_IN_PARENT, _CRANK, _TENDON, _SITE, _BODY = range(6)
_TYPE_NUMBERS = {_JOINT: 0, _JOINT_IN_PARENT: 1, _TENDON: 2, _SITE: 3, _BODY: 4, _CRANK: 5}
"""MuJoCo's kinds of what actuators act on -> ``mujoco:actuator_trntype``."""
_DC_MOTOR = 5  # dynamics
_AFFINE = 1
_INTEGRATOR = 1  # dynamics of what MJCF calls intvelocity
_SLIDE = 2
_TARGET, _DIRECT = 0, 1  # mujoco:ctrl_source
_TYPES = ("dyntype", "gaintype", "biastype", "gear", "dynprm", "gainprm", "biasprm")
_RANGES = {"ctrl": "ctrlrange", "force": "forcerange", "act": "actrange"}


class Targets(NamedTuple):
    """What actuators act on.

    Attributes:
        bodies: MuJoCo's body -> body.
        dofs: MuJoCo's joint -> joint and degree of freedom.
        tendons: Name of a tendon -> its number.
        sites: Name of a site -> its shape.
    """

    bodies: dict[int, int]
    dofs: dict[int, tuple[int, int]]
    tendons: dict[str, int]
    sites: dict[str, int]

    def numbers(self, model: Any, number: int, stated: Any) -> tuple[int, int] | None:
        """What an actuator acts on, as ``actuator_trnid`` has it; None: it was not added."""
        kind, target = int(model.actuator_trntype[number]), int(model.actuator_trnid[number, 0])
        name = str(stated.target)
        if kind in {_JOINT, _JOINT_IN_PARENT}:
            return (self.dofs[target][1], -1) if target in self.dofs else None
        if kind == _BODY:
            return (self.bodies[target], -1) if target in self.bodies else None
        if kind == _TENDON:
            return (self.tendons[name], -1) if name in self.tendons else None
        second = str(stated.refsite if kind == _SITE else stated.slidersite)
        if kind not in {_SITE, _CRANK} or name not in self.sites:
            return None
        return self.sites[name], self.sites.get(second, -1)


def add_actuators(
    builder: Any,
    found: MjcfModel,
    targets: Targets,
    activations: dict[int, Activation],
    scale: float,
    *,
    direct: bool,
) -> None:
    """Add actuators on joints, tendons and bodies.

    Args:
        builder: The builder.
        found: The file.
        targets: What they act on.
        activations: Number of an actuator without dynamics -> what the file says of its state.
        scale: Factor on lengths.
        direct: Whether scripts set the controls of all of them.
    """
    model = found.model
    for number in range(model.nu):
        kind = int(model.actuator_trntype[number])
        numbers = targets.numbers(model, number, found.spec.actuators[number])
        if numbers is None:
            continue
        drives = kind == _JOINT and not direct and _is_servo(model, number)
        if drives:
            _drive(builder, model, number, numbers[0])
        if "mujoco:actuator_trnid" in builder.custom_attributes:
            values = _values(builder, found, number, scale)
            if number in activations:
                values |= _stated(activations[number])
            values["mujoco:ctrl_source"] = _TARGET if drives else _DIRECT
            values["mujoco:actuator_trntype"] = _TYPE_NUMBERS[kind]
            values["mujoco:actuator_trnid"] = wp.vec2i(*numbers)
            values["mujoco:actuator_world"] = builder.current_world
            values["mujoco:ctrl"] = 0.0
            values["mujoco:actuator_target_label"] = str(found.spec.actuators[number].target)
            custom.add_row(builder, "mujoco:actuator", values)


def _is_servo(model: Any, number: int) -> bool:
    """Whether an actuator is what MJCF calls position or velocity."""
    return int(model.actuator_dyntype[number]) == 0 and _follows(model, number)


def _follows(model: Any, number: int) -> bool:
    """Whether the control of an actuator, or its integral, is a position or velocity to reach."""
    gain, bias = model.actuator_gainprm[number], model.actuator_biasprm[number]
    plain = int(model.actuator_gaintype[number]) == 0
    plain = plain and int(model.actuator_dyntype[number]) in (0, _INTEGRATOR)
    if not plain or int(model.actuator_biastype[number]) != _AFFINE or bias[0] != 0.0:
        return False
    position = bias[1] != 0.0 and np.isclose(gain[0], -bias[1])
    velocity = bias[1] == 0.0 and bias[2] != 0.0 and np.isclose(gain[0], -bias[2])
    return bool(position or velocity)


def _is_of_slide(model: Any, number: int) -> bool:
    """Whether controls of an actuator are positions or velocities of a joint that slides."""
    on_joint = int(model.actuator_trntype[number]) in {_JOINT, _JOINT_IN_PARENT}
    if not is_after_first_of_1() or not on_joint or not _follows(model, number):
        return False
    return int(model.jnt_type[int(model.actuator_trnid[number, 0])]) == _SLIDE


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


def _values(builder: Any, file: MjcfModel, number: int, scale: float) -> dict[str, Any]:
    found: dict[str, Any] = {}
    model, stated = file.model, file.spec.actuators[number]
    is_motor = int(model.actuator_dyntype[number]) == _DC_MOTOR
    ratio = float(stated.biasprm[2]) if _follows(model, number) else 0.0
    for name in _TYPES:
        value: Any = getattr(model, f"actuator_{name}")[number]
        if is_motor and name.endswith("prm"):  # before MuJoCo's compiler has changed them
            value = getattr(stated, name)
        if name == "biasprm" and ratio > 0.0:
            # MuJoCo works the damping out of the ratio
            value = np.array([*value[:2], ratio, *value[3:]])
        attribute = builder.custom_attributes[f"mujoco:actuator_{name}"]
        found[attribute.key] = attribute.dtype(*value) if np.ndim(value) else int(value)
    for limit, span in _RANGES.items():
        limited = int(getattr(stated, f"{limit}limited"))
        low, high = (float(v) for v in getattr(model, f"actuator_{span}")[number])
        if limit != "force" and _is_of_slide(model, number):
            low, high = low * scale, high * scale
        if limit == "act" and float(stated.inheritrange) > 0.0 and low < high:
            limited = 1  # MuJoCo has worked the range out
        found[f"mujoco:actuator_{limit}limited"] = limited
        found[f"mujoco:actuator_has_{span}"] = int(low < high)
        found[f"mujoco:actuator_{span}"] = wp.vec2(low, high)
    found["mujoco:ctrl_type"] = int(ActuatorKind.DCMOTOR if is_motor else ActuatorKind.GENERAL)
    found["mujoco:actuator_ctrlspec"] = int(stated.ctrlspec)
    found["mujoco:actuator_cranklength"] = float(stated.cranklength) * scale
    found["mujoco:actuator_lengthrange"] = wp.vec2(*model.actuator_lengthrange[number].tolist())
    found["mujoco:actuator_armature"] = float(stated.armature)
    found["mujoco:actuator_damping"] = float(stated.damping[0])
    found["mujoco:actuator_dampingpoly"] = wp.vec2(*np.array(stated.damping[1:]).tolist())
    found["mujoco:actuator_dampratio"] = max(ratio, 0.0)
    found["mujoco:actuator_actdim"] = int(stated.actdim)
    found["mujoco:actuator_actearly"] = bool(stated.actearly)
    return found
