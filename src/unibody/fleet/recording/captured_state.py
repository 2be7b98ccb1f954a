"""What Python objects hold at a moment, so that the same objects can be put back to it.

The objects stay the objects they are; what they and their lists, dictionaries and arrays hold is
noted, and written back in place.
"""

from __future__ import annotations

import functools
import logging
import random
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from unibody.errors import NotSupportedError
from unibody.fleet.foundation.garbage_collection import collection_paused

_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, range, slice})
_OPAQUE = (
    type, Enum, FunctionType, BuiltinFunctionType, MethodType, ModuleType, MappingProxyType,
    logging.Logger, np.generic,
)  # fmt: skip
_FOREIGN = frozenset({"threading", "_thread", "queue", "io", "_io", "socket", "weakref"})
"""Modules whose objects are no state of a simulation."""


_CONTAINERS = (list, deque, bytearray, dict, set, tuple, frozenset)
_DRAWS = (random.Random, np.random.Generator, np.random.RandomState)


class _Way(Enum):
    """How objects of a type are noted."""

    OUTSIDE = 0
    LIST = 1
    DICT = 2
    ARRAY = 3
    OBJECT = 4
    OTHER = 5


class CapturedState:
    """What is held by all objects that can be reached from some.

    Args:
        outside: Types whose objects are neither noted nor looked into.
        kept: Names of attributes that stay as they are when everything else is put back, by type.
    """

    def __init__(
        self, outside: tuple[type, ...], kept: dict[type, frozenset[str]] | None = None
    ) -> None:
        self._outside = (*_OPAQUE, *outside)
        self._kept = kept or {}
        self._kept_of: dict[type, frozenset[str]] = {}
        self._ways: dict[type, _Way] = {}
        self._seen: dict[int, Any] = {}  # by id; holding them keeps the numbers theirs
        self._todo: list[Any] = []
        self.instances: list[tuple[Any, dict[str, Any]]] = []
        self._named: list[tuple[Any, dict[str, Any]]] = []
        self._lists: list[tuple[Any, list[Any]]] = []
        self._sets: list[tuple[set[Any], set[Any]]] = []
        self._dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        self._arrays: list[tuple[Any, Any]] = []
        self._draws: list[tuple[Any, Any]] = []

    def note(self, *roots: Any) -> None:
        """Note objects and everything that can be reached from them.

        Raises:
            NotSupportedError: One of them is an iterator, whose place cannot be noted.
        """
        self._todo.extend(roots)
        with collection_paused():
            self._walk()

    def note_attributes(self, owner: Any, names: Iterable[str]) -> None:
        """Note some attributes of an object, and everything that can be reached from them."""
        held = {name: getattr(owner, name) for name in names}
        self._named.append((owner, held))
        self.note(*held.values())

    def _walk(self) -> None:
        todo, seen, ways = self._todo, self._seen, self._ways
        while todo:
            value = todo.pop()
            kind = type(value)
            if kind in _ATOMS or id(value) in seen:
                continue
            way = ways.get(kind)
            if way is None:
                way = ways[kind] = self._way(kind)
            if way is _Way.OUTSIDE:
                continue
            seen[id(value)] = value
            if way is _Way.LIST:
                self._lists.append((value, value.copy()))
                todo.extend([item for item in value if type(item) not in _ATOMS])
            elif way is _Way.OBJECT:
                held = value.__dict__.copy()
                for name in self._kept_of[kind]:
                    held.pop(name, None)
                self.instances.append((value, held))
                todo.extend([item for item in held.values() if type(item) not in _ATOMS])
            elif way is _Way.ARRAY:
                if value.flags.writeable:
                    self._arrays.append((value, value.copy()))
                if value.dtype.hasobject:
                    todo.extend(value.ravel().tolist())
            elif way is _Way.DICT:
                self._dicts.append((value, value.copy()))
                todo.extend([item for item in value.values() if type(item) not in _ATOMS])
            else:
                self._note_one(value)

    def _way(self, kind: type) -> _Way:
        """How objects of a type are noted: the common ones without a question."""
        foreign = kind.__module__.partition(".")[0] in _FOREIGN
        if foreign or issubclass(kind, self._outside):
            return _Way.OUTSIDE
        if kind is list:
            return _Way.LIST
        if kind is dict:
            return _Way.DICT
        if kind is np.ndarray:
            return _Way.ARRAY
        if issubclass(kind, (*_CONTAINERS, *_DRAWS, np.ndarray, GeneratorType, Iterator)):
            return _Way.OTHER
        self._kept_names(kind)
        plain = kind.__dictoffset__ != 0 and not _slots(kind)
        return _Way.OBJECT if plain else _Way.OTHER

    def _note_one(self, value: Any) -> None:
        todo = self._todo
        if isinstance(value, (list, deque, bytearray)):
            self._lists.append((value, list(value)))
            todo.extend(value)
        elif isinstance(value, dict):
            self._dicts.append((value, dict(value)))
            todo.extend(value.values())
        elif isinstance(value, set):
            self._sets.append((value, set(value)))
            todo.extend(value)
        elif isinstance(value, (tuple, frozenset)):
            todo.extend(value)
        elif isinstance(value, np.ndarray):
            if value.flags.writeable:
                self._arrays.append((value, value.copy()))
            if value.dtype.hasobject:
                todo.extend(value.ravel().tolist())
            return
        elif isinstance(value, _DRAWS):
            self._draws.append((value, _draw_state(value)))
        elif isinstance(value, (GeneratorType, Iterator)) and not hasattr(value, "__dict__"):
            raise NotSupportedError(
                f"a snapshot of {value!r}", "keep what an action or plugin does next in attributes"
            )
        self._note_attributes_of(value)

    def _note_attributes_of(self, value: Any) -> None:
        held = {name: getattr(value, name) for name in _slots(type(value)) if hasattr(value, name)}
        held.update(getattr(value, "__dict__", ()))
        if not held:
            if hasattr(value, "__dict__"):
                self.instances.append((value, held))
            return
        for name in self._kept_names(type(value)):
            held.pop(name, None)
        self.instances.append((value, held))
        self._todo.extend(held.values())

    def _kept_names(self, kind: type) -> frozenset[str]:
        if kind not in self._kept_of:
            groups = [names for base, names in self._kept.items() if issubclass(kind, base)]
            self._kept_of[kind] = frozenset().union(*groups)
        return self._kept_of[kind]

    def put_back(self) -> None:
        """Let all of them hold what they held."""
        for owner, held in self._named:
            for name, value in held.items():
                setattr(owner, name, value)
        for value, held in self.instances:
            self._put_attributes_back(value, held)
        for sequence, items in self._lists:
            sequence.clear()
            sequence.extend(items)
        for mapping, entries in self._dicts:
            mapping.clear()
            mapping.update(entries)
        for group, members in self._sets:
            group.clear()
            group.update(members)
        for array, contents in self._arrays:
            array[...] = contents
        for source, state in self._draws:
            _set_draw_state(source, state)

    def _put_attributes_back(self, value: Any, held: dict[str, Any]) -> None:
        own: dict[str, Any] | None = getattr(value, "__dict__", None)
        if own is not None:
            kept = self._kept_names(type(value))
            for name in [name for name in own if name not in held and name not in kept]:
                del own[name]
        for name, item in held.items():
            if own is not None and name in own:
                own[name] = item
            elif name in _slots(type(value)):
                object.__setattr__(value, name, item)
            elif own is not None:
                own[name] = item


@functools.cache
def _slots(kind: type) -> tuple[str, ...]:
    names: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _draw_state(source: Any) -> Any:
    if isinstance(source, random.Random):
        return source.getstate()
    if isinstance(source, np.random.RandomState):
        return source.get_state()
    return source.bit_generator.state


def _set_draw_state(source: Any, state: Any) -> None:
    if isinstance(source, random.Random):
        source.setstate(state)
    elif isinstance(source, np.random.RandomState):
        source.set_state(state)
    else:
        source.bit_generator.state = state
