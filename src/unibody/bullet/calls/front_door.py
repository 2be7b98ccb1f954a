"""The functions of the API as scripts get them, for rooms that the front door itself is made of."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

_modules: list[ModuleType] = []


def introduce(module: ModuleType) -> None:
    """Say which module scripts import."""
    _modules[:] = [module]


def load_everything() -> None:
    """Put all functions into that module at once; again does no harm."""
    _modules[0].load_everything()


def function(name: str) -> Callable[..., Any]:
    """The function of a name."""
    return getattr(_modules[0], name)
