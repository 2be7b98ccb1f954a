"""The actuators and fixed tendons of a compiled MJCF model."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from unibody.core.assets.description import Actuator, ActuatorKind, FixedTendon

NameOf = Callable[[str, int], str]


def read_actuators(model: Any, name_of: NameOf) -> list[Actuator]:
    """Actuators on joints, in file order.

    Args:
        model: The MjModel.
        name_of: Gives the name of an object of a kind ("joint", "actuator") by its number.
    """
    mujoco: Any = import_module("mujoco")
    on_joint = {int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)}
    return [
        _actuator(model, number, name_of)
        for number in range(model.nu)
        if int(model.actuator_trntype[number]) in on_joint
    ]


def _actuator(model: Any, number: int, name_of: NameOf) -> Actuator:
    gain = float(model.actuator_gainprm[number][0])
    _, on_position, on_velocity = (float(value) for value in model.actuator_biasprm[number][:3])
    actuator = Actuator(
        name_of("actuator", number),
        name_of("joint", int(model.actuator_trnid[number][0])),
        ActuatorKind.MOTOR,
    )
    gear = float(model.actuator_gear[number][0])
    if on_position < 0.0:
        actuator.kind, actuator.kp, actuator.kv = ActuatorKind.POSITION, gain, -on_velocity
        actuator.gear = gear
    elif on_velocity < 0.0:
        actuator.kind, actuator.kv = ActuatorKind.VELOCITY, gain
        actuator.gear = gear
    else:
        actuator.gear = gear * gain
    if model.actuator_ctrllimited[number]:
        actuator.control_range = _pair(model.actuator_ctrlrange[number])
    if model.actuator_forcelimited[number]:
        actuator.force_range = _pair(model.actuator_forcerange[number])
    return actuator


def read_tendons(model: Any, name_of: NameOf) -> list[FixedTendon]:
    """Fixed tendons, in file order; see ``read_actuators``."""
    mujoco: Any = import_module("mujoco")
    joint = int(mujoco.mjtWrap.mjWRAP_JOINT)
    tendons: list[FixedTendon] = []
    for number in range(model.ntendon):
        begin, count = int(model.tendon_adr[number]), int(model.tendon_num[number])
        wraps = range(begin, begin + count)
        if any(int(model.wrap_type[wrap]) != joint for wrap in wraps):
            continue
        rest, _ = _pair(model.tendon_lengthspring[number])
        limited = bool(model.tendon_limited[number])
        tendons.append(
            FixedTendon(
                name_of("tendon", number),
                [name_of("joint", int(model.wrap_objid[wrap])) for wrap in wraps],
                [float(model.wrap_prm[wrap]) for wrap in wraps],
                _pair(model.tendon_range[number]) if limited else None,
                float(model.tendon_stiffness[number]),
                float(model.tendon_damping[number]),
                rest,
            )
        )
    return tendons


def _pair(values: Any) -> tuple[float, float]:
    low, high = (float(value) for value in values)
    return (low, high)
