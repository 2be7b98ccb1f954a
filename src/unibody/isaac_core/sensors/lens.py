"""A lens as OpenCV writes it: where it draws what a pinhole would draw elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import Picture

F64 = NDArray[np.float64]
_STEP = 1e-6  # of the derivatives of the distortion, in slopes of rays
_ROUNDS = 30  # of Newton's method; it needs about five
_FINER = 2.0  # how much finer the picture is that the distorted one is read from
_AT_MOST = 16.0  # pixels of that picture for each of the distorted one


@dataclass(frozen=True)
class Lens:
    """Focal lengths, centre and distortion of a picture.

    Attributes:
        focal: Along rows and columns [px].
        center: Where the axis meets the picture, from the upper left [px].
        distortion: k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4 of OpenCV's model: radial,
            tangential, the radial denominator, thin prism.
    """

    focal: tuple[float, float]
    center: tuple[float, float]
    distortion: tuple[float, ...] = (0.0,) * 12

    @property
    def bends(self) -> bool:
        """Whether it draws otherwise than a pinhole."""
        return any(self.distortion)

    def bent(self, x: F64, y: F64) -> tuple[F64, F64]:
        """Slopes at which a pinhole would draw what the lens draws of rays of slopes x and y."""
        k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4 = self.distortion
        r2 = x * x + y * y
        radial = (1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
        across = x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x) + r2 * (s1 + s2 * r2)
        down = y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y + r2 * (s3 + s4 * r2)
        return across, down

    def pixels(self, x: F64, y: F64) -> F64:
        """Where rays of slopes x (to the right) and y (down) are drawn [px], (n, 2)."""
        across, down = self.bent(x, y) if self.bends else (x, y)
        (fx, fy), (cx, cy) = self.focal, self.center
        return np.stack([fx * across + cx, fy * down + cy], -1)

    def rays(self, pixels: F64) -> F64:
        """Slopes of the rays that are drawn at pixels; not a number where none is.

        Args:
            pixels: From the upper left, (..., 2).
        """
        across = (pixels[..., 0] - self.center[0]) / self.focal[0]
        down = (pixels[..., 1] - self.center[1]) / self.focal[1]
        if not self.bends:
            return np.stack([across, down], -1)
        x, y = across.copy(), down.copy()
        with np.errstate(all="ignore"):
            for _ in range(_ROUNDS):
                (dx, dy), (a, b, c, d) = self._error(x, y, across, down)
                area = a * d - b * c
                x, y = x - (d * dx - b * dy) / area, y - (a * dy - c * dx) / area
            (dx, dy), (a, b, c, d) = self._error(x, y, across, down)
            # beyond a fold of the model the picture would be a mirror image: nothing is seen there
            good = (np.hypot(dx, dy) < _STEP) & (a * d - b * c > 0.0) & (a + d > 0.0)
        found: F64 = np.stack([x, y], -1)
        found[~good] = np.nan
        return found

    def _error(self, x: F64, y: F64, across: F64, down: F64) -> tuple[tuple[F64, F64], list[F64]]:
        """By how much rays are drawn beside a place, and the derivatives of that by x and y."""
        at = self.bent(x, y)
        right, left = self.bent(x + _STEP, y), self.bent(x - _STEP, y)
        below, above = self.bent(x, y + _STEP), self.bent(x, y - _STEP)
        slopes = [
            (two[axis] - one[axis]) / (2.0 * _STEP)
            for axis in (0, 1)
            for one, two in ((left, right), (above, below))
        ]
        return (at[0] - across, at[1] - down), slopes


def centers(width: int, height: int) -> F64:
    """Middles of all pixels, (height, width, 2)."""
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    return np.stack([columns, rows], -1, dtype=np.float64)


@dataclass(frozen=True)
class Source:
    """The picture of a pinhole from which a distorted one is read.

    Attributes:
        size: Its width and height [px].
        focal: Its focal lengths [px].
        center: Its centre [px].
        columns: Where each pixel of the distorted one is in it, (height, width).
        rows: The same.
        seen: Which pixels of the distorted one show anything, (height, width).
    """

    size: tuple[int, int]
    focal: tuple[float, float]
    center: tuple[float, float]
    columns: NDArray[np.intp]
    rows: NDArray[np.intp]
    seen: NDArray[np.bool_]

    def read(self, taken: Picture) -> Picture:
        """The distorted picture; what shows nothing is black, endlessly far and no prim."""
        color = taken.color[self.rows, self.columns]
        color[~self.seen] = 0
        depth = np.where(self.seen, taken.depth[self.rows, self.columns], 1.0)
        labels = np.where(self.seen, taken.segmentation[self.rows, self.columns], -1)
        return Picture(
            color, depth.astype(taken.depth.dtype), labels.astype(taken.segmentation.dtype)
        )


def source_of(lens: Lens, width: int, height: int) -> Source:
    """What a pinhole has to draw so that a lens's picture can be read from it."""
    rays = lens.rays(centers(width, height))
    seen: NDArray[np.bool_] = np.asarray(np.isfinite(rays).all(axis=-1))
    found = rays[seen] if seen.any() else np.zeros((1, 2))
    least, most = found.min(axis=0), found.max(axis=0)
    focal = np.asarray(lens.focal)
    sides = (most - least) * focal + 2.0
    finer = min(_FINER, float(np.sqrt(_AT_MOST * width * height / (sides[0] * sides[1]))))
    focal = finer * focal
    center = 1.0 - least * focal
    size = np.ceil((most - least) * focal + 2.0).astype(int)
    places = np.floor(np.nan_to_num(rays) * focal + center).astype(int).clip(0, size - 1)
    return Source(
        (int(size[0]), int(size[1])), (float(focal[0]), float(focal[1])),
        (float(center[0]), float(center[1])), places[..., 0], places[..., 1], seen,
    )  # fmt: skip
