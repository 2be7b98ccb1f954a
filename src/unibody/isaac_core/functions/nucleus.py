"""Where assets are: a folder of the user's."""

from __future__ import annotations

import os

from unibody.errors import NotSupportedError

VARIABLE = "UNIBODY_ISAAC_ASSETS"
"""Environment variable with the folder in which "/Isaac/..." lies."""


def get_assets_root_path(*, skip_check: bool = False) -> str:
    """The folder of assets.

    Args:
        skip_check: Whether it need not be there.

    Raises:
        NotSupportedError: No folder was named, or it is not there.
    """
    folder = os.environ.get(VARIABLE, "")
    if not folder or not (skip_check or os.path.isdir(folder)):
        raise NotSupportedError(
            "the server of assets",
            f"{VARIABLE}={folder!r}: set it to a folder in which 'Isaac/Robots/...' lies",
        )
    return folder.rstrip("/")


async def get_assets_root_path_async(*, skip_check: bool = False) -> str:
    """The folder of assets; the errors are those of `get_assets_root_path`."""
    return get_assets_root_path(skip_check=skip_check)


def is_file(path: str) -> bool:
    """Whether a file of a path is there."""
    return os.path.isfile(path)


def is_dir(path: str) -> bool:
    """Whether a folder of a path is there."""
    return os.path.isdir(path)
