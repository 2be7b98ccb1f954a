"""Files of soft bodies: the mesh that is simulated, and the one that is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh.obj import read_surface
from unibody.core.assets.mesh.types import FloatArray, IntArray
from unibody.core.assets.mesh.vtk import load_vtk
from unibody.core.deform.embedding import Embedding, in_tetrahedra, on_triangles
from unibody.core.deform.topology import surface
from unibody.errors import AssetError


@dataclass(frozen=True)
class SoftMesh:
    """The mesh that is simulated.

    Attributes:
        points: (p, 3) [m].
        faces: Triangles of the surface, (f, 3), particles.
        tetrahedra: (n, 4), particles; of a surface alone there are none.
        file: Of the mesh that is drawn.
        drawn_points: Of that mesh, if it is another one, (q, 3) [m]; else those of this.
        drawn_faces: Its triangles, (g, 3).
        drawn_uvs: Texture coordinates of their corners, (3 g, 2); None: there are none.
    """

    points: FloatArray
    faces: IntArray
    tetrahedra: IntArray
    file: str
    drawn_points: FloatArray
    drawn_faces: IntArray
    drawn_uvs: FloatArray | None

    def drawing(self, scale: float) -> Embedding | None:
        """How the points that are drawn follow the particles; None: they are the same.

        Args:
            scale: Factor on every length.
        """
        if self.drawn_points is self.points:
            return None
        drawn, points = self.drawn_points * scale, self.points * scale
        if len(self.tetrahedra):
            return in_tetrahedra(drawn, points, self.tetrahedra)
        return on_triangles(drawn, points, self.faces)


def load_soft_mesh(file: str, drawn: str = "") -> SoftMesh:
    """Read a mesh to simulate, and the one that is drawn.

    Args:
        file: The tetrahedra of a .vtk file, or the triangles of an .obj file, are simulated.
        drawn: The file that is drawn; "": the same.

    Raises:
        AssetError: A file cannot be read, or has no element.
    """
    points, faces, tetrahedra, uvs = _read(file)
    if not drawn or drawn == file:
        return SoftMesh(points, faces, tetrahedra, file, points, faces, uvs)
    drawn_points, drawn_faces, _, uvs = _read(drawn)
    return SoftMesh(points, faces, tetrahedra, drawn, drawn_points, drawn_faces, uvs)


def _read(file: str) -> tuple[FloatArray, IntArray, IntArray, FloatArray | None]:
    """Points, triangles, tetrahedra and texture coordinates of a file.

    Raises:
        AssetError: The file cannot be read, or has no element.
    """
    if file.lower().endswith(".vtk"):
        solid = load_vtk(file)
        faces = surface(solid.corners, solid.points).astype(np.int32)
        return solid.points, faces, solid.corners, None
    if not file.lower().endswith(".obj"):
        raise AssetError(file, "", "soft bodies are made of .obj and .vtk files")
    data = read_regular(file, DEFAULT_LIMITS.mesh_bytes)
    found = read_surface(data, file, DEFAULT_LIMITS)
    return found.points, found.faces, np.zeros((0, 4), dtype=np.int32), found.uvs
