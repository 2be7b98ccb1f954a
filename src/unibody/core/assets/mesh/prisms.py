"""Taking meshes apart that keep their bores: prisms of their cross-sections, or wedges around."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.mesh.convex_polygons import convex_polygons
from unibody.core.assets.mesh.hull import convex_hull
from unibody.core.assets.mesh.outlines import (
    area,
    distances,
    encloses,
    sampled,
    section,
    simplified,
)
from unibody.core.assets.mesh.piece_store import keep_pieces, kept_pieces, pieces_name
from unibody.core.assets.mesh.types import FloatArray, TriMesh

_VERSION = 1  # part of every key: to be changed with anything that changes the pieces
_WELD = 0.1  # of the error: corners of a cut that are nearer are one
_SIMPLER = 0.25  # of the error: for outlines with fewer corners, the rest for convex polygons
_UPRIGHT, _LEVEL = 1e-3, 0.999  # of a normal along the axis: walls, and floors
_SLOPED = 0.1  # of the surface: where more is neither wall nor floor, it is no stack of prisms
_FLOOR = 2e-3  # of the surface: a level with less floor than this ends no prism
_FILLED = 0.02  # of the volume: what a prism may fill of holes across it and of chamfers
_HEIGHTS = np.array([0.02, 0.2, 0.4, 0.6, 0.8, 0.98])  # of a prism, at which it is looked at
_HALVINGS = 3
_MOST = 512  # pieces


def bored_pieces(meshes: list[TriMesh], error: float) -> list[TriMesh] | None:
    """Convex meshes that together fill a mesh, with its bores kept to an error.

    What is a stack of prisms along an axis (gears, plates, sleeves) becomes prisms of convex
    polygons. Anything else with a bore through the middle (nuts) becomes wedges around the bore;
    its outside is filled up to the wedges' hulls. Pieces are kept on disk.

    Args:
        meshes: The parts of one closed object, triangles counter-clockwise from outside.
        error: How far pieces may reach into a bore, or stay behind the surface of a prism [m].

    Returns:
        The pieces; None where the object is neither.
    """
    name = pieces_name(f"bored;{_VERSION};{error}", meshes)
    found = kept_pieces(name)
    if found is not None:
        return found
    triangles = np.concatenate([mesh.vertices[mesh.faces] for mesh in meshes])
    areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2
    size = np.linalg.norm(areas, axis=1)
    keep = size > 0.0
    triangles, areas, size = triangles[keep], areas[keep], size[keep]
    if not len(triangles):
        return None
    slopes = np.abs(areas) / size[:, None]
    sloped = ((slopes > _UPRIGHT) & (slopes < _LEVEL)) * size[:, None]
    shares = sloped.sum(axis=0) / size.sum()
    for axis in np.argsort(shares).tolist():
        turned = np.roll(triangles, 2 - axis, axis=2)
        pieces = None
        if shares[axis] < _SLOPED:
            pieces = _prisms(turned, np.roll(areas, 2 - axis, axis=1)[:, 2], size, error)
        pieces = pieces or _wedges(turned, error)
        if pieces and len(pieces) <= _MOST:
            hulls = [_hull(np.roll(points, axis - 2, axis=1)) for points in pieces]
            keep_pieces(name, hulls)
            return hulls
    return None


def _prisms(
    triangles: FloatArray, upward: FloatArray, size: FloatArray, error: float
) -> list[FloatArray] | None:
    """Corners of prisms along the third axis, (K, 3) each; None where no cut is closed."""
    heights = triangles[:, :, 2]
    volume = float((upward * heights.mean(axis=1)).sum())
    levels = _levels(triangles, np.abs(upward) > _LEVEL * size, size, error)
    slabs = [(*ends, _HALVINGS) for ends in itertools.pairwise(levels)]
    pieces: list[FloatArray] = []
    while slabs:
        low, high, halvings = slabs.pop()
        cuts = [_outlines(triangles, low + s * (high - low), error) for s in _HEIGHTS]
        sound = [cut for cut in cuts if cut is not None]
        if len(sound) < len(cuts):
            return None
        covers = [area(cut) for cut in sound]
        fill = (max(covers) - sum(covers) / len(covers)) * (high - low)
        largest = sound[int(np.argmax(covers))]
        if fill > _FILLED * volume or not _covers(largest, sound, error):
            if not halvings:
                return None
            middle = (low + high) / 2
            slabs += [(low, middle, halvings - 1), (middle, high, halvings - 1)]
        elif largest:
            for polygon in convex_polygons(largest, (1.0 - _SIMPLER) * error):
                ends = [np.full((len(polygon), 1), z) for z in (low, high)]
                pieces += [np.concatenate([np.hstack([polygon, z]) for z in ends])]
    return pieces


def _outlines(triangles: FloatArray, height: float, error: float) -> list[FloatArray] | None:
    """Simplified outlines of a cut; None where they do not close."""
    loops = section(triangles, height, _WELD * error)
    if loops is None:
        return None
    simple = [simplified(loop, _SIMPLER * error) for loop in loops]
    return [loop for loop in simple if len(loop) > 2]


def _levels(
    triangles: FloatArray, floors: NDArray[np.bool_], size: FloatArray, error: float
) -> list[float]:
    """Heights at which the cross-section changes: those of floors, and both ends."""
    heights = triangles[:, :, 2]
    ends = [float(heights.min()), float(heights.max())]
    middles: FloatArray = heights[floors].mean(axis=1)
    places = np.rint(middles / error)
    values, rows = np.unique(places, return_inverse=True)
    wide = np.bincount(rows, size[floors], len(values)) > _FLOOR * size.sum()
    found = [float(heights[floors][rows == row].mean()) for row in np.flatnonzero(wide)]
    inner = [z for z in found if ends[0] + error < z < ends[1] - error]
    return [ends[0], *sorted(inner), ends[1]]


def _covers(largest: list[FloatArray], others: list[list[FloatArray]], error: float) -> bool:
    """Whether a cut holds all others, to an error."""
    for other in others:
        if other and other is not largest:
            points = sampled(other)
            out = points[~encloses(largest, points)]
            if len(out) and float(distances(largest, out).max()) > error:
                return False
    return True


def _wedges(triangles: FloatArray, error: float) -> list[FloatArray] | None:
    """Corners of what lies between half-planes from the middle; None where there is no bore."""
    points = triangles.reshape(-1, 3)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    triangles = triangles - middle
    radius = _free_radius(triangles[:, :, :2])
    if radius <= 4.0 * error:
        return None
    count = math.ceil(math.pi / math.acos(1.0 - error / radius))
    angles = 2.0 * math.pi * np.arange(count) / count
    pieces: list[FloatArray] = []
    for here, there in itertools.pairwise([*angles.tolist(), 2.0 * math.pi]):
        part = triangles
        for x, y in ((-math.sin(here), math.cos(here)), (math.sin(there), -math.cos(there))):
            part = _half(part, np.array([x, y, 0.0]))
        if len(part) > 3:
            pieces.append(np.unique(part.reshape(-1, 3), axis=0) + middle)
    return pieces


def _free_radius(triangles: FloatArray) -> float:
    """How far triangles in a plane stay away from its origin, (N, 3, 2) [m]."""
    begin, line = triangles, np.roll(triangles, -1, axis=1) - triangles
    turns = begin[..., 0] * line[..., 1] - begin[..., 1] * line[..., 0]
    if ((turns > 0.0).all(axis=1) | (turns < 0.0).all(axis=1)).any():
        return 0.0
    length = np.maximum((line * line).sum(axis=2), 1e-300)
    share = np.clip(-(begin * line).sum(axis=2) / length, 0.0, 1.0)[..., None]
    return float(np.linalg.norm(begin + share * line, axis=2).min())


def _half(triangles: FloatArray, normal: FloatArray) -> FloatArray:
    """Triangles, cut where they cross it, on the side of a plane through the origin."""
    kept = triangles @ normal >= 0.0
    count = kept.sum(axis=1)
    parts = [triangles[count == 3]]
    for corners in (1, 2):
        cut, inside = triangles[count == corners], kept[count == corners]
        lone = (inside if corners == 1 else ~inside).argmax(axis=1)
        rows = np.arange(len(cut))
        apex, one, two = (cut[rows, (lone + step) % 3] for step in range(3))
        first, second = _crossing(apex, one, normal), _crossing(apex, two, normal)
        if corners == 1:
            parts.append(np.stack([apex, first, second], axis=1))
        else:
            parts.append(np.stack([first, one, two], axis=1))
            parts.append(np.stack([first, two, second], axis=1))
    return np.concatenate(parts)


def _crossing(begin: FloatArray, end: FloatArray, normal: FloatArray) -> FloatArray:
    here, there = begin @ normal, end @ normal
    return begin + (here / (here - there))[:, None] * (end - begin)


def _hull(points: FloatArray) -> TriMesh:
    cloud = TriMesh(points, np.zeros((0, 3), dtype=np.int32))
    return convex_hull(cloud, remember=False)
