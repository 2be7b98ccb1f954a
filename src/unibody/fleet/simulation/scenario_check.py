"""What a scenario file may say about its entities, checked before and after they are spawned.

Only values that came from a file are checked this strictly: dictionaries of a script may hold keys
of their own, as in the original.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.collisions import near_pairs
from unibody.fleet.collisions.platforms import without_platform_contacts
from unibody.fleet.controllers.controller import Controller, list_controllers
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.parameters.spawn_params import ShapeParams
from unibody.fleet.parameters.yaml_reader import ConfigError, Lines, check_keys, refuse
from unibody.fleet.plugins.agent_plugin import AgentPlugin, list_agent_plugins

if TYPE_CHECKING:
    from unibody.fleet.objects.sim_object import SimObject

PLACED_KEYS = ("type", "manager", "grid", "pose", "yaw", "sdf_path", "model_yaw_offset")
_ENTRY = ("type", "class", "config")
_DEEP = 1e-3  # m: less is touching, as things that stand on one another do
_ROUND = 1e-4  # m: that a cell of the grid may be smaller than what it holds


_MAPPINGS = ("simulation", "world")
_LISTS = ("entities", "managers", "plugins")


def check_sections(config: Lines) -> None:
    """See that the sections of a file are mappings, or lists of mappings.

    Raises:
        ConfigError: One is not; the message names its line.
    """
    for name in (*_MAPPINGS, *_LISTS):
        value = config.get(name)
        if value is None:
            continue
        if name in _MAPPINGS:
            right, wanted = isinstance(value, dict), "a mapping"
        else:
            right = isinstance(value, list) and all(isinstance(item, dict) for item in value)
            wanted = "a list of mappings"
        if not right:
            refuse(config, name, f"{name} is not allowed as it is: expected {wanted}")


def check_entity(entry: Lines, cls: type[SimObject]) -> None:
    """See that an entity has no unknown key and no number that is none.

    Args:
        entry: The entity.
        cls: What it is spawned as.

    Raises:
        ConfigError: It has; the message names line and what is allowed.
    """
    params = cls._spawn_params_cls
    if params.from_dict.__func__.__module__.startswith("unibody.fleet."):
        check_keys(entry, {*PLACED_KEYS, *(item.name for item in fields(params))}, "entities")
    for key in ("visual_shape", "collision_shape"):
        if isinstance(entry.get(key), Lines):
            check_keys(entry[key], [item.name for item in fields(ShapeParams)], key)
    _check_numbers(entry, "pose", 3)
    _check_numbers(entry, "yaw", 0)
    controllers = entry.get("controller")
    for item in controllers if isinstance(controllers, list) else [controllers]:
        if isinstance(item, Lines):
            _check_controller(item)
    for item in entry.get("plugins") or ():
        if isinstance(item, Lines):
            _check_plugin(item)


def _check_numbers(entry: Lines, key: str, least: int) -> None:
    if key not in entry:
        return
    value = entry[key]
    numbers = value if least and isinstance(value, list) else [value]
    if len(numbers) >= max(least, 1) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)
        for v in numbers
    ):
        return
    wanted = "[x, y, z] in m" if least else "a number in rad"
    refuse(entry, key, f"{key}={value!r} is not allowed: expected {wanted}")


def own_keys(cls: type[Controller]) -> list[str] | None:
    """What a controller takes beside its limits; None: it reads its configuration itself."""
    if cls.from_config.__func__ is not Controller.from_config.__func__:  # type: ignore[attr-defined]
        return None
    return [n for n in inspect.signature(cls.__init__).parameters if n not in ("self", "params")]


def _check_controller(entry: Lines) -> None:
    known = list_controllers()
    kind = entry.get("type")
    if kind is not None and kind not in known and "." not in str(kind):
        refuse(entry, "type", f"Unknown controller: {kind!r}. Available: {sorted(known)}")
    config = entry.get("config")
    cls = known.get(kind, Controller) if isinstance(kind, str) else Controller
    if "class" in entry or (isinstance(kind, str) and kind not in known):
        return  # a class of the user's, with keys of its own
    own = own_keys(cls)
    if own is None:
        return
    allowed = {*own, *(item.name for item in fields(ControllerParams))}
    check_keys(entry, allowed | set(_ENTRY), "controller")
    if isinstance(config, Lines):
        check_keys(config, allowed, "controller.config")


def plugin_keys(cls: type[AgentPlugin]) -> list[str]:
    """What the configuration of a plugin of agents takes."""
    return [n for n in inspect.signature(cls.__init__).parameters if n not in ("self", "agent")]


def _check_plugin(entry: Lines) -> None:
    known = list_agent_plugins()
    kind, config = entry.get("type"), entry.get("config")
    if kind is None:
        return  # a class of the user's, with keys of its own
    if kind not in known:
        refuse(entry, "type", f"Unknown plugin: {kind!r}. Available: {sorted(known)}")
    check_keys(entry, _ENTRY, "plugins")
    ours = known[kind].__module__.startswith("unibody.")
    if ours and isinstance(config, Lines):
        check_keys(config, plugin_keys(known[kind]), "plugins.config")


def check_overlaps(spawned: list[tuple[SimObject, dict[str, Any]]]) -> None:
    """See that no two entities of a file lie in one another.

    Two that touch are fine, and so is everything whose ``collision_mode`` is ``disabled``.

    Args:
        spawned: The objects, each with its entry in the file.

    Raises:
        ConfigError: Two overlap; the message names the lines of both.
    """
    found = [
        (obj, entry)
        for obj, entry in spawned
        if isinstance(entry, Lines) and obj.collision_mode is not CollisionMode.DISABLED
    ]
    if len(found) < 2:
        return
    tables = found[0][0]._tables
    rows = np.array([obj._row for obj, _ in found], dtype=np.int64)
    solid = _solid(tables, rows)
    rows, kept = rows[solid], np.flatnonzero(solid)
    if len(rows) < 2:
        return
    moved = tables.bodies.data["moved"][rows].copy()
    tables.bodies.data["moved"][rows] = 1
    bounding_boxes.renew_bounds(tables, rows)
    low, high = tables.bodies.data["low"][rows], tables.bodies.data["high"][rows]
    cell = 2.0 * float(np.median((high - low).max(axis=1))) + _ROUND
    pairs = near_pairs.find_pairs(tables, rows, cell, 0.0, False)
    tables.bodies.data["moved"][rows] = moved
    a, b = pairs.T
    depth = (np.minimum(high[a], high[b]) - np.maximum(low[a], low[b])).min(axis=1)
    pairs = pairs[depth > _DEEP]
    pairs = pairs[near_pairs.closer_than(tables, pairs, rows, 0.0)]
    pairs = without_platform_contacts(
        tables, pairs, rows, 0.0, {obj.object_id: obj for obj, _ in found}
    )
    if not len(pairs):
        return
    (first, here), (second, there) = (found[kept[i]] for i in pairs[np.lexsort(pairs.T[::-1])][0])
    raise ConfigError(
        f"{there.where('pose' if 'pose' in there else 'grid')}: {second.name!r} overlaps "  # type: ignore[attr-defined]
        f"{first.name!r} of {here.where('name')}: at {_place(second)} and {_place(first)}. "  # type: ignore[attr-defined]
        "Allowed: places at which they do not touch, or collision_mode: disabled"
    )


def _solid(tables: Tables, rows: Any) -> Any:
    """Which rows have a shape to collide with."""
    bodies = tables.bodies.data
    bounding_boxes.renew_bounds(tables, rows)
    return (bodies["high"][rows] > bodies["low"][rows]).any(axis=1) & (bodies["role"][rows] != 0)


def _place(obj: SimObject) -> str:
    return "({:.3g}, {:.3g}, {:.3g}) m".format(*obj.get_pose().position)
