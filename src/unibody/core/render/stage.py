"""The parts of a scene in the arrays that renderers work on."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.arrays import Geometry, Instances, Textures
from unibody.core.render.mesh import Mesh, Part, Texture

_KEPT = 64 * 1024 * 1024  # bytes of meshes and textures that may lie there unused


class _Column:
    """An array that grows at its end."""

    def __init__(self, *shape: int, dtype: Any) -> None:
        self._memory = np.empty((0, *shape), dtype=dtype)
        self.count = 0

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows."""
        end = self.count + len(rows)
        if end > len(self._memory):
            more = np.empty((max(end, 2 * self.count), *self._memory.shape[1:]), self._memory.dtype)
            more[: self.count] = self._memory[: self.count]
            self._memory = more
        self._memory[self.count : end] = rows
        self.count = end

    @property
    def rows(self) -> NDArray[Any]:
        """The rows that were added."""
        return self._memory[: self.count]


class Stage:
    """What there is to see.

    Meshes and textures are taken in once and stay while they are in use, so that showing other
    parts is cheap.

    Attributes:
        parts: What is shown.
        instances: The parts as arrays; their ``models`` are filled in by whoever draws.
        labels: Of the parts, (I,).
        frames: The frame each part follows, (I,).
        local: T_frame_mesh of the parts, rows of 3 x 4 matrices, (I, 12).
    """

    def __init__(self) -> None:
        self.parts: tuple[Part, ...] = ()
        self._clear()
        self.show(())

    def _clear(self) -> None:
        self._points = _Column(3, dtype=np.float32)
        self._corners = _Column(3, dtype=np.int32)
        self._normals = _Column(3, dtype=np.float32)
        self._uvs = _Column(2, dtype=np.float32)
        self._faces = _Column(3, dtype=np.int32)
        self._planes = _Column(4, dtype=np.float32)
        self._meshes = _Column(4, dtype=np.int32)
        self._spheres = _Column(4, dtype=np.float64)
        self._texels = _Column(dtype=np.uint8)
        self._places = _Column(3, dtype=np.int64)
        self._mesh_rows: dict[str, int] = {}
        self._texture_rows: dict[int, int] = {}
        self._textures: list[Texture] = []  # keeps the identities in ``_texture_rows`` taken

    def show(self, parts: Sequence[Part]) -> None:
        """Replace the parts."""
        self.parts = tuple(parts)
        if self._unused() > _KEPT:
            self._clear()
        count = len(self.parts)
        self.frames: NDArray[np.int32] = np.array(
            [part.frame for part in self.parts], dtype=np.int32
        )
        self.labels: NDArray[np.int32] = np.array(
            [part.label for part in self.parts], dtype=np.int32
        )
        self.last_frame: int = int(self.frames.max(initial=-1))
        self.local: NDArray[np.float64] = _matrices(self.parts)
        self.instances: Instances = Instances(
            np.array([self._mesh_row(part.mesh) for part in self.parts], dtype=np.int32),
            np.array([part.double_sided for part in self.parts], dtype=np.bool_),
            np.array([part.rgba for part in self.parts], dtype=np.float32).reshape(-1, 4),
            np.array([self._texture_row(part.texture) for part in self.parts], dtype=np.int32),
            np.empty((count, 12)),
        )
        self.geometry: Geometry = Geometry(
            self._points.rows,
            self._corners.rows,
            self._normals.rows,
            self._uvs.rows,
            self._faces.rows,
            self._planes.rows,
            self._meshes.rows,
            self._spheres.rows,
        )
        self.textures: Textures = Textures(self._texels.rows, self._places.rows)
        opacity = self.instances.colors[:, 3]
        self.all: NDArray[np.int32] = np.arange(count, dtype=np.int32)
        self.visible: NDArray[np.int32] = np.flatnonzero(opacity != 0.0).astype(np.int32)
        self.solid: NDArray[np.int32] = np.flatnonzero(opacity >= 1.0).astype(np.int32)
        self.translucent: NDArray[np.int32] = np.flatnonzero(
            (opacity < 1.0) & (opacity != 0.0)
        ).astype(np.int32)
        meshes = self.geometry.meshes[self.instances.mesh]
        self.most_points: int = int(meshes[:, 1].max(initial=0))
        self.most_faces: int = int(meshes[:, 3].sum())

    def dressed(self, colors: NDArray[np.float32], textures: Sequence[Texture | None]) -> Stage:
        """The same parts in other colours and textures, sharing the meshes of this stage.

        Args:
            colors: Of the parts, (I, 4); opacities stay what they are here.
            textures: Of the parts.

        Returns:
            A stage that other parts are not to be shown on.
        """
        rows = np.array([self._texture_row(texture) for texture in textures], dtype=np.int32)
        other = copy.copy(self)
        plain = np.ascontiguousarray(colors, dtype=np.float32).reshape(-1, 4)
        other.instances = self.instances._replace(colors=plain, texture=rows)
        other.textures = Textures(self._texels.rows, self._places.rows)
        return other

    @property
    def images(self) -> tuple[Texture, ...]:
        """All textures that were shown on it, or dressed in; ``instances.texture`` numbers them."""
        return tuple(self._textures)

    def _unused(self) -> int:
        """Bytes of what is stored and not shown."""
        meshes = {part.mesh.key: part.mesh for part in self.parts}
        textures = {id(part.texture): part.texture for part in self.parts if part.texture}
        used = sum(72 * len(mesh.vertices) for mesh in meshes.values())
        used += sum(texture.texels.nbytes for texture in textures.values())
        return 72 * self._normals.count + self._texels.count - used

    def _mesh_row(self, mesh: Mesh) -> int:
        row = self._mesh_rows.get(mesh.key)
        if row is not None:
            return row
        row = self._mesh_rows[mesh.key] = self._meshes.count
        # a corner of several flat faces is one point: it is brought into the image once
        places, inverse = np.unique(
            mesh.vertices.view(np.dtype((np.void, mesh.vertices.itemsize * 3))).ravel(),
            return_inverse=True,
        )
        points = places.view(np.float32).reshape(-1, 3)
        point, face, vertex = self._points.count, self._faces.count, self._normals.count
        self._meshes.append(np.array([[point, len(points), face, len(mesh.faces)]]))
        self._points.append(points)
        self._corners.append(inverse.astype(np.int32).ravel()[mesh.faces] + point)
        self._normals.append(mesh.normals)
        self._uvs.append(mesh.uvs)
        self._faces.append(mesh.faces + vertex)
        corners = mesh.vertices.astype(np.float64)[mesh.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        # scaled, as single precision has no room for the square of a small length
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals /= np.where(lengths > 0.0, lengths, 1.0)
        offsets = np.sum(normals * corners[:, 0], axis=1, keepdims=True)
        self._planes.append(np.hstack([normals, offsets]))
        low, high = corners.min((0, 1), initial=np.inf), corners.max((0, 1), initial=-np.inf)
        center = 0.5 * (low + high) if len(corners) else np.zeros(3)
        radius = float(np.linalg.norm(corners - center, axis=2).max(initial=0.0))
        self._spheres.append(np.array([[*center, radius]]))
        return row

    def _texture_row(self, texture: Texture | None) -> int:
        if texture is None:
            return -1
        row = self._texture_rows.get(id(texture))
        if row is None:
            row = self._texture_rows[id(texture)] = self._places.count
            self._textures.append(texture)
            height, width, _ = texture.texels.shape
            self._places.append(np.array([[self._texels.count, width, height]]))
            self._texels.append(texture.texels.ravel())
        return row


def _matrices(parts: Sequence[Part]) -> NDArray[np.float64]:
    """Poses as the rows of 3 x 4 matrices, (I, 12)."""
    matrices = np.empty((len(parts), 3, 4))
    if parts:
        quats = np.array([part.pose.quat for part in parts])
        w, x, y, z = (quats / np.linalg.norm(quats, axis=1, keepdims=True)).T
        matrices[:, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
        matrices[:, 0, 1] = 2.0 * (x * y - w * z)
        matrices[:, 0, 2] = 2.0 * (x * z + w * y)
        matrices[:, 1, 0] = 2.0 * (x * y + w * z)
        matrices[:, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
        matrices[:, 1, 2] = 2.0 * (y * z - w * x)
        matrices[:, 2, 0] = 2.0 * (x * z - w * y)
        matrices[:, 2, 1] = 2.0 * (y * z + w * x)
        matrices[:, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
        matrices[:, :, 3] = [part.pose.pos for part in parts]
    return matrices.reshape(-1, 12)
