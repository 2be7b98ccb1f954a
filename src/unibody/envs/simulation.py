"""The worlds of a task, with the names of links and joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.command_parser import meant
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord, JointRecord
from unibody.core.engine.records.rule_table import DriveMode
from unibody.core.engine.worlds.base import Worlds
from unibody.envs.soft import Cloth, SoftWorlds
from unibody.errors import InvalidArgumentError

Array = NDArray[Any]


class Joints(NamedTuple):
    """Where joints of one axis lie.

    Attributes:
        qpos: Their columns in ``qpos``.
        dof: Their columns in ``qvel``.
        drive: Their rows in ``drives``.
        lower: Their bounds [rad, m].
        upper: Their bounds [rad, m].
    """

    qpos: NDArray[np.int64]
    dof: NDArray[np.int64]
    drive: NDArray[np.int64]
    lower: Array
    upper: Array


class Simulation:
    """Worlds, and what the environment knows of their episodes.

    Attributes:
        worlds: The engine's worlds; its arrays are found here, too.
        records: Bodies by name.
        count: Number of worlds, N.
        steps: Of the environment since each episode began, (N,).
        level: Level of difficulty of each world, (N,).
        soft: The cloth of each world, if the task has one.
        qpos, qvel, xpos, xquat, linear, angular, effort: Arrays of ``Worlds``; ``effort`` are
            generalised forces.
    """

    def __init__(
        self,
        worlds: Worlds,
        records: dict[str, BodyRecord],
        timestep: float,
        cloth: Cloth | None = None,
    ) -> None:
        self.worlds = worlds
        self.records = records
        self.count: int = worlds.count
        self.timestep = timestep
        self.soft: SoftWorlds | None = None if cloth is None else SoftWorlds(worlds, cloth)
        self.steps: NDArray[np.int64] = np.zeros(worlds.count, np.int64)
        self.level: NDArray[np.int64] = np.zeros(worlds.count, np.int64)
        self.qpos: Array = worlds.qpos
        self.qvel: Array = worlds.qvel
        self.xpos: Array = worlds.xpos
        self.xquat: Array = worlds.xquat
        self.linear: Array = worlds.linear
        self.angular: Array = worlds.angular
        self.effort: Array = worlds.qfrc_applied

    def step(self, substeps: int) -> None:
        """Advance all worlds by time steps of the physics, and place their bodies."""
        if self.soft is None:
            self.worlds.step_and_place(substeps)
        else:
            self.soft.step(substeps)

    def link(self, name: str) -> int:
        """Row of a link in ``xpos`` and the like.

        Raises:
            InvalidArgumentError: No link is called so.
        """
        rows = {state.link.name: state.body for r in self.records.values() for state in r.links}
        if name not in rows:
            raise InvalidArgumentError("name", name, f"one of {sorted(rows)}{meant(name, rows)}")
        return rows[name]

    def joints(self, names: Sequence[str] | None = None) -> Joints:
        """Joints of one axis by name; None: all, in the order of the files.

        Raises:
            InvalidArgumentError: No joint of one axis is called so.
        """
        known: dict[str, tuple[JointRecord, Any]] = {}
        for record in self.records.values():
            for joint, state in zip(record.joints, record.links, strict=True):
                if joint.nq == joint.nv == 1:
                    known[state.link.joint.name] = joint, state.link.joint
        found: list[tuple[JointRecord, Any]] = []
        for name in known if names is None else names:
            if name not in known:
                allowed = f"one of {sorted(known)}{meant(name, known)}"
                raise InvalidArgumentError("name", name, allowed)
            found.append(known[name])
        numbers = np.array([(j.qpos, j.dof, j.drive) for j, _ in found], np.int64).reshape(-1, 3)
        lower = np.array([described.lower for _, described in found])
        upper = np.array([described.upper for _, described in found])
        return Joints(numbers[:, 0], numbers[:, 1], numbers[:, 2], lower, upper)

    def hold(self, joints: Joints, stiffness: Any, damping: Any, effort: Any) -> None:
        """Set the gains of PD drives, which are solved with the step; see ``aim``.

        Args:
            joints: Which; their body was added with ``drives``.
            stiffness: [Nm/rad or N/m].
            damping: [Nms/rad or Ns/m].
            effort: Largest torque or force [Nm or N].
        """
        drives = self.worlds.drives
        for column, value in (
            (t.D_MODE, DriveMode.PD),
            (t.D_KP, stiffness),
            (t.D_KD, damping),
            (t.D_LIMIT, effort),
        ):
            drives[:, joints.drive, column] = value

    def aim(self, joints: Joints, targets: Array) -> None:
        """Set the targets of drives, (N, joints) [rad, m]."""
        self.worlds.drives[:, joints.drive, t.D_POSITION] = targets

    def spin(self, joints: Joints, speeds: Array) -> None:
        """Set the target velocities of drives, (N, joints) [rad/s, m/s]."""
        self.worlds.drives[:, joints.drive, t.D_VELOCITY] = speeds
