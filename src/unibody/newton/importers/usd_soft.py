"""Meshes of tetrahedra of a stage as soft bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton import usd
from unibody.newton.enums import Axis
from unibody.newton.tet_mesh import TetMesh


def add_tetmeshes(builder: Any, stage: Any, root: str, place: Any) -> None:
    """Add prims ``TetMesh`` to a builder, those in instances included.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
        root: Path of the prim that is read, with all below it.
        place: Pose of the stage with z up.
    """
    from pxr import Usd, UsdGeom

    up = Axis.from_any(str(UsdGeom.GetStageUpAxis(stage)))
    pose = place * wp.transform(wp.vec3(), up.quat_between_axes(Axis.Z))
    transforms = UsdGeom.XformCache()
    for prim in Usd.PrimRange(stage.GetPrimAtPath(root), Usd.TraverseInstanceProxies()):
        if prim.IsA(UsdGeom.TetMesh):
            mesh = _placed(usd.get_tetmesh(prim), transforms.GetLocalToWorldTransform(prim))
            builder.add_soft_mesh(
                pos=wp.transform_get_translation(pose),
                rot=wp.transform_get_rotation(pose),
                scale=1.0,
                vel=wp.vec3(),
                mesh=mesh,
            )


def _placed(mesh: TetMesh, matrix: Any) -> TetMesh:
    """A mesh in the axes of the stage; corners of mirrored ones change their order."""
    rows = np.array(matrix, dtype=float)  # OpenUSD's vectors are rows
    vertices = np.asarray(mesh.vertices, dtype=float) @ rows[:3, :3] + rows[3, :3]
    corners = np.asarray(mesh.tet_indices).reshape(-1, 4)
    if np.linalg.det(rows[:3, :3]) < 0.0:
        corners = corners[:, (0, 2, 1, 3)]
    return TetMesh(
        vertices,
        corners.reshape(-1),
        k_mu=mesh.k_mu,
        k_lambda=mesh.k_lambda,
        k_damp=mesh.k_damp,
        density=mesh.density,
        custom_attributes=mesh.custom_attributes,
    )
