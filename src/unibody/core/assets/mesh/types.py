"""The triangle mesh that every mesh reader produces."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Vec3
from unibody.core.assets.limits import Limits
from unibody.errors import AssetError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(slots=True, eq=False)
class TriMesh:
    """Triangles over shared vertices. The arrays are never written to after construction.

    Attributes:
        vertices: Positions in the shape's frame, (V, 3) [m].
        faces: Vertex indices, counter-clockwise seen from outside, (F, 3). Empty for a point cloud.
        uv: Texture coordinates of the vertices, (V, 2), or None. Where a file has them for some
            corners only, the others are at (0, 0).
        normals: Normals of the vertices, (V, 3), or None.
        name: Name of the group in the file, or "".
        material: Name of the material of the group in the file, or "".
        source: The file, for error messages.
    """

    vertices: FloatArray
    faces: IntArray
    uv: FloatArray | None = None
    normals: FloatArray | None = None
    name: str = ""
    material: str = ""
    source: str = "<mesh>"
    _key: str = field(default="", init=False, repr=False)

    @property
    def key(self) -> str:
        """Hash of the geometry: meshes with equal keys can share one copy in the engine."""
        if not self._key:
            digest = hashlib.sha1(usedforsecurity=False)
            for array in (self.vertices, self.faces, self.uv, self.normals):
                shape = None if array is None else array.shape
                digest.update(f"{shape};".encode())
                if array is not None:
                    digest.update(np.ascontiguousarray(array).data)
            self._key = digest.hexdigest()
        return self._key

    @property
    def nbytes(self) -> int:
        """Memory of the arrays [bytes]."""
        arrays = (self.vertices, self.faces, self.uv, self.normals)
        return sum(array.nbytes for array in arrays if array is not None)

    def scaled(self, scale: Vec3) -> TriMesh:
        """A copy with its coordinates multiplied; a mirroring scale turns the triangles over.

        Args:
            scale: Factors along x, y and z.
        """
        factors = np.asarray(scale, dtype=np.float64)
        faces, normals = self.faces, self.normals
        if np.prod(factors) < 0:
            faces = np.ascontiguousarray(faces[:, ::-1])
        if normals is not None:
            # Normals transform with the inverse transpose, here the inverse of a diagonal matrix;
            # the cofactors keep a zero factor harmless.
            cofactors = np.array(
                [factors[1] * factors[2], factors[0] * factors[2], factors[0] * factors[1]]
            )
            normals = normalized(normals * (cofactors * np.sign(np.prod(factors) or 1.0)))
        moved = self.vertices * factors
        return TriMesh(moved, faces, self.uv, normals, self.name, self.material, self.source)


def normalized(vectors: FloatArray) -> FloatArray:
    """Unit vectors along the rows of ``vectors``, (N, 3); a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def check_mesh(mesh: TriMesh, file: object, limits: Limits) -> TriMesh:
    """Returns ``mesh``, which then knows the file, if it is sound.

    Raises:
        AssetError: No vertex, too many, a vertex that is not finite, or an index out of range.
    """
    element = f"group {mesh.name!r}" if mesh.name else ""
    count = len(mesh.vertices)
    if count == 0:
        raise AssetError(file, element, "has no vertex")
    check_counts(count, len(mesh.faces), file, element, limits)
    if not np.isfinite(mesh.vertices).all():
        row = int(np.flatnonzero(~np.isfinite(mesh.vertices).all(axis=1))[0])
        raise AssetError(
            file, element, f"vertex {row} is not finite: {mesh.vertices[row].tolist()}"
        )
    if mesh.faces.size and (mesh.faces.min() < 0 or mesh.faces.max() >= count):
        bad = int(mesh.faces.min() if mesh.faces.min() < 0 else mesh.faces.max())
        raise AssetError(file, element, f"face index {bad} is not in [0, {count - 1}]")
    mesh.source = str(file)
    return mesh


def check_counts(vertices: int, faces: int, file: object, element: str, limits: Limits) -> None:
    """Raises ``AssetError`` where a mesh has more vertices or faces than ``limits`` allows."""
    if vertices > limits.mesh_vertices:
        problem = f"{vertices} vertices, the limit is {limits.mesh_vertices}"
        raise AssetError(file, element, problem)
    if faces > limits.mesh_faces:
        raise AssetError(file, element, f"{faces} faces, the limit is {limits.mesh_faces}")
