"""Grippers: what holds things at the end of an arm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.prims.rigid import RigidPrim


class Gripper(RigidPrim):
    """A body that holds things; derived classes say how.

    Args:
        end_effector_prim_path: The body.
    """

    def __init__(self, end_effector_prim_path: str) -> None:
        super().__init__(end_effector_prim_path, "gripper")
        self._end_effector_prim_path = end_effector_prim_path

    @abstractmethod
    def open(self) -> None:
        """Open at once."""
        raise NotImplementedError

    @abstractmethod
    def close(self) -> None:
        """Close at once."""
        raise NotImplementedError

    @abstractmethod
    def forward(self, action: str) -> ArticulationAction:
        """The action that opens or closes.

        Args:
            action: "open" or "close".
        """
        raise NotImplementedError


class ParallelGripper(Gripper):
    """A gripper with two fingers, each with a joint.

    Args:
        end_effector_prim_path: Its body.
        joint_prim_names: Names of the joints of the fingers.
        joint_opened_positions: Of the joints where it is open.
        joint_closed_positions: The same where it is closed.
        action_deltas: By which an action opens or closes it; None: to the end.
        use_mimic_joints: Whether the second joint follows the first by itself.
    """

    def __init__(
        self,
        end_effector_prim_path: str,
        joint_prim_names: list[str],
        joint_opened_positions: Any,
        joint_closed_positions: Any,
        action_deltas: Any = None,
        use_mimic_joints: bool = False,
    ) -> None:
        super().__init__(end_effector_prim_path)
        self._joint_prim_names = list(joint_prim_names)
        self._opened = np.asarray(joint_opened_positions, float)
        self._closed = np.asarray(joint_closed_positions, float)
        self._deltas = None if action_deltas is None else np.asarray(action_deltas, float)
        self._active = 1 if use_mimic_joints else len(self._joint_prim_names)
        self._indices = np.zeros(0, np.int64)
        self._default: np.ndarray | None = None
        self._count = 0
        self._apply: Callable[..., Any] | None = None
        self._get: Callable[..., Any] | None = None
        self._set: Callable[..., Any] | None = None

    @property
    def joint_opened_positions(self) -> np.ndarray:
        """Of the joints where it is open."""
        return self._opened

    @property
    def joint_closed_positions(self) -> np.ndarray:
        """Of the joints where it is closed."""
        return self._closed

    @property
    def joint_dof_indicies(self) -> np.ndarray:
        """Numbers of the joints among those of the robot."""
        return self._indices

    @property
    def joint_prim_names(self) -> list[str]:
        """Names of the joints."""
        return self._joint_prim_names

    @property
    def active_joint_indices(self) -> np.ndarray:
        """Numbers of the joints that are driven."""
        return self._indices[: self._active]

    @property
    def active_joint_count(self) -> int:
        """How many joints are driven."""
        return self._active

    def initialize(  # type: ignore[override]
        self,
        articulation_apply_action_func: Callable[..., Any],
        get_joint_positions_func: Callable[..., Any],
        set_joint_positions_func: Callable[..., Any],
        dof_names: list[str],
        physics_sim_view: Any = None,
    ) -> None:
        """Take hold of the joints of a robot.

        Args:
            articulation_apply_action_func: Applies an action to the robot.
            get_joint_positions_func: Gives positions of its joints.
            set_joint_positions_func: Sets them.
            dof_names: Names of its joints.
            physics_sim_view: The view of the physics.

        Raises:
            InvalidArgumentError: The robot lacks one of the joints.
        """
        super().initialize(physics_sim_view)
        missing = [name for name in self._joint_prim_names if name not in dof_names]
        if missing:
            raise InvalidArgumentError("joint_prim_names", missing, f"some of {dof_names}")
        self._indices = np.array([dof_names.index(name) for name in self._joint_prim_names])
        self._count = len(dof_names)
        self._apply = articulation_apply_action_func
        self._get, self._set = get_joint_positions_func, set_joint_positions_func
        if self._default is None:
            self._default = np.asarray(self.get_joint_positions(), float)

    def open(self) -> None:
        """Drive the fingers apart."""
        self._send(self.forward("open"))

    def close(self) -> None:
        """Drive the fingers together."""
        self._send(self.forward("close"))

    def set_action_deltas(self, value: Any) -> None:
        """Set by how much an action opens or closes it."""
        self._deltas = None if value is None else np.asarray(value, float)

    def get_action_deltas(self) -> np.ndarray | None:
        """By how much an action opens or closes it; None: to the end."""
        return self._deltas

    def set_default_state(self, joint_positions: Any) -> None:  # type: ignore[override]
        """Set the positions of the fingers by default."""
        self._default = np.asarray(joint_positions, float)

    def get_default_state(self) -> np.ndarray | None:  # type: ignore[override]
        """Positions of the fingers by default."""
        return self._default

    def post_reset(self) -> None:
        """Put the fingers to their positions by default."""
        if self._set is not None and self._default is not None:
            active = self._active
            self._set(self._default[:active], joint_indices=self.active_joint_indices)

    def get_joint_positions(self) -> np.ndarray:
        """Where the fingers are [m or rad]."""
        return self._bound(self._get)(joint_indices=self._indices)

    def set_joint_positions(self, positions: Any) -> None:
        """Put the fingers somewhere at once."""
        self._bound(self._set)(positions, joint_indices=self._indices)

    def forward(self, action: str) -> ArticulationAction:
        """The action that opens or closes, for all joints of the robot.

        Args:
            action: "open" or "close".

        Raises:
            InvalidArgumentError: It is neither.
        """
        ends = {"open": (self._opened, 1.0), "close": (self._closed, -1.0)}
        if action not in ends:
            raise InvalidArgumentError("action", action, "'open' or 'close'")
        target, sign = ends[action]
        if self._deltas is not None:
            outwards = sign * np.sign(self._opened - self._closed)
            here = np.asarray(self.get_joint_positions(), float)
            low, high = np.sort([self._opened, self._closed], axis=0)
            target = np.clip(here + outwards * np.abs(self._deltas), low, high)
        return self._action(target)

    def apply_action(self, control_actions: ArticulationAction) -> None:
        """Apply an action whose values are those of the fingers alone."""
        values = (control_actions.joint_positions, control_actions.joint_velocities,
                  control_actions.joint_efforts)  # fmt: skip
        own = [None if one is None else np.asarray(one)[: self._active] for one in values]
        self._send(ArticulationAction(*own, joint_indices=self.active_joint_indices))

    def _action(self, fingers: np.ndarray) -> ArticulationAction:
        whole: list[float | None] = [None] * self._count
        for number in range(self._active):
            whole[self._indices[number]] = float(fingers[number])
        return ArticulationAction(joint_positions=whole)

    def _send(self, action: ArticulationAction) -> None:
        self._bound(self._apply)(control_actions=action)

    def _bound(self, function: Callable[..., Any] | None) -> Callable[..., Any]:
        if function is None:
            raise RuntimeError("the gripper knows no robot yet: initialize it, or reset the world")
        return function
