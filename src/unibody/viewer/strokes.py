"""Lines, points and texts drawn into a picture that has been taken."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import Camera
from unibody.viewer.items import Item, Line, Points, Text
from unibody.viewer.lettering import corners, letter

Image = NDArray[np.uint8]
F64 = NDArray[np.float64]
_LEAST_W = 1e-3  # m: what is nearer to the camera's plane is cut off
_BIAS = 1e-5  # of the depth: a line on a surface is seen
_THICKEST = 31.0  # pixels


def draw_items(
    color: Image, depth: NDArray[np.float32], camera: Camera, items: Iterable[Item]
) -> Image:
    """Draw items into a picture, hidden by what is in front of them; texts are on top.

    Args:
        color: The picture, (height, width, 4); it is changed.
        depth: As in ``Picture.depth``.
        camera: It was taken with.
        items: What to draw.

    Returns:
        The picture.
    """
    found = list(items)
    matrix = camera.projection @ camera.view
    lines = [item for item in found if isinstance(item, Line)]
    for width in {line.width for line in lines}:
        same = [line for line in lines if line.width == width]
        starts, ends = (np.array([getattr(i, end) for i in same]) for end in ("start", "end"))
        at, which = _samples(matrix, starts, ends, camera.width, camera.height)
        _stamp(color, depth, at, np.array([line.color for line in same])[which], width)
    for item in found:
        if isinstance(item, Points) and item.positions:
            at = _to_pixels(_clip(matrix, np.array(item.positions)), camera.width, camera.height)
            seen = np.isfinite(at).all(axis=1)
            _stamp(color, depth, at[seen], np.array(item.colors)[seen], item.size)
        elif isinstance(item, Text):
            _write(color, camera, matrix, item)
    return color


def _clip(matrix: F64, points: F64) -> F64:
    """Clip coordinates (n, 4) of points (n, 3)."""
    return points @ matrix[:, :3].T + matrix[:, 3]


def _to_pixels(clip: F64, width: int, height: int) -> F64:
    """Column, row and depth (n, 3) of clip coordinates; NaN behind the camera."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ndc = np.where(clip[:, 3:] > 0.0, clip[:, :3] / clip[:, 3:], np.nan)
    return np.column_stack(
        [(0.5 + 0.5 * ndc[:, 0]) * width, (0.5 - 0.5 * ndc[:, 1]) * height, 0.5 + 0.5 * ndc[:, 2]]
    )


def _samples(
    matrix: F64, starts: F64, ends: F64, width: int, height: int
) -> tuple[F64, NDArray[np.int64]]:
    """Samples of segments, one for each pixel they cross: (n, 3) column, row and depth; whose."""
    a, b = _clip(matrix, starts), _clip(matrix, ends)
    a, b = _cut(a, b), _cut(b, a)
    p, q = _to_pixels(a, width, height), _to_pixels(b, width, height)
    kept = np.flatnonzero(np.isfinite(p).all(axis=1) & np.isfinite(q).all(axis=1))
    p, q = p[kept], q[kept]
    first, last = _visible(p, q, width, height)
    kept, p, q = kept[first < last], p[first < last], q[first < last]
    first, last = first[first < last], last[first < last]
    reach = (last - first) * np.abs(q - p)[:, :2].max(axis=1, initial=0.0)
    counts = np.ceil(reach).astype(np.int64) + 1
    row = np.repeat(np.arange(len(kept)), counts)
    step = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = first[row] + (last - first)[row] * step / np.maximum(counts[row] - 1, 1)
    at = p[row] + share[:, None] * (q - p)[row]
    return at, kept[row]


def _cut(a: F64, b: F64) -> F64:
    """``a``, moved towards ``b`` until it is in front of the camera."""
    gap = b[:, 3] - a[:, 3]
    behind = a[:, 3] < _LEAST_W
    share = np.divide(_LEAST_W - a[:, 3], gap, out=np.zeros(len(a)), where=gap != 0.0)
    moved = a + np.clip(share, 0.0, 1.0)[:, None] * (b - a)
    return np.where(behind[:, None], moved, a)


def _visible(p: F64, q: F64, width: int, height: int) -> tuple[F64, F64]:
    """The part of each segment inside the picture, as shares of its length."""
    first, last = np.zeros(len(p)), np.ones(len(p))
    for axis, size in ((0, width), (1, height)):
        gap = q[:, axis] - p[:, axis]
        flat = np.abs(gap) < 1e-9
        slope = np.where(flat, 1.0, gap)
        s, t = (0.0 - p[:, axis]) / slope, (size - p[:, axis]) / slope
        inside = (p[:, axis] >= 0.0) & (p[:, axis] < size)
        first = np.maximum(first, np.where(flat, np.where(inside, 0.0, 2.0), np.minimum(s, t)))
        last = np.minimum(last, np.where(flat, 1.0, np.maximum(s, t)))
    return first, last


def _stamp(color: Image, depth: NDArray[np.float32], at: F64, colors: F64, size: float) -> None:
    """Set discs of pixels where nothing is in front of them."""
    height, width = depth.shape
    radius = 0.5 * min(max(size, 1.0), _THICKEST)
    reach = int(radius)
    paint = (255.0 * np.clip(colors, 0.0, 1.0)).astype(np.uint8)
    z = at[:, 2]
    near = (z >= 0.0) & (z <= 1.0)
    columns, rows = np.floor(at[:, :2]).astype(np.int64).T
    for down in range(-reach, reach + 1):
        for aside in range(-reach, reach + 1):
            if down * down + aside * aside > radius * radius:
                continue
            x, y = columns + aside, rows + down
            inside = near & (x >= 0) & (y >= 0) & (x < width) & (y < height)
            x, y = x[inside], y[inside]
            seen = z[inside] <= depth[y, x] + _BIAS
            color[y[seen], x[seen], :3] = paint[inside][seen]


def _write(color: Image, camera: Camera, matrix: F64, item: Text) -> None:
    """Blend a text over the picture."""
    from PIL import Image as Pictures

    focal = float(camera.projection[1, 1])
    at = _to_pixels(
        _clip(matrix, corners(item, camera.view, focal, camera.height)), camera.width, camera.height
    )
    if not np.isfinite(at).all():
        return
    low = np.clip(np.floor(at[:, :2].min(axis=0)), 0, (camera.width, camera.height)).astype(int)
    high = np.clip(np.ceil(at[:, :2].max(axis=0)), 0, (camera.width, camera.height)).astype(int)
    if (high <= low).any():
        return
    letters = letter(item.text, item.color).image
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    back = _homography(at[:, :2] - low, letters.shape[1], letters.shape[0])
    if back is None:
        return
    found = Pictures.fromarray(letters).transform(
        size, Pictures.Transform.PERSPECTIVE, back, Pictures.Resampling.BILINEAR
    )
    over = np.asarray(found, dtype=np.float64)
    under = color[low[1] : high[1], low[0] : high[0], :3]
    share = over[..., 3:] / 255.0
    # a pixel at the edge of a letter has the letter's colour, however little it covers
    tint = 255.0 * np.clip(np.asarray(item.color), 0.0, 1.0)
    under[...] = (share * tint + (1.0 - share) * under).astype(np.uint8)


def _homography(at: F64, width: int, height: int) -> tuple[float, ...] | None:
    """The eight numbers of Pillow's PERSPECTIVE, from the picture to an image so placed."""
    rows, values = [], []
    for (x, y), (u, v) in zip(at, ((0, 0), (width, 0), (width, height), (0, height)), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    try:
        return tuple(np.linalg.solve(np.array(rows, dtype=np.float64), values).tolist())
    except np.linalg.LinAlgError:
        return None
