"""A few models of our own, under the file names scripts expect from `pybullet_data`.

`unibody run` gives a script this folder as `pybullet_data` where neither that is installed nor its
models were fetched (`unibody data install`), and a line
says so for each of these models that a script loads. Every
model is made of primitives; only the names, the rough size and the order of the driven joints
follow the originals.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unibody.notices import tell
from unibody.sample_assets import originals

_FOLDER = str(Path(__file__).resolve().parent)
_told: set[str] = set()


def getDataPath() -> str:
    """The folder of the models, as an absolute path: of the originals where they were fetched.

    Returns:
        What a script passes to `setAdditionalSearchPath`.
    """
    found = originals.downloaded()
    return _FOLDER if found is None else str(found)


def stand_ins() -> str:
    """The folder of our own models, as an absolute path."""
    return _FOLDER


def stands_for_pybullet_data() -> bool:
    """Whether the script that runs here finds this folder under that name."""
    return sys.modules.get("pybullet_data") is sys.modules[__name__]


def tell_of_stand_in(file: str) -> None:
    """Say, once for each file, that a model of ours is used in the place of an original.

    Args:
        file: That was loaded; nothing is said of one that is not ours.
    """
    if file.startswith(_FOLDER + os.sep) and file not in _told:
        _told.add(file)
        name = os.path.relpath(file, _FOLDER)
        tell(f"{name} is a simple model of ours; {originals.GET} fetches PyBullet's")
