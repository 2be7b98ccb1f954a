"""Behaviour trees of people at work: places to go to, and waiting there."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from unibody.fleet.behavior_trees.agent_behavior_tree import AgentBehaviorTree
from unibody.fleet.behavior_trees.behavior_tree_core import ActionHandler, Position3, TickResult


class WorkerActionId(str, Enum):  # noqa: UP042
    """Actions of a tree."""

    SELECT_GOAL_FROM_WAYPOINT_SET = "SelectGoalFromWaypointSet"
    WAIT_RANDOM = "WaitRandom"


@dataclass
class WorkerBehaviorTree(AgentBehaviorTree):
    """A tree that also selects goals and waits, both by chance.

    Attributes:
        waypoint_sets: Positions by name of the set [m].
    """

    waypoint_sets: dict[str, list[Position3]] = field(default_factory=dict)

    def _action_handlers(self) -> dict[str | None, ActionHandler]:
        return {
            **super()._action_handlers(),
            WorkerActionId.SELECT_GOAL_FROM_WAYPOINT_SET.value: lambda node, _time: (
                self._select_goal(node)
            ),
            WorkerActionId.WAIT_RANDOM.value: self._wait_random,
        }

    def _select_goal(self, node: Any) -> TickResult:
        name = str(self._port(node.attrib.get("waypoint_set", "")))
        choices = self.waypoint_sets.get(name)
        if not choices:
            return TickResult.FAILURE
        self._set_port(node.attrib.get("output_goal", "{goal}"), tuple(self._rng.choice(choices)))
        return TickResult.SUCCESS

    def _wait_random(self, node: Any, sim_time: float) -> TickResult:
        state = self._state.setdefault(id(node), {})
        if "until" not in state:
            least = float(node.attrib.get("min_seconds", "0"))
            most = float(node.attrib.get("max_seconds", str(least)))
            if most < least:
                raise ValueError("WaitRandom max_seconds must be >= min_seconds")
            state["until"] = sim_time + self._rng.uniform(least, most)
        if sim_time < state["until"]:
            return TickResult.RUNNING
        self._reset(node)
        return TickResult.SUCCESS
