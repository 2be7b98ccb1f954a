"""Which prims of a stage are environments, and which of these are copies of one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pxr import Usd

_CHILD = re.compile(r"env_?\d+")
_PARENT = "envs"
_DEPTH = 3  # of the prims that are looked at: /World/envs has two levels
_MOVES = ("xformOp:", "xformOpOrder", "visibility")

_declared: dict[str, list[str]] = {}


def declare_environments(stage: Usd.Stage, paths: Iterable[str]) -> None:
    """Say that prims are environments: what is in one never meets what is in another.

    Args:
        stage: The stage.
        paths: Of all its environments; those of an earlier call that are not among them are none.
    """
    _declared[stage.GetRootLayer().identifier] = [str(path) for path in paths]


def environment_roots(stage: Usd.Stage) -> list[str]:
    """Paths of the environments of a stage, in its order.

    Those that were declared; else the children "env_0", "env_1", ... of a prim "envs".
    """
    stated = _declared.get(stage.GetRootLayer().identifier, [])
    found = [path for path in stated if stage.GetPrimAtPath(path)]
    if found:
        return found
    return _below(stage.GetPseudoRoot(), _DEPTH)


def _below(prim: Usd.Prim, depth: int) -> list[str]:
    found: list[str] = []
    for child in prim.GetChildren() if depth > 0 else ():
        if child.GetName() == _PARENT:
            names = [own for own in child.GetChildren() if _CHILD.fullmatch(own.GetName())]
            found += [str(own.GetPath()) for own in names]
        else:
            found += _below(child, depth - 1)
    return found


def template_key(prim: Usd.Prim) -> tuple[Any, ...]:
    """What is equal for two prims that are the same but for where they are.

    The layers and paths that they are composed of. A prim's own opinions count unless they are
    transforms alone.
    """
    specs = prim.GetPrimStack()
    path = prim.GetPath()
    own = [spec for spec in specs if spec.path == path]
    others = [spec for spec in specs if spec.path != path]
    if others and all(_moves_only(spec) for spec in own):
        specs = others
    return tuple((spec.layer.identifier, str(spec.path)) for spec in specs)


def _moves_only(spec: Any) -> bool:
    names: Sequence[str] = [prop.name for prop in spec.properties]
    return not spec.nameChildren and all(name.startswith(_MOVES) for name in names)
