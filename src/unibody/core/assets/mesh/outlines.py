"""Outlines of cross-sections: closed polygons in a plane, found, measured and simplified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.mesh.types import FloatArray

_SAMPLES = 200  # along the extent of what is sampled


def section(triangles: FloatArray, height: float, weld: float) -> list[FloatArray] | None:
    """The outlines of a closed mesh where it is cut at a height of its third axis.

    Args:
        triangles: Of the surface, (N, 3, 3) [m], counter-clockwise from outside.
        height: Of the cut [m]; no corner should lie on it.
        weld: What lies nearer to each other than about this is one point [m].

    Returns:
        The corners of each outline, (K, 2), the inside on the left; None where the lines do not
        close.
    """
    lines = _cut_lines(triangles, height)
    cells, ends = np.unique(np.round(lines.reshape(-1, 2) / weld), axis=0, return_inverse=True)
    begin, end = ends.reshape(-1, 2).T
    keep = begin != end
    follow: dict[int, list[int]] = {}
    for one, two in zip(begin[keep].tolist(), end[keep].tolist(), strict=True):
        back = follow.get(two, [])
        if one in back:  # there and back again encloses nothing
            back.remove(one)
        else:
            follow.setdefault(one, []).append(two)
    loops = _loops(follow)
    return None if loops is None else [cells[loop] * weld for loop in loops]


def _cut_lines(triangles: FloatArray, height: float) -> FloatArray:
    """Where triangles cross a height, (N, 2, 2): from and to, the inside on the left."""
    above = triangles[:, :, 2] >= height
    cut = triangles[above.any(axis=1) & ~above.all(axis=1)]
    above = cut[:, :, 2] >= height
    lone_above = above.sum(axis=1) == 1
    odd: NDArray[np.bool_] = above == lone_above[:, None]
    lone = odd.argmax(axis=1)
    rows = np.arange(len(cut))
    apex = cut[rows, lone]
    crossings: list[FloatArray] = []
    for step in (1, 2):
        other = cut[rows, (lone + step) % 3]
        low = np.where(lone_above[:, None], other, apex)  # one order: shared edges agree exactly
        high = np.where(lone_above[:, None], apex, other)
        share = (height - low[:, 2]) / (high[:, 2] - low[:, 2])
        crossings.append(low[:, :2] + share[:, None] * (high[:, :2] - low[:, :2]))
    one, two = crossings
    begin = np.where(lone_above[:, None], one, two)
    end = np.where(lone_above[:, None], two, one)
    return np.stack([begin, end], axis=1)


def _loops(follow: dict[int, list[int]]) -> list[list[int]] | None:
    loops: list[list[int]] = []
    while follow:
        start = next(iter(follow))
        loop = [start]
        while True:
            following = follow.get(loop[-1])
            if not following:
                return None
            here = following.pop()
            if not following:
                del follow[loop[-1]]
            if here == start:
                break
            loop.append(here)
        loops.append(loop)
    return loops


def area(loops: list[FloatArray]) -> float:
    """What outlines enclose [m^2], holes not counted."""
    return sum(
        float(np.sum(p[:, 0] * np.roll(p[:, 1], -1) - p[:, 1] * np.roll(p[:, 0], -1))) / 2
        for p in loops
    )


def simplified(loop: FloatArray, error: float) -> FloatArray:
    """The fewest of an outline's corners that stay within an error of it (Douglas and Peucker)."""
    start = int(loop[:, 0].argmin())
    points = np.roll(loop, -start, axis=0)
    points = np.concatenate([points, points[:1]])
    far = int(np.linalg.norm(points - points[0], axis=1).argmax())
    keep = {0, far}
    left = [(0, far), (far, len(points) - 1)]
    while left:
        first, last = left.pop()
        if last - first < 2:
            continue
        line = points[last] - points[first]
        away = points[first + 1 : last] - points[first]
        share = np.clip(away @ line / max(float(line @ line), 1e-300), 0.0, 1.0)
        distance = np.linalg.norm(away - share[:, None] * line, axis=1)
        worst = int(distance.argmax())
        if distance[worst] > error:
            middle = first + 1 + worst
            keep.add(middle)
            left += [(first, middle), (middle, last)]
    return points[sorted(keep)]


def sampled(loops: list[FloatArray]) -> FloatArray:
    """Points on outlines, (N, 2): their corners, and more on long edges."""
    corners = np.concatenate(loops)
    spacing = float(np.ptp(corners, axis=0).max()) / _SAMPLES
    begin = corners
    end = np.concatenate([np.roll(loop, -1, axis=0) for loop in loops])
    counts = np.maximum(np.ceil(np.linalg.norm(end - begin, axis=1) / spacing), 1).astype(int)
    rows = np.repeat(np.arange(len(begin)), counts)
    steps = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (steps / counts[rows])[:, None]
    return begin[rows] + share * (end - begin)[rows]


def encloses(loops: list[FloatArray], points: FloatArray) -> NDArray[np.bool_]:
    """Which points outlines enclose, (N,)."""
    inside = np.zeros(len(points), dtype=bool)
    for loop in loops:
        for (ax, ay), (bx, by) in zip(
            loop.tolist(), np.roll(loop, -1, axis=0).tolist(), strict=True
        ):
            if ay != by:
                crosses = (points[:, 1] >= min(ay, by)) & (points[:, 1] < max(ay, by))
                inside ^= crosses & (
                    points[:, 0] < ax + (points[:, 1] - ay) * (bx - ax) / (by - ay)
                )
    return inside


def distances(loops: list[FloatArray], points: FloatArray) -> FloatArray:
    """Distances of points from the nearest edge of outlines, (N,) [m]."""
    nearest = np.full(len(points), np.inf)
    for loop in loops:
        for begin, end in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            line, away = end - begin, points - begin
            share = np.clip(away @ line / max(float(line @ line), 1e-300), 0.0, 1.0)
            np.minimum(nearest, np.linalg.norm(away - share[:, None] * line, axis=1), out=nearest)
    return nearest
