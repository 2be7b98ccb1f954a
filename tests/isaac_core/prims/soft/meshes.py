"""Meshes on the stage for tests of what is soft."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh
from pxr import UsdGeom

from unibody.isaac_core import handles


def sheet(path: str, count: int = 5, width: float = 0.4) -> Any:
    """A square of count by count points in the xy-plane, in triangles."""
    places = np.linspace(-width / 2.0, width / 2.0, count)
    corners = [(float(x), float(y), 0.0) for x in places for y in places]
    faces = [
        corner
        for i in range(count - 1)
        for j in range(count - 1)
        for a in [i * count + j]
        for corner in (a, a + count, a + count + 1, a, a + count + 1, a + 1)
    ]
    return _mesh(path, corners, faces)


def box(path: str, width: float = 0.2) -> Any:
    """A cube."""
    found = trimesh.creation.box((width, width, width))
    return _mesh(path, [tuple(map(float, v)) for v in found.vertices], found.faces.ravel().tolist())


def _mesh(path: str, corners: Any, faces: Any) -> Any:
    mesh = UsdGeom.Mesh.Define(handles.current_stage(), path)
    mesh.GetPointsAttr().Set(corners)
    mesh.GetFaceVertexIndicesAttr().Set(faces)
    mesh.GetFaceVertexCountsAttr().Set([3] * (len(faces) // 3))
    return mesh
