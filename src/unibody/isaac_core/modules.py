"""Modules under the names of Isaac Sim and Kit: those that are here, and those that are not."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from unibody.errors import NotSupportedError
from unibody.isaac_core import names
from unibody.isaac_core.nearest import nearest


class _Missing(type):
    """The class of what does not exist: it can be named, and derived from, and no more."""

    def __call__(cls, *arguments: Any, **named: Any) -> NoReturn:
        cls._refuse()

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return missing(f"{_shown(cls)}.{name}")

    def _refuse(cls, *_: Any) -> NoReturn:
        original = next(kind for kind in reversed(cls.__mro__) if isinstance(kind, _Missing))
        raise NotSupportedError(_shown(cls), nearest(_shown(original)))

    __bool__ = __iter__ = __len__ = __getitem__ = __contains__ = _refuse
    __int__ = __float__ = __index__ = __add__ = __radd__ = __sub__ = __mul__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __enter__ = __exit__ = __await__ = _refuse


def _shown(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def missing(name: str) -> Any:
    """What stands for a name that does not exist: any use of it raises NotSupportedError."""
    module, _, last = name.rpartition(".")
    return _Missing(last, (), {"__module__": module})


class NamedModule(ModuleType):
    """A module under a name of the original.

    What it has is that of the module of ours behind it, and its submodules; everything else is
    missing.

    Args:
        name: The name.
        behind: Name of the module of ours; None for a module that does not exist.
    """

    def __init__(self, name: str, behind: str | None) -> None:
        super().__init__(name, f"{name}, as unibody has it.")
        self.__path__ = []
        self.__dict__["_behind"] = behind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        source = _source(self)
        if name == "__all__":
            return _public(source)
        if source is not None and hasattr(source, name):
            return getattr(source, name)
        whole = f"{self.__name__}.{name}"
        if names.is_known(whole):
            return importlib.import_module(whole)
        if source is not None and self.__name__.startswith(_WHOLE):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name.startswith("_"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return missing(whole)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_public(_source(self))})


_WHOLE = ("omni.isaac.core.utils.", "isaacsim.core.utils.", "pxr.")
"""Modules of these names have all that the originals have: a name they lack is a mistake."""


def _source(module: NamedModule) -> ModuleType | None:
    behind = module.__dict__.get("_behind")
    return importlib.import_module(behind) if behind else None


def _public(source: ModuleType | None) -> list[str]:
    if source is None:
        return []
    listed = getattr(source, "__all__", None)
    return list(listed) if listed else [name for name in vars(source) if not name.startswith("_")]


def make(name: str) -> ModuleType:
    """The module of a name: of ours where it is all there, else one that says what is not."""
    behind = names.meant(name)
    if name == "omni.kit.commands":  # it has Isaac Sim's own, whether or not a script imports them
        importlib.import_module("unibody.isaac_core.functions.commands")
    if behind is None or not name.startswith(_WHOLE):
        return NamedModule(name, behind)
    module = importlib.import_module(behind)
    if not hasattr(module, "__path__"):
        module.__path__ = []
    return module


def prepare() -> None:
    """Do what goes with the first import of one of the names.

    USD learns PhysX's schemas, and the environment says where the app is, as scripts expect.
    """
    from unibody.isaac_core.schemas.plugin import register

    register()
    for variable in ("ISAAC_PATH", "EXP_PATH", "CARB_APP_PATH"):
        os.environ.setdefault(variable, str(Path(__file__).parent))
