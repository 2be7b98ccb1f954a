"""Reader of modes of deformation: files of numbers of 64 bits behind their count, as Bullet's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh.types import FloatArray
from unibody.errors import AssetError

_COUNT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Modes:
    """How a mesh deforms.

    Attributes:
        shapes: What each mode moves each point by, (r, p, 3).
        stiffness: Of each mode, whose mass is one, (r,).
        masses: Share of the mass of each point, (p,).
    """

    shapes: FloatArray
    stiffness: FloatArray
    masses: FloatArray


def load_modes(folder: str | Path, count: int, points: int) -> Modes:
    """Reads the first modes of a folder: modes.bin, K_r_diag_mat.bin and M_diag_mat.bin.

    Args:
        folder: Where the files are.
        count: How many modes.
        points: How many points the mesh has.

    Raises:
        AssetError: A file is not there, too short, or has a number that is not finite.
    """
    folder = Path(folder)
    shapes = _numbers(folder / "modes.bin", 3 * points * count)
    masses = _numbers(folder / "M_diag_mat.bin", points)
    stiffness = _numbers(folder / "K_r_diag_mat.bin", count)
    for name, numbers in (("M_diag_mat.bin", masses), ("K_r_diag_mat.bin", stiffness)):
        if (numbers < 0.0).any() or (name[0] == "M" and not numbers.all()):
            raise AssetError(folder / name, "", "has a number that is not positive")
    return Modes(shapes.reshape(count, points, 3), stiffness, masses)


def _numbers(file: Path, count: int) -> FloatArray:
    """The first numbers of a file."""
    data = read_regular(file, DEFAULT_LIMITS.mesh_bytes)
    there = max(len(data) - _COUNT_BYTES, 0) // 8
    if there < count:
        raise AssetError(file, "", f"has {there} numbers where {count} are wanted")
    found = np.frombuffer(data, dtype="<f8", count=count, offset=_COUNT_BYTES)
    if not np.isfinite(found).all():
        raise AssetError(file, "", "has a number that is not finite")
    return found.astype(np.float64)
