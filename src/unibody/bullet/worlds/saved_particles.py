"""Particles of soft bodies in the files of saveBullet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from unibody.bullet.substeps.soft_bodies import SavedParticles
from unibody.core.engine.snapshots import state_file
from unibody.core.engine.soft.contact_tables import Slid, key_of
from unibody.errors import EngineError

_FOLDER = "particles/"
_MOST_SLOTS = 1 << 30
_POSE = 7  # x, y, z and quaternion w, x, y, z


def parts_of(particles: dict[int, SavedParticles]) -> dict[str, bytes]:
    """The parts of an archive that have all particles."""
    found: dict[str, bytes] = {}
    for number, saved in particles.items():
        arrays = {"place": np.concatenate(saved.place), "keys": saved.slid.keys}
        arrays["ways"] = saved.slid.ways
        # Numbers of 32 bits are none other in 64.
        arrays.update({str(k): np.float64(part) for k, part in enumerate(saved.parts)})
        for name, array in arrays.items():
            found[f"{_FOLDER}{number}/{name}.npy"] = state_file.array_part(array)
    return found


def read(file: Path) -> dict[int, SavedParticles]:
    """Read the particles of an archive, by body id.

    Raises:
        EngineError: The file cannot be read, or is not what saveBullet writes.
    """
    bodies: dict[int, dict[str, Any]] = {}
    for name, array in state_file.read_arrays(file, _FOLDER).items():
        number, _, part = name.partition("/")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise EngineError(f"{file}: not a saved state: particles of {number!r}")
        bodies.setdefault(int(number), {})[part] = array
    return {number: _checked(arrays, number, file) for number, arrays in bodies.items()}


def count_in(file: Path) -> int:
    """How many soft bodies an archive has particles of.

    Raises:
        EngineError: The file cannot be read.
    """
    return len({name.partition("/")[0] for name in state_file.read_arrays(file, _FOLDER)})


def _checked(arrays: dict[str, Any], number: int, file: Path) -> SavedParticles:
    try:
        place, keys, ways = (arrays.pop(name) for name in ("place", "keys", "ways"))
        parts = tuple(arrays.pop(str(k)) for k in range(len(arrays)))
    except KeyError as missing:
        raise EngineError(f"{file}: soft body {number} lacks {missing}") from None
    fits = (
        place.shape == (_POSE,)
        and keys.ndim == 1
        and keys.dtype == np.int64
        and ways.shape == (len(keys), 3)
        and bool(parts)
        and parts[0].ndim > 0
        and all(
            part.dtype.kind == "f" and np.isfinite(part).all() for part in (place, ways, *parts)
        )
        and bool((np.diff(keys) > 0).all())
        and (not len(keys) or (keys[0] >= 0 and keys[-1] < key_of(_MOST_SLOTS)))
    )
    if not fits:
        raise EngineError(f"{file}: soft body {number} has particles that are not as saveBullet's")
    where = (tuple(place[:3].tolist()), tuple(place[3:].tolist()))
    return SavedParticles(where, Slid(keys, ways), parts)
