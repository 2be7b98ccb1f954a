"""Vertices of each color in tiles of lanes, and what elements they have, packed round by round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.deform.coloring import colors
from unibody.core.deform.tables import Bends, MembraneLaw, Springs, Tables, Tetrahedra, Triangles
from unibody.core.deform.vbd import bending, membrane, springs, tetrahedra
from unibody.core.deform.vbd.lanes import WIDTH

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.integer[Any]]


class Rounds(NamedTuple):
    """Elements of one kind, for all tiles.

    Attributes:
        first: The first round of each tile, and the number of all, (t + 1,).
        others: The other vertices of each lane's element, flat from (rounds, others, WIDTH).
        parameters: Flat from (rounds, parameters, WIDTH).
    """

    first: IntArray
    others: IntArray
    parameters: FloatArray


class Tiles(NamedTuple):
    """All that a sweep reads.

    Attributes:
        colors: The first tile of each color, and the number of all, (c + 1,).
        vertices: Of each lane, flat from (t, WIDTH); -1 where a lane is free: the last ones are.
        lanes: How many lanes of each tile have a vertex, (t,).
        springs: See `Rounds`, likewise the others.
        triangles: Membranes of the neo-Hookean law.
        green: Those that are linear in the strain.
        opposites: Bends, seen from a corner opposite the edge.
        edges: Bends, seen from an end of the edge.
        tetrahedra: Solids.
    """

    colors: IntArray
    vertices: IntArray
    lanes: IntArray
    springs: Rounds
    triangles: Rounds
    green: Rounds
    opposites: Rounds
    edges: Rounds
    tetrahedra: Rounds


def pack(tables: Tables, faces: IntArray | None = None) -> Tiles:
    """Pack the elements of a world.

    Args:
        tables: Particles and elements.
        faces: Triangles, (f, 3), whose corners may share contacts: no two of them move at once.
    """
    count = len(tables.masses)
    kinds = (
        _springs(tables.springs),
        *_triangles(tables.triangles),
        _opposites(tables.bends),
        _edges(tables.bends),
        _tetrahedra(tables.tetrahedra),
    )
    corners = (tables.springs, tables.triangles, tables.bends, tables.tetrahedra)
    sharing = [elements.corners for elements in corners]
    color = colors(count, sharing if faces is None else [*sharing, faces])
    owners = np.concatenate([owner for owner, _, _ in kinds])
    valence = np.bincount(owners, minlength=count)
    moving = np.flatnonzero(np.asarray(tables.masses) > 0.0)
    order = moving[np.lexsort((moving, -valence[moving], color[moving]))]
    bounds: IntArray = np.searchsorted(color[order], np.arange(int(color.max(initial=-1)) + 2))
    tiles_of = -(-np.diff(bounds) // WIDTH)
    first = np.concatenate([[0], np.cumsum(tiles_of)])
    lanes = np.full(first[-1] * WIDTH, -1, dtype=np.int64)
    for c, begin in enumerate(first[:-1]):
        members = order[bounds[c] : bounds[c + 1]]
        lanes[begin * WIDTH : begin * WIDTH + len(members)] = members
    lane_of = np.full(count, -1, dtype=np.int64)
    lane_of[lanes[lanes >= 0]] = np.flatnonzero(lanes >= 0)
    used: IntArray = (lanes.reshape(-1, WIDTH) >= 0).sum(axis=1)
    return Tiles(first, lanes, used, *(_rounds(kind, lanes, lane_of) for kind in kinds))


_MEASURED = 6  # rows of a tetrahedron that are written in each step
_Kind = tuple[IntArray, IntArray, npt.NDArray[np.float64]]
"""Vertices, their others (n, others), and parameters (n, parameters)."""


def _rounds(kind: _Kind, lanes: IntArray, lane_of: IntArray) -> Rounds:
    """Put the m-th element of each vertex into round m of its tile."""
    owner, others, parameters = kind
    moving = lane_of[owner] >= 0
    owner, others, parameters = owner[moving], others[moving], parameters[moving]
    order = np.argsort(lane_of[owner], kind="stable")
    lane = lane_of[owner][order]
    begins = np.searchsorted(lane, lane)
    turn = np.arange(len(lane)) - begins
    tiles = len(lanes) // WIDTH
    depth = np.zeros(tiles, dtype=np.int64)
    np.maximum.at(depth, lane // WIDTH, turn + 1)
    first = np.concatenate([[0], np.cumsum(depth)])
    place = first[lane // WIDTH] + turn
    own = np.maximum(lanes, 0).reshape(tiles, 1, WIDTH)
    seen = np.repeat(own, depth, axis=0).repeat(others.shape[1], axis=1)
    seen[place, :, lane % WIDTH] = others[order]
    packed = np.zeros((first[-1], parameters.shape[1], WIDTH), dtype=np.float32)
    packed[place, :, lane % WIDTH] = parameters[order]
    return Rounds(first, seen.astype(np.int32).reshape(-1), packed.reshape(-1))


def _stack(columns: list[Any], free: int) -> npt.NDArray[np.float64]:
    return np.stack([*columns, *([np.zeros_like(columns[0])] * free)], axis=1)


def _joined(parts: list[_Kind]) -> _Kind:
    owners, others, parameters = zip(*parts, strict=True)
    return np.concatenate(owners), np.concatenate(others), np.concatenate(parameters)


def _springs(found: Springs) -> _Kind:
    parameters = _stack(
        [found.stiffness, found.damping, found.length, found.drag], springs.PARAMETERS - 4
    )
    ends = found.corners
    return _joined([(ends[:, 0], ends[:, 1:], parameters), (ends[:, 1], ends[:, :1], parameters)])


def _triangles(found: Triangles) -> tuple[_Kind, _Kind]:
    """Those of the neo-Hookean law, and those that are linear in the strain."""
    area = found.area
    linear = found.law is MembraneLaw.SAINT_VENANT_KIRCHHOFF
    nu = found.stretch if linear else found.shear + found.stretch
    rest = 1.0 + np.divide(found.shear, nu, out=np.zeros_like(nu), where=nu > 0.0)
    weights = np.concatenate([-found.inverse_rest.sum(axis=1)[:, None], found.inverse_rest], axis=1)
    parts: list[_Kind] = []
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        columns = [weights[:, a, 0], weights[:, a, 1], weights[:, b, 0], weights[:, b, 1]]
        columns += [found.shear * area, nu * area, rest, found.damping * area]
        parameters = _stack(columns, membrane.PARAMETERS - len(columns))
        parts.append((found.corners[:, k], found.corners[:, [a, b]], parameters))
    all_of_them = _joined(parts)
    none = (all_of_them[0][:0], all_of_them[1][:0], all_of_them[2][:0])
    return (none, all_of_them) if linear else (all_of_them, none)


def _bend_parameters(found: Bends) -> npt.NDArray[np.float64]:
    columns = [found.stiffness * found.length, found.damping * found.length, found.angle]
    return _stack(columns, bending.PARAMETERS - len(columns))


def _opposites(found: Bends) -> _Kind:
    c, parameters = found.corners, _bend_parameters(found)
    return _joined([(c[:, 0], c[:, [1, 2, 3]], parameters), (c[:, 1], c[:, [0, 3, 2]], parameters)])


def _edges(found: Bends) -> _Kind:
    c, parameters = found.corners, _bend_parameters(found)
    return _joined([(c[:, 2], c[:, [0, 1, 3]], parameters), (c[:, 3], c[:, [1, 0, 2]], parameters)])


def _tetrahedra(found: Tetrahedra) -> _Kind:
    volume = found.volume
    nu = found.shear + found.stretch
    pull = (1.0 - 0.25 * found.barrier) * found.shear
    rest = 1.0 + np.divide(pull, nu, out=np.zeros_like(nu), where=nu > 0.0)
    weights = np.concatenate([-found.inverse_rest.sum(axis=1)[:, None], found.inverse_rest], axis=1)
    parts: list[_Kind] = []
    for a, b, c, d in ((0, 1, 2, 3), (1, 0, 3, 2), (2, 0, 1, 3), (3, 0, 2, 1)):
        columns = [weights[:, corner, axis] for corner in (b, c, d) for axis in range(3)]
        columns += [found.shear * volume, nu * volume, rest, 1.0 / (6.0 * volume)]
        columns.append(found.damping * volume)
        columns += [np.zeros_like(volume)] * _MEASURED
        columns.append(found.barrier * found.shear * volume)
        parameters = _stack(columns, tetrahedra.PARAMETERS - len(columns))
        parts.append((found.corners[:, a], found.corners[:, [b, c, d]], parameters))
    return _joined(parts)
