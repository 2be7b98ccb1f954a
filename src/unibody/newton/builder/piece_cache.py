"""Convex pieces of meshes, kept in a folder: a file for what was asked for, by its content.

What cannot be read, or does not fit, is worked out again; a folder that cannot be written does not
keep a script from going on.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

Piece = tuple[np.ndarray, np.ndarray]

_FORMAT = 1
_PACKAGES = {"coacd": ("coacd",), "vhacd": ("trimesh", "vhacdx")}
_UNREADABLE = (
    *(OSError, ValueError, TypeError, KeyError, EOFError, NotImplementedError),
    *(AttributeError, zipfile.BadZipFile, zlib.error),
)


def key_of(mesh: Any, method: str, settings: dict[str, Any]) -> str | None:
    """The name of the file for a mesh, a method and its settings.

    Args:
        mesh: What is taken apart.
        method: "coacd" or "vhacd".
        settings: Of the method.

    Returns:
        The name without its ending; None: the settings, or the version of a package, have none.
    """
    try:
        text = json.dumps(
            {
                "format": _FORMAT,
                "method": method,
                "most_vertices": mesh.maxhullvert,
                "versions": [importlib.metadata.version(name) for name in _PACKAGES[method]],
                "settings": settings,
            },
            sort_keys=True,
            default=_plain,
            allow_nan=False,
        )
    except (importlib.metadata.PackageNotFoundError, TypeError, ValueError):
        return None
    digest = hashlib.sha256(text.encode())
    for array in (mesh.vertices, mesh.indices):
        digest.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(type(value).__name__)


def read(folder: Any, key: str) -> list[Piece] | None:
    """The pieces that were kept; None: there are none, or none that can be used."""
    path = Path(folder) / f"{key}.convex.npz"
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            if data["version"].item() != _FORMAT:
                return None
            count = data["part_count"].item()
            if count < 1 or len(data.files) != 2 + 2 * count:
                return None
            return [_piece(data[f"vertices_{i}"], data[f"faces_{i}"]) for i in range(count)]
    except FileNotFoundError:
        return None
    except _UNREADABLE as error:
        warnings.warn(f"{path} is worked out again: {error}", stacklevel=2)
        return None


def _piece(vertices: np.ndarray, faces: np.ndarray) -> Piece:
    shaped = vertices.ndim == faces.ndim == 2 and vertices.shape[1] == faces.shape[1] == 3
    if not (shaped and vertices.size and faces.size and faces.dtype.kind in "iu"):
        raise ValueError("a piece is no mesh")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ValueError("a triangle of a piece has a corner that does not exist")
    with np.errstate(over="ignore", invalid="ignore"):
        points = vertices.astype(np.float32)
    if not np.isfinite(points).all():
        raise ValueError("a vertex of a piece is not finite")
    return points, faces


def write(folder: Any, key: str, pieces: list[Piece]) -> None:
    """Keep pieces: the file appears at once, and whole."""
    arrays: dict[str, Any] = {"version": np.int64(_FORMAT), "part_count": np.int64(len(pieces))}
    for i, (vertices, faces) in enumerate(pieces):
        arrays[f"vertices_{i}"], arrays[f"faces_{i}"] = np.asarray(vertices), np.asarray(faces)
    unfinished = ""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = Path(folder) / f"{key}.convex.npz"
        handle, unfinished = tempfile.mkstemp(".unfinished", dir=folder)
        with os.fdopen(handle, "wb") as stream:
            np.savez_compressed(stream, **arrays)
        os.replace(unfinished, path)
    except (OSError, ValueError) as error:
        warnings.warn(f"convex pieces are not kept in {folder!r}: {error}", stacklevel=2)
        with contextlib.suppress(OSError, ValueError):
            os.unlink(unfinished)
