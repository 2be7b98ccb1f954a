"""Numbers of the bodies of a scene, by their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.cli.readings.base import F64, plain
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord

_FREE_Q = ("x", "y", "z", "qw", "qx", "qy", "qz")
_FREE_V = ("vx", "vy", "vz", "wx", "wy", "wz")
_TARGETS = (("target_position", t.D_POSITION), ("target_velocity", t.D_VELOCITY))


class Columns:
    """Names of numbers, and where they are now.

    Args:
        records: Bodies of a scene.
    """

    def __init__(self, records: Mapping[int, BodyRecord]) -> None:
        self._positions: dict[str, int] = {}
        self._velocities: dict[str, int] = {}
        self._targets: dict[str, tuple[int, int]] = {}  # row and column of the drives
        self._efforts: dict[str, int] = {}
        self.find(records)
        self.state: list[str] = [*self._positions, *self._velocities]
        self.action: list[str] = [*self._targets, *self._efforts]

    def find(self, records: Mapping[int, BodyRecord]) -> None:
        """Look where the numbers are."""
        kept = (self._positions, self._velocities, self._targets, self._efforts)
        for each in kept:
            each.clear()
        for number, record in records.items():
            body = plain(record.asset.name or "body", number)
            for index, joint in enumerate(record.joints):
                if not joint.nv:
                    continue
                name = plain(body, record.links[index].link.joint.name or (index or ""))
                free = joint.nv == 6
                for k in range(joint.nq):
                    last = _FREE_Q[k] if free else "position" if joint.nq == 1 else f"position_{k}"
                    self._positions[f"{name}_{last}"] = joint.qpos + k
                for k in range(joint.nv):
                    last = _FREE_V[k] if free else "velocity" if joint.nv == 1 else f"velocity_{k}"
                    self._velocities[f"{name}_{last}"] = joint.dof + k
                if joint.nv == 1:
                    if joint.drive >= 0:
                        for word, column in _TARGETS:
                            self._targets[f"{name}_{word}"] = (joint.drive, column)
                    self._efforts[f"{name}_effort"] = joint.dof

    def read_state(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> F64:
        """The numbers of ``state``; NaN for those of bodies that are gone."""
        found = {name: qpos[at] for name, at in self._positions.items()}
        found |= {name: qvel[at] for name, at in self._velocities.items()}
        return np.array([found.get(name, np.nan) for name in self.state], np.float64)

    def read_action(self, drives: NDArray[Any], efforts: NDArray[Any]) -> F64:
        """The numbers of ``action``, from the drives (n, DRIVE_SIZE) and generalised forces."""
        found = {name: drives[at] for name, at in self._targets.items()}
        found |= {name: efforts[at] for name, at in self._efforts.items()}
        return np.array([found.get(name, np.nan) for name in self.action], np.float64)
