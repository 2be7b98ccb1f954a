"""Imports of what scripts do not always find."""

from __future__ import annotations

import importlib
from types import ModuleType


def import_module(module_name: str) -> ModuleType:
    """Import a module, such as torch, which a script needs only in part.

    Raises:
        ModuleNotFoundError: It is not installed.
    """
    return importlib.import_module(module_name)
