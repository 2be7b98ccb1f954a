"""getMeshData, resetMeshData and getTetraMeshData."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import index
from typing import NoReturn

from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.shapes.collision_data import is_hull
from unibody.core.assets.description import Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.meshes import convex_hull, load_mesh
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_rotate

_CORNERS = 32  # of the circle that Bullet makes of a cylinder of a file


def getMeshData(
    bodyUniqueId: int,
    linkIndex: int = -1,
    collisionShapeIndex: int = -1,
    flags: int = -1,
    physicsClientId: int = 0,
) -> tuple[int, tuple[Vec3, ...]]:
    """How many vertices the convex hulls of a link have, and where, in its inertial frame [m].

    As in PyBullet, only what Bullet keeps as a hull has vertices: meshes that are not concave and
    cylinders of files. ``collisionShapeIndex`` chooses one shape of several.

    Raises:
        error: No such body or link.
    """
    body = get_client(physicsClientId).bodies.get(index(bodyUniqueId))
    if body is None or not -1 <= linkIndex < body.joint_count:
        raise error("getMeshData failed")
    state = body.record.links[linkIndex + 1]
    back = pose_inverse(state.com)
    vertices: list[Vec3] = []
    for number, shape in enumerate(_hulls(state.link.collisions, cylinders=is_hull(body))):
        if collisionShapeIndex < 0 or collisionShapeIndex == number:
            vertices += _vertices(shape, pose_multiply(back, shape.pose))
    return len(vertices), tuple(vertices)


def _hulls(shapes: Sequence[Shape], *, cylinders: bool) -> Iterator[Shape]:
    for shape in shapes:
        mesh = shape.kind is ShapeKind.MESH and not shape.concave
        if mesh or (shape.kind is ShapeKind.CYLINDER and cylinders):
            yield shape


def _vertices(shape: Shape, pose: Pose) -> list[Vec3]:
    points: list[Vec3] = []
    if shape.kind is ShapeKind.CYLINDER:
        radius, length = shape.size
        points = [
            (radius * math.cos(turn), radius * math.sin(turn), end)
            for turn in (2.0 * math.pi * k / _CORNERS for k in range(_CORNERS))
            for end in (length / 2, -length / 2)
        ]
    elif shape.mesh is not None:
        arrays = [convex_hull(mesh).vertices for mesh in load_mesh(shape.mesh)]
        points = [(x, y, z) for array in arrays for x, y, z in array.tolist()]
    px, py, pz = pose.pos
    turned = (quat_rotate(pose.quat, point) for point in points)
    return [(x + px, y + py, z + pz) for x, y, z in turned]


def resetMeshData(
    bodyUniqueId: int,
    vertices: Sequence[Sequence[float]],
    physicsClientId: int = 0,
) -> None:
    """Move the vertices of a soft body; PyBullet refuses this for any other body.

    Raises:
        error: Always: there are no soft bodies.
    """
    get_client(physicsClientId)
    raise error("resetMeshData failed")


def getTetraMeshData(bodyUniqueId: int, flags: int = -1, physicsClientId: int = 0) -> NoReturn:
    """The tetrahedra of a soft body; PyBullet refuses this for any other body.

    Raises:
        error: Always: there are no soft bodies.
    """
    get_client(physicsClientId)
    index(bodyUniqueId)
    index(flags)
    raise error("getTetraMeshData failed")
