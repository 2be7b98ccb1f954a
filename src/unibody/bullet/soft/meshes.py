"""Files of soft bodies: the mesh that is simulated, and the one that is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh_obj import read_surface
from unibody.core.assets.mesh_types import FloatArray, IntArray
from unibody.core.assets.mesh_vtk import load_vtk
from unibody.core.deform.topology import surface
from unibody.errors import AssetError


@dataclass(frozen=True)
class SoftMesh:
    """The mesh that is simulated.

    Attributes:
        points: (p, 3) [m].
        faces: Triangles of the surface, (f, 3), particles.
        tetrahedra: (n, 4), particles; of a surface alone there are none.
    """

    points: FloatArray
    faces: IntArray
    tetrahedra: IntArray


def load_soft_mesh(file: str) -> SoftMesh:
    """Read a mesh to simulate: the tetrahedra of a .vtk file, or the triangles of an .obj file.

    Raises:
        AssetError: The file cannot be read, or has no element.
    """
    if file.lower().endswith(".vtk"):
        solid = load_vtk(file)
        return SoftMesh(
            solid.points, surface(solid.corners, solid.points).astype(np.int32), solid.corners
        )
    if not file.lower().endswith(".obj"):
        raise AssetError(file, "", "soft bodies are made of .obj and .vtk files")
    data = read_regular(file, DEFAULT_LIMITS.mesh_bytes)
    points, faces = read_surface(data, file, DEFAULT_LIMITS)
    return SoftMesh(points, faces, np.zeros((0, 4), dtype=np.int32))
