"""Registries of classes by name, and making instances from configuration."""

from __future__ import annotations

import inspect
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def from_config_introspect(cls: type, owner_args: tuple[Any, ...], config: dict[str, Any]) -> Any:
    """Make an instance, passing on those keys of a configuration its constructor knows.

    Args:
        cls: The class.
        owner_args: First arguments of the constructor.
        config: Its other arguments by name; all of it becomes ``instance.config``.
    """
    parameters = list(inspect.signature(cls).parameters.values())[len(owner_args) :]
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    known = {p.name for p in parameters}
    kwargs = {key: value for key, value in config.items() if takes_all or key in known}
    instance = cls(*owner_args, **kwargs)
    instance.config = dict(config)
    return instance


class PluginRegistry(Generic[T]):
    """Classes by name.

    Args:
        label: What they are, for messages ("controller").
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._registry: dict[str, type[T]] = {}

    def register(self, name: str, cls: type[T]) -> None:
        """Put a class under a name, in place of what was there."""
        self._registry[name] = cls

    def unregister(self, name: str) -> None:
        """Take a name off; an unknown one is no error."""
        self._registry.pop(name, None)

    def auto_register_subclass(self, cls: type) -> None:
        """Put a class under its ``_registry_name``, if it has one and can be instantiated."""
        name = getattr(cls, "_registry_name", None)
        if name and not inspect.isabstract(cls):
            self._registry[name] = cls

    def get(self, name: str) -> type[T]:
        """The class with a name.

        Raises:
            KeyError: There is none.
        """
        if name not in self._registry:
            raise KeyError(f"Unknown {self._label}: {name!r}. Available: {list(self._registry)}")
        return self._registry[name]

    def items(self) -> dict[str, type[T]]:
        """All of them."""
        return dict(self._registry)

    def __contains__(self, name: str) -> bool:
        return name in self._registry

    def resolve_from_entry(self, entry: dict[str, Any], base_class: type[T]) -> type[T]:
        """The class an entry names: ``type`` is a name of this registry, ``class`` a dotted path.

        Raises:
            KeyError: No such name.
            TypeError: The dotted path does not lead to a subclass of ``base_class``.
            ValueError: Neither key is there.
        """
        title = self._label.replace("_", " ").title()
        if "type" in entry:
            return self.get(entry["type"])
        if "class" not in entry:
            raise ValueError(f"{title} entry must have 'type' or 'class' key, got: {entry!r}")
        from unibody.fleet.parameters.config_files import resolve_class

        cls = resolve_class(entry["class"])
        if not (isinstance(cls, type) and issubclass(cls, base_class)):
            raise TypeError(f"{title} class must be a {base_class.__name__} subclass, got {cls!r}")
        return cls
