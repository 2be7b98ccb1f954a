"""Robots and meshes that examples fetch from repositories, where they lie on this machine.

Nothing is downloaded: what is found lies in a folder that UNIBODY_NEWTON_ASSETS names, or where an
installed Newton has kept it.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from unibody.errors import InvalidArgumentError, NotSupportedError

VARIABLE = "UNIBODY_NEWTON_ASSETS"
"""The variable that names folders, one behind another as in PATH."""
REPOSITORY = "https://github.com/newton-physics/newton-assets.git"

_UNFINISHED = re.compile(r"_p\d+_t\d+$")  # what a download is called while it runs


def named_folders() -> list[Path]:
    """The folders that the variable names."""
    return [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]


def cache_folder() -> Path:
    """Where an installed Newton keeps what it has downloaded."""
    chosen = os.environ.get("NEWTON_CACHE_PATH")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "newton-physics" / "newton" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "newton"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "newton"


def find(url: str, folder: str, cache_dir: Any = None) -> Path:
    """The place of a folder of a repository.

    Args:
        url: Of the repository.
        folder: Path in the repository.
        cache_dir: Where an installed Newton keeps what it has downloaded; None: its usual place.

    Raises:
        InvalidArgumentError: The path leads out of the repository.
        NotSupportedError: It is not on this machine.
    """
    parts = Path(folder).parts
    if not parts or Path(folder).is_absolute() or ".." in parts:
        raise InvalidArgumentError("folder", folder, "a path in the repository")
    name = url.rstrip("/").rpartition("/")[2].removesuffix(".git")
    places = [base / folder for base in named_folders()]
    places += [base / name / folder for base in named_folders()]
    places += _kept(Path(cache_dir) if cache_dir else cache_folder(), name, parts)
    for place in places:
        if place.is_dir():
            return place
    raise NotSupportedError(
        f"downloading {folder!r} of {url}",
        f"`git clone {url}` gets it, and {VARIABLE} names the folder of the clone",
    )


def _kept(cache: Path, name: str, parts: tuple[str, ...]) -> list[Path]:
    """Where a folder, or one above it, was kept: the newest first."""
    found: list[Path] = []
    for count in range(len(parts), 0, -1):
        pattern = f"{name}_{'_'.join(parts[:count])}_*"
        kept = [place for place in cache.glob(pattern) if not _UNFINISHED.search(place.name)]
        kept.sort(key=lambda place: place.stat().st_mtime, reverse=True)
        found += [place.joinpath(*parts) for place in kept]
    return found
