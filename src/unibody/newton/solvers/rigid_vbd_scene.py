"""What scenes and joints say for SolverVBD, in the namespace ``vbd``, in releases after 1.0."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.attributes import CustomAttribute
from unibody.newton.enums import AttributeAssignment, AttributeFrequency, JointType
from unibody.newton.exceptions import NewtonDeprecationWarning, warn

_NAMESPACE = "vbd"
_ITERATIONS = 10  # where neither the script nor the scene states them
_ITERATIONS_IN_USD = "newton:maxSolverIterations"
_HISTORY = "rigid_contact_history"
_SCENE: dict[str, tuple[Any, Any, str]] = {
    _HISTORY: (wp.bool, False, "newton:vbd:rigid:contactHistory"),
    "rigid_joint_linear_ke": (wp.float32, 1e5, "newton:vbd:rigid:jointLinearStiffness"),
    "rigid_joint_angular_ke": (wp.float32, 1e5, "newton:vbd:rigid:jointAngularStiffness"),
    "rigid_joint_linear_kd": (wp.float32, 0.0, "newton:vbd:rigid:jointLinearDamping"),
    "rigid_joint_angular_kd": (wp.float32, 0.0, "newton:vbd:rigid:jointAngularDamping"),
}
"""Option -> its type, its default and its name in USD."""

_JOINT: dict[str, tuple[Any, Any]] = {
    "dahl_eps_max": (wp.float32, 0.0),
    "dahl_tau": (wp.float32, 0.0),
    "joint_is_hard": (wp.int32, 1),
}


def register(builder: Any) -> None:
    """Let a builder know the attributes of scenes and joints.

    Args:
        builder: The builder.
    """
    rows: list[tuple[str, AttributeFrequency, Any, Any, str | None]] = [
        ("max_solver_iterations", AttributeFrequency.ONCE, wp.int32, -1, _ITERATIONS_IN_USD)
    ]
    for name, (dtype, default, usd) in _SCENE.items():
        rows.append((name, AttributeFrequency.ONCE, dtype, default, usd))
    for name, (dtype, default) in _JOINT.items():
        rows.append((name, AttributeFrequency.JOINT, dtype, default, None))
    for name, frequency, dtype, default, usd in rows:
        builder.add_custom_attribute(
            CustomAttribute(
                name=name,
                frequency=frequency,
                assignment=AttributeAssignment.MODEL,
                dtype=dtype,
                default=default,
                namespace=_NAMESPACE,
                usd_attribute_name=usd,
            )
        )


def iterations_of(model: Any, stated: int | None) -> int:
    """Iterations as a script states them, else as the scene does, else 10.

    Args:
        model: The model.
        stated: What the script states.

    Returns:
        How many there are.

    Raises:
        InvalidArgumentError: The scene's are neither positive nor -1, and count.
    """
    if stated is not None:
        return stated
    array = _array(model, "max_solver_iterations")
    found = -1 if array is None else int(array.numpy()[0])
    if found == -1:
        return _ITERATIONS
    if found <= 0:
        wanted = "a positive number in the scene, or -1 for the default; iterations= goes first"
        raise InvalidArgumentError(_ITERATIONS_IN_USD, found, wanted)
    return found


def options_of(model: Any, stated: dict[str, Any], *, moves_bodies: bool) -> dict[str, Any]:
    """Options of rigid bodies as a script states them, and else as the scene does.

    Args:
        model: The model.
        stated: What the script states.
        moves_bodies: Whether the solver moves rigid bodies: contacts have a history there alone.

    Returns:
        Name -> value.

    Raises:
        InvalidArgumentError: A number of the scene is negative or not finite, and counts.
    """
    found = dict(stated)
    for name, (_, _, usd) in _SCENE.items():
        array = _array(model, name)
        if array is None or stated.get(name) is not None:
            continue
        value = array.numpy()[0].item()
        if name == _HISTORY:
            value = bool(value) and moves_bodies
        elif not (np.isfinite(value) and value >= 0.0):
            wanted = f"a finite number of 0 or more in the scene; {name}= goes first"
            raise InvalidArgumentError(usd, value, wanted)
        found[name] = value
    return found


def check_history(pipeline: Any, options: Any, stated: dict[str, Any]) -> None:
    """Refuse contacts with a history where the solver's own pipeline does not match them.

    Args:
        pipeline: The solver's; None: it has none.
        options: Options of rigid bodies.
        stated: Those of them that the script states.

    Raises:
        InvalidArgumentError: Contacts are not matched.
    """
    if pipeline is None or not options.rigid_contact_history:
        return
    if pipeline.contact_matching != "disabled":
        return
    name = _HISTORY if stated.get(_HISTORY) is not None else _SCENE[_HISTORY][2]
    wanted = 'False with this pipeline: one with contact_matching="latest" or "sticky" matches'
    raise InvalidArgumentError(name, True, wanted)


def check_joints(model: Any) -> None:
    """Check what joints say, and warn of what is deprecated.

    Args:
        model: The model.

    Raises:
        InvalidArgumentError: A joint is neither hard nor soft.
        NotSupportedError: A cable joint has hysteresis.
    """
    hard = _array(model, "joint_is_hard")
    if hard is not None:
        values = hard.numpy()
        wrong = np.flatnonzero((values != 0) & (values != 1))
        if len(wrong):
            at = int(wrong[0])
            raise InvalidArgumentError(
                f"model.vbd.joint_is_hard[{at}]", int(values[at]), "0 (soft) or 1 (hard)"
            )
        if (values == 0).any():
            warn(
                "model.vbd.joint_is_hard is deprecated: it means nothing to the compliant scheme,"
                " and legacy AVBD still honors it",
                NewtonDeprecationWarning,
            )
    largest, length = _array(model, "dahl_eps_max"), _array(model, "dahl_tau")
    if largest is None or length is None:
        return
    rods = model.joint_type.numpy() == JointType.CABLE
    both = np.flatnonzero(rods & (largest.numpy() > 0.0) & (length.numpy() > 0.0))
    if len(both):
        raise NotSupportedError(
            f"SolverVBD with dahl_eps_max and dahl_tau of joint {both[0]}",
            "cable joints bend without hysteresis; rods (add_joint_rod) with it",
        )


def _array(model: Any, name: str) -> Any:
    return getattr(getattr(model, _NAMESPACE, None), name, None)
