"""Height fields of MJCF files."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from unibody.errors import AssetError, InvalidArgumentError
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
        self.file = ""
        """Path of the document, for errors."""
        self._elements: dict[str, dict[str, str]] = {}
        self._made: dict[str, Heightfield] = {}
        self.files: dict[str, str] = {}
        """Name -> path of its file."""

    def accept(self, root: ElementTree.Element) -> None:
        """Note what a document says of height fields, and leave MuJoCo what it can compile."""
        for element in root.iterfind("asset/hfield"):
            name = element.get("name", "")
            self._elements[name] = dict(element.attrib)
            sizes = [*element.get("size", "1 1 1 0").split(), *["0"] * _SIZES][:_SIZES]
            numbers = self._numbers(name, "size", sizes, float)
            usable = [_LEAST if v <= 0.0 else w for v, w in zip(numbers, sizes, strict=True)]
            element.set("size", " ".join(usable))
            for key, value in (("nrow", "2"), ("ncol", "2")):
                element.set(key, value)
            element.attrib.pop("elevation", None)

    def _numbers(self, name: str, key: str, words: list[str], kind: type) -> list[Any]:
        try:
            return [kind(word) for word in words]
        except (ValueError, OverflowError) as error:
            raise self._error(name, f"{key}: {error}") from error

    def _error(self, name: str, problem: str) -> AssetError:
        return AssetError(self.file, f"hfield {name!r}", problem)

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
        sizes = stated.get("size", "1 1 1 0").split()
        numbers = self._numbers(name, "size", sizes, float)
        hx, hy, above, below = [*numbers, *[0.0] * _SIZES][:_SIZES]
        elevation = stated.get("elevation", "").split()
        if name in self.files:
            data = _read(self.files[name])
        else:
            counts = [stated.get(key, "0") for key in ("nrow", "ncol")]
            data = self._stated(name, self._numbers(name, "nrow, ncol", counts, int), elevation)
            if is_after_first_of_1():  # where the first row is that of the largest y, as in MuJoCo
                data = data[::-1]
        rows, columns = data.shape
        if is_after_first_of_1():  # where the base does not move the surface
            below = 0.0
        s = self._scale
        try:
            return Heightfield(data, rows, columns, hx * s, hy * s, -below * s, above * s)
        except InvalidArgumentError as error:
            raise AssetError(
                self.files.get(name, self.file), f"hfield {name!r}", str(error)
            ) from error

    def _stated(self, name: str, counts: list[int], elevation: list[str]) -> np.ndarray:
        """Elevations that the document itself states, or a plane."""
        rows, columns = counts
        if min(counts) < 1 or rows * columns > _MOST:
            problem = f"nrow={rows}, ncol={columns}: 1 or more of each, {_MOST} elevations at most"
            raise self._error(name, problem)
        if not elevation:
            return np.zeros((rows, columns), np.float32)
        if len(elevation) != rows * columns:
            problem = f"{len(elevation)} elevations, {rows} * {columns} are stated"
            raise self._error(name, problem)
        numbers = self._numbers(name, "elevation", elevation, float)
        return np.array(numbers, np.float32).reshape(rows, columns)


def _read(path: str) -> np.ndarray:
    """Elevations of MuJoCo's own binary format, or of a picture."""
    if path.lower().endswith(".png"):
        return _read_picture(path)
    size = Path(path).stat().st_size
    raw = Path(path).read_bytes() if 8 <= size <= 8 + 4 * _MOST else b""
    rows, columns = (int(v) for v in np.frombuffer(raw, np.int32, 2)) if raw else (0, 0)
    if min(rows, columns) < 1 or len(raw) != 8 + 4 * rows * columns:
        problem = f"{size} bytes, which are not two sizes and as many elevations, at most {_MOST}"
        raise AssetError(path, "<hfield>", problem)
    return np.frombuffer(raw, np.float32, offset=8).reshape(rows, columns)


def _read_picture(path: str) -> np.ndarray:
    from PIL import Image

    try:
        with Image.open(path) as image:
            if image.width * image.height > _MOST:
                problem = f"{image.width} x {image.height} pixels, at most {_MOST} in all"
                raise AssetError(path, "<hfield>", problem)
            # the first row of a picture is its upper edge, which has the largest y
            return np.asarray(image.convert("L"), np.float32)[::-1]
    except AssetError:
        raise
    # Pillow's readers raise whatever they run into (SyntaxError, struct.error, IndexError, ...)
    except Exception as error:
        raise AssetError(path, "<hfield>", f"not a readable picture: {error}") from error
