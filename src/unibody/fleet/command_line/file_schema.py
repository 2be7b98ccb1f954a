"""What a scenario file may say, as a JSON schema: editors complete and check files by it."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any, Union

from unibody.fleet.agents.agent_manager import GridSpawnParams
from unibody.fleet.controllers.controller import list_controllers
from unibody.fleet.objects.sim_object import ENTITY_REGISTRY
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.parameters.simulation_params import ALIASES, SimulationParams
from unibody.fleet.parameters.spawn_params import ShapeParams
from unibody.fleet.plugins.agent_plugin import list_agent_plugins
from unibody.fleet.simulation import scenarios
from unibody.fleet.simulation.scenario_check import PLACED_KEYS, own_keys, plugin_keys

_TYPES: dict[Any, str] = {
    bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null",
}  # fmt: skip
_NUMBER = {"type": "number"}
_NUMBERS = {"type": "array", "items": _NUMBER}
_PLACE = {"type": "array", "items": _NUMBER, "minItems": 3}
_SHAPES = ("visual_shape", "collision_shape")


def file_schema() -> dict[str, Any]:
    """The schema, of draft 2020-12: keys, types and texts of the classes that a file becomes."""
    simulation = _mapping(_of_fields(SimulationParams, ALIASES))
    world = _mapping({name: {} for name in scenarios.WORLD_KEYS})
    world["properties"] |= {
        name: {"type": ["string", "null"]} for name in ("world_file", "sdf", "mesh_dir", "map")
    }
    manager = _mapping({name: {} for name in scenarios.MANAGER_KEYS})
    manager["properties"]["name"] = {"type": "string"}
    sections = {
        "simulation": simulation,
        "world": world,
        "entities": _list_of(_entity()),
        "managers": _list_of(manager),
        "plugins": _list_of({"type": "object"}),
        "entity_classes": {"type": ["object", "null"]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of unibody's fleet",
        "anyOf": [_mapping(sections), simulation],
    }


def described(cls: type, section: str) -> dict[str, str]:
    """What the text of a class, and of those it stands on, says of names below a heading."""
    found: dict[str, str] = {}
    for kind in reversed(cls.__mro__):
        text = inspect.cleandoc(kind.__doc__ or "")
        _, mark, below = text.partition(f"{section}:\n")
        if mark:
            body = below.split("\n\n")[0]
            for name, what in re.findall(r"^    (\w+): (.*(?:\n      .*)*)", body, re.MULTILINE):
                found[name] = re.sub(r"\s+", " ", what).replace("``", "`")
    return found


def _entity() -> dict[str, Any]:
    """Any entity; which keys it may have follows from its type."""
    choices: list[dict[str, Any]] = []
    for kind, cls in sorted(ENTITY_REGISTRY.items()):
        properties = {name: {} for name in PLACED_KEYS} | _of_fields(cls._spawn_params_cls, {})
        properties |= {
            "pose": _PLACE,
            "yaw": _NUMBER,
            "grid": _mapping(_grid()),
            "controller": {"anyOf": [_controller(), _list_of(_controller())]},
            "plugins": _list_of(_agent_plugin()),
        }
        for key in _SHAPES:
            properties[key] = {"anyOf": [_mapping(_of_fields(ShapeParams, {})), {"type": "null"}]}
        name = {"const": kind}
        condition: dict[str, Any] = {"properties": {"type": name}}
        if kind != "agent":  # which is what an entity without a type is
            condition["required"] = ["type"]
        choices.append({"if": condition, "then": _mapping(properties)})
    kinds = {"properties": {"type": {"type": "string"}}}
    return {"type": "object", **kinds, "allOf": choices}


def _grid() -> dict[str, Any]:
    found = {name: {} for name in scenarios.GRID_KEYS} | _of_fields(GridSpawnParams, {})
    whole = {"type": "integer", "minimum": 0}
    return found | {"spacing": _NUMBERS, "offset": _NUMBERS, "count": whole, "columns": whole}


def _controller() -> dict[str, Any]:
    """Any controller. One of a script's own may have keys of its own."""
    choices: list[dict[str, Any]] = []
    for kind, cls in sorted(list_controllers().items()):
        own = own_keys(cls)
        if own is None or not cls.__module__.startswith("unibody."):
            continue
        texts = described(cls, "Args")
        keys = {name: _said(texts.get(name, "")) for name in own if name != "kwargs"}
        keys |= _of_fields(ControllerParams, {})
        allowed = keys | {"type": {}, "class": {}, "config": {"type": ["object", "null"]}}
        condition = {"properties": {"type": {"const": kind}}, "required": ["type"]}
        unless = {"if": condition, "then": {"anyOf": [_mapping(allowed), {"required": ["class"]}]}}
        choices.append(unless)
    return {"type": "object", "properties": {"type": {"type": "string"}}, "allOf": choices}


def _agent_plugin() -> dict[str, Any]:
    """Any plugin of agents. One of a script's own may have keys of its own."""
    choices: list[dict[str, Any]] = []
    for kind, cls in sorted(list_agent_plugins().items()):
        if not cls.__module__.startswith("unibody."):
            continue
        texts = described(cls, "Args")
        config = _mapping({name: _said(texts.get(name, "")) for name in plugin_keys(cls)})
        condition = {"properties": {"type": {"const": kind}}, "required": ["type"]}
        choices.append({"if": condition, "then": {"properties": {"config": config}}})
    properties = {"type": {"type": "string"}, "class": {"type": "string"}, "config": {}}
    return {"type": "object", "properties": properties, "allOf": choices}


def _mapping(properties: dict[str, Any]) -> dict[str, Any]:
    kinds = ["object", "null"]
    return {"type": kinds, "properties": dict(properties), "additionalProperties": False}


def _list_of(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": ["array", "null"], "items": item}


def _said(text: str) -> dict[str, Any]:
    return {"description": text} if text else {}


def _of_fields(cls: Any, other_names: dict[str, str]) -> dict[str, Any]:
    """Schemas of the fields of a class, by their keys in a file."""
    texts = described(cls, "Attributes")
    found: dict[str, Any] = {}
    for item in dataclasses.fields(cls):
        if not item.name.startswith("_"):
            key = other_names.get(item.name, item.name)
            found[key] = _said(texts.get(item.name, "")) | _type_of(_hint(cls, item.name))
    return found


def _hint(cls: Any, name: str) -> Any:
    """The type of a field; Any, where its module names it for type checkers alone."""
    owner = next(kind for kind in cls.__mro__ if name in vars(kind).get("__annotations__", {}))
    field = type(name, (), {"__annotations__": {name: owner.__annotations__[name]}})
    try:
        return typing.get_type_hints(field, vars(sys.modules[owner.__module__]))[name]
    except NameError:
        return Any


def _type_of(hint: Any) -> dict[str, Any]:
    """What a value may be, where a schema can say it; all else is left to the reader."""
    parts: Iterable[Any] = (hint,)
    if typing.get_origin(hint) in (Union, types.UnionType):
        parts = typing.get_args(hint)
    if all(isinstance(part, type) and issubclass(part, enum.Enum) for part in parts):
        return {"enum": [member.value for part in parts for member in part]}
    names = [_TYPES.get(part) for part in parts]
    return {} if None in names else {"type": sorted(filter(None, names))}
