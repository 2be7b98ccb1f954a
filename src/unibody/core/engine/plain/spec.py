"""Specs of plain models, and MuJoCo's enumerations by name for those that write them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError

JOINTS = {
    "free": mujoco.mjtJoint.mjJNT_FREE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
    "slide": mujoco.mjtJoint.mjJNT_SLIDE,
    "hinge": mujoco.mjtJoint.mjJNT_HINGE,
}
GEOMS = {
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "hfield": mujoco.mjtGeom.mjGEOM_HFIELD,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}
OPTIONS: dict[str, dict[str, int]] = {
    "solver": {
        "pgs": int(mujoco.mjtSolver.mjSOL_PGS),
        "cg": int(mujoco.mjtSolver.mjSOL_CG),
        "newton": int(mujoco.mjtSolver.mjSOL_NEWTON),
    },
    "integrator": {
        "euler": int(mujoco.mjtIntegrator.mjINT_EULER),
        "rk4": int(mujoco.mjtIntegrator.mjINT_RK4),
        "implicit": int(mujoco.mjtIntegrator.mjINT_IMPLICIT),
        "implicitfast": int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST),
        "discrete": int(mujoco.mjtIntegrator.mjINT_DISCRETE),
    },
    "cone": {
        "pyramidal": int(mujoco.mjtCone.mjCONE_PYRAMIDAL),
        "elliptic": int(mujoco.mjtCone.mjCONE_ELLIPTIC),
    },
    "jacobian": {
        "dense": int(mujoco.mjtJacobian.mjJAC_DENSE),
        "sparse": int(mujoco.mjtJacobian.mjJAC_SPARSE),
        "auto": int(mujoco.mjtJacobian.mjJAC_AUTO),
    },
}
"""Options that have names -> their numbers in MuJoCo."""

_EQUALITIES = {
    "connect": (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_BODY),
    "weld": (mujoco.mjtEq.mjEQ_WELD, mujoco.mjtObj.mjOBJ_BODY),
    "joint": (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT),
    "tendon": (mujoco.mjtEq.mjEQ_TENDON, mujoco.mjtObj.mjOBJ_TENDON),
}
_TRANSMISSIONS = {
    "joint": mujoco.mjtTrn.mjTRN_JOINT,
    "jointinparent": mujoco.mjtTrn.mjTRN_JOINTINPARENT,
    "tendon": mujoco.mjtTrn.mjTRN_TENDON,
    "site": mujoco.mjtTrn.mjTRN_SITE,
    "body": mujoco.mjtTrn.mjTRN_BODY,
    "slidercrank": mujoco.mjtTrn.mjTRN_SLIDERCRANK,
}


def new_spec() -> Any:
    """An empty spec, in radians, with limits where they are said to be."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = False
    spec.compiler.boundmass = 0.0
    spec.option.solver = OPTIONS["solver"]["newton"]
    return spec


def option_number(name: str, value: Any) -> int:
    """The number of an option that has names.

    Raises:
        InvalidArgumentError: The value is neither a name nor a number of it.
    """
    known = OPTIONS[name]
    if isinstance(value, str):
        if value.lower().strip() in known:
            return known[value.lower().strip()]
    elif int(value) in known.values():
        return int(value)
    raise InvalidArgumentError(name, value, " or ".join(map(repr, known)))


def set_options(spec: Any, values: Mapping[str, Any]) -> None:
    """Write options by MuJoCo's names; names of solvers and the like may be given as text."""
    for name, value in values.items():
        number = option_number(name, value) if name in OPTIONS else value
        setattr(spec.option, name, number)


def disable_contacts(spec: Any) -> None:
    """Let nothing touch."""
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


def set_disabled(spec: Any, flags: Mapping[str, bool | None]) -> None:
    """Set or clear flags that disable something, by MuJoCo's names; None leaves one as it is."""
    for name, disabled in flags.items():
        bit = int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}"))
        if disabled is not None:
            present = int(spec.option.disableflags)
            spec.option.disableflags = present | bit if disabled else present & ~bit


def set_enabled(spec: Any, flags: Mapping[str, bool | None]) -> None:
    """Set or clear flags that add something, by MuJoCo's names; None leaves one as it is."""
    for name, enabled in flags.items():
        bit = int(getattr(mujoco.mjtEnableBit, f"mjENBL_{name.upper()}"))
        if enabled is not None:
            present = int(spec.option.enableflags)
            spec.option.enableflags = present | bit if enabled else present & ~bit


def add_equality(spec: Any, kind: str, first: str, second: str, *, active: bool) -> Any:
    """Add a constraint of two bodies ("connect", "weld") or two joints ("joint")."""
    number, of = _EQUALITIES[kind]
    equality = spec.add_equality(objtype=of, name1=first, active=active)
    if second:
        equality.name2 = second
    equality.type = number
    return equality


def add_servo(
    spec: Any, joint: str, axis: int, position: float, velocity: float, target: float
) -> Any:
    """Add an actuator with force ``target * ctrl - position * q - velocity * v``.

    Args:
        spec: The spec.
        joint: Its name.
        axis: Which one of a ball joint's; 0 of the others.
        position: Bias by the joint's position.
        velocity: Bias by its velocity.
        target: Gain of the control.
    """
    gear = np.zeros(6)
    gear[axis] = 1.0
    actuator = spec.add_actuator(target=joint, trntype=_TRANSMISSIONS["joint"], gear=gear)
    actuator.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    actuator.gainprm[0] = target
    actuator.biasprm[1], actuator.biasprm[2] = -position, -velocity
    return actuator


def add_actuator(spec: Any, kind: str, target: str, values: Mapping[str, Any]) -> Any:
    """Add an actuator by the numbers that MuJoCo's models have for it.

    Args:
        spec: The spec.
        kind: "joint", "jointinparent", "tendon", "site", "body" or "slidercrank".
        target: Name of what it acts on.
        values: Numbers of types, parameters and ranges, and names of sites, by MuJoCo's names.
    """
    actuator = spec.add_actuator(target=target, trntype=_TRANSMISSIONS[kind])
    set_actuator(actuator, values)
    return actuator


def set_actuator(actuator: Any, values: Mapping[str, Any]) -> None:
    """Set numbers of an actuator of a spec, by MuJoCo's names."""
    for name, value in values.items():
        present = getattr(actuator, name)
        if isinstance(present, np.ndarray):
            present[: np.size(value)] = value
        else:
            setattr(actuator, name, type(present)(value))


def actuator_kind(part: str, kind: int | str) -> int:
    """MuJoCo's number of the dynamics ("Dyn"), gain ("Gain") or bias ("Bias") of an actuator.

    Raises:
        InvalidArgumentError: There is no kind of that name.
    """
    if not isinstance(kind, str):
        return int(kind)
    prefix = f"mj{part.upper()}_"
    members = getattr(mujoco, f"mjt{part}").__members__
    known = {name.removeprefix(prefix).lower(): int(value) for name, value in members.items()}
    word = kind.lower().replace("_", "").strip()
    if word not in known:
        raise InvalidArgumentError(f"{part.lower()}type", kind, f"one of {sorted(known)}")
    return known[word]


def dc_motor(values: Mapping[str, Any], signature: int, damping: list[float]) -> Any:
    """A motor of direct current, whose parameters MuJoCo works out of these.

    Args:
        values: MuJoCo's parameters of such motors.
        signature: What its control is: 1 a position, 2 a velocity, 8 a voltage.
        damping: Three coefficients of the viscous friction.
    """
    actuator = mujoco.MjSpec().add_actuator()
    actuator.damping[:] = damping
    actuator.set_to_dcmotor(ctrlspec=signature, **values)
    return actuator


def report_body_forces(spec: Any) -> None:
    """Have accelerations of bodies and forces inside of joints worked out in each step."""
    spec.worldbody.add_site(name="unibody_report")
    spec.add_sensor(
        type=mujoco.mjtSensor.mjSENS_ACCELEROMETER,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        objname="unibody_report",
    )


def compile_model(spec: Any) -> tuple[Any, Any]:
    """The model of a spec, and its first state.

    Raises:
        InvalidArgumentError: MuJoCo refuses the model; the message is MuJoCo's.
    """
    try:
        model = spec.compile()
    except ValueError as error:
        raise InvalidArgumentError("model", str(error), "what MuJoCo can compile") from error
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)  # tells what there is at first, and leaves the state alone
    return model, data


def equality_of_tendons() -> int:
    """The type of equality constraints that couple lengths of tendons."""
    return int(mujoco.mjtEq.mjEQ_TENDON)


def connections(model: Any) -> NDArray[np.bool_]:
    """Which equality constraints of a compiled model hold two points together, (neq,)."""
    return np.asarray(model.eq_type == mujoco.mjtEq.mjEQ_CONNECT)


def names_to_numbers(model: Any, kind: str, names: list[str]) -> list[int]:
    """Numbers that a compiled model gives to "body", "joint", "geom", ... of some names."""
    of = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
    return [int(mujoco.mj_name2id(model, of, name)) for name in names]


def modules() -> tuple[Any, Any]:
    """MuJoCo's own module, and mujoco-warp's, for scripts that use them beside ours."""
    return mujoco, importlib.import_module("mujoco_warp")
