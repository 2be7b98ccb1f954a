"""A few models of our own, under the file names scripts expect from `pybullet_data`.

`unibody run` gives a script this folder as `pybullet_data` where that is not installed, and a line
says so once a script loads one of these models. Every
model is made of primitives; only the names, the rough size and the order of the driven joints
follow the originals.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unibody.notices import tell

_FOLDER = str(Path(__file__).resolve().parent)
_told: list[str] = []  # the first file of a process stands for all


def getDataPath() -> str:
    """The folder of the models, as an absolute path.

    Returns:
        What a script passes to `setAdditionalSearchPath`.
    """
    return _FOLDER


def stands_for_pybullet_data() -> bool:
    """Whether the script that runs here finds this folder under that name."""
    return sys.modules.get("pybullet_data") is sys.modules[__name__]


def tell_of_stand_in(file: str) -> None:
    """Say, once in a process, that a model of ours is used in the place of an original.

    Args:
        file: That was loaded; nothing is said of one that is not ours.
    """
    if file.startswith(_FOLDER + os.sep) and not _told:
        _told.append(file)
        name = os.path.relpath(file, _FOLDER)
        tell(
            f"{name} is a simple model of ours, as are others of its folder: pybullet_data, with "
            "the originals, is not installed (pip install pybullet)"
        )
