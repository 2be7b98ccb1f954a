"""Controllers that pick things up, and put them down and on one another."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.controllers.base_controller import BaseController
from unibody.isaac_core.functions.rotations import euler_angles_to_quat
from unibody.isaac_core.functions.stage import get_stage_units
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.manipulators.grippers import Gripper

_HEIGHT = 0.3  # m: of the hand on its way
_TIMES = (0.008, 0.005, 1.0, 0.1, 0.05, 0.05, 0.0025, 1.0, 0.008, 0.08)
_OVER, _DOWN, _REST, _CLOSE, _UP, _ACROSS, _LOWER, _OPEN, _AWAY, _BACK = range(len(_TIMES))


class PickPlaceController(BaseController):
    """Picks a thing up and places it elsewhere, in ten events.

    The hand goes over the thing, down, rests, closes, goes up, across, down, opens, goes up and
    back.

    Args:
        name: Of the controller.
        cspace_controller: Moves the hand to a target.
        gripper: Holds the thing.
        end_effector_initial_height: Of the hand on its way [m].
        events_dt: By how much each event goes on in a step, of 1; at most ten.
    """

    def __init__(
        self,
        name: str,
        cspace_controller: BaseController,
        gripper: Gripper,
        end_effector_initial_height: float | None = None,
        events_dt: Any = None,
    ) -> None:
        super().__init__(name)
        self._cspace_controller, self._gripper = cspace_controller, gripper
        self._height = 0.0
        self._times: list[float] = []
        self._start: np.ndarray | None = None
        self._paused = False
        self._begin(end_effector_initial_height, events_dt)

    def _begin(self, height: float | None, times: Any) -> None:
        self._event, self._share, self._start = 0, 0.0, None
        if height is not None or not self._height:
            self._height = _HEIGHT / get_stage_units() if height is None else float(height)
        if times is not None or not self._times:
            given = _TIMES if times is None else tuple(np.asarray(times, float).tolist())
            if not 0 < len(given) <= len(_TIMES):
                raise InvalidArgumentError("events_dt", times, f"1 to {len(_TIMES)} numbers")
            self._times = list(given)

    def is_paused(self) -> bool:
        """Whether it rests."""
        return self._paused

    def get_current_event(self) -> int:
        """Number of the event, from 0; as many as there are events: it is done."""
        return self._event

    def is_done(self) -> bool:
        """Whether all events are over."""
        return self._event >= len(self._times)

    def pause(self) -> None:
        """Rest."""
        self._paused = True

    def resume(self) -> None:
        """Go on."""
        self._paused = False

    def reset(  # type: ignore[override]
        self, end_effector_initial_height: float | None = None, events_dt: Any = None
    ) -> None:
        """Begin again.

        Args:
            end_effector_initial_height: Of the hand on its way [m]; None: as before.
            events_dt: By how much each event goes on in a step; None: as before.
        """
        super().reset()
        self._cspace_controller.reset()
        self._paused = False
        self._begin(end_effector_initial_height, events_dt)

    def forward(
        self,
        picking_position: Any,
        placing_position: Any,
        current_joint_positions: Any,
        end_effector_offset: Any = None,
        end_effector_orientation: Any = None,
    ) -> ArticulationAction:
        """The action of the next step.

        Args:
            picking_position: Of the thing [m].
            placing_position: Where it goes [m].
            current_joint_positions: Of the robot.
            end_effector_offset: Of the hand from both [m].
            end_effector_orientation: w, x, y, z; None: the hand points down.
        """
        nothing = ArticulationAction(joint_positions=[None] * len(current_joint_positions))
        if self._paused or self.is_done():
            return nothing
        event = self._event
        if event == _REST:
            action = nothing
        elif event in (_CLOSE, _OPEN):
            action = self._gripper.forward("close" if event == _CLOSE else "open")
        else:
            offset = np.zeros(3) if end_effector_offset is None else np.asarray(end_effector_offset)
            if end_effector_orientation is None:
                end_effector_orientation = euler_angles_to_quat(np.array([0.0, np.pi, 0.0]))
            target = self._target(np.asarray(picking_position), np.asarray(placing_position), event)
            action = self._cspace_controller.forward(
                target_end_effector_position=target + offset,
                target_end_effector_orientation=end_effector_orientation,
            )
        self._share += self._times[event]
        if self._share >= 1.0:
            self._event, self._share = event + 1, 0.0
        return action

    def _target(self, pick: np.ndarray, place: np.ndarray, event: int) -> np.ndarray:
        """Where the hand goes: over, down to, and up from the thing; and the same at the place."""
        if event <= _DOWN or self._start is None:
            self._start = pick.copy()  # later the thing moves with the hand
        share = _smooth(self._share)
        begin, end = self._start, place
        across = {_ACROSS: share, _LOWER: 1.0, _AWAY: 1.0, _BACK: 1.0 - share}.get(event, 0.0)
        low = begin[2] if event <= _UP else end[2]
        down = {_DOWN: share, _UP: 1.0 - share, _LOWER: share, _AWAY: 1.0 - share}.get(event, 0.0)
        flat = begin[:2] + across * (end[:2] - begin[:2])
        return np.array([*flat, self._height + down * (low - self._height)])


def _smooth(share: float) -> float:
    """From 0 to 1 with rest at both ends."""
    return 0.5 * (1.0 - np.cos(np.pi * min(max(share, 0.0), 1.0)))


class StackingController(BaseController):
    """Puts cubes on one another.

    Args:
        name: Of the controller.
        pick_place_controller: Does so with one.
        picking_order_cube_names: Names of the cubes, in their order.
        robot_observation_name: Name of the robot among the observations.
    """

    def __init__(
        self,
        name: str,
        pick_place_controller: PickPlaceController,
        picking_order_cube_names: list[str],
        robot_observation_name: str,
    ) -> None:
        super().__init__(name)
        self._one = pick_place_controller
        self._names, self._robot = list(picking_order_cube_names), robot_observation_name
        self._next = 0

    def forward(
        self,
        observations: dict[str, Any],
        end_effector_orientation: Any = None,
        end_effector_offset: Any = None,
    ) -> ArticulationAction:
        """The action of the next step, of what a stacking task observes.

        Args:
            observations: By the names of cubes and of the robot.
            end_effector_orientation: w, x, y, z; None: the hand points down.
            end_effector_offset: Of the hand [m].
        """
        joints = observations[self._robot]["joint_positions"]
        if self.is_done():
            return ArticulationAction(joint_positions=[None] * len(joints))
        cube = observations[self._names[self._next]]
        action = self._one.forward(
            cube["position"], cube["target_position"], joints, end_effector_offset,
            end_effector_orientation,
        )  # fmt: skip
        if self._one.is_done():
            self._next += 1
            self._one.reset()
        return action

    def reset(self, picking_order_cube_names: list[str] | None = None) -> None:  # type: ignore[override]
        """Begin again.

        Args:
            picking_order_cube_names: Names of the cubes; None: as before.
        """
        if picking_order_cube_names is not None:
            self._names = list(picking_order_cube_names)
        self._next = 0
        self._one.reset()

    def is_done(self) -> bool:
        """Whether all cubes are on one another."""
        return self._next >= len(self._names)
