"""Actuators of MuJoCo that scripts add to a builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.plain import spec as plain
from unibody.errors import NotSupportedError
from unibody.newton.enums import ActuatorControl, ActuatorKind
from unibody.newton.enums import ActuatorTarget as Transmission
from unibody.newton.solvers.mujoco.authoring import rows
from unibody.newton.solvers.mujoco.authoring.targets import ActuatorTarget, resolve

_COMMON = frozenset(
    ("gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "cranklength", "ctrl")
)
_COEFFICIENTS = 3  # of damping
_SIZES = {
    "motorconst": 2,
    "nominal": 3,
    "saturation": 3,
    "inductance": 2,
    "cogging": 3,
    "controller": 6,
    "thermal": 6,
    "lugre": 5,
}
"""How many numbers the parameters of a motor of direct current have."""
_PARTS = ("dyn", "gain", "bias")
_SIGNATURES = {"pos": 1, "vel": 2, "voltage": 8}
"""What the control of a motor is -> MuJoCo's number."""


def add_actuator_general(
    builder: Any,
    target: ActuatorTarget,
    *,
    dyntype: int | str = "none",
    gaintype: int | str = "fixed",
    biastype: int | str = "none",
    dynprm: Sequence[float] = (1.0,),
    gainprm: Sequence[float] = (1.0,),
    biasprm: Sequence[float] = (0.0,),
    gear: Sequence[float] = (1.0,),
    ctrlrange: Sequence[float] | None = None,
    ctrllimited: bool | int | str = "auto",
    forcerange: Sequence[float] | None = None,
    forcelimited: bool | int | str = "auto",
    actrange: Sequence[float] | None = None,
    actlimited: bool | int | str = "auto",
    actdim: int | None = None,
    actearly: bool = False,
    cranklength: float | None = None,
    ctrl: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add an actuator that ``control.mujoco.ctrl`` drives.

    Args:
        builder: The builder.
        target: What it acts on.
        dyntype: MuJoCo's kind of the dynamics of its state, a word or a number.
        gaintype: MuJoCo's kind of gain.
        biastype: MuJoCo's kind of bias.
        dynprm: Parameters of the dynamics; zeros follow, as in all of these.
        gainprm: Parameters of the gain.
        biasprm: Parameters of the bias.
        gear: MuJoCo's gear, six numbers; ball joints need three, free joints six of them.
        ctrlrange: Bounds of the control.
        ctrllimited: Whether they act; "auto": where they are stated.
        forcerange: Bounds of the force [N or N m].
        forcelimited: Whether they act.
        actrange: Bounds of the state.
        actlimited: Whether they act.
        actdim: How many numbers the state has; None: as its dynamics need.
        actearly: Whether the force follows the next state.
        cranklength: Length of a rod between crank and slider [m].
        ctrl: The first control.
        custom_attributes: More attributes of the row, key -> value.

    Returns:
        Its number.
    """
    values = {
        "mujoco:actuator_dyntype": plain.actuator_kind("Dyn", dyntype),
        "mujoco:actuator_gaintype": plain.actuator_kind("Gain", gaintype),
        "mujoco:actuator_biastype": plain.actuator_kind("Bias", biastype),
        "mujoco:actuator_actlimited": rows.tristate(actlimited),
        "mujoco:actuator_actdim": -1 if actdim is None else int(actdim),
        "mujoco:actuator_actearly": bool(actearly),
        "mujoco:ctrl_type": int(ActuatorKind.GENERAL),
    }
    spans = {"ctrlrange": ctrlrange, "forcerange": forcerange, "actrange": actrange}
    limits = {"ctrllimited": ctrllimited, "forcelimited": forcelimited}
    parameters = {"dynprm": dynprm, "gainprm": gainprm, "biasprm": biasprm, "gear": gear}
    more = {"cranklength": cranklength, "ctrl": ctrl}
    return _add(builder, target, values, spans, limits, parameters, more, custom_attributes)


def add_actuator_motor(
    builder: Any,
    target: ActuatorTarget,
    *,
    custom_attributes: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Add an actuator whose force is its control. See `add_actuator_general`.

    Args:
        builder: The builder.
        target: What it acts on.
        custom_attributes: More attributes of the row.
        **options: ``gear``, ranges, limits, ``cranklength`` and ``ctrl``.

    Returns:
        Its number.
    """
    _check_options("add_actuator_motor", options)
    return add_actuator_general(builder, target, custom_attributes=custom_attributes, **options)


def add_actuator_position(
    builder: Any,
    target: ActuatorTarget,
    *,
    kp: float = 1.0,
    kv: float = 0.0,
    dampratio: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Add an actuator that holds a position.

    Args:
        builder: The builder.
        target: What it acts on.
        kp: Stiffness.
        kv: Damping.
        dampratio: Damping as a share of the critical one, where ``kv`` is 0.
        custom_attributes: More attributes of the row.
        **options: ``gear``, ranges, limits, ``cranklength`` and ``ctrl``.

    Returns:
        Its number.

    Raises:
        ValueError: A gain is negative, or two dampings are stated.
    """
    for name, value in (("kp", kp), ("kv", kv), ("dampratio", dampratio)):
        if value < 0.0:
            raise ValueError(f"{name}={value} must be nonnegative")
    if kv and dampratio:
        raise ValueError(f"kv={kv}, dampratio={dampratio}: expected one of them")
    damping = -kv if kv else (dampratio if kp > 0.0 else 0.0)
    _check_options("add_actuator_position", options)
    kind = {"ctrl_type": int(ActuatorKind.POSITION)}
    affine = {"gainprm": (kp,), "biasprm": (0.0, -kp, damping)}
    return _add_servo(builder, target, kind, affine, options, custom_attributes)


def add_actuator_velocity(
    builder: Any,
    target: ActuatorTarget,
    *,
    kv: float = 1.0,
    custom_attributes: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Add an actuator that holds a velocity.

    Args:
        builder: The builder.
        target: What it acts on.
        kv: Damping.
        custom_attributes: More attributes of the row.
        **options: ``gear``, ranges, limits, ``cranklength`` and ``ctrl``.

    Returns:
        Its number.

    Raises:
        ValueError: The gain is negative.
    """
    if kv < 0.0:
        raise ValueError(f"kv={kv} must be nonnegative")
    _check_options("add_actuator_velocity", options)
    kind = {"ctrl_type": int(ActuatorKind.VELOCITY)}
    affine = {"gainprm": (kv,), "biasprm": (0.0, 0.0, -kv)}
    return _add_servo(builder, target, kind, affine, options, custom_attributes)


def add_actuator_dcmotor(
    builder: Any,
    target: ActuatorTarget,
    *,
    motorconst: Sequence[float] = (0.0,),
    resistance: float = 0.0,
    nominal: Sequence[float] = (0.0,),
    saturation: Sequence[float] = (0.0,),
    inductance: Sequence[float] = (0.0,),
    cogging: Sequence[float] = (0.0,),
    controller: Sequence[float] = (0.0,),
    thermal: Sequence[float] = (0.0,),
    lugre: Sequence[float] = (0.0,),
    input: str | int = "voltage",
    damping: Sequence[float] = (0.0,),
    armature: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Add a motor of direct current; MuJoCo makes its parameters of these.

    Args:
        builder: The builder.
        target: What it acts on.
        motorconst: Constants of torque [N m/A] and of the back EMF [V s/rad].
        resistance: Of the winding [Ohm].
        input: What the control is: "voltage", "pos" or "vel".
        controller: Gains and limits of the controller of a position or a velocity.
        inductance: Of the winding [H], and its time constant [s].
        thermal: Resistance, capacity and temperatures of the winding.
        nominal: Nominal voltage [V], stall torque [N m] and idle speed [rad/s].
        saturation: Limits of torque, current and voltage.
        cogging: Amplitude, periodicity and phase of the cogging torque.
        lugre: Parameters of the friction in the bearing.
        damping: Up to three coefficients of the viscous friction.
        armature: Inertia of the rotor.
        custom_attributes: More attributes of the row.
        **options: ``gear``, ranges, limits, ``cranklength`` and ``ctrl``.

    Returns:
        Its number.

    Raises:
        NotSupportedError: The control is something else.
        ValueError: MuJoCo refuses the numbers.
    """
    signature = _SIGNATURES.get(input) if isinstance(input, str) else input
    known = signature in _SIGNATURES.values() and not isinstance(input, bool)
    if signature is None or not known:
        raise NotSupportedError(f"input={input!r}", f"one of {sorted(_SIGNATURES)} works")
    _check_options("add_actuator_dcmotor", options)
    given = {"motorconst": motorconst, "nominal": nominal, "saturation": saturation}
    given |= {"inductance": inductance, "cogging": cogging, "controller": controller}
    given |= {"thermal": thermal, "lugre": lugre}
    numbers = {name: _padded(name, given[name], size) for name, size in _SIZES.items()}
    coefficients = _padded("damping", damping, _COEFFICIENTS)
    motor = plain.dc_motor({**numbers, "resistance": resistance}, int(signature), coefficients)
    kind = {f"actuator_{name}type": int(getattr(motor, f"{name}type")) for name in _PARTS}
    kind |= {"actuator_actdim": int(motor.actdim), "actuator_actearly": bool(motor.actearly)}
    kind |= {"actuator_ctrlspec": int(signature), "ctrl_type": int(ActuatorKind.DCMOTOR)}
    kind |= {"actuator_damping": coefficients[0], "actuator_armature": float(armature)}
    kind["actuator_dampingpoly"] = wp.vec2(*coefficients[1:])
    limits = {"forcerange": motor.forcerange, "forcelimited": int(motor.forcelimited)}
    parameters = {name: getattr(motor, name) for name in ("dynprm", "gainprm", "biasprm")}
    return _add_servo(builder, target, kind, parameters, {**options, **limits}, custom_attributes)


def _padded(name: str, values: Sequence[float], size: int) -> list[float]:
    if not 1 <= len(values) <= size:
        raise ValueError(f"{name} requires one to {size} values, got {len(values)}")
    return [*map(float, values), *[0.0] * (size - len(values))]


def _check_options(name: str, options: dict[str, Any]) -> None:
    unknown = options.keys() - _COMMON
    if unknown:
        raise TypeError(f"{name}() got an unexpected keyword argument {sorted(unknown)[0]!r}")


def _add_servo(
    builder: Any,
    target: ActuatorTarget,
    kind: dict[str, Any],
    parameters: dict[str, Any],
    options: dict[str, Any],
    given: dict[str, Any] | None,
) -> int:
    values = {
        "mujoco:actuator_dyntype": plain.actuator_kind("Dyn", "none"),
        "mujoco:actuator_gaintype": plain.actuator_kind("Gain", "fixed"),
        "mujoco:actuator_biastype": plain.actuator_kind("Bias", "affine"),
        **{f"mujoco:{name}": value for name, value in kind.items()},
    }
    spans = {name: options.get(name) for name in ("ctrlrange", "forcerange")}
    limits = {name: options.get(name, "auto") for name in ("ctrllimited", "forcelimited")}
    parameters = {**parameters, "gear": options.get("gear", (1.0,))}
    more = {name: options.get(name) for name in ("cranklength", "ctrl")}
    return _add(builder, target, values, spans, limits, parameters, more, given)


def _add(
    builder: Any,
    target: ActuatorTarget,
    values: dict[str, Any],
    spans: dict[str, Any],
    limits: dict[str, Any],
    parameters: dict[str, Any],
    more: dict[str, Any],
    given: dict[str, Any] | None,
) -> int:
    rows.know_attributes(builder)
    resolved = resolve(builder, target)
    if len(parameters["gear"]) < resolved.gear:
        raise ValueError(
            f"gear={parameters['gear']!r} is not allowed: this joint needs a native gear of"
            f" {resolved.gear} numbers"
        )
    length = more["cranklength"]
    if resolved.kind == Transmission.SLIDERCRANK and not (length or 0.0) > 0.0:
        raise ValueError(f"cranklength={length!r} is not allowed: expected a positive length [m]")
    row = {
        "mujoco:actuator_trnid": resolved.numbers,
        "mujoco:actuator_trntype": int(resolved.kind),
        "mujoco:actuator_target_label": "",
        "mujoco:actuator_world": builder.current_world,
        "mujoco:actuator_cranklength": float(length or 0.0),
        "mujoco:ctrl": float(more["ctrl"] or 0.0),
        "mujoco:ctrl_source": int(ActuatorControl.CTRL_DIRECT),
        **values,
    }
    for name, span in spans.items():
        key = f"mujoco:actuator_{name}"
        row[key] = rows.vector(builder, key, (0.0, 0.0) if span is None else span, 2)
        row[f"mujoco:actuator_has_{name}"] = int(span is not None)
    row |= {f"mujoco:actuator_{name}": rows.tristate(value) for name, value in limits.items()}
    for name, numbers in parameters.items():
        key = f"mujoco:actuator_{name}"
        count = 6 if name == "gear" else 10
        flat = np.asarray(numbers, float).ravel()
        row[key] = rows.vector(builder, key, flat.tolist(), count, exact=False)
    return rows.add(builder, "mujoco:actuator", row, given)
