"""getMeshData, resetMeshData and getTetraMeshData."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import index

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.soft_records import soft_record
from unibody.bullet.shapes.collision_data import is_hull
from unibody.core.assets.description import Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.mesh.load import convex_hull, load_mesh
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_rotate
from unibody.core.deform.modal import ModalBody
from unibody.errors import NotSupportedError

_CORNERS = 32  # of the circle that Bullet makes of a cylinder of a file


def getMeshData(
    bodyUniqueId: int,
    linkIndex: int = -1,
    collisionShapeIndex: int = -1,
    flags: int = -1,
    physicsClientId: int = 0,
) -> tuple[int, tuple[Vec3, ...]]:
    """How many vertices the convex hulls of a link have, and where, in its inertial frame [m].

    Of a soft body: the corners of the triangles that are drawn, or with
    ``MESH_DATA_SIMULATION_MESH`` its particles, in the world.

    As in PyBullet, only what Bullet keeps as a hull has vertices: meshes that are not concave and
    cylinders of files. ``collisionShapeIndex`` chooses one shape of several.

    Raises:
        error: No such body or link.
    """
    client = get_client(physicsClientId)
    body = client.bodies.get(index(bodyUniqueId))
    record = soft_record(client, body)
    if record is not None:
        places = record.soft.state.positions
        if not (flags > 0 and flags & c.MESH_DATA_SIMULATION_MESH):
            places = record.drawn_places()[record.drawn_faces.reshape(-1)]
        return len(places), tuple(map(tuple, places.tolist()))
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
    """Put the particles of a soft body to given places, at rest; refused for any other body.

    Raises:
        error: The body is not soft, or the number of places is not that of its particles.
        NotSupportedError: The body is one of a few modes of deformation.
    """
    client = get_client(physicsClientId)
    record = soft_record(client, client.bodies.get(index(bodyUniqueId)))
    if client.soft_bodies is None or record is None:
        raise error("resetMeshData failed")
    if isinstance(record.soft, ModalBody):
        raise NotSupportedError(
            f"resetMeshData of the reduced deformable body {record.body_id}",
            "resetBasePositionAndOrientation, which moves all of it",
        )
    state = record.soft.state
    try:
        places = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise error(f"resetMeshData failed. vertices: {problem}") from problem
    if places.shape != state.positions.shape or not np.isfinite(places).all():
        raise error(
            f"resetMeshData failed. vertices has the shape {places.shape}: expected finite "
            f"numbers, {state.positions.shape}"
        )
    state.positions[:] = places
    state.velocities[:] = 0.0
    state.accelerations[:] = 0.0
    client.soft_bodies.place(client, record)


def getTetraMeshData(
    bodyUniqueId: int, flags: int = -1, physicsClientId: int = 0
) -> tuple[int, tuple[Vec3, ...]]:
    """Corners of the tetrahedra of a soft body, four in a row, in the world [m]; of a cloth none.

    Raises:
        error: The body is not soft.
    """
    client = get_client(physicsClientId)
    record = soft_record(client, client.bodies.get(index(bodyUniqueId)))
    index(flags)
    if record is None:
        raise error("getTetraMeshData failed")
    places = record.soft.state.positions[record.tetrahedra.astype(np.int64).reshape(-1)]
    return len(places), tuple(map(tuple, places.tolist()))
