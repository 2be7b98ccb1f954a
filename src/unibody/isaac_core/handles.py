"""Paths of prims, which are what scripts hold in their hands, and their checks."""

from __future__ import annotations

from collections import deque
from typing import Any, cast

from pxr import Sdf, Usd, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit import context


def current_stage() -> Usd.Stage:
    """The stage that functions work on: that of ``use_stage``, or the app's.

    A process that has none gets an empty one.
    """
    if _used:
        return _used[-1]
    holder = context.get_context()
    if holder.get_stage() is None:
        holder.new_stage()
    return cast("Usd.Stage", holder.get_stage())


_used: list[Usd.Stage] = []


def push_stage(stage: Usd.Stage) -> None:
    """Work on another stage, until `pop_stage`."""
    _used.append(stage)


def pop_stage() -> None:
    """Work on the stage before."""
    _used.pop()


def prim_at(path: Any, argument: str = "prim_path") -> Usd.Prim:
    """The prim of a path.

    Raises:
        InvalidArgumentError: There is none.
    """
    text = str(path)
    found = current_stage().GetPrimAtPath(text) if Sdf.Path.IsValidPathString(text) else None
    if not found:
        raise InvalidArgumentError(argument, text, "the path of a prim of the stage")
    return found


def is_ancestral(prim: Usd.Prim) -> bool:
    """Whether a reference of a prim above brought a prim, so that it cannot be deleted."""
    own = set(current_stage().GetLayerStack())
    specs = prim.GetPrimStack()
    return not any(spec.layer in own and spec.path == prim.GetPath() for spec in specs)


def physics_scene(stage: Usd.Stage) -> Usd.Prim | None:
    """The first prim of a stage that is a physics scene, level by level; None: there is none.

    Environments lie deep and are many; scenes are seldom below them.
    """
    level = deque([stage.GetPseudoRoot()])
    while level:
        for child in level.popleft().GetChildren():
            if child.IsA(UsdPhysics.Scene):
                return child
            level.append(child)
    return None
