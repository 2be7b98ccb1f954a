"""Height fields of MJCF files."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from unibody.errors import AssetError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.heightfield import Heightfield

_SIZES = 4  # half extents, height above and below zero
_MOST = 1 << 24  # elevations
_LEAST = "1e-6"  # MuJoCo takes no height field without a base


class Fields:
    """The height fields of a file.

    Args:
        scale: Factor on lengths.
    """

    def __init__(self, scale: float) -> None:
        self._scale = scale
        self._elements: dict[str, dict[str, str]] = {}
        self._made: dict[str, Heightfield] = {}
        self.files: dict[str, str] = {}
        """Name -> path of its file."""

    def accept(self, root: ElementTree.Element) -> None:
        """Note what a document says of height fields, and leave MuJoCo what it can compile."""
        for element in root.iterfind("asset/hfield"):
            self._elements[element.get("name", "")] = dict(element.attrib)
            sizes = [*element.get("size", "1 1 1 0").split(), *["0"] * _SIZES][:_SIZES]
            element.set("size", " ".join(_LEAST if float(v) <= 0.0 else v for v in sizes))
            for key, value in (("nrow", "2"), ("ncol", "2")):
                element.set(key, value)
            element.attrib.pop("elevation", None)

    def source(self, name: str) -> Heightfield:
        """A height field by its name.

        Raises:
            AssetError: Its elevations are not as many as it states, or its file is none.
        """
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Heightfield:
        stated = self._elements[name]
        numbers = [float(v) for v in stated.get("size", "1 1 1 0").split()]
        hx, hy, above, below = [*numbers, *[0.0] * _SIZES][:_SIZES]
        rows, columns = (int(stated.get(key, "0")) for key in ("nrow", "ncol"))
        elevation = stated.get("elevation", "").split()
        if name in self.files:
            data = _read(self.files[name])
            rows, columns = data.shape
        elif elevation:
            if len(elevation) != rows * columns:
                problem = f"{len(elevation)} elevations, {rows} * {columns} are stated"
                raise AssetError("", f"hfield {name!r}", problem)
            data = np.array(elevation, np.float32).reshape(rows, columns)
        else:
            if not 0 < rows * columns <= _MOST:
                raise AssetError("", f"hfield {name!r}", f"nrow={rows}, ncol={columns}")
            data = np.zeros((rows, columns), np.float32)
        if is_after_first_of_1():  # where the base does not move the surface
            below = 0.0
        s = self._scale
        return Heightfield(data, rows, columns, hx * s, hy * s, -below * s, above * s)


def _read(path: str) -> Any:
    """Elevations of MuJoCo's own binary format, or of a picture."""
    if path.lower().endswith(".png"):
        from PIL import Image

        # the first row of a picture is its upper edge, which has the largest y
        return np.asarray(Image.open(path).convert("L"), np.float32)[::-1]
    raw = Path(path).read_bytes()
    rows, columns = (int(v) for v in np.frombuffer(raw, np.int32, 2)) if len(raw) >= 8 else (0, 0)
    if not 0 < rows * columns <= _MOST or len(raw) != 8 + 4 * rows * columns:
        problem = f"{len(raw)} bytes, which are not two sizes and as many elevations"
        raise AssetError(path, "<hfield>", problem)
    return np.frombuffer(raw, np.float32, offset=8).reshape(rows, columns)
