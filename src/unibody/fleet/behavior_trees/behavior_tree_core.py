"""Behaviour trees in the format of BehaviorTree.CPP 4: a small part of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any, Protocol, Self, TypeAlias

from unibody.core.assets.xml import read_xml
from unibody.fleet.foundation.argument_checks import ArgumentKindError

Position3: TypeAlias = tuple[float, float, float]


class BehaviorTreeNodeType(str, Enum):  # noqa: UP042
    """The nodes that are understood."""

    SEQUENCE = "Sequence"
    FALLBACK = "Fallback"
    REPEAT = "Repeat"
    ACTION = "Action"


class TickResult(str, Enum):  # noqa: UP042
    """What a node says when it is asked."""

    SUCCESS = "success"
    FAILURE = "failure"
    RUNNING = "running"


class NavigationStatus(str, Enum):  # noqa: UP042
    """Where a navigation stands."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class NavigationAdapter(Protocol):
    """Drives a robot for a tree."""

    def start_navigation(self, goal: Position3) -> None:
        """Set out."""

    def navigation_status(self) -> NavigationStatus:
        """Where that stands."""
        ...


ActionHandler = Callable[[Any, float], TickResult]


@dataclass
class BehaviorTree:
    """A tree, and where it stands.

    Attributes:
        root: Its root.
        blackboard: What its nodes share.
        seed: Of its random numbers.
        tree_id: Its name in the file.
    """

    root: Any
    blackboard: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    tree_id: str = "MainTree"
    _state: dict[int, dict[str, Any]] = field(default_factory=dict, init=False)
    _rng: Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        try:
            self._rng = Random(self.seed)
        except TypeError:
            raise ArgumentKindError("seed", self.seed, "a whole number") from None

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        blackboard: dict[str, Any] | None = None,
        seed: int = 0,
        **subclass_kwargs: Any,
    ) -> Self:
        """Read a tree.

        Raises:
            ValueError: The file is in another format, or has no tree, or one with several roots.
            AssetError: It is not XML.
        """
        document = read_xml(path, root="root")
        if document.attrib.get("BTCPP_format") != "4":
            raise ValueError("Expected a BehaviorTree.CPP v4 <root BTCPP_format='4'> document")
        trees = {t.attrib.get("ID"): t for t in document if t.tag == "BehaviorTree"}
        tree_id = document.attrib.get("main_tree_to_execute") or next(iter(trees), None)
        if not tree_id or tree_id not in trees:
            raise ValueError("Behavior tree document has no executable BehaviorTree")
        roots = list(trees[tree_id])
        if len(roots) != 1:
            raise ValueError(f"BehaviorTree {tree_id!r} must contain exactly one root node")
        return cls(
            root=roots[0],
            blackboard=dict(blackboard or {}),
            seed=seed,
            tree_id=tree_id,
            **subclass_kwargs,
        )

    def tick(self, sim_core: Any, _dt: float) -> None:
        """Ask the root once."""
        self._tick(self.root, float(sim_core.sim_time))

    def _tick(self, node: Any, sim_time: float) -> TickResult:
        try:
            kind = BehaviorTreeNodeType(node.tag)
        except ValueError as problem:
            raise ValueError(f"Unsupported BehaviorTree.CPP profile node <{node.tag}>") from problem
        if kind is BehaviorTreeNodeType.ACTION:
            return self._tick_action(node, sim_time)
        if kind is BehaviorTreeNodeType.REPEAT:
            return self._tick_repeat(node, sim_time)
        stops = TickResult.FAILURE if kind is BehaviorTreeNodeType.SEQUENCE else TickResult.SUCCESS
        return self._tick_children(node, sim_time, stops)

    def _tick_children(self, node: Any, sim_time: float, stops: TickResult) -> TickResult:
        """Ask one child after the other until one says ``stops``; its opposite if none does."""
        children = list(node)
        if not children:
            raise ValueError(f"<{node.tag}> requires at least one child")
        state = self._state.setdefault(id(node), {"index": 0})
        result = TickResult.SUCCESS
        while state["index"] < len(children):
            result = self._tick(children[state["index"]], sim_time)
            if result is TickResult.RUNNING:
                return result
            if result is stops:
                break
            state["index"] += 1
        self._reset(node)
        return result

    def _tick_repeat(self, node: Any, sim_time: float) -> TickResult:
        children = list(node)
        if len(children) != 1:
            raise ValueError("<Repeat> requires exactly one child")
        cycles = int(node.attrib.get("num_cycles", "-1"))
        state = self._state.setdefault(id(node), {"completed": 0})
        result = self._tick(children[0], sim_time)
        if result is TickResult.RUNNING:
            return result
        if result is TickResult.FAILURE:
            self._reset(node)
            return result
        state["completed"] += 1
        self._reset(children[0])
        if 0 <= cycles <= state["completed"]:
            self._reset(node)
            return TickResult.SUCCESS
        return TickResult.RUNNING

    def _tick_action(self, node: Any, sim_time: float) -> TickResult:
        action_id = node.attrib.get("ID")
        handler = self._action_handlers().get(action_id)
        if handler is None:
            raise ValueError(f"Unsupported BehaviorTree.CPP Action ID {action_id!r}")
        return handler(node, sim_time)

    def _action_handlers(self) -> dict[str | None, ActionHandler]:
        return {}

    def _port(self, value: str) -> Any:
        """What a port holds: a value, or ``{key}`` of the blackboard."""
        if value.startswith("{") and value.endswith("}"):
            return self.blackboard.get(value[1:-1])
        return value

    def _set_port(self, port: str, value: Any) -> None:
        if not (port.startswith("{") and port.endswith("}")):
            raise ValueError("BehaviorTree.CPP output ports must use {blackboard_key} syntax")
        self.blackboard[port[1:-1]] = value

    def _reset(self, node: Any) -> None:
        self._state.pop(id(node), None)
        for child in node:
            self._reset(child)
