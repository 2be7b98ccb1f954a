"""Tendons, which builders hold as attributes, in a spec of plain MuJoCo."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.enums import EqType
from unibody.newton.solvers.mujoco.attributes import TENDON_NUMBERS, values_of
from unibody.newton.solvers.mujoco.writer import Writer

_FIXED = 0
_TO_SITE, _AROUND_GEOM = 0, 1  # tendon_wrap_type; beyond them: pulleys
_AUTO = 2
_RANGES = {"limited": ("limited", "range")}
_RANGES |= {"actfrclimited": ("actuator_force_limited", "actuator_force_range")}
UPDATED = {
    "tendon_stiffness": "tendon_stiffness",
    "tendon_damping": "tendon_damping",
    "tendon_frictionloss": "tendon_frictionloss",
    "tendon_range": "tendon_range",
    "tendon_margin": "tendon_margin",
    "tendon_solref_lim": "tendon_solref_limit",
    "tendon_solimp_lim": "tendon_solimp_limit",
    "tendon_solref_fri": "tendon_solref_friction",
    "tendon_solimp_fri": "tendon_solimp_friction",
    "tendon_armature": "tendon_armature",
    "tendon_actfrcrange": "tendon_actuator_force_range",
}
"""MuJoCo's field -> attribute, of numbers that scripts may change."""


def rows_of(model: Any, world: int) -> NDArray[np.int32]:
    """The tendons of a world; of all for -1."""
    worlds = values_of(model, "tendon_world")
    if worlds is None:
        return np.zeros(0, np.int32)
    own = (worlds == world) | (worlds < 0) if world >= 0 else np.ones(len(worlds), bool)
    return np.flatnonzero(own).astype(np.int32)


def write_equalities(writer: Writer, names: dict[int, str]) -> None:
    """Add the couplings of tendons of a world, which come after the tendons.

    Args:
        writer: Writes the world.
        names: Tendon -> its name.
    """
    model, rows = writer.model, writer.rows_of_equalities(EqType.TENDON)
    ends = [values_of(model, f"equality_constraint_tendon{n}") for n in (1, 2)]
    for i in rows:
        numbers = [-1 if of is None else int(of[i]) for of in ends]
        if numbers[0] not in names:
            raise InvalidArgumentError("tendon1", numbers[0], "a tendon of the constraint's world")
        writer.add_equality(i, "tendon", names[numbers[0]], names.get(numbers[1], ""))


def refer(model: Any, writer: Writer) -> None:
    """Have the geoms and sites written that tendons pass, whatever else is left out."""
    for name in ("tendon_wrap_shape", "tendon_wrap_sidesite"):
        found = values_of(model, name)
        if found is not None:
            writer.shapes.referred |= {int(shape) for shape in found if shape >= 0}


class TendonWriter:
    """Writes the tendons of a world.

    Attributes:
        names: Tendon of the model -> name in the spec.
    """

    def __init__(self, model: Any, writer: Writer) -> None:
        self._model, self._writer = model, writer
        self.names: dict[int, str] = {}
        names = [*TENDON_NUMBERS, *(n for pair in _RANGES.values() for n in pair)]
        names += ["type", "joint_adr", "joint_num", "joint", "coef"]
        names += [f"wrap_{n}" for n in ("adr", "num", "type", "shape", "sidesite", "prm")]
        self._of = {name: values_of(model, f"tendon_{name}") for name in names}

    def write(self, world: int) -> None:
        """Add the tendons of a world; -1: all."""
        used: set[str] = set()
        for row in rows_of(self._model, world):
            name = base = self._label(int(row)) or f"tendon_{row}"
            while name in used:
                name = f"{base}_{len(used)}"
            path = self._joints(row) if self._of["type"][row] == _FIXED else self._wraps(row)
            if path is None:
                continue
            used.add(name)
            self.names[int(row)] = name
            self._write(int(row), name, path)

    def _label(self, row: int) -> str:
        labels = getattr(self._model.mujoco, "tendon_label", None)
        return labels[row] if labels is not None and row < len(labels) else ""

    def _write(self, row: int, name: str, path: list[Any]) -> None:
        tendon = self._writer.spec.add_tendon(name=name)
        for attribute in TENDON_NUMBERS:
            present, value = getattr(tendon, attribute), self._of[attribute][row]
            if np.ndim(present):  # polynomials of stiffness and damping have their first here
                present[: np.size(value)] = value
            else:
                setattr(tendon, attribute, value.item())
        if tendon.springlength[1] < 0.0:  # one number stands for both
            tendon.springlength[1] = tendon.springlength[0]
        for limit, (stated, span) in _RANGES.items():
            low, high = (float(v) for v in self._of[span][row])
            asked = int(self._of[stated][row])
            setattr(tendon, limit, bool(low < high) if asked == _AUTO else bool(asked))
        tendon.actfrcrange[:] = self._of["actuator_force_range"][row]
        for wrap, arguments in path:
            getattr(tendon, wrap)(*arguments)

    def _joints(self, row: int) -> list[Any] | None:
        first, count = int(self._of["joint_adr"][row]), int(self._of["joint_num"][row])
        if not self._fits(row, first, count, len(self._of["joint"])):
            return None
        path: list[Any] = []
        for place in range(first, first + count):
            joint = int(self._of["joint"][place])
            names = self._writer.joints.get(joint)
            if names is None:
                raise InvalidArgumentError("tendon_joint", joint, "a joint of the tendon's world")
            if len(names) != 1:
                raise NotSupportedError(
                    f"a tendon of joint {joint}, which has {len(names)} axes",
                    "tendons are of joints of one degree of freedom",
                )
            path.append(("wrap_joint", (names[0], float(self._of["coef"][place]))))
        return path

    def _wraps(self, row: int) -> list[Any] | None:
        first, count = int(self._of["wrap_adr"][row]), int(self._of["wrap_num"][row])
        if not self._fits(row, first, count, len(self._of["wrap_type"])):
            return None
        shapes = self._writer.shapes
        path: list[Any] = []
        for place in range(first, first + count):
            kind, shape = int(self._of["wrap_type"][place]), int(self._of["wrap_shape"][place])
            if kind == _TO_SITE and shape in shapes.sites:
                path.append(("wrap_site", (shapes.sites[shape],)))
            elif kind == _AROUND_GEOM and shape in shapes.geoms:
                side = shapes.sites.get(int(self._of["wrap_sidesite"][place]), "")
                path.append(("wrap_geom", (shapes.geoms[shape], side)))
            elif kind > _AROUND_GEOM:
                path.append(("wrap_pulley", (float(self._of["wrap_prm"][place]),)))
            else:
                raise InvalidArgumentError(
                    "tendon_wrap_shape", shape, "a shape of the tendon's world, of its kind"
                )
        return path

    @staticmethod
    def _fits(row: int, first: int, count: int, most: int) -> bool:
        if first >= 0 and first + count <= most and count > 0:
            return True
        warnings.warn(
            f"tendon {row} is left out: its {count} parts from {first} on are out of bounds of"
            f" {most}",
            stacklevel=2,
        )
        return False
