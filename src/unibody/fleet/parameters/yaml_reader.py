"""Reading YAML, with the line of every key for error messages."""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable
from typing import Any, NoReturn

from unibody.core.assets.yaml_text import compose_yaml, scalar_value
from unibody.errors import AssetError, UnibodyError


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


def read_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a mapping from a YAML file.

    Raises:
        FileNotFoundError: There is no such file.
        ConfigError: The file is no regular file, is too large, is not YAML, is no mapping, or says
            more with its aliases than allowed.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path={path!r} is not allowed: expected the path of a YAML file")
    name = os.fspath(path)
    if "\0" not in name and not os.path.exists(name):
        raise FileNotFoundError(errno.ENOENT, "there is no such YAML file", name)
    try:
        node = compose_yaml(name)
        value = {} if node is None else _value(node, name)
    except AssetError as problem:
        line = f":{problem.element.removeprefix('line ')}" if problem.element else ""
        raise ConfigError(f"{name}{line}: {problem.problem}") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{name}:1: expected a mapping, got {type(value).__name__}")
    return value


def _value(node: Any, path: str) -> Any:
    line = node.start_mark.line + 1
    if node.id == "sequence":
        return [_value(item, path) for item in node.value]
    if node.id != "mapping":
        return scalar_value(node, path)
    found = Lines()
    found.file, found.line, found.lines = path, line, {}
    for key_node, value_node in node.value:
        key = _value(key_node, path)
        where = key_node.start_mark.line + 1
        if not isinstance(key, (str, int, float, bool)):
            raise ConfigError(f"{path}:{where}: {key!r} is no key: expected a text or a number")
        found[key] = _value(value_node, path)  # type: ignore[index]
        found.lines[key] = where
    return found


def refuse(config: Any, key: Any, problem: str) -> NoReturn:
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
