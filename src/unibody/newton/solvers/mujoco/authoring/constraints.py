"""Equality constraints and contact pairs of MuJoCo that scripts add to a builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp

from unibody.newton.builder import custom
from unibody.newton.enums import AttributeFrequency, EqType
from unibody.newton.solvers.mujoco.authoring import rows

_SOLREF = (0.02, 1.0)
_FREQUENCY = AttributeFrequency.EQUALITY_CONSTRAINT
_DEGREE = 5  # coefficients of a polynomial
_OWN = ("type", "body1", "body2", "anchor", "torquescale", "relpose", "joint1", "joint2")
_OWN += ("polycoef", "label", "enabled", "world", "tendon1", "tendon2")
_KEYS = {f"mujoco:equality_constraint_{name}": None for name in _OWN}
_DIMENSIONS = (1, 3, 4, 6)


def add_equality_connect(
    builder: Any, body1: int, body2: int = -1, *, anchor: Any = None, **options: Any
) -> int:
    """Hold two bodies together at a point.

    Args:
        builder: The builder.
        body1: A body, or -1 for the world.
        body2: Another one.
        anchor: The point, in the frame of the first [m].
        **options: ``label``, ``enabled``, ``solref``, ``solimp`` and ``custom_attributes``.

    Returns:
        The number of the constraint.
    """
    _check_bodies(builder, "connect", body1, body2)
    return _add(builder, EqType.CONNECT, dict(body1=body1, body2=body2, anchor=anchor), **options)


def add_equality_weld(
    builder: Any,
    body1: int,
    body2: int = -1,
    *,
    relpose: Any = None,
    torquescale: float = 1.0,
    **options: Any,
) -> int:
    """Hold two bodies together.

    Args:
        builder: The builder.
        body1: A body, or -1 for the world.
        body2: Another one.
        relpose: Pose of the second in the first; None: that of the first state.
        torquescale: Weight of the rotation [m].
        **options: ``label``, ``enabled``, ``solref``, ``solimp`` and ``custom_attributes``.

    Returns:
        The number of the constraint.
    """
    _check_bodies(builder, "weld", body1, body2)
    if relpose is None:  # no rotation: MuJoCo takes the pose of the first state
        relpose = wp.transform(wp.vec3(), wp.quat(0.0, 0.0, 0.0, 0.0))
    ends = {"body1": body1, "body2": body2, "relpose": relpose, "torquescale": torquescale}
    return _add(builder, EqType.WELD, ends, **options)


def add_equality_joint(
    builder: Any,
    joint1: int,
    joint2: int,
    *,
    polycoef: Sequence[float] = (0.0, 1.0),
    **options: Any,
) -> int:
    """Let a joint follow a polynomial of another one.

    Args:
        builder: The builder.
        joint1: What follows.
        joint2: What it follows.
        polycoef: Up to five coefficients.
        **options: ``label``, ``enabled``, ``solref``, ``solimp`` and ``custom_attributes``.

    Returns:
        The number of the constraint.
    """
    for name, joint in (("joint1", joint1), ("joint2", joint2)):
        rows.check_index(name, joint, builder.joint_count)
        if sum(builder.joint_dof_dim[joint]) != 1:
            raise ValueError(f"{name} index {joint} has not one degree of freedom")
        rows.check_world(builder, name, joint, int(builder.joint_world[joint]), "equality")
    if joint1 == joint2:
        raise ValueError(f"joint1=joint2={joint1}: an equality is of two distinct joints")
    ends = {"joint1": joint1, "joint2": joint2, "polycoef": _polynomial(polycoef)}
    return _add(builder, EqType.JOINT, ends, **options)


def add_equality_tendon(
    builder: Any,
    tendon1: int,
    tendon2: int = -1,
    *,
    polycoef: Sequence[float] = (0.0, 1.0),
    custom_attributes: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Let the length of a tendon follow a polynomial of that of another one.

    Args:
        builder: The builder.
        tendon1: What follows.
        tendon2: What it follows, or -1 for nothing.
        polycoef: Up to five coefficients.
        custom_attributes: More attributes of the constraint.
        **options: ``label``, ``enabled``, ``solref`` and ``solimp``.

    Returns:
        The number of the constraint.
    """
    rows.know_attributes(builder)
    count = custom.frequency_counts(builder).get("mujoco:tendon", 0)
    for name, tendon in (("tendon1", tendon1), ("tendon2", tendon2)):
        if name == "tendon1" or tendon != -1:
            rows.check_index(name, tendon, count)
            world = rows.world_of_row(builder, "mujoco:tendon_world", tendon)
            rows.check_world(builder, name, tendon, world, "equality")
    if tendon1 == tendon2:
        raise ValueError(f"tendon1=tendon2={tendon1}: an equality is of two distinct tendons")
    ends = {f"mujoco:equality_constraint_tendon{i}": t for i, t in ((1, tendon1), (2, tendon2))}
    given = {"polycoef": _polynomial(polycoef)}
    rows.check_given(builder, _FREQUENCY, _KEYS, custom_attributes)
    number = _add(builder, EqType.TENDON, given, custom_attributes=custom_attributes, **options)
    custom.set_values(builder, number, ends, _FREQUENCY)
    return number


def add_contact_pair(
    builder: Any,
    geom1: int,
    geom2: int,
    *,
    condim: int = 3,
    solref: Sequence[float] = _SOLREF,
    solreffriction: Sequence[float] = _SOLREF,
    solimp: Sequence[float] = (0.9, 0.95, 0.001, 0.5, 2.0),
    margin: float = 0.0,
    gap: float = 0.0,
    friction: Sequence[float] = (1.0, 1.0, 0.005, 0.0001, 0.0001),
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Let two shapes touch by numbers of their own.

    Args:
        builder: The builder.
        geom1: A shape.
        geom2: Another one.
        condim: Dimension of the contacts: 1, 3, 4 or 6.
        solref: Reference of the normal direction.
        solreffriction: Reference of friction.
        solimp: Impedance.
        margin: Distance from which contacts exist [m].
        gap: What of it is without force [m].
        friction: Five coefficients.
        custom_attributes: More attributes of the row.

    Returns:
        The number of the pair.
    """
    rows.know_attributes(builder)
    for name, shape in (("geom1", geom1), ("geom2", geom2)):
        rows.check_shape(builder, name, shape, "pair", site=False)
    if geom1 == geom2:
        raise ValueError(f"geom1=geom2={geom1}: a pair is of two distinct shapes")
    if condim not in _DIMENSIONS:
        raise ValueError(f"condim={condim} is not allowed: expected one of {_DIMENSIONS}")
    values: dict[str, Any] = {
        "mujoco:pair_world": builder.current_world,
        "mujoco:pair_geom1": int(geom1),
        "mujoco:pair_geom2": int(geom2),
        "mujoco:pair_condim": int(condim),
        "mujoco:pair_margin": float(margin),
        "mujoco:pair_gap": float(gap),
    }
    vectors = {"solref": solref, "solreffriction": solreffriction}
    vectors |= {"solimp": solimp, "friction": friction}
    for name, numbers in vectors.items():
        key = f"mujoco:pair_{name}"
        values[key] = rows.vector(builder, key, numbers, 2 if "ref" in name else _DEGREE)
    return rows.add(builder, "mujoco:pair", values, custom_attributes)


def _check_bodies(builder: Any, kind: str, body1: int, body2: int) -> None:
    for name, body in (("body1", body1), ("body2", body2)):
        rows.check_index(name, body, builder.body_count, -1)
        if body >= 0:
            rows.check_world(builder, name, body, int(builder.body_world[body]), "equality")
    if body1 == body2:
        raise ValueError(f"body1=body2={body1}: a {kind} equality is of two distinct bodies")


def _polynomial(numbers: Sequence[float]) -> list[float]:
    found = [float(v) for v in numbers]
    if len(found) > _DEGREE:
        raise ValueError(f"polycoef={found} is not allowed: expected up to five numbers")
    return [*found, *[0.0] * (_DEGREE - len(found))]


def _add(
    builder: Any,
    kind: EqType,
    ends: dict[str, Any],
    *,
    label: str | None = None,
    enabled: bool = True,
    solref: Sequence[float] | None = None,
    solimp: Sequence[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    rows.know_attributes(builder)
    rows.check_given(builder, _FREQUENCY, _KEYS, custom_attributes)
    given = dict(custom_attributes or {})
    for name, numbers, count in (("solref", solref, 2), ("solimp", solimp, 5)):
        key = f"mujoco:eq_{name}"
        if numbers is not None and key in given:
            raise ValueError(f"{name} and custom_attributes[{key!r}]: expected one of them")
        if numbers is not None:
            given[key] = rows.vector(builder, key, numbers, count)
    return int(
        builder.add_equality_constraint(
            kind, **ends, key=label, enabled=enabled, custom_attributes=given
        )
    )
