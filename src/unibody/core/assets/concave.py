"""Static concave meshes as many convex geoms.

MuJoCo collides a mesh geom as its convex hull. A concave surface is therefore cut into flat convex
polygons, and each becomes a thin convex solid below the surface: an ordinary mesh geom, so that
every rule about geoms (friction, groups, contact attribution) holds for it. Flexes were the
alternative: boxes fall through them and rays miss them in MuJoCo 3.17.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from importlib import import_module
from typing import Any

import numpy as np

from unibody.core.assets.description import Vec3
from unibody.core.assets.mesh_patches import Patch, patches_of
from unibody.core.assets.mesh_topology import Surface, surface_of, turn_over
from unibody.core.assets.mesh_types import FloatArray, TriMesh
from unibody.errors import AssetError

# How far the solids reach below the surface [m]. A body passes through when its middle is beyond
# the middle of the solid after one step, so this much is about 25 m/s at 1/240 s.
_DEPTH = 0.2

# An open sheet may be meant to be thin: its solids are no thicker than this fraction of it.
_SHEET = 0.05

# Least thickness, as a fraction of the mesh's extent: MuJoCo keeps vertices in float32.
_LEAST = 1e-4

_CACHE_ENTRIES = 64
_cache: OrderedDict[tuple[str, Vec3], list[FloatArray]] = OrderedDict()


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
            raise AssetError("<mesh>", mesh.name, "has no triangle with an area")
        _face_up(surface, np.asarray(up, dtype=np.float64))
        depths = _wanted_depths(surface)
        patches = patches_of(surface)
        clear = _clearances(surface, patches, depths)
        least = _LEAST * float(np.ptp(surface.vertices, axis=0).max())
        solids = [
            _solid(surface, patch, depth, least)
            for patch, depth in zip(patches, clear, strict=True)
        ]
        _cache[key] = solids
        while len(_cache) > _CACHE_ENTRIES:
            _cache.popitem(last=False)
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


def _clearances(surface: Surface, patches: list[Patch], depths: FloatArray) -> list[float]:
    """Depth of the solid of each patch: half the way to what the surface has behind it [m]."""
    mujoco: Any = import_module("mujoco")
    spec = mujoco.MjSpec()
    asset = spec.add_mesh(
        name="surface",
        uservert=surface.vertices.ravel(),
        userface=surface.faces.astype(np.int32).ravel(),
    )
    # The other kinds of inertia ask for a volume, which a sheet does not have.
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname="surface", contype=0, conaffinity=0
    )
    try:
        model = spec.compile()
    except ValueError as error:
        raise AssetError("<mesh>", "", f"MuJoCo does not take the mesh: {error}") from error
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    result: list[float] = []
    for patch in patches:
        normal = surface.normals[patch.face]
        corners = surface.vertices[patch.corners]
        centre = corners.mean(axis=0)
        wanted = float(depths[patch.face])
        # Off the surface itself by more than float32 resolves, and off the edges.
        start = 1e-3 * wanted
        for point in (centre, *(0.9 * corners + 0.1 * centre)):
            origin = point - start * normal
            distance = float(mujoco.mj_rayMesh(model, data, 0, origin, -normal, None))
            if distance >= 0:
                wanted = min(wanted, 0.5 * (start + distance))
        result.append(wanted)
    return result


def _solid(surface: Surface, patch: Patch, depth: float, least: float) -> FloatArray:
    """The polygon of a patch and its copy below, drawn in or out so that neighbours meet.

    At a ridge sharper than a right angle the lower polygon is drawn in, so that it does not come
    out of the neighbour's face; in a valley it is drawn out, so that no gap opens below.
    """
    normal = surface.normals[patch.face]
    corners = surface.vertices[patch.corners]
    along = np.roll(corners, -1, axis=0) - corners
    outward = np.cross(along, normal)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    centre = corners.mean(axis=0)
    slopes = np.zeros(len(corners))  # how far in each edge moves for a unit of depth
    for edge, other in enumerate(patch.across):
        if other >= 0:
            bend = math.atan2(
                float(outward[edge] @ surface.normals[other]),
                float(normal @ surface.normals[other]),
            )
            if bend > math.pi / 2:
                slopes[edge] = math.tan(min(bend - math.pi / 2, 1.55))
                room = float(outward[edge] @ (corners[edge] - centre))
                depth = min(depth, 0.8 * room / slopes[edge])
            elif bend < 0:
                slopes[edge] = -math.tan(min(-bend / 2, math.pi / 4))
    depth = max(depth, least)
    drawn = np.array([_miter(outward, slopes, corner) for corner in range(len(corners))])
    lower = corners + np.clip(drawn * depth, -2 * depth, 2 * depth)
    lower = _pulled_in(lower, corners, centre, slopes) - depth * normal
    return np.concatenate([corners, lower])


def _miter(outward: FloatArray, slopes: FloatArray, corner: int) -> FloatArray:
    """Displacement of a corner that moves the two edges that meet in it by their slopes."""
    a, b = outward[corner - 1], outward[corner]
    shift_a, shift_b = -slopes[corner - 1], -slopes[corner]
    cosine = float(a @ b)
    if cosine > 0.99:
        return a * ((shift_a + shift_b) / 2)
    weight = 1.0 - cosine * cosine
    return (a * (shift_a - cosine * shift_b) + b * (shift_b - cosine * shift_a)) / weight


def _pulled_in(
    lower: FloatArray, corners: FloatArray, centre: FloatArray, slopes: FloatArray
) -> FloatArray:
    """Keeps a drawn-in polygon from turning inside out past its centre."""
    if not (slopes > 0).any():
        return lower
    reach = np.linalg.norm(corners - centre, axis=1, keepdims=True)
    moved = lower - corners
    length = np.linalg.norm(moved, axis=1, keepdims=True)
    return corners + moved * np.minimum(1.0, 0.9 * reach / np.where(length > 0, length, 1.0))
