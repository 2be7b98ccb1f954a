"""Targets of joints by coordinate, as scripts of 1.x read and write them in a builder."""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.errors import NotSupportedError
from unibody.newton.targets import coordinate_of_dof

if TYPE_CHECKING:
    from unibody.newton.builder.tables import Tables


class CoordinateTargets(MutableSequence[float]):
    """A list with one target a coordinate; the builder's own has one a degree of freedom.

    A rotation is a quaternion here and three angles there, so that it is written as a whole.

    Args:
        builder: Whose targets they are.
    """

    def __init__(self, builder: Tables) -> None:
        self._builder = builder

    def __len__(self) -> int:
        return self._builder.joint_coord_count

    def __repr__(self) -> str:
        return repr(self._values())

    def __eq__(self, other: object) -> bool:
        return list(self) == other

    __hash__: None = None  # type: ignore[assignment]

    def __getitem__(self, index: Any) -> Any:
        return self._values()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        values = self._values()
        before = list(values)
        values[index] = value
        if len(values) != len(before):
            self._refuse_length()
        changed = {
            i for i, pair in enumerate(zip(values, before, strict=True)) if pair[0] != pair[1]
        }
        stated = {index % len(self)} if isinstance(index, int) else set(range(len(self))[index])
        targets = self._builder.joint_target_pos
        for dof, place in enumerate(self._places()):
            if place >= 0:
                if place in changed:
                    targets[dof] = float(values[place])
                continue
            start, component = divmod(-1 - place, 4)
            rotation = set(range(start, start + 4))
            if component or not rotation & changed:
                continue
            if not rotation <= stated:
                raise NotSupportedError(
                    f"joint_target_q[{min(rotation & changed)}] = ..., a part of a quaternion",
                    f"joint_target_q[{start}:{start + 4}] = ... states all of it",
                )
            turn = wp.normalize(wp.quat(*(float(v) for v in values[start : start + 4])))
            targets[dof : dof + 3] = [float(v) for v in wp.quat_to_euler(turn, 2, 1, 0)]

    def __delitem__(self, index: Any) -> None:
        self._refuse_length()

    def insert(self, index: int, value: float) -> None:
        """Joints bring their targets: none is inserted."""
        self._refuse_length(f"insert({index}, {value}): ")

    def assign(self, values: Iterable[float]) -> None:
        """State all targets."""
        self[:] = list(values)

    def _refuse_length(self, call: str = "") -> None:
        raise NotSupportedError(
            f"{call}joint_target_q of another length than {len(self)}, one a coordinate",
            "add_joint_... adds coordinates",
        )

    def _places(self) -> list[int]:
        builder = self._builder
        starts = [*builder.joint_qd_start, builder.joint_dof_count]
        return coordinate_of_dof(builder.joint_type, builder.joint_q_start, starts).tolist()

    def _values(self) -> list[float]:
        targets = self._builder.joint_target_pos
        found = [0.0] * len(self)
        for dof, place in enumerate(self._places()):
            if place >= 0:
                found[place] = targets[dof]
                continue
            start, component = divmod(-1 - place, 4)
            if component == 0:
                angles = wp.vec3(*np.asarray(targets[dof : dof + 3], float).tolist())
                found[start : start + 4] = [float(v) for v in wp.quat_from_euler(angles, 2, 1, 0)]
        return found
