"""Meshes of MJCF files that MuJoCo cannot compile, as they have no volume."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.newton import mesh_shapes

_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
_SHELL = 3  # of MuJoCo's ways to weigh a mesh
_FLAT = 1e-9  # a volume, as a share of the cube of the extent


class Surface(NamedTuple):
    """A mesh in the frame of its file.

    Attributes:
        points: (V, 3).
        faces: (F, 3).
    """

    points: Any
    faces: Any


class FlatMeshes:
    """Keeps the meshes without volume of a file, for which MuJoCo gets a tetrahedron."""

    def __init__(self) -> None:
        self._kept: dict[str, Surface] = {}

    def replace(self, spec: Any) -> None:
        """Note the flat meshes of a spec, and leave MuJoCo what it can compile."""
        touching = {str(g.meshname) for g in spec.geoms if int(g.contype) or int(g.conaffinity)}
        for mesh in spec.meshes:
            points = np.array(mesh.uservert, float).reshape(-1, 3)
            if not len(points) or not _is_flat(points):
                continue
            if int(mesh.inertia) == _SHELL and mesh.name not in touching:
                continue  # which has a mass, and needs no hull
            faces = np.array(mesh.userface, np.int32).reshape(-1, 3)
            self._kept[mesh.name] = Surface(_placed(points, mesh), faces)
            mesh.uservert, mesh.userface = _CORNERS.ravel(), _FACES.ravel()

    def get(self, name: str) -> Surface | None:
        """A flat mesh by its name, or None: it is another one."""
        return self._kept.get(name)


class Authored(NamedTuple):
    """What a document states of a mesh, as MuJoCo places it.

    Attributes:
        points: (V, 3).
        faces: (F, 3).
        normals: (V, 3), or None.
        texcoords: (V, 2), or None.
    """

    points: Any
    faces: Any
    normals: Any
    texcoords: Any


def authored(mesh: Any) -> Authored:
    """A mesh of a spec by its vertices, in their order; without faces its hull."""
    given = np.array(mesh.uservert, float).reshape(-1, 3)
    points, scale = _placed(given, mesh), np.array(mesh.scale)
    faces = np.array(mesh.userface, np.int32).reshape(-1, 3)
    if not len(faces):
        most = int(mesh.maxhullvert)
        found = mesh_shapes.convex_hull(points, most if most > 0 else len(points))
        return Authored(*found, None, None)
    if np.prod(scale) < 0.0:
        faces = faces[:, ::-1]
    normals = np.array(mesh.usernormal, float).reshape(-1, 3)
    texcoords = np.array(mesh.usertexcoord, float).reshape(-1, 2)
    if len(normals):
        normals = np.broadcast_to(normals @ _turn(mesh) / scale, points.shape)
        normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return Authored(
        points,
        faces,
        normals if len(normals) else None,
        texcoords if len(texcoords) == len(points) else None,
    )


def _is_flat(points: Any) -> bool:
    extent = float(np.ptp(points, axis=0).max())
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(points) < len(_CORNERS) or float(sizes[-1]) <= _FLAT * max(extent, 1e-300)


def _placed(points: Any, mesh: Any) -> Any:
    """Points as MuJoCo places them: the reference pose is taken away, then they are scaled."""
    return (points - np.array(mesh.refpos)) @ _turn(mesh) * np.array(mesh.scale)


def _turn(mesh: Any) -> Any:
    w, x, y, z = (float(v) for v in mesh.refquat)
    return np.array(wp.quat_to_matrix(wp.normalize(wp.quatd(x, y, z, w)))).reshape(3, 3)
