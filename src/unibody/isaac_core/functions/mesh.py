"""Points of meshes."""

from __future__ import annotations

import numpy as np
from pxr import Usd, UsdGeom

from unibody.isaac_core.functions.transformations import get_relative_transform


def get_mesh_vertices_relative_to(mesh_prim: UsdGeom.Mesh, coord_prim: Usd.Prim) -> np.ndarray:
    """(N, 3) points of a mesh in the frame of a prim."""
    points = np.array(mesh_prim.GetPointsAttr().Get(), dtype=np.float64).reshape(-1, 3)
    transform = get_relative_transform(mesh_prim.GetPrim(), coord_prim)
    return points @ transform[:3, :3].T + transform[:3, 3]
