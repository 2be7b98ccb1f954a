"""YAML from strangers: bounded in size, in depth, and in what its aliases stand for.

An alias or a merge key repeats what its anchor holds, so that a few lines can say billions of
values. What a document expands to is counted before anything is made of it.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.errors import AssetError

_TAG = "tag:yaml.org,2002:"
_SCALARS = frozenset(
    _TAG + kind for kind in ("null", "bool", "int", "float", "str", "binary", "timestamp", "value")
)
_NUMBERS = (_TAG + "int", _TAG + "float")
_TOO_DEEP, _DEEPEST = "maximum nesting depth", 1000  # of libyaml itself, and what it says of it
_LONGEST_NUMBER = 400  # characters: the largest float has 309 digits


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end was not seen yet."""

    anchor: str | None
    values: int = 1
    height: int = 0


def read_yaml(file: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> Any:
    """Reads a YAML file as dictionaries, lists and plain values.

    Args:
        file: Path of the file.
        limits: Bounds on its bytes, depth and values.

    Raises:
        AssetError: It cannot be read, is not YAML, or exceeds a bound; the message has the line.
    """
    node = compose_yaml(file, limits)
    return None if node is None else _value(node, file)


def compose_yaml(file: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> Any:
    """Reads a YAML file as a tree of PyYAML's nodes, for who needs the lines of its values.

    Merge keys are resolved. The tree is safe to walk by recursion: it has no loops, is at most
    ``limits.yaml_depth`` deep, and has at most ``limits.yaml_values`` values with those of the
    aliases repeated.

    Args:
        file: Path of the file.
        limits: Bounds on its bytes, depth and values.

    Returns:
        The node of the document; None where there is none.

    Raises:
        AssetError: It cannot be read, is not YAML, or exceeds a bound; the message has the line.
    """
    yaml: Any = import_module("yaml")

    data = read_regular(file, limits.file_bytes)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise AssetError(file, "", f"this is not YAML in UTF-8: {problem}") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_bounds(yaml.parse(text, loader), file, limits, yaml)
        node = yaml.compose(text, loader)
        _merge(node, yaml, set())
    except yaml.YAMLError as problem:
        said = getattr(problem, "problem", None) or str(problem)
        if _TOO_DEEP in said:
            most = min(limits.yaml_depth, _DEEPEST)
            raise AssetError(file, _line(problem), f"nested deeper than {most}") from None
        raise AssetError(file, _line(problem), f"this is not YAML: {said}") from None
    return node


def scalar_value(node: Any, file: str | os.PathLike[str]) -> Any:
    """The value of a scalar node: None, a bool, an int, a float, a text, bytes or a date.

    Args:
        node: A node of ``compose_yaml`` that is neither mapping nor sequence.
        file: Path of the file, for error messages.

    Raises:
        AssetError: Its tag is none of YAML's own, or the text is no value of that kind.
    """
    yaml: Any = import_module("yaml")

    where = f"line {node.start_mark.line + 1}"
    if node.tag not in _SCALARS:
        raise AssetError(file, where, f"the tag {node.tag!r} is not known")
    if node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER:
        problem = f"a number of {len(node.value)} characters, the limit is {_LONGEST_NUMBER}"
        raise AssetError(file, where, problem)
    try:
        return yaml.SafeLoader("").construct_object(node)
    # PyYAML leaves texts that only look like a date or a number to Python's own errors
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, TypeError) as problem:
        text = node.value[:80]
        kind = node.tag.removeprefix(_TAG)
        raise AssetError(file, where, f"{text!r} is not a {kind}: {problem}") from None


def _check_bounds(events: Any, file: str | os.PathLike[str], limits: Limits, yaml: Any) -> None:
    """Refuse a document that is deeper or has more values than allowed, aliases written out."""
    path = [_Open(None)]
    total = 0
    known: dict[str, tuple[int, int]] = {}  # values and height below each anchor
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            path.append(_Open(event.anchor))
            total += 1
            values, height = 0, 0
        elif isinstance(event, yaml.CollectionEndEvent):
            done = path.pop()
            values, height = done.values, done.height + 1
            if done.anchor is not None:
                known[done.anchor] = values, height
        elif isinstance(event, yaml.ScalarEvent):
            values, height = 1, 0
            if event.anchor is not None:
                known[event.anchor] = values, height
            total += 1
        elif isinstance(event, yaml.AliasEvent):
            values, height = _repeated(event, path, known, file)
            total += values
        else:
            continue
        parent = path[-1]
        parent.values += values
        parent.height = max(parent.height, height)
        if len(path) - 1 + height > limits.yaml_depth:
            raise AssetError(file, _line(event), f"nested deeper than {limits.yaml_depth}")
        if total > limits.yaml_values:
            problem = f"more than {limits.yaml_values} values, with those of aliases"
            raise AssetError(file, _line(event), problem)


def _repeated(
    event: Any, path: list[_Open], known: dict[str, tuple[int, int]], file: object
) -> tuple[int, int]:
    """Values and height of what an alias stands for."""
    if any(level.anchor == event.anchor for level in path):
        raise AssetError(file, _line(event), f"*{event.anchor} stands inside of itself")
    found = known.get(event.anchor)
    if found is None:
        raise AssetError(file, _line(event), f"there is no &{event.anchor} before *{event.anchor}")
    return found


def _merge(node: Any, yaml: Any, done: set[int]) -> None:
    """Put what merge keys name in place of them."""
    if id(node) in done or not isinstance(node, yaml.CollectionNode):
        return
    done.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _merge(item, yaml, done)
        return
    yaml.SafeLoader("").flatten_mapping(node)
    for key, value in node.value:
        _merge(key, yaml, done)
        _merge(value, yaml, done)


def _value(node: Any, file: str | os.PathLike[str]) -> Any:
    yaml: Any = import_module("yaml")

    if isinstance(node, yaml.SequenceNode):
        return [_value(item, file) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return scalar_value(node, file)
    found: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = _value(key_node, file)
        if not isinstance(key, Hashable):
            raise AssetError(file, _line(key_node), "a list or a mapping cannot be a key")
        found[key] = _value(value_node, file)
    return found


def _line(place: Any) -> str:
    """Where an event, a node or an error of PyYAML is."""
    mark = getattr(place, "problem_mark", None) or getattr(place, "start_mark", None)
    return f"line {mark.line + 1}" if mark is not None else ""
