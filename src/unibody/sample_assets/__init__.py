"""A few models of our own, under the file names scripts expect from `pybullet_data`.

`unibody run` gives a script this folder as `pybullet_data` where that is not installed. Every
model is made of primitives; only the names, the rough size and the order of the driven joints
follow the originals.
"""

from __future__ import annotations

from pathlib import Path


def getDataPath() -> str:
    """The folder of the models, as an absolute path.

    Returns:
        What a script passes to `setAdditionalSearchPath`.
    """
    return str(Path(__file__).resolve().parent)
