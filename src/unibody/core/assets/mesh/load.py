"""Meshes from files and from memory: read once, shared by content."""

from __future__ import annotations

import hashlib
import io
import os
from collections import OrderedDict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from unibody.core.assets import suffixes
from unibody.core.assets.bounded_cache import BoundedCache
from unibody.core.assets.description import MeshSource
from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mesh.dae import read_dae
from unibody.core.assets.mesh.hull import convex_hull
from unibody.core.assets.mesh.msh import read_msh
from unibody.core.assets.mesh.obj import MeshMaterial, read_materials, read_obj
from unibody.core.assets.mesh.stl import read_stl
from unibody.core.assets.mesh.store import store_meshes, stored_meshes
from unibody.core.assets.mesh.types import TriMesh, check_counts, check_mesh
from unibody.core.assets.suffixes import suffix_of
from unibody.errors import AssetError

__all__ = ["MeshMaterial", "TriMesh", "convex_hull", "load_mesh", "mesh_materials", "mesh_suffix"]

# By path, modification time, size, scale and up axis: meshes as their files state them, and scaled
# ones, of which scripts make new ones all the time.
_ENTRIES = 4096
_cache: BoundedCache[tuple[object, ...], list[TriMesh]] = BoundedCache(_ENTRIES, 256 << 20)
_scaled: BoundedCache[tuple[object, ...], list[TriMesh]] = BoundedCache(_ENTRIES, 16 << 20)
# Arrays that were asked for last, by the identity of their sources, which are held.
_recent: OrderedDict[int, tuple[MeshSource, TriMesh]] = OrderedDict()
_RECENT_ENTRIES, _RECENT_BYTES = 16, 4 << 20
# Files in these formats take longer to read than what was made of them.
_STORED = (".obj", ".dae")
_FOLDER, _VERSION = "meshes", b"1"  # to be changed with anything that changes what readers make


def load_mesh(
    source: MeshSource, limits: Limits = DEFAULT_LIMITS, *, z_up: bool = False
) -> list[TriMesh]:
    """Reads a mesh, from a file or from memory.

    An .obj file gives one mesh for each group, any other source gives one mesh. The result is
    cached by file and scale and shared: callers do not write to its arrays. An .obj file without a
    usable face gives none, and a warning.

    Args:
        source: The file (.obj, .stl, .dae, .ply, .gltf, .glb, .msh) or the arrays, and the scale.
        limits: Bounds on the size of the file and of the mesh.
        z_up: Turn a .dae file that states another up axis to z up. PyBullet and the ROS tools
            use the coordinates as they stand.

    Raises:
        AssetError: The file cannot be read as what its suffix says, or exceeds a bound.
    """
    if not np.isfinite(source.scale).all():
        raise AssetError(source.name or source.file, "scale", f"{source.scale} is not finite")
    if not source.file:
        return [_from_memory(source, limits)]
    plain_scale = source.scale == (1.0, 1.0, 1.0)
    cache = _cache if plain_scale else _scaled
    key = (*_stamp(source.file), source.scale, z_up)
    meshes = cache.get(key)
    if meshes is None:
        if plain_scale:
            meshes = _read(source.file, limits, z_up)
        else:
            plain = load_mesh(MeshSource(source.file, source.name), limits, z_up=z_up)
            meshes = [check_mesh(mesh.scaled(source.scale), source.file, limits) for mesh in plain]
        cache.put(key, meshes, sum(mesh.nbytes for mesh in meshes))
    else:
        for mesh in meshes:  # the bounds of this call, not of the one that filled the cache
            check_counts(len(mesh.vertices), len(mesh.faces), source.file, mesh.name, limits)
    return list(meshes)


def mesh_materials(
    source: MeshSource, limits: Limits = DEFAULT_LIMITS
) -> list[MeshMaterial | None]:
    """What the .mtl library of an .obj file states for each of its groups.

    Args:
        source: The mesh; only an .obj file has materials.
        limits: Bounds on the size of the files.

    Returns:
        One entry for each mesh that ``load_mesh`` gives; None: no material, or not in the library.

    Raises:
        AssetError: As for ``load_mesh``.
    """
    meshes = load_mesh(source, limits)
    if not source.file.lower().endswith(".obj"):
        return [None] * len(meshes)
    materials = read_materials(
        read_regular(source.file, limits.mesh_bytes), Path(source.file), limits
    )
    return [materials.get(mesh.material) if mesh.material else None for mesh in meshes]


def _from_memory(source: MeshSource, limits: Limits) -> TriMesh:
    check_counts(len(source.vertices), len(source.faces), source.name or "<memory>", "", limits)
    known = _recent.get(id(source))
    if known is not None:
        return known[1]
    mesh = _made(source, limits)
    if mesh.nbytes <= _RECENT_BYTES:
        _recent[id(source)] = source, mesh
        while len(_recent) > _RECENT_ENTRIES:
            _recent.popitem(last=False)
    return mesh


def _made(source: MeshSource, limits: Limits) -> TriMesh:
    vertices = np.array(source.vertices, dtype=np.float64).reshape(-1, 3)
    faces = np.array(source.faces, dtype=np.int64).reshape(-1, 3)
    mesh = TriMesh(vertices, np.clip(faces, -1, len(vertices)).astype(np.int32)).scaled(
        source.scale
    )
    return check_mesh(mesh, source.name or "<memory>", limits)


def _stamp(file: str) -> tuple[str, int, int]:
    try:
        status = os.stat(file)
    except (OSError, ValueError) as error:
        raise AssetError(file, "", f"cannot be read: {error}") from error
    return file, status.st_mtime_ns, status.st_size


def mesh_suffix(file: str) -> str:
    """The suffix of a mesh file, in lower case.

    Raises:
        AssetError: It is none of a kind that can be read.
    """
    suffix = suffix_of(file)
    if suffix not in suffixes.MESH:
        raise AssetError(file, "", f"suffix {suffix!r} is not one of {', '.join(suffixes.MESH)}")
    return suffix


def _read(file: str, limits: Limits, z_up: bool) -> list[TriMesh]:
    suffix = mesh_suffix(file)
    data = read_regular(file, limits.mesh_bytes)
    if suffix not in _STORED:
        parsed = _parsed(data, suffix, file, limits, z_up)
        return [check_mesh(mesh, file, limits) for mesh in parsed]
    digest = hashlib.sha1(_VERSION + suffix.encode() + bytes([z_up]), usedforsecurity=False)
    digest.update(data)
    meshes = stored_meshes(_FOLDER, digest.hexdigest())
    is_new = meshes is None
    if meshes is None:
        meshes = _parsed(data, suffix, file, limits, z_up)
    meshes = [check_mesh(mesh, file, limits) for mesh in meshes]
    if is_new and meshes:
        store_meshes(_FOLDER, digest.hexdigest(), meshes)
    return meshes


def _parsed(data: bytes, suffix: str, file: str, limits: Limits, z_up: bool) -> list[TriMesh]:
    if suffix == ".obj":
        return read_obj(data, file, limits)
    if suffix == ".stl":
        return [read_stl(data, file, limits)]
    if suffix == ".msh":
        return [read_msh(data, file, limits)]
    if suffix == ".dae":
        return [read_dae(data.decode("utf-8-sig", "replace"), file, limits, z_up=z_up)]
    return [_read_trimesh(data, file, suffix, limits)]


class _Folder:
    """Gives trimesh the files beside a .gltf file, and nothing else."""

    def __init__(self, file: str, limits: Limits) -> None:
        self.folder = Path(file).resolve().parent
        self.file = file
        self.limits = limits

    def get(self, name: str) -> bytes:
        """The content of a file below the folder."""
        path = (self.folder / name).resolve()
        if self.folder not in path.parents:
            raise AssetError(self.file, "uri", f"{name!r} is not below the folder of the file")
        return read_regular(path, self.limits.mesh_bytes)

    __getitem__ = get


def _read_trimesh(data: bytes, file: str, suffix: str, limits: Limits) -> TriMesh:
    trimesh: Any = import_module("trimesh")

    options: dict[str, Any] = {"process": False, "skip_materials": True}
    if suffix == ".gltf":
        options["resolver"] = _Folder(file, limits)
    try:
        loaded = trimesh.load(io.BytesIO(data), file_type=suffix[1:], force="mesh", **options)
    except AssetError:
        raise
    # Trimesh's readers raise whatever their parsing runs into (KeyError, struct.error, ...).
    except Exception as error:
        raise AssetError(file, "", f"cannot be read: {type(error).__name__}: {error}") from error
    vertices = np.asarray(loaded.vertices, dtype=np.float64).reshape(-1, 3)
    faces = np.asarray(getattr(loaded, "faces", np.zeros((0, 3))), dtype=np.int64).reshape(-1, 3)
    return TriMesh(vertices, np.clip(faces, -1, len(vertices)).astype(np.int32))
