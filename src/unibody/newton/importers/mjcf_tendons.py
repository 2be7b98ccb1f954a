"""Tendons of MJCF files, as attributes that SolverMuJoCo reads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import warp as wp

from unibody.core.engine.plain import spec as plain
from unibody.newton.builder import custom
from unibody.newton.enums import EqType
from unibody.newton.exceptions import warn
from unibody.newton.solvers.mujoco.attributes import TENDON_NUMBERS

_NUMBER_OF = {"joint": "coef", "pulley": "divisor"}
_NAMED = ("site", "geom", "joint")
_FIXED, _SPATIAL = 0, 1  # mujoco:tendon_type
_TO_SITE, _AROUND_GEOM, _TO_PULLEY = 0, 1, 2  # mujoco:tendon_wrap_type
_NUMBERS = (*TENDON_NUMBERS, "limited")
_RENAMED = {"actuator_force_limited": "actfrclimited", "actuator_force_range": "actfrcrange"}


class Step(NamedTuple):
    """One part of a tendon's path: its tag, what it is, by name, and its number."""

    kind: str
    target: str
    side: str
    number: float


class Tendon(NamedTuple):
    """A tendon as its file states it."""

    name: str
    values: dict[str, Any]
    path: list[Step]


class Coupling(NamedTuple):
    """An equality constraint of the lengths of one or two tendons, which are named."""

    name: str
    tendons: tuple[str, str]
    polycoef: list[float]
    enabled: bool
    attributes: dict[str, Any]


class Tendons:
    """The tendons of a file, and what couples them."""

    def __init__(self) -> None:
        self.found: list[Tendon] = []
        self._couplings: list[Coupling] = []
        self._paths: list[list[Step]] = []

    def read_paths(self, root: ElementTree.Element) -> None:
        """Read the paths of a document, which may name what is not there."""
        elements = [tendon for section in root.findall("tendon") for tendon in section]
        self._paths = [[_step(part) for part in tendon] for tendon in elements]
        for part in (part for tendon in elements for part in tendon):
            if part.tag in _NAMED and part.tag not in part.attrib:
                part.set(part.tag, part.tag)  # MuJoCo asks for one; the path above counts

    def read(self, spec: Any) -> None:
        """Read the numbers of the spec's tendons, and take those out that nothing else needs.

        The original reads paths that MuJoCo refuses.
        """
        for equality in list(spec.equalities):
            if equality.type == plain.equality_of_tendons():
                vectors = {name: getattr(equality, name).tolist() for name in ("solref", "solimp")}
                names, polycoef = (equality.name1, equality.name2), equality.data[:5].tolist()
                self._couplings.append(
                    Coupling(equality.name, names, polycoef, bool(equality.active), vectors)
                )
                spec.delete(equality)
        used = {actuator.target for actuator in spec.actuators}
        for tendon, path in zip(list(spec.tendons), self._paths, strict=True):
            values = {name: getattr(tendon, name) for name in _NUMBERS}
            values |= {name: getattr(tendon, own) for name, own in _RENAMED.items()}
            self.found.append(
                Tendon(tendon.name, {k: np.array(v, float) for k, v in values.items()}, path)
            )
            if tendon.name not in used:
                spec.delete(tendon)

    def add(
        self,
        builder: Any,
        joints: Mapping[str, int],
        shapes: Mapping[str, Mapping[str, int]],
        tell: Callable[[str], None],
    ) -> dict[str, int]:
        """Add them to a builder.

        Args:
            builder: The builder.
            joints: Name of a joint in the file -> joint.
            shapes: "site" and "geom" -> name in the file -> shape.
            tell: Called with lines about what is left out.

        Returns:
            Name -> number of the tendon.
        """
        numbers: dict[str, int] = {}
        if "mujoco:tendon_type" not in builder.custom_attributes:
            return numbers
        for tendon in self.found:
            is_fixed = any(step.kind == "joint" for step in tendon.path)
            rows = _joint_rows(tendon, joints, tell) if is_fixed else _wrap_rows(tendon, shapes)
            if not rows:
                tell(f"Warning: tendon '{tendon.name}' has no part that is known: left out")
                continue
            number = _add(builder, tendon, rows, is_fixed=is_fixed)
            if tendon.name:
                numbers[tendon.name] = number
        return numbers

    def couple(self, builder: Any, numbers: Mapping[str, int], prefix: str) -> None:
        """Add the equality constraints of tendons.

        Args:
            builder: The builder.
            numbers: Name -> number of the tendon.
            prefix: In front of names.
        """
        known = builder.custom_attributes
        for coupling in self._couplings:
            missing = [name for name in coupling.tendons if name and name not in numbers]
            if missing:
                warn(f"Equality {coupling.name!r} is of an unknown tendon {missing[0]!r}: left out")
                continue
            given = {
                f"mujoco:equality_constraint_tendon{end}": numbers.get(name, -1)
                for end, name in enumerate(coupling.tendons, start=1)
            }
            for name, values in coupling.attributes.items():
                attribute = known[f"mujoco:eq_{name}"]
                given[attribute.key] = attribute.dtype(*values)
            builder.add_equality_constraint(
                EqType.TENDON,
                polycoef=coupling.polycoef,
                key=f"{prefix}{coupling.name}" if coupling.name else None,
                enabled=coupling.enabled,
                custom_attributes=given,
            )


def _step(element: ElementTree.Element) -> Step:
    kind = element.tag
    number = float(element.get(_NUMBER_OF[kind], "0")) if kind in _NUMBER_OF else 0.0
    return Step(kind, element.get(kind, ""), element.get("sidesite", ""), number)


def _joint_rows(
    tendon: Tendon, joints: Mapping[str, int], tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for step in tendon.path:
        if step.target not in joints:
            tell(f"Warning: tendon '{tendon.name}' is of an unknown joint '{step.target}'")
            continue
        joint = joints[step.target]
        rows.append({"mujoco:tendon_joint": joint, "mujoco:tendon_coef": step.number})
    return rows


def _wrap_rows(tendon: Tendon, shapes: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for step in tendon.path:
        shape = side = -1
        kind = _TO_PULLEY
        if step.kind != "pulley":
            kind = _TO_SITE if step.kind == "site" else _AROUND_GEOM
            if step.target not in shapes[step.kind]:
                _warn(tendon, f"references unknown {step.kind} '{step.target}', skipping element.")
                continue
            shape = shapes[step.kind][step.target]
            side = shapes["site"].get(step.side, -1)
            if step.side and side < 0:
                _warn(tendon, f"sidesite '{step.side}' not found.")
        rows.append(
            {
                "mujoco:tendon_wrap_type": kind,
                "mujoco:tendon_wrap_shape": shape,
                "mujoco:tendon_wrap_sidesite": side,
                "mujoco:tendon_wrap_prm": step.number,
            }
        )
    return rows


def _warn(tendon: Tendon, what: str) -> None:
    warnings.warn(f"Spatial tendon '{tendon.name}' {what}", stacklevel=2)


def _add(builder: Any, tendon: Tendon, rows: list[dict[str, Any]], *, is_fixed: bool) -> int:
    known = builder.custom_attributes
    of_path = "mujoco:tendon_joint" if is_fixed else "mujoco:tendon_wrap_type"
    start = len(known[of_path].values or ())
    builder.add_custom_values_batch(rows)
    values: dict[str, Any] = {
        "mujoco:tendon_world": builder.current_world,
        "mujoco:tendon_type": _FIXED if is_fixed else _SPATIAL,
        "mujoco:tendon_label": tendon.name,
        "mujoco:tendon_joint_adr": start if is_fixed else 0,
        "mujoco:tendon_joint_num": len(rows) if is_fixed else 0,
        "mujoco:tendon_wrap_adr": 0 if is_fixed else start,
        "mujoco:tendon_wrap_num": 0 if is_fixed else len(rows),
    }
    for name, value in tendon.values.items():
        attribute = known[f"mujoco:tendon_{name}"]
        length = getattr(attribute.dtype, "_length_", 0)
        row = value.ravel().tolist()
        # of polynomials of stiffness and damping, the first number
        values[attribute.key] = attribute.dtype(*row[:length]) if length else row[0]
    low, high = tendon.values["springlength"].tolist()
    values["mujoco:tendon_springlength"] = wp.vec2(low, -1.0 if high == low else high)
    for name in ("limited", "actuator_force_limited"):
        values[f"mujoco:tendon_{name}"] = int(tendon.values[name])
    return custom.add_row(builder, "mujoco:tendon", values)
