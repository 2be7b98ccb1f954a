"""Files and texts that importers read."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from unibody.core.assets.paths import SearchPath
from unibody.errors import InvalidArgumentError


@contextlib.contextmanager
def opened(source: Any, suffix: str) -> Iterator[tuple[str, SearchPath]]:
    """The path of a source, which may be the text of a file, and where it refers to.

    Raises:
        InvalidArgumentError: It is neither a file nor a text, or a URI of a file elsewhere.
    """
    name = os.fspath(source) if hasattr(source, "__fspath__") else source
    if not isinstance(name, str):
        raise InvalidArgumentError("source", source, "the path of a file, or its text")
    if not name.lstrip("\ufeff \t\r\n").startswith("<"):
        name = local_path("source", name)
        folder = os.path.dirname(os.path.abspath(name))
        yield name, SearchPath((folder,), confined=False)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"text{suffix}"
        file.write_text(name.lstrip("\ufeff \t\r\n"), encoding="utf-8")
        yield str(file), SearchPath((os.getcwd(),), confined=False)


def local_path(argument: str, name: str) -> str:
    """The path of a file that a URI ``file:`` names; other names stay as they are.

    Args:
        argument: What the name was given as.
        name: A path, or a URI.

    Raises:
        InvalidArgumentError: The URI names a file of another machine, or none by its whole path.
    """
    if not name.lower().startswith("file:"):
        return name
    parts = urlsplit(name)
    path = unquote(parts.path).replace("\\", "/")
    elsewhere = parts.netloc.lower() not in {"", "localhost"} or path.startswith("//")
    if elsewhere or not path.startswith("/") or parts.query or parts.fragment:
        raise InvalidArgumentError(argument, name, "a local file URI, file:///whole/path")
    return path
