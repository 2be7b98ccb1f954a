"""Files and texts that importers read."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unibody.core.assets.paths import SearchPath
from unibody.errors import InvalidArgumentError


@contextlib.contextmanager
def opened(source: Any, suffix: str) -> Iterator[tuple[str, SearchPath]]:
    """The path of a source, which may be the text of a file, and where it refers to.

    Raises:
        InvalidArgumentError: It is neither a file nor a text.
    """
    name = os.fspath(source) if hasattr(source, "__fspath__") else source
    if not isinstance(name, str):
        raise InvalidArgumentError("source", source, "the path of a file, or its text")
    if not name.lstrip("\ufeff \t\r\n").startswith("<"):
        folder = os.path.dirname(os.path.abspath(name))
        yield name, SearchPath((folder,), confined=False)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"text{suffix}"
        file.write_text(name.lstrip("\ufeff \t\r\n"), encoding="utf-8")
        yield str(file), SearchPath((os.getcwd(),), confined=False)
