"""Robot-simulation scripts of five APIs, unchanged, on one engine.

Importing this package loads nothing else: a surface is imported when it is first touched, as
``unibody.bullet`` or ``import unibody.bullet``.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

__version__ = "0.1.0"

SURFACES = ("bullet", "fleet", "isaacgym", "isaac_core", "newton")
"""The APIs the library is meant to speak; `available` says which of them are here."""

_ROOMS = (*SURFACES, "core", "cli", "errors", "sample_assets")


def available(surface: str) -> bool:
    """Whether a surface is part of this installation.

    Args:
        surface: One of `SURFACES`.

    Returns:
        True if `import unibody.<surface>` finds a package. Nothing is imported to find out.
    """
    spec = importlib.util.find_spec(f"{__name__}.{surface}")
    return spec is not None and spec.origin is not None


def __getattr__(name: str) -> ModuleType:
    if name in _ROOMS and importlib.util.find_spec(f"{__name__}.{name}") is not None:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS])
