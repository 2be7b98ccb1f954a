"""Convex pieces of meshes, kept on disk."""

from __future__ import annotations

import hashlib
import io
import zipfile

import numpy as np

from unibody.core.assets.disk_cache import store, stored
from unibody.core.assets.mesh.types import TriMesh

_FOLDER = "pieces"


def pieces_name(numbers: str, meshes: list[TriMesh]) -> str:
    """The name of what is made of meshes with some numbers: the same for equal contents."""
    digest = hashlib.sha1(numbers.encode(), usedforsecurity=False)
    for mesh in meshes:
        digest.update(mesh.key.encode())
    return f"{digest.hexdigest()}.npz"


def kept_pieces(name: str) -> list[TriMesh] | None:
    """Stored pieces; None where there are none or the file is damaged."""
    data = stored(_FOLDER, name)
    if data is None:
        return None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            vertices, faces, ends = (arrays[part] for part in ("vertices", "faces", "ends"))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    sound = (
        vertices.dtype == np.float64
        and faces.dtype == ends.dtype == np.int32
        and vertices.shape[1:] == faces.shape[1:] == (3,)
        and ends.shape[1:] == (2,)
        and len(ends) > 0
        and bool(np.isfinite(vertices).all())
        and ends[-1].tolist() == [len(vertices), len(faces)]
        and bool((np.diff(ends, axis=0, prepend=np.zeros((1, 2), np.int32)) >= 4).all())
    )
    if not sound:
        return None
    parts = zip(np.split(vertices, ends[:-1, 0]), np.split(faces, ends[:-1, 1]), strict=True)
    pieces = [TriMesh(part, triangles) for part, triangles in parts]
    inside = all(p.faces.min() >= 0 and p.faces.max() < len(p.vertices) for p in pieces)
    return pieces if inside else None


def keep_pieces(name: str, pieces: list[TriMesh]) -> None:
    """Store pieces for the next time."""
    sizes = np.array([(len(p.vertices), len(p.faces)) for p in pieces], np.int32)
    vertices = np.concatenate([piece.vertices for piece in pieces])
    faces = np.concatenate([piece.faces for piece in pieces])
    ends = np.cumsum(sizes, axis=0, dtype=np.int32)
    stream = io.BytesIO()
    np.savez(stream, vertices=vertices, faces=faces, ends=ends)
    store(_FOLDER, name, stream.getvalue())
