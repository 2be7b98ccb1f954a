"""Which functions write files, and where they may where somebody else says so.

A server's clients and the record that is replayed name files of this process: these stay in one
folder, and are neither hidden files, which programs read by themselves, nor devices.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unibody.bullet.errors import error

__all__ = ["WRITERS", "confined"]

WRITERS: dict[str, tuple[str, ...]] = {
    "startStateLogging": ("fileName",),
    "saveBullet": ("bulletFileName",),
    "saveWorld": ("worldFileName",),
    "vhacd": ("fileNameOut", "fileNameLogging"),
}
"""Functions that write files, and the arguments that name them."""


def confined(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], folder: Path,
    whose: str,
) -> inspect.BoundArguments:  # fmt: skip
    """The arguments of a call that writes files, which lie in a folder.

    Args:
        function: One of `WRITERS`.
        args: Its arguments by position; names of files are relative to the folder.
        kwargs: And by name.
        folder: Has to be there.
        whose: Who is confined, for the error.

    Raises:
        error: A file would lie elsewhere, is a hidden one, or is there and no plain file.
        TypeError: These are no arguments of the function.
    """
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    for argument in WRITERS[function.__name__]:
        written = os.fspath(bound.arguments[argument])
        what = f"{function.__name__}({argument}={written!r})"
        if "\0" in written:
            raise error(f"{what}: this is no name of a file")
        base = folder.resolve()
        target = (base / written).resolve()
        if not target.is_relative_to(base):
            raise error(f"{what}: {whose} writes to {base} only")
        if any(part.startswith(".") for part in target.relative_to(base).parts):
            raise error(f"{what}: {whose} writes no hidden files")
        if target.exists() and not target.is_file():
            raise error(f"{what}: {whose} writes to plain files only")
        bound.arguments[argument] = str(target)
    return bound
