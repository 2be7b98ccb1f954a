"""Reading YAML, with the line of every key for error messages."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from typing import Any

from unibody.errors import UnibodyError

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 64


class ConfigError(UnibodyError, ValueError):
    """A configuration cannot be used; the message names file, line and what is allowed."""


class Lines(dict[str, Any]):
    """A mapping of a file, which knows the lines of its keys.

    Attributes:
        file: The file.
        line: Line of the mapping.
        lines: Line of each key.
    """

    file: str = ""
    line: int = 0
    lines: dict[Any, int]

    def where(self, key: Any = None) -> str:
        """``file:line`` of a key, or of the mapping itself."""
        return f"{self.file}:{self.lines.get(key, self.line)}"


def read_yaml(path: str) -> dict[str, Any]:
    """Read a mapping from a YAML file.

    Raises:
        ConfigError: The file is too large, is not YAML, or is no mapping.
    """
    import yaml

    if os.path.getsize(path) > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES} bytes")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = {} if node is None else _value(node, path, 0, yaml)
    except yaml.YAMLError as problem:
        raise ConfigError(f"{path}: this is not YAML: {problem}") from problem
    except RecursionError:
        raise ConfigError(f"{path}: nested deeper than {MAX_DEPTH}") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path}:1: expected a mapping, got {type(value).__name__}")
    return value


def _value(node: Any, path: str, depth: int, yaml: Any) -> Any:
    if depth > MAX_DEPTH:
        raise ConfigError(f"{path}:{node.start_mark.line + 1}: nested deeper than {MAX_DEPTH}")
    if isinstance(node, yaml.MappingNode):
        loader = yaml.SafeLoader("")
        loader.flatten_mapping(node)
        found = Lines()
        found.file, found.line, found.lines = path, node.start_mark.line + 1, {}
        for key_node, value_node in node.value:
            key = _value(key_node, path, depth + 1, yaml)
            if not isinstance(key, (str, int, float, bool)):
                raise ConfigError(f"{path}:{key_node.start_mark.line + 1}: {key!r} is no key")
            found[key] = _value(value_node, path, depth + 1, yaml)  # type: ignore[index]
            found.lines[key] = key_node.start_mark.line + 1
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, path, depth + 1, yaml) for item in node.value]
    return yaml.SafeLoader("").construct_object(node)


def refuse(config: Any, key: Any, problem: str) -> None:
    """Raise an error about a key, with its file and line where they are known.

    Raises:
        ConfigError: Always.
    """
    where = f"{config.where(key)}: " if isinstance(config, Lines) else ""
    raise ConfigError(f"{where}{problem}")


def check_keys(config: dict[str, Any], allowed: Iterable[str], section: str) -> None:
    """See that a mapping has no unknown key.

    Raises:
        ConfigError: It has one; the message names its line, the nearest allowed key and all of
            them.
    """
    known = sorted(allowed)
    for key in config:
        if key in known:
            continue
        near = difflib.get_close_matches(str(key), known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        refuse(config, key, f"unknown key {key!r} in {section}.{hint} Allowed: {', '.join(known)}")
