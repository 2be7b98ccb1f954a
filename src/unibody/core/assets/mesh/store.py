"""Meshes in files of the disk cache: what a reader or an algorithm made of some bytes.

A file holds meshes one after the other; one that is damaged in whatever way counts as none. Its
name is a hash over what the meshes were made of.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from unibody.core.assets.disk_cache import store, stored
from unibody.core.assets.mesh.types import FloatArray, IntArray, TriMesh

_SUFFIX = ".mesh"
_MOST_BYTES = 32 << 20  # of a file
_HEAD = struct.Struct("<Q")  # number of meshes
# bytes of name and material, vertices, triangles, and whether there are uv and normals
_MESH = struct.Struct("<4Q2?")


def stored_meshes(kind: str, key: str) -> list[TriMesh] | None:
    """Meshes that were stored; None: there are none, or the file is damaged.

    Args:
        kind: The folder.
        key: The name of the file.
    """
    data = stored(kind, key + _SUFFIX)
    try:
        return None if data is None else _unpacked(data, *_HEAD.unpack_from(data))
    except (ValueError, struct.error):
        return None


def store_meshes(kind: str, key: str, meshes: Sequence[TriMesh]) -> None:
    """Store meshes; a folder that cannot be written to costs only the time of the next process."""
    parts = [part for mesh in meshes for part in _packed(mesh)]
    if sum(map(len, parts)) > _MOST_BYTES:
        return
    store(kind, key + _SUFFIX, _HEAD.pack(len(meshes)) + b"".join(parts))


def _packed(mesh: TriMesh) -> list[bytes]:
    name, material = mesh.name.encode(), mesh.material.encode()
    sizes = len(name), len(material), len(mesh.vertices), len(mesh.faces)
    parts = [_MESH.pack(*sizes, mesh.uv is not None, mesh.normals is not None), name, material]
    parts.append(mesh.vertices.astype("<f8", copy=False).tobytes())
    parts.append(mesh.faces.astype("<i4", copy=False).tobytes())
    optional = (array for array in (mesh.uv, mesh.normals) if array is not None)
    parts += [array.astype("<f8", copy=False).tobytes() for array in optional]
    return parts


class _Reader:
    """Goes through the bytes of a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = _HEAD.size

    def head(self) -> tuple[int, int, int, int, bool, bool]:
        """The sizes of the next mesh, and what it has."""
        self.at += _MESH.size
        return _MESH.unpack_from(self._data, self.at - _MESH.size)

    def text(self, length: int) -> str:
        """Name or material."""
        self.at += length
        return self._data[self.at - length : self.at].decode()

    def numbers(self, rows: int, width: int) -> FloatArray:
        """Vertices, normals or texture coordinates, (rows, width)."""
        found = np.frombuffer(self._data, "<f8", rows * width, self.at)
        self.at += found.nbytes
        return found.reshape(rows, width).astype(np.float64)

    def triangles(self, rows: int) -> IntArray:
        """Triangles, (rows, 3)."""
        found = np.frombuffer(self._data, "<i4", rows * 3, self.at)
        self.at += found.nbytes
        return found.reshape(rows, 3).astype(np.int32)


def _unpacked(data: bytes, count: int) -> list[TriMesh]:
    reader = _Reader(data)
    meshes: list[TriMesh] = []
    for _ in range(count):
        name, material, vertices, faces, has_uv, has_normals = reader.head()
        texts = reader.text(name), reader.text(material)
        meshes.append(
            TriMesh(
                reader.numbers(vertices, 3),
                reader.triangles(faces),
                reader.numbers(vertices, 2) if has_uv else None,
                reader.numbers(vertices, 3) if has_normals else None,
                *texts,
            )
        )
    if reader.at != len(data):
        raise ValueError("there is more in the file")
    for mesh in meshes:
        if mesh.faces.size and not 0 <= mesh.faces.min() <= mesh.faces.max() < len(mesh.vertices):
            raise ValueError("a triangle has a vertex that is not there")
    return meshes
