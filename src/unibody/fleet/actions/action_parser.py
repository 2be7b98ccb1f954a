"""Actions from JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from unibody.fleet.actions.action import (
    Action,
    DropAction,
    JointAction,
    MoveAction,
    PickAction,
    PoseAction,
    WaitAction,
)
from unibody.fleet.actions.elevator_action import ElevatorAction
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.spatial.geometry import Path, Pose

logger: LazyLogger = get_lazy_logger(__name__)
ACTIONS: dict[str, type[Action]] = {
    "drop": DropAction,
    "elevator": ElevatorAction,
    "joint": JointAction,
    "move": MoveAction,
    "pick": PickAction,
    "pose": PoseAction,
    "wait": WaitAction,
}


def _to_path(raw: Any) -> Path:
    if not raw:
        raise ValueError("'path' must be non-empty")
    return Path.from_positions(raw)


def _to_pose(raw: Any) -> Pose:
    if isinstance(raw, list):
        return Pose.from_xyz(*raw[:3])
    if isinstance(raw, dict):
        position = raw.get("position", [0, 0, 0])
        return Pose(position, raw.get("orientation", [0, 0, 0, 1]))
    raise ValueError(f"pose must be a list or dict, got {type(raw)}")


_READERS: dict[str, Callable[[Any], Any]] = {"Path": _to_path, "Pose": _to_pose}


def _reader(annotation: Any) -> Callable[[Any], Any]:
    name = str(annotation).replace("| None", "").strip()
    return _READERS.get(name, lambda raw: raw)


def _build_action(cls: type[Action], params: dict[str, Any]) -> Action:
    kwargs: dict[str, Any] = {}
    for item in action_parameters(cls).values():
        missing = dataclasses.MISSING
        needed = item.default is missing and item.default_factory is missing
        raw = params.get(item.name)
        if needed and raw is None:
            raise ValueError(f"'{item.name}' is required")
        if item.name in params:
            kwargs[item.name] = None if raw is None else _reader(item.type)(raw)
    return cls(**kwargs)


def action_from(kind: str, params: dict[str, Any]) -> Action:
    """An action from its type ("move", "pick", ...) and its parameters.

    Raises:
        ValueError: There is no such type, or a parameter is unknown, missing or wrong.
    """
    cls = ACTIONS.get(kind)
    if cls is None:
        raise ValueError(f"type {kind!r} is not allowed: one of {sorted(ACTIONS)}")
    known = action_parameters(cls)
    unknown = [name for name in params if name not in known]
    if unknown:
        raise ValueError(f"{kind} takes no {unknown[0]!r}: one of {sorted(known)}")
    return _build_action(cls, params)


def action_parameters(cls: type[Action]) -> dict[str, dataclasses.Field[Any]]:
    """What an action can be made from, by name."""
    found = dataclasses.fields(cls)  # type: ignore[arg-type]
    return {item.name: item for item in found if item.init and not item.name.startswith("_")}


def parse_action_goal(action_type: str, action_params_json: str) -> Action | None:
    """An action from its type ("move", "pick", ...) and its parameters as a JSON object.

    Returns:
        The action; None, with an error in the log, if there is no such type or a parameter is
        missing or wrong.
    """
    try:
        params = json.loads(action_params_json) if action_params_json.strip() else {}
    except json.JSONDecodeError as problem:
        logger.error("Invalid JSON for action_type='%s': %s", action_type, problem)
        return None
    cls = ACTIONS.get(action_type)
    if cls is None:
        logger.error("Unknown action_type='%s'. Valid: %s", action_type, list(ACTIONS))
        return None
    try:
        return _build_action(cls, params)
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        logger.error("Failed to create %s action: %s", action_type, problem)
        return None
