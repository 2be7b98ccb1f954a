"""Descriptions as JSON: every dataclass of ``description`` by its fields, checked when read."""

from __future__ import annotations

import dataclasses
import enum
import math
import types
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.errors import AssetError

_WHERE = "a saved description"
_LARGEST = 1 << 63  # of a whole number where one with a fraction is meant
_PLAIN = (bool, int, float, str)
_Table = dict[str, Any]


def encode(value: Any) -> Any:
    """A description, or a part of one, as what ``json`` writes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: encode(item) for key, item in cast("_Table", value).items()}
    if value is None or isinstance(value, _PLAIN):
        return value
    raise AssetError(_WHERE, "", f"{type(value).__name__} cannot be written")


def decode(kind: Any, data: Any) -> Any:
    """A value of a type of ``description`` from what ``encode`` has made of it.

    Raises:
        AssetError: It is no such value. Fields that are not there keep their default.
    """
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(kind), data)
    if dataclasses.is_dataclass(kind):
        return _decode_fields(kind, data)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        try:
            return kind(data)
        except (ValueError, TypeError):
            raise _wrong(kind.__name__, data) from None
    if origin is list:
        (item,) = get_args(kind)
        return [decode(item, entry) for entry in _entries(data)]
    if origin is dict:
        _, item = get_args(kind)
        table = _table("a table", data)
        return {str(key): decode(item, entry) for key, entry in table.items()}
    if origin is tuple or (isinstance(kind, type) and issubclass(kind, tuple)):
        return _decode_tuple(kind, data)
    return _decode_plain(kind, data)


def _decode_union(kinds: tuple[Any, ...], data: Any) -> Any:
    if data is None and type(None) in kinds:
        return None
    return decode(next(kind for kind in kinds if kind is not type(None)), data)


def _decode_fields(kind: Any, data: Any) -> Any:
    table, hints = _table(kind.__name__, data), _hints(kind)
    unknown = sorted(set(table) - set(hints))
    if unknown:
        raise AssetError(_WHERE, kind.__name__, f"has no {unknown[0][:40]!r}")
    try:
        return kind(**{name: decode(hints[name], value) for name, value in table.items()})
    except TypeError as problem:  # a field without a default is missing
        raise AssetError(_WHERE, kind.__name__, str(problem)) from None


def _decode_tuple(kind: Any, data: Any) -> Any:
    entries = _entries(data)
    named = get_origin(kind) is None
    kinds = tuple(_hints(kind).values()) if named else get_args(kind)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(decode(kinds[0], entry) for entry in entries)
    if len(entries) != len(kinds):
        raise _wrong(f"{len(kinds)} values", data)
    values = [decode(item, entry) for item, entry in zip(kinds, entries, strict=True)]
    return kind(*values) if named else tuple(values)


def _decode_plain(kind: Any, data: Any) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        data = float(data) if abs(data) < _LARGEST else math.nan
    if kind not in _PLAIN or type(data) is not kind or data != data:  # noqa: PLR0124 - NaN
        raise _wrong(getattr(kind, "__name__", str(kind)), data)
    return data


def _entries(data: Any) -> list[Any]:
    entries = cast("list[Any]", data)
    if not isinstance(data, list) or len(entries) > DEFAULT_LIMITS.mesh_faces:
        raise _wrong("a list", data)
    return entries


def _table(expected: str, data: Any) -> _Table:
    table = cast("_Table", data)
    if not isinstance(data, dict) or len(table) > DEFAULT_LIMITS.links:
        raise _wrong(expected, data)
    return table


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _wrong(expected: str, data: Any) -> AssetError:
    return AssetError(_WHERE, "", f"expected {expected}, not {str(data)[:40]!r}")
