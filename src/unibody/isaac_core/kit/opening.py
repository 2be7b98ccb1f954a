"""Opening files of stages that may be anybody's."""

from __future__ import annotations

import os
from typing import Any

from pxr import Ar, Sdf, Usd

from unibody.core.assets.disk_cache import cache_directory
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import check_stage, open_stage
from unibody.core.assets.usd.library import first_line
from unibody.errors import AssetError
from unibody.isaac_core.assets import places

VARIABLE = "PXR_AR_DEFAULT_SEARCH_PATH"
"""Environment variable with OpenUSD's own search path."""

_checked: dict[str, tuple[int, int]] = {}  # time and size of files that stages refer to


def opened(url: str, load_set: Any = None) -> Usd.Stage:
    """A stage, once all that it is composed of has been looked at.

    Binary layers are read in a process of their own first, because OpenUSD ends the process on
    some damaged ones. Layers that are not there, or on a server, are left out, with a
    warning in the log.

    Args:
        url: Path of the file, or identifier of a layer in memory.
        load_set: Which payloads are loaded, ``Usd.Stage.InitialLoadSet``; None: all.

    Raises:
        AssetError: A layer is malformed, too large, or outside the directories that the stage may
            refer to: its own and those around it, the working directory, the assets', and those
            of the environment variable ``PXR_AR_DEFAULT_SEARCH_PATH``.
    """
    if Sdf.Layer.IsAnonymousLayerIdentifier(url):  # no file: the script made it
        return Usd.Stage.Open(url, Usd.Stage.LoadAll if load_set is None else load_set)
    stage, _ = open_stage(
        os.path.abspath(url),
        search_path=_search_path(),
        limits=DEFAULT_LIMITS,
        skip_missing=True,
    )
    if load_set is None or load_set == Usd.Stage.LoadAll:
        return stage
    return Usd.Stage.Open(stage.GetRootLayer(), load_set)


def check(url: str, referrer: Sdf.Layer) -> None:
    """Look at a file, and all that it refers to, before a stage refers to it.

    The script chose the file, which may lie anywhere; what that refers to may not. A file that is
    open and as it was is not looked at again, nor what was made here from assets.

    Args:
        url: As the reference is written.
        referrer: The layer that will hold it.

    Raises:
        AssetError: As for ``opened``.
    """
    if Sdf.Layer.IsAnonymousLayerIdentifier(url):
        return
    written, _ = Sdf.Layer.SplitIdentifier(url)
    for path in dict.fromkeys((os.path.abspath(written), referrer.ComputeAbsolutePath(written))):
        file, _ = Ar.SplitPackageRelativePathOuter(path)
        if not os.path.isfile(file) or places.is_own(file):
            continue
        status = os.stat(file)
        state = (status.st_mtime_ns, status.st_size)
        if _checked.get(path) == state and Sdf.Layer.Find(path):
            continue
        check_stage(path, search_path=_search_path(), limits=DEFAULT_LIMITS, skip_missing=True)
        _checked[path] = state


def reason(problem: Exception) -> str:
    """Why a stage was not opened, in a line."""
    if not isinstance(problem, AssetError):
        return first_line(problem)
    cause = problem.__cause__
    if isinstance(cause, Exception) and not isinstance(cause, (OSError, ValueError)):
        return first_line(cause)  # OpenUSD's own words
    text = str(problem)
    return f"{text} ({VARIABLE} holds it)" if text.endswith("to the search path") else text


def _search_path() -> SearchPath:
    own = os.environ.get(VARIABLE, "").split(os.pathsep)
    assets = (places.root_path(), str(cache_directory("isaac_assets")))
    return SearchPath((*assets, *filter(None, own)))
