"""Where assets are: the user's folder, or files made by recipes in a folder of the cache."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
from pathlib import Path

from unibody.core.assets.disk_cache import cache_directory
from unibody.errors import AssetError, NotSupportedError
from unibody.isaac_core.assets.making import make
from unibody.isaac_core.assets.table import Recipe, Source, recipes
from unibody.notices import tell, tell_once

VARIABLE = "UNIBODY_ISAAC_ASSETS"
"""Environment variable with the folder in which "Isaac/..." lies."""

_VERSION = "3"  # to be changed with anything that changes what recipes make
_BELOW = re.compile(r"(?:^|.*/)((?:Isaac|NVIDIA)/.+)$", re.DOTALL)
_EXAMPLE = "robot.urdf"


def root_path() -> str:
    """The folder below which scripts look for "/Isaac/...": the user's, or the cache."""
    folder = os.environ.get(VARIABLE, "")
    return folder.rstrip("/") if folder else str(cache_directory("isaac_assets"))


@functools.cache
def make_all(root: str) -> None:
    """Make all assets below the root, once in a process, if the root is that of the cache.

    USD itself follows references that scripts author, and cannot be told to make what is missing.
    What cannot be made is left out: who asks for it by our own functions is told why.
    """
    if root != str(cache_directory("isaac_assets")):
        return
    count = 0
    for name, recipe in recipes().items():
        with contextlib.suppress(NotSupportedError, AssetError, OSError):
            count += _make(recipe, name, Path(root) / name)[1]
    if count:
        tell(f"{count} assets are made in {root}; the comment of each says from what")


def located(path: str) -> str:
    """A path of a file that is there.

    Args:
        path: What a script asks for. What is not there, and lies below the root, is made by its
            recipe, in the cache.

    Returns:
        The path, or that of what was made in its place. A path that is not below the root is
        returned as it is, whether or not something is there.

    Raises:
        NotSupportedError: It lies below the root, is not there, and nothing here makes it.
    """
    name = _name_of(path)
    if name is None or (os.path.exists(path) and not _is_made(path)):
        return path
    recipe = recipes().get(name)
    target = cache_directory("isaac_assets") / name
    if recipe is None:
        own = f"{root_path()}/{name}"
        advice = f"unibody convert {_EXAMPLE} {own} makes it from a file of yours"
        if not name.endswith((".usd", ".usda", ".usdc")):
            advice = f"put a file of yours at {own}"
        raise NotSupportedError(f"the asset {name} of Isaac Sim's server", advice)
    return str(_made(recipe, name, target))


def _name_of(path: str) -> str | None:
    """The name of an asset below the root; None for a path of somewhere else."""
    root = root_path()
    below = path[len(root) :].lstrip("/") if path.startswith(root + "/") else ""
    found = _BELOW.match(below)
    return None if found is None else found[1]


def is_own(path: str) -> bool:
    """Whether a file lies in the cache, and a recipe made it there."""
    return path.startswith(f"{cache_directory('isaac_assets')}{os.sep}") and _is_made(path)


def _is_made(path: str) -> bool:
    return os.path.exists(_mark(Path(path)))


def _mark(target: Path) -> Path:
    """A file that says what an asset was made from; one of the user's has none."""
    return target.with_name(f"{target.name}.made")


def _made(recipe: Recipe, name: str, target: Path) -> Path:
    """The asset, made if it is not there or not of today's recipe.

    Raises:
        NotSupportedError: No source is there.
    """
    source, _ = _make(recipe, name, target)
    if source is not None:
        tell_once(f"{name} is made from {source.name}")
    return target


def _make(recipe: Recipe, name: str, target: Path) -> tuple[Source | None, bool]:
    """Make an asset if it is not there or not of today's recipe.

    Returns:
        What it is made from, None for the user's own in the cache, and whether it is made now.

    Raises:
        NotSupportedError: No source is there.
    """
    if target.exists() and not _mark(target).exists():
        return None, False
    for other in recipe.needs:
        _make(recipes()[other], other, Path(str(target).removesuffix(name)) / other)
    for source in recipe.sources:
        file = source.found()
        if file is None:
            continue
        stamp = _stamp(recipe, file)
        mark = _mark(target)
        if target.exists() and mark.read_text() == stamp:
            return source, False
        make(recipe, source, file, target)
        mark.write_text(stamp)
        return source, True
    packages = " or ".join(dict.fromkeys(source.package for source in recipe.sources))
    raise NotSupportedError(
        f"the asset {name} of Isaac Sim's server",
        f"with the package {packages} installed it is made from that; "
        f"unibody convert {_EXAMPLE} {root_path()}/{name} makes it from a file of yours",
    )


def _stamp(recipe: Recipe, file: Path) -> str:
    found = file.stat()
    text = f"{_VERSION} {recipe} {file} {found.st_size} {found.st_mtime_ns}"
    if recipe.more:
        text += recipe.more_file().read_text(encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()
