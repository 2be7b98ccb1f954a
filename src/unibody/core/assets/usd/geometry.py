"""Points, faces and transforms of a stage as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import MeshSource, Pose, Quat, Vec3
from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.types import TriMesh, check_counts, check_mesh
from unibody.core.assets.transforms import quat_conjugate, quat_normalize, quat_rotate
from unibody.core.assets.usd.library import pxr
from unibody.errors import AssetError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_UVS = ("st", "st_0", "UVMap")
_ROUND = 32  # corners of a cone's rim


@dataclass(frozen=True, slots=True)
class Placement:
    """An affine transform of the stage taken apart.

    Attributes:
        pose: The rigid part, in stage units.
        scale: Factors along the axes of the shape's frame.
        shear: What is left: identity, or a matrix applied in the shape's frame after the scale.
    """

    pose: Pose
    scale: Vec3
    shear: FloatArray | None = None


def take_apart(matrix: FloatArray) -> Placement:
    """The rigid part and the scale of an affine matrix.

    Args:
        matrix: (4, 4), for column vectors.

    A matrix that mirrors gets negative factors. One that shears keeps the axes' mean rotation.
    """
    linear = matrix[:3, :3]
    position: Vec3 = (float(matrix[0, 3]), float(matrix[1, 3]), float(matrix[2, 3]))
    lengths = np.linalg.norm(linear, axis=0)
    if not np.all(lengths > 0.0):
        return Placement(Pose(position), (1.0, 1.0, 1.0), linear.copy())
    axes = linear / lengths
    sign = -1.0 if np.linalg.det(axes) < 0.0 else 1.0
    if np.allclose(axes.T @ axes, np.eye(3), atol=1e-5):
        scale = (float(lengths[0] * sign), float(lengths[1] * sign), float(lengths[2] * sign))
        return Placement(Pose(position, quat_of(axes * sign)), scale)
    left, _, right = np.linalg.svd(linear)
    turn = left @ right
    if np.linalg.det(turn) < 0.0:
        turn = left @ np.diag([1.0, 1.0, -1.0]) @ right
    return Placement(Pose(position, quat_of(turn)), (1.0, 1.0, 1.0), turn.T @ linear)


def quat_of(turn: FloatArray) -> Quat:
    """The quaternion (w, x, y, z) of a rotation matrix."""
    trace = float(np.trace(turn))
    values = [
        1.0 + trace,
        1.0 + 2.0 * float(turn[0, 0]) - trace,
        1.0 + 2.0 * float(turn[1, 1]) - trace,
        1.0 + 2.0 * float(turn[2, 2]) - trace,
    ]
    wx, wy, wz = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
    xy, xz, yz = turn[0, 1] + turn[1, 0], turn[0, 2] + turn[2, 0], turn[1, 2] + turn[2, 1]
    # The row of the largest component: the others are then its products with the rest.
    rows = [
        (values[0], wx, wy, wz),
        (wx, values[1], xy, xz),
        (wy, xy, values[2], yz),
        (wz, xz, yz, values[3]),
    ]
    w, x, y, z = (float(item) for item in rows[int(np.argmax(values))])
    return quat_normalize((w, x, y, z))


def matrix_of(pose: Pose) -> FloatArray:
    """The (4, 4) matrix of a pose, for column vectors."""
    matrix = np.eye(4)
    for column, axis in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
        matrix[:3, column] = quat_rotate(pose.quat, axis)
    matrix[:3, 3] = pose.pos
    return matrix


def inverse_matrix_of(pose: Pose) -> FloatArray:
    """The (4, 4) matrix of the inverse of a pose."""
    turn = quat_conjugate(pose.quat)
    x, y, z = quat_rotate(turn, pose.pos)
    return matrix_of(Pose((-x, -y, -z), turn))


def read_mesh(prim: Any, limits: Limits, file: str, *, with_uvs: bool = False) -> TriMesh | None:
    """The triangles of a ``UsdGeom.Mesh`` in its own frame and units.

    Polygons become fans, holes are left out, left-handed faces are turned over.

    Args:
        prim: The mesh.
        limits: Bounds on its size.
        file: Named in errors.
        with_uvs: Read texture coordinates too; where a point has several, it is doubled.

    Returns:
        None where the mesh has no face.

    Raises:
        AssetError: Counts and indices do not belong together, or a limit is exceeded.
    """
    mesh = pxr().UsdGeom.Mesh(prim)
    where = str(prim.GetPath())
    points = _array(mesh.GetPointsAttr(), np.float64, file).reshape(-1, 3)
    counts = _array(mesh.GetFaceVertexCountsAttr(), np.int64, file)
    indices = _array(mesh.GetFaceVertexIndicesAttr(), np.int64, file)
    if not len(points) or not len(counts):
        return None
    if counts.min() < 0 or counts.sum() != len(indices):
        problem = f"{len(indices)} face vertex indices, the counts ask for {int(counts.sum())}"
        raise AssetError(file, where, problem)
    check_counts(len(points), int(np.maximum(counts - 2, 0).sum()), file, where, limits)
    corners = fan(counts, _array(mesh.GetHoleIndicesAttr(), np.int64, file))
    if not len(corners):
        return None
    if mesh.GetOrientationAttr().Get() == pxr().UsdGeom.Tokens.leftHanded:
        corners = corners[:, ::-1]
    faces = indices[corners]
    limit = np.iinfo(np.int32).max
    plain = TriMesh(points, np.clip(faces, -1, limit).astype(np.int32), name=where)
    checked = check_mesh(plain, file, limits)
    return _with_uvs(prim, checked, corners) if with_uvs else checked


def _with_uvs(prim: Any, mesh: TriMesh, corners: IntArray) -> TriMesh:
    """The mesh with the first texture coordinates that fit it, or as it is."""
    primvars = pxr().UsdGeom.PrimvarsAPI(prim)
    for name in _UVS:
        primvar = primvars.GetPrimvar(name)
        if not primvar or not primvar.HasValue():
            continue
        values = np.asarray(primvar.ComputeFlattened(), dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != 2 or not np.isfinite(values).all():
            continue
        if len(values) == len(mesh.vertices) and primvar.GetInterpolation() != "faceVarying":
            return TriMesh(mesh.vertices, mesh.faces, values, name=mesh.name)
        if primvar.GetInterpolation() == "faceVarying" and len(values) > corners.max():
            pairs = np.column_stack([mesh.vertices[mesh.faces.ravel()], values[corners.ravel()]])
            rows, places = np.unique(pairs, axis=0, return_inverse=True)
            faces = places.reshape(-1, 3).astype(np.int32)
            return TriMesh(rows[:, :3], faces, rows[:, 3:], name=mesh.name)
    return mesh


def fan(counts: IntArray, holes: IntArray) -> IntArray:
    """Corners (T, 3) of the triangles that polygons with these numbers of corners make."""
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    kept = np.ones(len(counts), dtype=bool)
    kept[holes[(holes >= 0) & (holes < len(counts))]] = False
    triangles = np.where(kept, np.maximum(counts - 2, 0), 0)
    first = np.repeat(starts, triangles)
    begins = np.repeat(np.cumsum(triangles) - triangles, triangles)
    number = np.arange(int(triangles.sum())) - begins
    return np.stack([first, first + number + 1, first + number + 2], axis=1)


def source_of(mesh: TriMesh, factors: FloatArray, scale: Vec3 = (1.0, 1.0, 1.0)) -> MeshSource:
    """A mesh in memory.

    Args:
        mesh: The triangles.
        factors: Matrix (3, 3) that is applied to the vertices.
        scale: Factors that whoever loads the mesh applies.
    """
    vertices = mesh.vertices @ factors.T
    faces = mesh.faces if np.linalg.det(factors) >= 0.0 else mesh.faces[:, ::-1]
    return MeshSource(
        name=mesh.name,
        scale=scale,
        vertices=tuple(map(tuple, vertices.tolist())),
        faces=tuple(map(tuple, faces.tolist())),
        uvs=() if mesh.uv is None else tuple(map(tuple, mesh.uv.tolist())),
    )


def cone(bottom: float, top: float, half_height: float) -> TriMesh:
    """A cone or a frustum along z, as a convex mesh: its rims lie on the true ones."""
    angles = np.arange(_ROUND) * (2.0 * np.pi / _ROUND)
    rims: list[FloatArray] = []
    for radius, z in ((bottom, -half_height), (top, half_height)):
        ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(_ROUND)], axis=1) * radius
        rims.append((ring if radius > 0.0 else ring[:1]) + [0.0, 0.0, z])
    low, high = len(rims[0]), len(rims[1])
    faces: list[tuple[int, int, int]] = []
    for i in range(_ROUND):
        a, b = i % low, (i + 1) % low
        c, d = low + i % high, low + (i + 1) % high
        faces += [face for face in ((a, b, d), (a, d, c)) if len(set(face)) == 3]
    faces += [(0, i + 1, i) for i in range(1, low - 1)]
    faces += [(low, low + i, low + i + 1) for i in range(1, high - 1)]
    return TriMesh(np.concatenate(rims), np.array(faces, dtype=np.int32).reshape(-1, 3))


def _array(attribute: Any, kind: Any, file: str) -> Any:
    values = attribute.Get()
    try:
        return np.zeros(0, dtype=kind) if values is None else np.asarray(values, dtype=kind)
    except (TypeError, ValueError) as problem:
        where = str(attribute.GetPath())
        raise AssetError(file, where, f"is {str(values)[:60]}, expected numbers") from problem
