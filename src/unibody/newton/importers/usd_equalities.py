"""Equality constraints of joints by MuJoCo's schemas of USD."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from unibody.newton import usd
from unibody.newton.enums import AttributeFrequency, JointType
from unibody.newton.exceptions import warn
from unibody.newton.usd_values import has_applied_api_schema

_SCHEMA = "MjcEqualityJointAPI"
_NUMBERS = ("solref", "solimp")


class _Coupling(NamedTuple):
    leader: str
    follows: bool  # by Newton's schema, which is read for all solvers
    polycoef: list[float]
    enabled: bool
    given: dict[str, Any]

    def is_mimic(self) -> bool:
        """Whether a joint that follows another one says as much, in all solvers."""
        linear = not any(self.polycoef[2:])
        return self.follows and self.enabled and linear and not self.given


class Equalities:
    """Reads the couplings of joints of a stage.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
        joints: Path of a prim -> joint.
        merged: Path of a prim that is one axis of several -> which one.
    """

    def __init__(
        self, builder: Any, stage: Any, joints: dict[str, int], merged: dict[str, int]
    ) -> None:
        self._builder, self._joints, self._merged = builder, joints, merged
        self._found: dict[str, _Coupling] = {}
        if "mujoco:eq_solref" not in builder.custom_attributes:
            return
        for path in joints:
            prim = stage.GetPrimAtPath(path)
            if prim and has_applied_api_schema(prim, _SCHEMA):
                coupling = self._read(prim, path)
                if coupling is not None and not coupling.is_mimic():
                    self._found[path] = coupling

    def __contains__(self, path: str) -> bool:
        return path in self._found

    def add(self) -> None:
        """Add those that no joint that follows another one can stand for."""
        for path, coupling in self._found.items():
            given = dict(coupling.given)
            for number, end in enumerate((path, coupling.leader), start=1):
                if end in self._merged:
                    first = self._builder.joint_qd_start[self._joints[end]]
                    dof = first + self._merged[end]
                    given[f"mujoco:equality_constraint_joint{number}_dof"] = dof
            self._builder.add_equality_constraint_joint(
                joint1=self._joints[path],
                joint2=self._joints[coupling.leader],
                polycoef=coupling.polycoef,
                key=path,
                enabled=coupling.enabled,
                custom_attributes=given,
            )

    def _read(self, prim: Any, path: str) -> _Coupling | None:
        leader = _target(prim, "newton:mimicJoint")
        stated = leader or _target(prim, "mjc:target")
        if stated not in self._joints:
            warn(f"{_SCHEMA} on {path}: {stated or 'no joint'} was not read: it is left out")
            return None
        offset = usd.get_float(prim, "newton:mimicCoef0")
        if offset is None:
            offset = usd.get_float(prim, "mjc:coef0", 0.0)
        elif self._builder.joint_type[self._joints[path]] == JointType.REVOLUTE:
            offset = math.radians(offset)
        factor = usd.get_float(prim, "newton:mimicCoef1")
        factor = usd.get_float(prim, "mjc:coef1", 1.0) if factor is None else factor
        more = [usd.get_float(prim, f"mjc:coef{power}", 0.0) for power in (2, 3, 4)]
        enabled = bool(usd.get_attribute(prim, "newton:mimicEnabled", True))
        polycoef = [offset, factor, *more]
        return _Coupling(stated, bool(leader), polycoef, enabled, self._numbers(prim))

    def _numbers(self, prim: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in _NUMBERS:
            values = usd.get_attribute(prim, f"mjc:{name}")
            attribute = self._builder.custom_attributes[f"mujoco:eq_{name}"]
            if values is not None and attribute.frequency == AttributeFrequency.EQUALITY_CONSTRAINT:
                found[attribute.key] = attribute.dtype(*(float(v) for v in values))
        return found


def _target(prim: Any, name: str) -> str:
    relation = prim.GetRelationship(name)
    targets = relation.GetTargets() if relation else []
    return str(targets[0]) if targets else ""
