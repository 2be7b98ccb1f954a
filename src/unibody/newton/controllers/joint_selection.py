"""Which joints of a model a controller drives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from unibody.newton.enums import JointType
from unibody.newton.model import Model

Entry = int | str | re.Pattern[str]
Choice = Sequence[Entry] | str | re.Pattern[str] | None


@dataclass(frozen=True)
class Selection:
    """Controlled joints, those of one articulation after another.

    Attributes:
        q_start: The coordinate of each.
        qd_start: The degree of freedom of each.
        articulation: The articulation of each.
    """

    q_start: np.ndarray
    qd_start: np.ndarray
    articulation: np.ndarray

    @property
    def articulations(self) -> np.ndarray:
        """Articulations with a controlled joint."""
        return np.unique(self.articulation)

    @property
    def counts(self) -> np.ndarray:
        """How many controlled joints each of `articulations` has."""
        return np.unique(self.articulation, return_counts=True)[1].astype(np.int32)


def select_joints(model: Model, articulations: Choice, joints: Choice) -> Selection:
    """Find joints of one coordinate and one degree of freedom.

    Args:
        model: The model.
        articulations: Numbers, patterns of labels, or one pattern; None: all.
        joints: Numbers, patterns of the last parts of labels, or one pattern, among those of the
            articulations, in this order; fixed joints are left out. None: all that can be driven.

    Raises:
        ValueError: Something is not there, or a joint that is asked for has more coordinates.
    """
    if not model.articulation_count:
        raise ValueError("model has no articulations: there is nothing to control")
    chosen = _articulations(model, articulations)
    owner = model.joint_articulation.numpy()
    mine: dict[int, list[int]] = {number: [] for number in chosen}
    if joints is None:
        named = [joint for joint in range(model.joint_count) if _is_drivable(model, joint)]
    else:
        named = [joint for joint in _joints(model, joints, chosen) if any(_spans(model, joint))]
        _refuse_undrivable(model, named)
    for joint in named:
        if owner[joint] in mine:
            mine[int(owner[joint])].append(joint)
    found = [joint for number in chosen for joint in mine[number]]
    if not found:
        raise ValueError("articulations and joints select no joint that can be controlled")
    return Selection(
        model.joint_q_start.numpy()[found].astype(np.int32),
        model.joint_qd_start.numpy()[found].astype(np.int32),
        owner[found].astype(np.int32),
    )


def _articulations(model: Model, choice: Choice) -> list[int]:
    if choice is None:
        return list(range(model.articulation_count))
    labels = list(model.articulation_key)
    found: set[int] = set()
    for entry in _entries(choice):
        numbers = _matches(labels, entry)
        if not numbers:
            raise ValueError(
                f"articulations has {entry!r}: no articulation of {len(labels)} has that number "
                f"or label"
            )
        found.update(numbers)
    return sorted(found)


def _joints(model: Model, choice: Choice, chosen: list[int]) -> list[int]:
    owner = model.joint_articulation.numpy()
    names = [label.rsplit("/", 1)[-1] for label in model.joint_key]
    found: list[int] = []
    for entry in _entries(choice):
        numbers = [joint for joint in _matches(names, entry) if owner[joint] in chosen]
        if not numbers:
            raise ValueError(
                f"joints has {entry!r}: no joint of the selected articulations has that number "
                f"or name"
            )
        found += numbers
    return list(dict.fromkeys(found))


def _entries(choice: Choice) -> list[Entry]:
    if isinstance(choice, (str, re.Pattern)):
        return [choice]
    return list(choice or [])


def _matches(labels: list[str], entry: Entry) -> list[int]:
    if isinstance(entry, str):
        return [k for k, label in enumerate(labels) if fnmatchcase(label, entry)]
    if isinstance(entry, re.Pattern):
        return [k for k, label in enumerate(labels) if entry.fullmatch(label)]
    return [int(entry)] if 0 <= entry < len(labels) else []


def _spans(model: Model, joint: int) -> tuple[int, int]:
    """Coordinates and degrees of freedom of a joint."""
    q, qd = model.joint_q_start.numpy(), model.joint_qd_start.numpy()
    return int(q[joint + 1] - q[joint]), int(qd[joint + 1] - qd[joint])


def _is_drivable(model: Model, joint: int) -> bool:
    return _spans(model, joint) == (1, 1)


def _refuse_undrivable(model: Model, joints: list[int]) -> None:
    kinds = model.joint_type.numpy()
    wrong = [
        f"{joint} ({JointType(int(kinds[joint])).name})"
        for joint in joints
        if not _is_drivable(model, joint)
    ]
    if wrong:
        raise ValueError(
            f"joints has {', '.join(wrong)}: a controlled joint must have one coordinate and one "
            f"degree of freedom"
        )
