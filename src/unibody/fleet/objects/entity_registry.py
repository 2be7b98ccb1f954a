"""Which class an entity of a configuration file becomes."""

from __future__ import annotations

import importlib
import logging
from typing import Any

from unibody.fleet.objects.sim_object import ENTITY_REGISTRY, SimObject, register_entity_class

logger: logging.Logger = logging.getLogger(__name__)

__all__ = [
    "ENTITY_REGISTRY",
    "list_entity_classes",
    "register_entity_class",
    "register_entity_classes_from_config",
]


def register_entity_classes_from_config(entity_classes: dict[str, Any]) -> None:
    """Register classes by dotted path, as the section ``entity_classes`` of a file states them.

    Raises:
        ValueError: Something is no dotted path.
        ModuleNotFoundError: There is no such module.
        AttributeError: There is nothing of that name in it.
        TypeError: What is there is no subclass of SimObject.
    """
    for name, dotted_path in entity_classes.items():
        label = f"entity_classes[{name!r}]"
        if not isinstance(dotted_path, str) or "." not in dotted_path:
            raise ValueError(
                f"{label} must be a dotted Python path 'module.ClassName', got: {dotted_path!r}"
            )
        module_path, _, class_name = dotted_path.rpartition(".")
        try:
            module = importlib.import_module(module_path)
        except ModuleNotFoundError as problem:
            raise ModuleNotFoundError(
                f"{label}: could not import module '{module_path}' (from '{dotted_path}'). "
                "Is its package installed?"
            ) from problem
        if not hasattr(module, class_name):
            available = [known for known in dir(module) if not known.startswith("_")]
            raise AttributeError(
                f"{label}: class '{class_name}' not found in module '{module_path}'. "
                f"Available names: {available}"
            )
        register_entity_class(name, getattr(module, class_name))
        logger.info("Registered entity class %r → %s", name, dotted_path)


def list_entity_classes() -> dict[str, type[SimObject]]:
    """All classes by name."""
    return dict(ENTITY_REGISTRY)
