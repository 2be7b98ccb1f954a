"""Meshes of terrain: heights over a grid, and blocks of stairs, columns, waves, boxes and gaps."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError

Surface = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3), and three indices a triangle, flat."""

Size = tuple[float, float]
_PLANE = 2
_FEWEST = 2


def of_heights(heights: Any, extent: Size, centre: Size, ground: float) -> Surface:
    """A closed mesh between heights over a grid and a flat bottom."""
    rows = np.asarray(heights, dtype=np.float32)
    if rows.ndim != _PLANE:
        raise InvalidArgumentError(
            "heightfield", f"shape {rows.shape}", "heights that must be 2D array"
        )
    if min(rows.shape) < _FEWEST:
        raise InvalidArgumentError(
            "heightfield", f"shape {rows.shape}", "a grid of at least 2x2 heights"
        )
    for name, size in zip("xy", extent, strict=True):
        if not size > 0.0:
            raise InvalidArgumentError(f"extent_{name}", size, "a size, which must be positive")
    n, m = rows.shape
    x, y = (
        np.linspace(c - 0.5 * e, c + 0.5 * e, count)
        for c, e, count in zip(centre, extent, (n, m), strict=True)
    )
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    top = np.column_stack([grid, rows.ravel()])
    bottom = np.column_stack([grid, np.full(n * m, ground)])
    index = np.arange(n * m).reshape(n, m)
    upper = _quads(index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    lower = upper[:, ::-1] + n * m
    rim = np.concatenate([index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]])
    after = np.roll(rim, -1)
    walls = _quads(rim + n * m, after + n * m, after, rim)
    faces = np.concatenate([upper, lower, walls])
    return _surface(np.concatenate([top, bottom]), faces)


def grid(
    count: tuple[int, int], size: Size, kinds: Any, arguments: dict[str, Any] | None, seed: Any
) -> Surface:
    """Blocks in a grid, whose kinds come by turns."""
    if kinds is None:
        kinds = ["flat", "pyramid_stairs", "random_grid", "wave"]
    chosen: list[Any] = list(kinds) if isinstance(kinds, list | tuple) else [kinds]
    random = np.random.default_rng(seed)
    points: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    first = 0
    for number in range(count[0] * count[1]):
        kind = chosen[number % len(chosen)]
        make: Callable[..., Any] | None = kind if callable(kind) else _KINDS.get(kind)
        if make is None:
            raise InvalidArgumentError("terrain_types", kind, f"one of {sorted(_KINDS)}")
        given = dict((arguments or {}).get(kind if isinstance(kind, str) else kind.__name__, {}))
        if "seed" in inspect.signature(make).parameters:
            given.setdefault("seed", int(random.integers(2**31)))
        vertices, indices = make(size, **given)
        row, column = divmod(number, count[1])
        offset = np.array([row * size[0], column * size[1], 0.0])
        points.append(np.asarray(vertices) + offset)
        faces.append(np.asarray(indices).reshape(-1, 3) + first)
        first += len(vertices)
    return _surface(np.concatenate(points), np.concatenate(faces))


def flat(size: Size, height: float = 0.0) -> Surface:
    """A rectangle."""
    x, y = size
    points = np.array([[0, 0, height], [x, 0, height], [x, y, height], [0, y, height]])
    return _surface(points, np.array([[0, 1, 2], [0, 2, 3]]))


def pyramid_stairs(
    size: Size, step_width: float = 0.5, step_height: float = 0.1, platform_width: float = 1.0
) -> Surface:
    """Stairs that rise from all sides to a platform."""
    steps = max(int((min(size) - platform_width) / (2.0 * step_width)), 0) + 1
    boxes = [
        (k * step_width, size[0] - k * step_width, k * step_width, size[1] - k * step_width)
        for k in range(steps)
    ]
    return _boxes([(*box, k * step_height, (k + 1) * step_height) for k, box in enumerate(boxes)])


def random_grid(
    size: Size,
    grid_width: float = 0.5,
    grid_height_range: tuple[float, float] = (-0.15, 0.15),
    platform_width: float | None = None,
    seed: int | None = None,
) -> Surface:
    """Columns of random heights; those of a platform in the middle have the height 0."""
    counts = [max(int(length / grid_width), 1) for length in size]
    x, y = (np.linspace(0.0, e, n + 1) for e, n in zip(size, counts, strict=True))
    low, high = grid_height_range
    heights = np.random.default_rng(seed).uniform(low, high, size=counts)
    if platform_width is not None:
        near = [
            np.abs(0.5 * (ends[1:] + ends[:-1]) - 0.5 * length) < 0.5 * platform_width
            for ends, length in zip((x, y), size, strict=True)
        ]
        heights[np.ix_(near[0], near[1])] = 0.0
    bottom = min(low, 0.0) - grid_width
    return _boxes(
        [
            (x[i], x[i + 1], y[j], y[j + 1], bottom, heights[i, j])
            for i in range(counts[0])
            for j in range(counts[1])
        ]
    )


def wave(
    size: Size, wave_amplitude: float = 0.3, wave_frequency: float = 2.0, resolution: int = 50
) -> Surface:
    """Waves along both axes, so many over a block."""
    x, y = (np.linspace(0.0, 1.0, resolution) for _ in range(2))
    turns = 2.0 * np.pi * wave_frequency
    heights = wave_amplitude * np.outer(np.sin(turns * x), np.cos(turns * y))
    centre = (0.5 * size[0], 0.5 * size[1])
    return of_heights(heights, size, centre, -2.0 * wave_amplitude)


def box(size: Size, box_height: float = 0.5, platform_width: float = 1.5) -> Surface:
    """A box in the middle of a plane."""
    (x, y), half = (0.5 * size[0], 0.5 * size[1]), 0.5 * platform_width
    floor = flat(size)
    return _joined(floor, _boxes([(x - half, x + half, y - half, y + half, 0.0, box_height)]))


def gap(size: Size, gap_width: float = 0.8, platform_width: float = 1.0) -> Surface:
    """A platform with a gap around it, and a rim outside."""
    (x, y), half = (0.5 * size[0], 0.5 * size[1]), 0.5 * platform_width
    deep = -1.0
    outer = half + gap_width
    return _boxes(
        [
            (x - half, x + half, y - half, y + half, deep, 0.0),
            (0.0, x - outer, 0.0, size[1], deep, 0.0),
            (x + outer, size[0], 0.0, size[1], deep, 0.0),
            (x - outer, x + outer, 0.0, y - outer, deep, 0.0),
            (x - outer, x + outer, y + outer, size[1], deep, 0.0),
        ]
    )


def heightfield(
    size: Size,
    heightfield: Any = None,
    center_x: float | None = None,
    center_y: float | None = None,
    ground_z: float = 0.0,
) -> Surface:
    """Given heights over a block."""
    if heightfield is None:
        raise InvalidArgumentError("heightfield", None, "heights, shape (n, m)")
    middle = [0.5 * size[0] if center_x is None else center_x]
    middle += [0.5 * size[1] if center_y is None else center_y]
    return of_heights(heightfield, size, (middle[0], middle[1]), ground_z)


_KINDS: dict[str, Callable[..., Surface]] = {
    "flat": flat,
    "pyramid_stairs": pyramid_stairs,
    "random_grid": random_grid,
    "wave": wave,
    "box": box,
    "gap": gap,
    "heightfield": heightfield,
}

_CORNERS = np.array([[(c >> 2) & 1, (c >> 1) & 1, c & 1] for c in range(8)])
_SIDES = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
)


def _boxes(ends: list[tuple[float, ...]]) -> Surface:
    """Boxes between pairs of ends along x, y and z."""
    table = np.array(ends, dtype=float).reshape(-1, 3, 2)
    points = np.stack([table[:, axis][:, _CORNERS[:, axis]] for axis in range(3)], axis=-1)
    quads = (_SIDES[None] + 8 * np.arange(len(table))[:, None, None]).reshape(-1, 4)
    return _surface(points.reshape(-1, 3), _quads(*quads.T))


def _joined(*parts: Surface) -> Surface:
    first = np.cumsum([0, *(len(points) for points, _ in parts[:-1])])
    faces = [indices.reshape(-1, 3) + at for (_, indices), at in zip(parts, first, strict=True)]
    return _surface(np.concatenate([points for points, _ in parts]), np.concatenate(faces))


def _quads(a: Any, b: Any, c: Any, d: Any) -> np.ndarray:
    """Two triangles for each quadrilateral."""
    corners = np.stack([np.ravel(v) for v in (a, b, c, d)], axis=1)
    return corners[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def _surface(points: np.ndarray, faces: np.ndarray) -> Surface:
    return points.astype(np.float32), faces.astype(np.int32).reshape(-1)
