"""Static concave meshes as many convex geoms.

MuJoCo collides a mesh geom as its convex hull. A concave surface is therefore cut into flat convex
polygons, and each becomes a thin convex solid below the surface: an ordinary mesh geom, so that
every rule about geoms (friction, groups, contact attribution) holds for it. Flexes were the
alternative: boxes fall through them and rays miss them in MuJoCo 3.17.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.bounded_cache import BoundedCache
from unibody.core.assets.description import Vec3
from unibody.core.assets.mesh.patches import Patch, patches_of
from unibody.core.assets.mesh.topology import Rows, Surface, surface_of, turn_over
from unibody.core.assets.mesh.types import FloatArray, TriMesh
from unibody.errors import AssetError

# How far the solids reach below the surface [m]. A body passes through when its middle is beyond
# the middle of the solid after one step, so this much is about 25 m/s at 1/240 s.
_DEPTH = 0.2

# An open sheet may be meant to be thin: its solids are no thicker than this fraction of it.
_SHEET = 0.05

# Least thickness, as a fraction of the mesh's extent: MuJoCo keeps vertices in float32.
_LEAST = 1e-4

# A solid is flat if its points are nearer to a plane than this, as a fraction of the mesh's extent.
_THIN = 2e-7

# Two edges that meet at less than the root of this turn straight back: the corner of a sliver.
_BACK = 1e-12

_CACHE_ENTRIES = 64
_CACHE_BYTES = 64 << 20
_cache: BoundedCache[tuple[str, Vec3], list[FloatArray]] = BoundedCache(
    _CACHE_ENTRIES, _CACHE_BYTES
)


def write_concave(
    spec: Any,
    body: Any,
    mesh: TriMesh,
    *,
    up: Vec3 = (0.0, 0.0, 1.0),
    **geom: Any,
) -> list[Any]:
    """Adds a concave triangle mesh to a static body.

    The surface itself is exact; the solids lie behind it. Rays that come from behind hit the back
    of the solids, not the surface.

    Args:
        spec: The ``MjSpec``; its mesh assets are shared by content between calls.
        body: A body of it that does not move.
        mesh: Triangles in the frame that ``pos`` and ``quat`` of ``geom`` place in the body.
        up: The upward direction in the mesh's frame. An open sheet that is more or less level is
            solid below, whichever way its triangles are wound.
        **geom: Attributes of every geom (contype, conaffinity, friction, pos, quat, ...).

    Returns:
        The geoms that were added.

    Raises:
        AssetError: The mesh has no triangle with an area.
    """
    mujoco: Any = import_module("mujoco")

    solids = convex_solids(mesh, up)
    prefix = f"concave:{mesh.key}:{','.join(map(repr, up))}:"
    known = spec.mesh(f"{prefix}0") is not None
    geoms: list[Any] = []
    for number, vertices in enumerate(solids):
        name = f"{prefix}{number}"
        if not known:
            asset = spec.add_mesh(name=name, uservert=vertices.ravel())
            asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        geoms.append(body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **geom))
    return geoms


def convex_solids(mesh: TriMesh, up: Vec3 = (0.0, 0.0, 1.0)) -> list[FloatArray]:
    """Convex solids whose upper faces are the surface of a mesh.

    Args:
        mesh: Any triangles; open, closed, with holes or with mixed winding.
        up: The upward direction in the mesh's frame.

    Returns:
        The vertices of each solid, (2K, 3): K on the surface, then K below.

    Raises:
        AssetError: The mesh has no triangle with an area.
    """
    key = (mesh.key, up)
    solids = _cache.get(key)
    if solids is None:
        surface = surface_of(mesh)
        if not len(surface.faces):
            raise AssetError(mesh.source, mesh.name, "has no triangle with an area")
        _face_up(surface, np.asarray(up, dtype=np.float64))
        depths = _wanted_depths(surface)
        solids = _cut(surface, patches_of(surface), depths)
        if not solids:
            raise AssetError(mesh.source, mesh.name, "has no triangle with an area")
        _cache.put(key, solids, sum(solid.nbytes for solid in solids))
    return solids


def _areas(surface: Surface) -> FloatArray:
    a, b, c = (surface.vertices[surface.faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a) / 2


def _face_up(surface: Surface, up: FloatArray) -> None:
    """Turns the open parts over that are level sheets seen from below."""
    areas = _areas(surface)
    count = len(surface.closed)
    upward = np.bincount(surface.part, areas @ up, count)
    total = np.bincount(surface.part, np.linalg.norm(areas, axis=1), count)
    turned = ~surface.closed & (upward < -0.5 * total)
    if turned.any():
        turn_over(surface, turned[surface.part])


def _wanted_depths(surface: Surface) -> FloatArray:
    """Depth below each face that its part asks for, (F,) [m]."""
    count = len(surface.closed)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for corner in range(3):
        np.minimum.at(low, surface.part, surface.vertices[surface.faces[:, corner]])
        np.maximum.at(high, surface.part, surface.vertices[surface.faces[:, corner]])
    diagonal = np.linalg.norm(high - low, axis=1)
    depth = np.where(surface.closed, _DEPTH, np.minimum(_DEPTH, _SHEET * diagonal))
    return depth[surface.part]


def _cut(surface: Surface, patches: list[Patch], depths: FloatArray) -> list[FloatArray]:
    """The solid of each patch; those with as many corners are worked out together."""
    from unibody.core.assets.mesh.concave_kernels import tree_of

    tree = tree_of(surface.vertices[surface.faces])
    least = _LEAST * float(np.ptp(surface.vertices, axis=0).max())
    count = np.array([len(patch.corners) for patch in patches])
    result: list[Any] = [None] * len(patches)
    for corners in np.unique(count).tolist():
        rows = np.flatnonzero(count == corners).tolist()
        group = _Patches(
            np.array([patches[row].corners for row in rows]),
            np.array([patches[row].across for row in rows]),
            np.array([patches[row].face for row in rows]),
        )
        clear = _clearances(surface, group, depths, tree)
        for row, solid in zip(rows, _solids(surface, group, clear, least), strict=True):
            result[row] = solid
    return _solid_ones(result, count, _THIN / _LEAST * least)


def _solid_ones(solids: list[FloatArray], corners: Rows, thin: float) -> list[FloatArray]:
    """Those that are solids in float32 too: of a triangle that is a line none is left."""
    keep = np.ones(len(solids), dtype=bool)
    for count in np.unique(corners).tolist():
        rows = np.flatnonzero(corners == count)
        points = np.array([solids[row] for row in rows.tolist()]).astype(np.float32)
        points = points - points.mean(axis=1, keepdims=True, dtype=np.float64)
        spread = np.einsum("nki,nkj->nij", points, points) / points.shape[1]
        keep[rows] = np.linalg.eigvalsh(spread)[:, 0] > thin * thin
    return [solid for solid, kept in zip(solids, keep.tolist(), strict=True) if kept]


class _Patches(NamedTuple):
    """Patches with as many corners (see ``Patch``): corners (P, K), across (P, K), face (P,)."""

    corners: Rows
    across: Rows
    face: Rows


def _clearances(surface: Surface, patches: _Patches, depths: FloatArray, tree: Any) -> FloatArray:
    """Depth of the solids: half the way to what the surface has behind them, (P,) [m]."""
    from unibody.core.assets.mesh.concave_kernels import halved_distances

    inward = -surface.normals[patches.face]
    corners = surface.vertices[patches.corners]
    centre = corners.mean(axis=1)
    wanted = depths[patches.face].copy()
    starts = 1e-3 * wanted  # off the surface itself
    halved_distances(tree, centre, inward, starts, wanted)
    for corner in range(corners.shape[1]):  # off the edges
        point = 0.9 * corners[:, corner] + 0.1 * centre
        halved_distances(tree, point, inward, starts, wanted)
    return wanted


def _solids(surface: Surface, patches: _Patches, depth: FloatArray, least: float) -> FloatArray:
    """The polygons and their copies below, drawn in or out so that neighbours meet, (P, 2K, 3).

    At a ridge sharper than a right angle the lower polygon is drawn in, so that it does not come
    out of the neighbour's face; in a valley it is drawn out, so that no gap opens below.
    """
    normal = surface.normals[patches.face][:, None]
    corners = surface.vertices[patches.corners]
    centre = corners.mean(axis=1, keepdims=True)
    outward = np.cross(np.roll(corners, -1, axis=1) - corners, normal)
    outward /= np.linalg.norm(outward, axis=2, keepdims=True)
    other = surface.normals[patches.across]  # what stands for no neighbour is not used
    bend = np.arctan2((outward * other).sum(axis=2), (normal * other).sum(axis=2))
    bend = np.where(patches.across < 0, 0.0, bend)
    ridge, valley = bend > math.pi / 2, bend < 0
    slopes = np.zeros(bend.shape)  # how far in each edge moves for a unit of depth
    slopes[ridge] = np.tan(np.minimum(bend[ridge] - math.pi / 2, 1.55))
    slopes[valley] = -np.tan(np.minimum(-bend[valley] / 2, math.pi / 4))
    room = (outward * (corners - centre)).sum(axis=2)
    limit = np.full(bend.shape, np.inf)
    limit[ridge] = 0.8 * room[ridge] / slopes[ridge]
    depth = np.maximum(np.minimum(depth, limit.min(axis=1)), least)[:, None, None]
    moved = np.clip(_miters(outward, slopes) * depth, -2 * depth, 2 * depth)
    moved = _held_back(moved, corners - centre, np.any(ridge, axis=1, keepdims=True))
    return np.concatenate([corners, corners + moved - depth * normal], axis=1)


def _miters(outward: FloatArray, slopes: FloatArray) -> FloatArray:
    """Displacements of corners that move the two edges that meet in each by their slopes."""
    a, b = np.roll(outward, 1, axis=1), outward
    shift_a, shift_b = -np.roll(slopes, 1, axis=1)[..., None], -slopes[..., None]
    cosine = (a * b).sum(axis=2, keepdims=True)
    straight = cosine > 0.99
    weight = np.where(straight, 1.0, np.maximum(1.0 - cosine * cosine, _BACK))
    turned = (a * (shift_a - cosine * shift_b) + b * (shift_b - cosine * shift_a)) / weight
    return np.where(straight, a * ((shift_a + shift_b) / 2), turned)


def _held_back(moved: FloatArray, away: FloatArray, inward: NDArray[np.bool_]) -> FloatArray:
    """Keeps drawn-in polygons from turning inside out past their centres."""
    reach = np.linalg.norm(away, axis=2, keepdims=True)
    length = np.linalg.norm(moved, axis=2, keepdims=True)
    share = np.minimum(1.0, 0.9 * reach / np.where(length > 0, length, 1.0))
    return moved * np.where(inward[..., None], share, 1.0)
