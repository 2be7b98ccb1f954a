"""Opening files of stages that may be anybody's."""

from __future__ import annotations

import os
from typing import Any

from pxr import Sdf, Usd

from unibody.core.assets.disk_cache import cache_directory
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import open_stage
from unibody.core.assets.usd.library import first_line
from unibody.errors import AssetError
from unibody.isaac_core.assets import places

VARIABLE = "PXR_AR_DEFAULT_SEARCH_PATH"
"""Environment variable with OpenUSD's own search path."""


def opened(url: str, load_set: Any = None) -> Usd.Stage:
    """A stage, once all that it is composed of has been looked at.

    Binary layers are read in a process of their own first, because OpenUSD ends the process on
    some damaged ones. Layers that are not there are left out, with a warning in the log.

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
