"""The same scene in PyBullet and in unibody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pybullet

import unibody.bullet as unibody_bullet

SIDES: tuple[Any, Any] = (pybullet, unibody_bullet)


@contextmanager
def connected(module: ModuleType | Any) -> Iterator[Any]:
    """A fresh client, the default of its module while this lasts."""
    client = module.connect(module.DIRECT)
    assert client == 0, "another test left a client behind"
    try:
        yield module
    finally:
        module.disconnect(client)


def both(play: Callable[[Any], Any]) -> tuple[Any, Any]:
    """What a scene gives in PyBullet and in unibody."""
    results = []
    for module in SIDES:
        with connected(module) as p:
            results.append(play(p))
    return results[0], results[1]


def add(
    p: Any, kind: int, pos: Any, mass: float = 0.0, quat: Any = (0, 0, 0, 1), **size: Any
) -> int:
    """A body of one shape."""
    return p.createMultiBody(mass, p.createCollisionShape(kind, **size), -1, pos, quat)
