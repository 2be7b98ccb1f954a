"""Where assets are: a folder of the user's, or files that are made here."""

from __future__ import annotations

import os

from unibody.errors import NotSupportedError
from unibody.isaac_core.assets import places
from unibody.isaac_core.assets.places import VARIABLE

__all__ = [
    "VARIABLE", "get_assets_root_path", "get_assets_root_path_async", "is_dir", "is_file",
]  # fmt: skip


def get_assets_root_path(*, skip_check: bool = False) -> str:
    """The folder of assets: the user's, or one in which files are made when it is first asked for.

    Args:
        skip_check: Whether a folder of the user's need not be there.

    Raises:
        NotSupportedError: The folder that was named is not there.
    """
    folder = os.environ.get(VARIABLE, "")
    if folder and not (skip_check or os.path.isdir(folder)):
        raise NotSupportedError(
            "the server of assets",
            f"{VARIABLE}={folder!r}: set it to a folder in which 'Isaac/Robots/...' lies",
        )
    root = places.root_path()
    places.make_all(root)
    return root


async def get_assets_root_path_async(*, skip_check: bool = False) -> str:
    """The folder of assets; the errors are those of `get_assets_root_path`."""
    return get_assets_root_path(skip_check=skip_check)


def is_file(path: str) -> bool:
    """Whether a file of a path is there, or can be made here."""
    try:
        return os.path.isfile(places.located(path))
    except NotSupportedError:
        return False


def is_dir(path: str) -> bool:
    """Whether a folder of a path is there."""
    return os.path.isdir(path)
