"""Maps of ROS's map_server: a picture of where something stands, and a YAML file about it.

The format: http://wiki.ros.org/map_server#Map_format. A pixel is as likely occupied as it is dark;
from `occupied_thresh` on it is, up to `free_thresh` it is free, and between them unknown.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.parameters.yaml_reader import ConfigError, Lines, check_keys, read_yaml, refuse

_KEYS = (
    "image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "mode",
)  # fmt: skip
_MODES = ("trinary", "scale", "raw")
_MOST_CELLS = 1 << 24
_MOST_BYTES = 256 << 20
_MOST_RADII = 8  # whose cells a map keeps
_PERCENT = 100.0  # a raw pixel says how likely it is occupied, in percent

Rectangle = tuple[int, int, int, int]
"""First row and column, and those behind the last ones."""


@dataclass(frozen=True)
class OccupancyMap:
    """Where something stands.

    Attributes:
        occupied: (rows, columns); row 0 has the least y.
        free: The same; what is neither is unknown.
        resolution: Width of a cell [m].
        origin: (x, y, yaw) of the lower left corner in the world [m, rad].
    """

    occupied: NDArray[np.bool_]
    free: NDArray[np.bool_]
    resolution: float
    origin: tuple[float, float, float]
    _reachable: dict[float, NDArray[np.bool_]] = field(default_factory=dict, compare=False)

    def world(self, row: float, column: float) -> tuple[float, float]:
        """The place in the world of a place in cells, whose centres are at halves [m]."""
        x, y, yaw = self.origin
        u, v = column * self.resolution, row * self.resolution
        cos, sin = math.cos(yaw), math.sin(yaw)
        return x + cos * u - sin * v, y + sin * u + cos * v

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of the cell that a place in the world lies in [m]; it may be outside."""
        dx, dy = x - self.origin[0], y - self.origin[1]
        cos, sin = math.cos(self.origin[2]), math.sin(self.origin[2])
        row = (cos * dy - sin * dx) / self.resolution
        return math.floor(row), math.floor((cos * dx + sin * dy) / self.resolution)

    def reachable(self, radius: float) -> NDArray[np.bool_]:
        """Cells in whose middle a disc of a radius [m] touches free cells only."""
        known = self._reachable.get(radius)
        if known is None:
            while len(self._reachable) >= _MOST_RADII:
                self._reachable.pop(next(iter(self._reachable)))
            known = self._reachable[radius] = ~_grown(~self.free, radius / self.resolution)
        return known

    def rectangles(self) -> list[Rectangle]:
        """Few rectangles that cover the occupied cells, each cell once."""
        open_runs: dict[tuple[int, int], int] = {}  # columns of a run, and its first row
        found: list[Rectangle] = []
        for row in range(len(self.occupied) + 1):
            runs = _runs(self.occupied[row]) if row < len(self.occupied) else set()
            for run in [run for run in open_runs if run not in runs]:
                found.append((open_runs.pop(run), run[0], row, run[1]))
            for run in sorted(runs - open_runs.keys()):
                open_runs[run] = row
        return sorted(found)


def _runs(cells: NDArray[np.bool_]) -> set[tuple[int, int]]:
    """Where runs of set cells begin, and the cells behind them."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], cells.view(np.int8), [0]))))
    return set(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _grown(cells: NDArray[np.bool_], radius: float) -> NDArray[np.bool_]:
    """Cells whose middle is nearer than a radius, in cells, to a set one; all outside are set."""
    reach = math.ceil(radius)
    wide = np.pad(cells, reach + 1, constant_values=True)
    out = np.zeros_like(cells)
    rows, columns = cells.shape
    for dy in range(-reach, reach + 1):
        away = max(abs(dy) - 0.5, 0.0)  # from the middle of a cell to the nearest point of that row
        if away > radius:
            continue
        half = math.floor(math.sqrt(radius * radius - away * away) + 0.5)
        half = min(half, reach + 1)
        band = wide[reach + 1 + dy : reach + 1 + dy + rows]
        counts = np.concatenate(
            [np.zeros((rows, 1), dtype=np.int64), np.cumsum(band, axis=1, dtype=np.int64)], axis=1
        )
        first = reach + 1 - half
        out |= counts[:, first + 2 * half + 1 :][:, :columns] > counts[:, first:][:, :columns]
    return out


def read_map(path: str | os.PathLike[str]) -> OccupancyMap:
    """Read a map.

    Args:
        path: The YAML file; the picture (PGM, PNG, ...) it names lies in its folder or below.

    Raises:
        FileNotFoundError: There is no such file.
        ConfigError: A key or value is not allowed, or the picture cannot be read.
    """
    said = read_yaml(path)
    if not isinstance(said, Lines):
        raise ConfigError(f"{os.fspath(path)}: a map says at least `image` and `resolution`")
    check_keys(said, _KEYS, "the map")
    mode = said.get("mode", "trinary")
    if mode not in _MODES:
        refuse(said, "mode", f"mode={mode!r} is not allowed: expected one of {_MODES}")
    resolution = _number(said, "resolution", None, 1e-4, 1e3)
    occupied_from = _number(said, "occupied_thresh", 0.65, 0.0, 1.0)
    free_up_to = _number(said, "free_thresh", 0.25, 0.0, 1.0)
    negate = said.get("negate", 0)
    if negate not in (0, 1):
        refuse(said, "negate", f"negate={negate!r} is not allowed: expected 0 or 1")
    pixels = _pixels(said, path)
    if mode == "raw":
        share = np.where(pixels > _PERCENT, np.nan, pixels / _PERCENT)
    else:
        share = pixels / 255.0 if negate else (255.0 - pixels) / 255.0
    share = share[::-1]  # the first row of a picture is its upper edge
    return OccupancyMap(share >= occupied_from, share <= free_up_to, resolution, _origin(said))


def _number(said: Lines, key: str, default: float | None, low: float, high: float) -> float:
    value = said.get(key, default)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    refuse(said, key, f"{key}={value!r:.80} is not allowed: expected a number, {low:g} to {high:g}")


def _origin(said: Lines) -> tuple[float, float, float]:
    value = said.get("origin", [0.0, 0.0, 0.0])
    right = isinstance(value, list) and len(value) in {2, 3}
    if not right or not all(isinstance(v, (int, float)) and abs(v) <= 1e6 for v in value):
        refuse(said, "origin", f"origin={value!r:.80} is not allowed: expected [x, y, yaw]")
    x, y, yaw = [*(float(v) for v in value), 0.0][:3]
    return x, y, yaw


def _pixels(said: Lines, path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """How bright the pixels of the picture are, 0 to 255; transparent ones are unknown, NaN."""
    from PIL import Image

    name = said.get("image")
    if not isinstance(name, str) or not name:
        refuse(said, "image", f"image={name!r:.80} is not allowed: expected the name of a picture")
    folder = Path(path).resolve().parent
    file = (folder / name).resolve()
    if not file.is_relative_to(folder):
        refuse(said, "image", f"image={name!r} leads out of the folder of the map")
    if not file.is_file():
        refuse(said, "image", f"there is no picture {file}")
    if file.stat().st_size > _MOST_BYTES:
        refuse(said, "image", f"{file} has more than {_MOST_BYTES >> 20} MiB")
    try:
        with Image.open(file) as image:
            if image.width * image.height > _MOST_CELLS:
                size = f"{image.width} x {image.height} pixels are too many"
                refuse(said, "image", f"{size}: up to {_MOST_CELLS} are allowed")
            planes: Any = np.asarray(image.convert("RGBA"), dtype=np.float64)
    except ConfigError:
        raise
    # Pillow's readers raise whatever they run into (SyntaxError, struct.error, IndexError, ...).
    except Exception as problem:
        raise ConfigError(
            f"{said.where('image')}: {file} is no readable picture: {problem}"
        ) from None
    bright = planes[:, :, :3].mean(axis=2)
    return np.where(planes[:, :, 3] > 0.0, bright, np.nan)
