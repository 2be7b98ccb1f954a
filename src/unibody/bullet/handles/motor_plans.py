"""Motors that are told nearly the same again and again, remembered for the next call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.calls.compiled_states import MOTOR_ROW
from unibody.bullet.handles.joint_reader import JointReader

Memory: TypeAlias = NDArray[np.float64]

_MOST = 8  # plans of one body
_NUMBER = 8  # bytes


def motor_rows(
    limits: Sequence[tuple[float, float]],
    drives_at: Sequence[int],
    forces_at: Sequence[int],
    scale: float,
) -> Memory:
    """The joints of a body, for compiled functions that tell motors what to do.

    A row with their number and what a limit of force is multiplied by, and one for each joint:
    limits, and addresses (int64) of its drive and force; 0: it has not exactly one axis.
    """
    rows = np.zeros((1 + len(limits), MOTOR_ROW // _NUMBER))
    rows[0, :2] = len(limits), scale
    for row, (lower, upper), drive, force in zip(
        rows[1:], limits, drives_at, forces_at, strict=True
    ):
        row[:2] = (lower, upper) if lower <= upper else (-math.inf, math.inf)
        row[2:].view(np.int64)[:] = drive, force
    return rows


class TargetPlan:
    """Motors that are given new targets again and again, while all else about them stays.

    Attributes:
        settings: What has to stay: copies of the arguments.
        mode: POSITION_CONTROL or VELOCITY_CONTROL.
        drives: Numbers of the motors.
        address: Of five rows of memory with a number a motor: where its targets are (int64, bytes
            from the body's first motor), lower and upper limit, and two rows of room.
        zeros: A zero for each motor.
    """

    __slots__ = ("_memory", "address", "drives", "mode", "settings", "zeros")

    def __init__(
        self,
        settings: tuple[Any, ...],
        mode: int,
        drives: list[int],
        offsets: list[int],
        limits: list[tuple[float, float]],
    ) -> None:
        self.settings: tuple[Any, ...] = settings
        self.mode: int = mode
        self.drives: frozenset[int] = frozenset(drives)
        self.zeros: tuple[float, ...] = (0.0,) * len(offsets)
        lower = [low if low <= high else -math.inf for low, high in limits]
        upper = [high if low <= high else math.inf for low, high in limits]
        count = len(offsets)
        self._memory = np.array([self.zeros, lower, upper, self.zeros, self.zeros])
        self._memory[0].view(np.int64)[:count] = offsets
        self.address: int = self._memory.ctypes.data


class TorquePlan:
    """Joints that are given forces again and again.

    Attributes:
        joints: The argument that named them, a copy.
        count: How many they are.
        address: Of two rows of memory with a number a joint: where its force is (int64, bytes from
            the body's first), and a row of room.
    """

    __slots__ = ("_memory", "address", "count", "joints")

    def __init__(self, joints: Any, dofs: list[int]) -> None:
        self.joints: Any = joints
        self.count: int = len(dofs)
        self._memory = np.zeros((2, self.count))
        self._memory[0].view(np.int64)[:] = np.array(dofs) * _NUMBER
        self.address: int = self._memory.ctypes.data


class MotorPlans:
    """The plans of one body; no motor is in two of those with targets."""

    __slots__ = ("multi_reader", "reader", "rows", "rows_at", "targets", "torques")

    def __init__(self) -> None:
        self.rows: Memory | None = None  # see motor_rows
        self.rows_at = 0  # their address; 0: they have to be made again
        self.targets: list[TargetPlan] = []
        self.torques: TorquePlan | None = None
        self.reader: JointReader | None = None  # of the joints that were read together last
        self.multi_reader: JointReader | None = None  # the same for getJointStatesMultiDof

    def with_settings(self, settings: tuple[Any, ...]) -> TargetPlan | None:
        """The plan of motors whose settings are the same.

        Raises:
            ValueError: There are arrays in the settings.
        """
        for plan in self.targets:
            if plan.settings == settings:
                return plan
        return None

    def with_joints(self, joints: Any) -> TorquePlan | None:
        """The plan of joints that were named the same way.

        Raises:
            ValueError: ``joints`` is an array.
        """
        plan = self.torques
        return plan if plan is not None and plan.joints == joints else None

    def remember(self, plan: TargetPlan) -> None:
        """Keep a plan; its motors are in no other one."""
        self.targets.append(plan)
        del self.targets[:-_MOST]

    def forget(self, drive: int) -> None:
        """Drop the plan that a motor is in: it was told something else."""
        self.targets = [plan for plan in self.targets if drive not in plan.drives]

    def clear(self) -> None:
        """Drop all plans with targets, and the rows of the joints."""
        self.targets.clear()
        self.rows_at: int = 0
