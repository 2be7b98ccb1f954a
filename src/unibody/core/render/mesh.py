"""What is drawn: meshes, textures, and the parts made of them."""

from __future__ import annotations

import functools
import hashlib
import io
import os
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unibody.core.assets.description import Pose
from unibody.core.assets.files import read_regular
from unibody.core.assets.images import image_size
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.errors import AssetError, InvalidArgumentError

F32 = NDArray[np.float32]
_FLAT_UV = 0.5  # texture coordinates of a mesh without any


@dataclass(slots=True, eq=False)
class Mesh:
    """Triangles as they are drawn. The arrays are never written to.

    Attributes:
        vertices: In the mesh's frame, (V, 3) [m].
        faces: Corners, counter-clockwise seen from outside, (F, 3).
        normals: Of the vertices, unit vectors, (V, 3).
        uvs: Texture coordinates of the vertices, (V, 2); v points up in the image.
    """

    vertices: F32
    faces: NDArray[np.int32]
    normals: F32
    uvs: F32
    _key: str = field(default="", init=False, repr=False)

    @property
    def key(self) -> str:
        """Hash of the content: meshes with equal keys look the same."""
        if not self._key:
            digest = hashlib.sha1(usedforsecurity=False)
            for array in (self.vertices, self.faces, self.normals, self.uvs):
                digest.update(f"{array.shape};".encode())
                digest.update(array.data)
            self._key = digest.hexdigest()
        return self._key


def make_mesh(
    vertices: ArrayLike,
    faces: ArrayLike,
    normals: ArrayLike | None = None,
    uvs: ArrayLike | None = None,
) -> Mesh:
    """A mesh from arrays; without normals each triangle is flat, with corners of its own.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3).
        normals: (V, 3), of any length, or None. A corner without one (zero, not finite) gets that
            of its last triangle.
        uvs: (V, 2), or None.

    Raises:
        InvalidArgumentError: The shapes do not fit, or an index is out of range.
    """
    points = np.ascontiguousarray(vertices, dtype=np.float32).reshape(-1, 3)
    corners = np.ascontiguousarray(faces, dtype=np.int32).reshape(-1, 3)
    count = len(points)
    if corners.size and (corners.min() < 0 or corners.max() >= count):
        raise InvalidArgumentError("faces", int(corners.max()), f"indices from 0 to {count - 1}")
    where = np.full((count, 2), _FLAT_UV) if uvs is None else np.asarray(uvs)
    where = np.ascontiguousarray(where, dtype=np.float32).reshape(-1, 2)
    if len(where) != count:
        raise InvalidArgumentError("uvs", len(where), f"{count}, one a vertex")
    if normals is None:
        flat = _unit(_face_normals(points, corners))
        index = np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
        rows = corners.ravel()
        return Mesh(points[rows], index, np.repeat(flat, 3, axis=0), where[rows])
    given = np.array(normals, dtype=np.float64).reshape(-1, 3)
    if len(given) != count:
        raise InvalidArgumentError("normals", len(given), f"{count}, one a vertex")
    given[~np.isfinite(given).all(axis=1)] = 0.0
    missing = np.logical_not(given.any(axis=1))
    if missing.any():
        rows = np.flatnonzero(missing[corners.ravel()])
        given[corners.ravel()[rows]] = np.repeat(_face_normals(points, corners), 3, axis=0)[rows]
    return Mesh(points, corners, _unit(given), where)


def _face_normals(points: F32, corners: NDArray[np.int32]) -> NDArray[np.float64]:
    a, b, c = (points[corners[:, k]].astype(np.float64) for k in range(3))
    return np.cross(b - a, c - a)


def _unit(vectors: NDArray[np.float64]) -> F32:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.where(lengths > 0.0, lengths, 1.0), dtype=np.float32)


@dataclass(slots=True, frozen=True, eq=False)
class Texture:
    """An image for surfaces; it repeats.

    Attributes:
        texels: Red, green and blue, rows from the bottom, (height, width, 3).
    """

    texels: NDArray[np.uint8]

    def __post_init__(self) -> None:
        shape = self.texels.shape
        if len(shape) != 3 or shape[2] != 3 or 0 in shape:
            raise InvalidArgumentError("texels", shape, "(height, width, 3), none of them 0")


@dataclass(slots=True, frozen=True, eq=False)
class Part:
    """A mesh that follows a frame.

    Attributes:
        mesh: What is drawn.
        frame: Row of the poses it follows; -1: it stands in the world.
        pose: T_frame_mesh.
        rgba: Colour and opacity, 0 to 1; an opacity of 0 hides it. Textures are multiplied by it.
        texture: Its image, or None.
        label: Its number in the segmentation.
        double_sided: Faces are drawn from behind too.
    """

    mesh: Mesh
    frame: int = -1
    pose: Pose = field(default_factory=Pose)
    rgba: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    label: int = 0
    double_sided: bool = False


def load_texture(file: str, limits: Limits = DEFAULT_LIMITS) -> Texture:
    """The texture in an image file; files that did not change are read once.

    Raises:
        AssetError: No such file, no image, or it exceeds a limit.
    """
    image_size(file, limits)  # refuses what is too large before it is unpacked
    status = os.stat(file)
    return _read(file, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=256)
def _read(file: str, _changed: int, _size: int) -> Texture:
    from PIL import Image

    data = read_regular(file, DEFAULT_LIMITS.texture_bytes)
    try:
        with Image.open(io.BytesIO(data)) as image:
            texels = np.asarray(image.convert("RGB"), dtype=np.uint8)[::-1]
    # Pillow's readers raise whatever they run into (SyntaxError, struct.error, IndexError, ...).
    except Exception as problem:
        raise AssetError(file, "", f"not a readable image: {problem}") from problem
    return Texture(np.ascontiguousarray(texels))
