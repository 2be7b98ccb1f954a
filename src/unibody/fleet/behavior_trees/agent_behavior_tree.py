"""Behaviour trees that drive an agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from unibody.fleet.behavior_trees.behavior_tree_core import (
    ActionHandler,
    BehaviorTree,
    NavigationAdapter,
    NavigationStatus,
    Position3,
    TickResult,
)
from unibody.fleet.spatial.geometry import Pose

_RESULTS = {
    NavigationStatus.RUNNING: TickResult.RUNNING,
    NavigationStatus.SUCCEEDED: TickResult.SUCCESS,
}


class GoalPoseAgent(Protocol):
    """What can be sent to a pose."""

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way."""
        ...

    @property
    def goal_pose(self) -> Pose | None:
        """Where to."""
        ...

    def set_goal_pose(self, goal: Pose) -> None:
        """Send it."""


class AgentActionId(str, Enum):  # noqa: UP042
    """Actions of a tree."""

    NAVIGATE_TO = "NavigateTo"


@dataclass
class PyBulletFleetNavigationAdapter:
    """Drives an agent of a simulation."""

    agent: GoalPoseAgent

    def start_navigation(self, goal: Position3) -> None:
        """Set out."""
        self.agent.set_goal_pose(Pose.from_xyz(*goal))

    def navigation_status(self) -> NavigationStatus:
        """Where that stands."""
        busy = self.agent.is_moving or self.agent.goal_pose is not None
        return NavigationStatus.RUNNING if busy else NavigationStatus.SUCCEEDED


@dataclass
class AgentBehaviorTree(BehaviorTree):
    """A tree with the action ``NavigateTo``, whose port ``goal`` is a position [m]."""

    agent: GoalPoseAgent = field(kw_only=True)
    navigation_adapter: NavigationAdapter | None = field(default=None, kw_only=True)
    _navigation: NavigationAdapter = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        own = PyBulletFleetNavigationAdapter(self.agent)
        self._navigation = self.navigation_adapter or own

    def _action_handlers(self) -> dict[str | None, ActionHandler]:
        return {AgentActionId.NAVIGATE_TO.value: lambda node, _time: self._navigate_to(node)}

    def _navigate_to(self, node: Any) -> TickResult:
        state = self._state.setdefault(id(node), {})
        if not state.get("started"):
            goal = self._port(node.attrib.get("goal", "{goal}"))
            if not isinstance(goal, (tuple, list)) or len(goal) != 3:
                return TickResult.FAILURE
            self._navigation.start_navigation((goal[0], goal[1], goal[2]))
            state["started"] = True
            return TickResult.RUNNING
        result = _RESULTS.get(self._navigation.navigation_status(), TickResult.FAILURE)
        if result is not TickResult.RUNNING:
            self._reset(node)
        return result
