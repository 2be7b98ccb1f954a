"""Where the robots of a run were while they drove: a heat map seen from above."""

from __future__ import annotations

import base64
import io
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CELL = 0.25  # m
_EVERY = 0.1  # s between two looks: robots of up to 2.5 m/s leave no gap
_MOST_PENDING = 200_000  # places that are kept one by one
_MOST_CELLS = 240  # on the longer side of a picture
_HALF = 1 << 30  # cells on each side of the origin that have numbers


class Heat(NamedTuple):
    """Time that robots spent on each cell of a grid while they drove.

    Attributes:
        seconds: (rows along y, columns along x) [s].
        low: The corner of the least x and y [m].
        cell: Edge of a cell [m].
    """

    seconds: NDArray[np.float64]
    low: tuple[float, float]
    cell: float


class TrafficMap:
    """Adds up where robots are; memory is bounded by the area that they cross."""

    def __init__(self) -> None:
        self._cells: NDArray[np.int64] = np.zeros(0, np.int64)
        self._seconds: NDArray[np.float64] = np.zeros(0)
        self._pending: list[NDArray[np.int64]] = []
        self._count: int = 0
        self._waited: float = 0.0
        self._per_look: float = 0.0

    def step(self, places: NDArray[Any], dt: float) -> None:
        """Take in where those are that are on their way.

        Args:
            places: (n, 2 or more) [m].
            dt: Time since the last step [s].
        """
        self._waited += dt
        if self._waited < _EVERY:
            return
        self._add(self._waited)
        self._waited = 0.0
        cells = np.floor(places[:, :2] / CELL)
        cells = cells[np.abs(cells).max(axis=1, initial=0.0) < _HALF].astype(np.int64)
        self._pending.append((cells[:, 0] + _HALF) << 32 | (cells[:, 1] + _HALF))
        self._count += len(cells)

    def _add(self, seconds: float) -> None:
        """Add up what is pending, where each place counts for so long."""
        if seconds == self._per_look and self._count < _MOST_PENDING:
            return
        if self._pending:
            found, times = np.unique(np.concatenate(self._pending), return_counts=True)
            cells = np.concatenate([self._cells, found])
            each = np.concatenate([self._seconds, self._per_look * times])
            self._cells, places = np.unique(cells, return_inverse=True)
            self._seconds = np.bincount(places, each, len(self._cells)).astype(np.float64)
        self._pending, self._count, self._per_look = [], 0, seconds

    def heat(self) -> Heat | None:
        """What was found, in cells large enough for a picture; None: nothing drove."""
        self._add(0.0)
        if not len(self._cells):
            return None
        x, y = (self._cells >> 32) - _HALF, (self._cells & 0xFFFFFFFF) - _HALF
        wide, high = int(np.ptp(x)) + 1, int(np.ptp(y)) + 1
        merged = -(-max(wide, high) // _MOST_CELLS)
        columns, rows = (x - x.min()) // merged, (y - y.min()) // merged
        seconds = np.zeros((-(-high // merged), -(-wide // merged)))
        np.add.at(seconds, (rows, columns), self._seconds)
        return Heat(seconds, (CELL * float(x.min()), CELL * float(y.min())), CELL * merged)


def heat_image(heat: Heat, width: int) -> str:
    """A picture as an element of a page: white where nobody drove, dark where most did.

    Args:
        heat: What is shown; y points up.
        width: Of the picture [pixels].
    """
    from PIL import Image

    share = np.sqrt(heat.seconds[::-1] / heat.seconds.max())
    colors = np.array([[255, 255, 255], [253, 212, 120], [226, 88, 34], [90, 10, 30]], float)
    at = np.linspace(0.0, 1.0, len(colors))
    pixels = np.stack([np.interp(share, at, colors[:, k]) for k in range(3)], axis=-1)
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stream, "PNG")
    data = base64.b64encode(stream.getvalue()).decode()
    rows, columns = heat.seconds.shape
    (x, y), cell = heat.low, heat.cell
    most = heat.seconds.max() / cell**2
    return (
        f'<img width="{width}" style="image-rendering:pixelated;border:1px solid #999" '
        f'alt="heat map of traffic" src="data:image/png;base64,{data}">'
        f"<p>x from {x:.4g} to {x + columns * cell:.4g} m, "
        f"y from {y:.4g} to {y + rows * cell:.4g} m (up). "
        f"Darkest: {most:.3g} s of robots on their way a square metre; "
        "colours go with the square root.</p>"
    )
