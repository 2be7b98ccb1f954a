"""Tendons of MuJoCo that scripts add to a builder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unibody.newton.builder import custom
from unibody.newton.enums import JointType
from unibody.newton.solvers.mujoco.authoring import rows

_SOLREF = (0.02, 1.0)
_SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
_FIXED, _SPATIAL = 0, 1
_SITE, _GEOM, _PULLEY = range(3)
_SCALAR = (JointType.REVOLUTE, JointType.PRISMATIC)
_SIZES = {
    "range": 2,
    "solref_limit": 2,
    "solimp_limit": 5,
    "solref_friction": 2,
    "solimp_friction": 5,
    "springlength": 2,
}


@dataclass(frozen=True)
class TendonWrapSite:
    """A site that a tendon goes through.

    Attributes:
        site: A shape that is a site.
    """

    site: int


@dataclass(frozen=True)
class TendonWrapGeom:
    """A shape that a tendon goes around.

    Attributes:
        geom: The shape.
        sidesite: A site on the side where it goes, or None.
    """

    geom: int
    sidesite: int | None = None


@dataclass(frozen=True)
class TendonWrapPulley:
    """A pulley, behind which the path of a tendon begins anew.

    Attributes:
        divisor: What lengths behind it are divided by.
    """

    divisor: float


def add_tendon_fixed(builder: Any, joints: Sequence[tuple[int, float]], **options: Any) -> int:
    """Add a tendon whose length is a sum of positions of joints.

    Args:
        builder: The builder.
        joints: Joints and their coefficients.
        **options: See `add_tendon_spatial`.

    Returns:
        Its number.

    Raises:
        ValueError: A joint has not one degree of freedom, or is of another world.
    """
    rows.know_attributes(builder)
    entries = [(int(joint), float(coefficient)) for joint, coefficient in joints]
    if not entries:
        raise ValueError("joints=[] is not allowed: a fixed tendon has at least one joint")
    for joint, _ in entries:
        rows.check_index("joint", joint, builder.joint_count)
        if builder.joint_type[joint] not in _SCALAR:
            raise ValueError(f"joint {joint} of a fixed tendon is neither revolute nor prismatic")
        rows.check_world(builder, "joint", joint, int(builder.joint_world[joint]), "tendon")
    first = custom.frequency_counts(builder).get("mujoco:tendon_joint", 0)
    path = {"joint_adr": first, "joint_num": len(entries), "wrap_adr": 0, "wrap_num": 0}
    values = _values(builder, {"type": _FIXED, **path}, **options)
    for joint, coefficient in entries:
        row = {"mujoco:tendon_joint": joint, "mujoco:tendon_coef": coefficient}
        custom.add_row(builder, "mujoco:tendon_joint", row)
    return custom.add_row(builder, "mujoco:tendon", values)


def add_tendon_spatial(
    builder: Any,
    path: Sequence[TendonWrapSite | TendonWrapGeom | TendonWrapPulley],
    **options: Any,
) -> int:
    """Add a tendon that goes through sites and around shapes.

    Args:
        builder: The builder.
        path: What it goes through, around, and pulleys.
        **options: ``label``, ``stiffness`` [N/m], ``damping`` [N s/m], ``frictionloss`` [N],
            ``limited`` (a bool, or "auto": where a range is stated), ``limit_range`` [m],
            ``margin`` [m], ``armature`` [kg], ``springlength`` [m], ``solref_limit``,
            ``solimp_limit``, ``solref_friction``, ``solimp_friction``, and ``custom_attributes``,
            more attributes of the row.

    Returns:
        Its number.

    Raises:
        ValueError: A shape is of another kind or world, or the path has no part.
    """
    rows.know_attributes(builder)
    entries = [_entry(builder, part) for part in path]
    if not entries:
        raise ValueError("path=[] is not allowed: a spatial tendon has at least one part")
    first = custom.frequency_counts(builder).get("mujoco:tendon_wrap", 0)
    place = {"joint_adr": 0, "joint_num": 0, "wrap_adr": first, "wrap_num": len(entries)}
    values = _values(builder, {"type": _SPATIAL, **place}, **options)
    for entry in entries:
        names = zip(("type", "shape", "sidesite", "prm"), entry, strict=True)
        row = {f"mujoco:tendon_wrap_{name}": value for name, value in names}
        custom.add_row(builder, "mujoco:tendon_wrap", row)
    return custom.add_row(builder, "mujoco:tendon", values)


def _entry(builder: Any, part: Any) -> tuple[int, int, int, float]:
    if isinstance(part, TendonWrapSite):
        rows.check_shape(builder, "site", part.site, "tendon", site=True)
        return _SITE, int(part.site), -1, 0.0
    if isinstance(part, TendonWrapGeom):
        rows.check_shape(builder, "geom", part.geom, "tendon", site=False)
        side = -1 if part.sidesite is None else int(part.sidesite)
        if side >= 0:
            rows.check_shape(builder, "sidesite", side, "tendon", site=True)
        return _GEOM, int(part.geom), side, 0.0
    if isinstance(part, TendonWrapPulley):
        if not part.divisor > 0.0:
            raise ValueError(f"divisor={part.divisor} is not allowed: expected a positive number")
        return _PULLEY, -1, -1, float(part.divisor)
    raise TypeError(f"path: {part!r} is no TendonWrapSite, TendonWrapGeom or TendonWrapPulley")


def _values(
    builder: Any,
    place: dict[str, int],
    *,
    label: str | None = None,
    stiffness: float = 0.0,
    damping: float = 0.0,
    frictionloss: float = 0.0,
    limited: bool | int | str = "auto",
    limit_range: Sequence[float] = (0.0, 0.0),
    margin: float = 0.0,
    solref_limit: Sequence[float] = _SOLREF,
    solimp_limit: Sequence[float] = _SOLIMP,
    solref_friction: Sequence[float] = _SOLREF,
    solimp_friction: Sequence[float] = _SOLIMP,
    armature: float = 0.0,
    springlength: Sequence[float] = (-1.0, -1.0),
    custom_attributes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The attributes of a tendon's row, checked before anything is added."""
    numbers = {"stiffness": stiffness, "damping": damping, "frictionloss": frictionloss}
    numbers |= {"margin": margin, "armature": armature}
    vectors = {"range": limit_range, "solref_limit": solref_limit, "solimp_limit": solimp_limit}
    vectors |= {"solref_friction": solref_friction, "solimp_friction": solimp_friction}
    vectors["springlength"] = springlength
    found: dict[str, Any] = {name: float(value) for name, value in numbers.items()}
    for name, size in _SIZES.items():
        found[name] = rows.vector(builder, f"mujoco:tendon_{name}", vectors[name], size)
    found |= {"limited": rows.tristate(limited), "label": label or "", **place}
    found["world"] = builder.current_world
    values = {f"mujoco:tendon_{name}": value for name, value in found.items()}
    rows.check_given(builder, "mujoco:tendon", values, custom_attributes)
    return values | (custom_attributes or {})
