"""Call a function when a module has been imported, whoever imports it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any


def call(name: str, function: Callable[[ModuleType], None]) -> None:
    """Call a function with a module: now if it has been imported, else as soon as it has been.

    Args:
        name: Of a top-level module.
        function: What to call; once.
    """
    module = sys.modules.get(name)
    if module is not None:
        function(module)
    else:
        sys.meta_path.insert(0, _Watcher(name, function))


class _Watcher(importlib.abc.MetaPathFinder):
    """Finds a module by means of all other finders, and is gone once it has."""

    def __init__(self, name: str, function: Callable[[ModuleType], None]) -> None:
        self._name, self._function = name, function

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Give the spec that the others find, with a loader that calls the function."""
        if fullname != self._name or self not in sys.meta_path:
            return None
        place = sys.meta_path.index(self)
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(place, self)  # asked for where it is not installed
            return None
        spec.loader = _Loader(spec.loader, self._function)
        return spec


class _Loader(importlib.abc.Loader):
    """A loader that hands the module on when it has been executed."""

    def __init__(self, loader: Any, function: Callable[[ModuleType], None]) -> None:
        self._loader, self._function = loader, function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._function(sys.modules.get(module.__name__, module))
