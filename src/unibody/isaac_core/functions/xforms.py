"""Operations of prims that say where they stand, and their poses on the stage."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Usd, UsdGeom

from unibody.isaac_core import convert, handles, transforms
from unibody.isaac_core.simulation import seam


def clear_xform_ops(prim: Usd.Prim) -> None:
    """Take all operations of a prim away."""
    transforms.clear(prim)


def reset_xform_ops(prim: Usd.Prim) -> None:
    """Leave a prim translate, orient and scale, at rest."""
    reset_and_set_xform_ops(prim, Gf.Vec3d(0.0), Gf.Quatd(1.0))


def reset_and_set_xform_ops(
    prim: Usd.Prim,
    translation: Gf.Vec3d,
    orientation: Gf.Quatd,
    scale: Gf.Vec3d = Gf.Vec3d(1.0, 1.0, 1.0),  # noqa: B008
) -> None:
    """Leave a prim translate, orient and scale, of these values."""
    transforms.clear(prim)
    transforms.write(prim, translation, orientation, scale)


def get_world_pose(prim_path: str, fabric: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Position and orientation w, x, y, z of a prim in the world.

    Args:
        prim_path: Its path.
        fabric: Whether it is where the physics has moved it to; else where it is on the stage,
            which is written when the simulation pauses.
    """
    prim = handles.prim_at(prim_path)
    if fabric:
        seam.flush([prim])
    return _pose(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default()))


def get_local_pose(prim_path: str, fabric: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Position and orientation w, x, y, z of a prim to its parent.

    Args:
        prim_path: Its path.
        fabric: Whether it is where the physics has moved it to; else where it is on the stage,
            which is written when the simulation pauses.
    """
    prim = handles.prim_at(prim_path)
    if fabric:
        seam.flush([prim])
    return _pose(UsdGeom.Xformable(prim).GetLocalTransformation(Usd.TimeCode.Default()))


def _pose(matrix: Gf.Matrix4d) -> tuple[np.ndarray, np.ndarray]:
    found = Gf.Transform(matrix)
    quaternion = convert.quat_wxyz(found.GetRotation().GetQuat())
    return np.array(found.GetTranslation(), dtype=np.float64), quaternion
