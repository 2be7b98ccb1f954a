"""Behaviour trees."""

from unibody.fleet.behavior_trees.agent_behavior_tree import (
    AgentActionId,
    AgentBehaviorTree,
    PyBulletFleetNavigationAdapter,
)
from unibody.fleet.behavior_trees.behavior_tree_core import (
    BehaviorTree,
    BehaviorTreeNodeType,
    NavigationAdapter,
    NavigationStatus,
    TickResult,
)
from unibody.fleet.behavior_trees.worker_behavior_tree import WorkerActionId, WorkerBehaviorTree

__all__ = [
    "AgentActionId",
    "AgentBehaviorTree",
    "BehaviorTree",
    "BehaviorTreeNodeType",
    "NavigationAdapter",
    "NavigationStatus",
    "PyBulletFleetNavigationAdapter",
    "TickResult",
    "WorkerActionId",
    "WorkerBehaviorTree",
]
