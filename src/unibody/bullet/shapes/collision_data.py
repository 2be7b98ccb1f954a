"""getCollisionShapeData."""

from __future__ import annotations

from typing import Any, cast

from unibody.bullet import constants as c
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.handles.soft_records import is_soft
from unibody.bullet.visuals.looks import KINDS, bullet_quat, mesh_file
from unibody.core.assets.description import Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.load import format_of
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_rotate

_UNKNOWN_MESH = ((1.0, 1.0, 1.0), b"unknown_file")
_UP = (0.0, 0.0, 1.0)
_TILT = 1e-9  # a plane's normal closer to z than this is z


def getCollisionShapeData(
    objectUniqueId: int, linkIndex: int, physicsClientId: int = 0
) -> tuple[tuple[Any, ...], ...]:
    """The collision shapes of a link (-1: the base), in PyBullet's 7 fields.

    (body, link, ``GEOM_*``, dimensions, mesh file, position and (x, y, z, w) in the frame of the
    link's centre of mass). Dimensions: a box's full extents; (radius, radius, radius); (length,
    radius, 0) of cylinders and capsules; a mesh's scale; a plane's normal. As in PyBullet height
    fields are left out, and what Bullet keeps as a hull without a name, a mesh of a made body and
    a cylinder of a file, is a mesh "unknown_file".

    Raises:
        error: Not connected, no such body or link, or a soft body.
    """
    body = get_client(physicsClientId).bodies.get(objectUniqueId)
    if body is None or not -1 <= linkIndex < body.joint_count or is_soft(body.client, body):
        raise error("Error receiving collision shape info")
    state = body.record.links[linkIndex + 1]
    known = body.shape_rows.get(linkIndex)
    if known is not None and known[0] is state.com and known[1] is state.link:
        return known[2]
    to_com = pose_inverse(state.com)
    rows = tuple(
        (body.id, linkIndex, *_fields(body, shape, pose_multiply(to_com, shape.pose)))
        for shape in state.link.collisions
        if shape.kind is not ShapeKind.HEIGHTFIELD
    )
    body.shape_rows[linkIndex] = state.com, state.link, rows
    return rows


def _fields(body: Body, shape: Shape, pose: Pose) -> tuple[Any, ...]:
    kind, size = KINDS[shape.kind], shape.size
    dimensions, file = cast("Vec3", size), b""
    if shape.kind is ShapeKind.SPHERE:
        dimensions = (size[0], size[0], size[0])
    elif shape.kind is ShapeKind.CAPSULE:
        dimensions = (size[1], size[0], 0.0)
    elif shape.kind is ShapeKind.CYLINDER:
        dimensions = (size[1], size[0], 0.0)
        if is_hull(body):
            kind, (dimensions, file) = c.GEOM_MESH, _UNKNOWN_MESH
    elif shape.mesh is not None:
        dimensions, file = shape.mesh.scale, mesh_file(body, shape)
        if not body.asset.file:
            dimensions, file = _UNKNOWN_MESH
    elif shape.kind is ShapeKind.PLANE:
        dimensions, pose = _plane(pose)
    return kind, dimensions, file, pose.pos, bullet_quat(pose.quat)


def is_hull(body: Body) -> bool:
    """Whether Bullet makes hulls of the body's cylinders: those of URDF and SDF files."""
    entry = format_of(body.asset.file)
    from_file = entry is not None and entry.name in {"urdf", "sdf"}
    return from_file and not body.flags & c.URDF_USE_IMPLICIT_CYLINDER


def _plane(pose: Pose) -> tuple[Vec3, Pose]:
    """Normal and frame of a plane; a tilted one is described by its normal alone."""
    normal = quat_rotate(pose.quat, _UP)
    if 1.0 - normal[2] < _TILT:
        return _UP, pose
    return normal, Pose(pose.pos)
