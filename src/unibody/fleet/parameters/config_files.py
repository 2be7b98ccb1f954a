"""Configuration: reading files, merging them, and turning dictionaries into objects."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import os
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from unibody.errors import InvalidArgumentError
from unibody.fleet.parameters.yaml_reader import ConfigError, Lines, read_yaml

T = TypeVar("T")
_BUNDLED_ROOT = os.path.dirname(os.path.dirname(__file__))
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


def load_yaml_config(config_path: str) -> dict[str, Any]:
    """Read a YAML file; a relative name may also be one of the bundled files.

    Raises:
        FileNotFoundError: There is no such file.
        ConfigError: It is not YAML, or no mapping.
    """
    path = config_path
    if not os.path.isabs(path) and not os.path.exists(path):
        bundled = os.path.join(_BUNDLED_ROOT, path)
        path = bundled if os.path.exists(bundled) else path
    if not os.path.exists(path):
        raise FileNotFoundError(f"Config file not found: {path}")
    return read_yaml(path)


def merge_configs(base_config: dict[str, Any], override_config: dict[str, Any]) -> dict[str, Any]:
    """A configuration with another on top of it; mappings are merged, all else is replaced."""
    merged = dict(base_config)
    for key, value in override_config.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = merge_configs(below, value)
        else:
            merged[key] = value
    return merged


def load_config(config_paths: str | list[str]) -> dict[str, Any]:
    """Read one file, or several on top of one another.

    Raises:
        ValueError: None is given.
    """
    paths = [config_paths] if isinstance(config_paths, str) else list(config_paths)
    if not paths:
        raise ValueError("At least one config path must be provided")
    return functools.reduce(merge_configs, map(load_yaml_config, paths))


def config_get_bool(config: Mapping[str, Any], key: str, default: bool) -> bool:
    """A truth value of a configuration: a bool, 0 or 1, or a word for it.

    Raises:
        ValueError: Something else.
    """
    value = config.get(key, default)
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise ValueError(f"Expected config key '{key}' to be a boolean string, got {value!r}")
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise ValueError(
        f"Expected config key '{key}' to be a boolean value, got {type(value).__name__}"
    )


def config_get_str_list(
    config: Mapping[str, Any], key: str, default: list[str] | None = None
) -> list[str]:
    """A list of strings of a configuration; one string is a list of one.

    Raises:
        ValueError: Something else.
    """
    value = config.get(key)
    if value is None:
        return list(default or [])
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        kind = type(value).__name__
        raise ValueError(
            f"Expected config key '{key}' to be a string or sequence of strings, got {kind}"
        )
    return [str(item) for item in value]


def resolve_class(dotted_path: str) -> Any:
    """What a dotted path ``module.Name`` leads to.

    Raises:
        ValueError: It is no dotted path.
        ModuleNotFoundError: There is no such module.
        AttributeError: There is nothing of that name in it.
    """
    if not isinstance(dotted_path, str) or "." not in dotted_path:
        raise ValueError(f"Expected a dotted Python path 'module.ClassName', got: {dotted_path!r}")
    module_path, _, name = dotted_path.rpartition(".")
    try:
        module = importlib.import_module(module_path)
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"Could not import module '{module_path}' (from '{dotted_path}'). "
            "Is the package installed?"
        ) from problem
    if not hasattr(module, name):
        available = [known for known in dir(module) if not known.startswith("_")]
        raise AttributeError(
            f"Class '{name}' not found in module '{module_path}'. Available names: {available}"
        )
    return getattr(module, name)


def dataclass_from_dict(
    cls: type[T],
    config: dict[str, Any],
    *,
    aliases: dict[str, str] | None = None,
    converters: dict[str, Callable[[Any], Any]] | None = None,
    strict_keys: list[str] | None = None,
) -> T:
    """Make a dataclass from a dictionary; other keys are passed over.

    Args:
        cls: The dataclass.
        config: Values by field.
        aliases: The key of a field where that differs.
        converters: What to do to the value of a field first; None keeps the field's default.
        strict_keys: The fields to take, all others keep their defaults.

    Raises:
        ValueError: A field without a default is missing.
    """
    kwargs: dict[str, Any] = {}
    for item in dataclasses.fields(cls):  # type: ignore[arg-type]
        skipped = strict_keys is not None and item.name not in strict_keys
        if not item.init or item.name.startswith("_") or skipped:
            continue
        key = (aliases or {}).get(item.name, item.name)
        missing = dataclasses.MISSING
        optional = item.default is not missing or item.default_factory is not missing
        if key not in config:
            if not optional:
                raise ValueError(f"Required field '{item.name}' missing from config")
            continue
        value = config[key]
        if converters and item.name in converters:
            value = converters[item.name](value)
            if value is None and optional:
                continue
        else:
            value = _as_enum(cls, item.name, value)
        kwargs[item.name] = value
    try:
        return cls(**kwargs)
    except InvalidArgumentError as problem:
        if not isinstance(config, Lines):
            raise
        key = (aliases or {}).get(problem.argument, problem.argument)
        said = f"{key}={config.get(key)!r} is not allowed: expected {problem.allowed}"
        raise ConfigError(f"{config.where(key)}: {said}") from None


def _as_enum(cls: type, field: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    kind = _hints(cls).get(field)
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


@functools.lru_cache(maxsize=64)
def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls)
    except NameError:  # a name that is only imported for type checkers
        return {}


@functools.lru_cache(maxsize=256)
def _parameters(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


@functools.lru_cache(maxsize=256)
def field_names(kind: type) -> tuple[str, ...]:
    """Names of the fields of a dataclass."""
    return tuple(item.name for item in dataclasses.fields(kind))


def forward_spawn_params(
    factory_method: Callable[..., Any],
    spawn_params: Any,
    *,
    aliases: dict[str, str] | None = None,
    extra_kwargs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The arguments of a factory that are fields of a dataclass.

    Args:
        factory_method: The factory.
        spawn_params: The dataclass.
        aliases: The argument for a field where that differs.
        extra_kwargs: More arguments; they win.
    """
    if not dataclasses.is_dataclass(spawn_params):
        raise InvalidArgumentError("spawn_params", spawn_params, "an object of a dataclass")
    known = _parameters(getattr(factory_method, "__func__", factory_method))
    kwargs: dict[str, Any] = {}
    for field in field_names(type(spawn_params)):
        name = (aliases or {}).get(field, field)
        if name in known:
            kwargs[name] = getattr(spawn_params, field)
    kwargs.update(extra_kwargs or {})
    return kwargs
