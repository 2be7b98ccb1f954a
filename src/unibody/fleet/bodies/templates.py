"""Templates: what objects made of the same file or shapes have in common.

A template holds the links, joints and convex collision shapes of an asset in the arrays the kernels
read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Asset, JointType, Link, Pose, Shape, ShapeKind
from unibody.core.assets.mesh.hull import convex_hull
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_rotate
from unibody.fleet.convert import Quat, Vec3, from_engine

JOINT_REVOLUTE, JOINT_PRISMATIC, JOINT_SPHERICAL, JOINT_PLANAR, JOINT_FIXED = range(5)
"""PyBullet's numbers of joint types."""
_JOINT_NUMBERS = {
    JointType.REVOLUTE: JOINT_REVOLUTE,
    JointType.CONTINUOUS: JOINT_REVOLUTE,
    JointType.PRISMATIC: JOINT_PRISMATIC,
    JointType.SPHERICAL: JOINT_SPHERICAL,
    JointType.PLANAR: JOINT_PLANAR,
    JointType.FIXED: JOINT_FIXED,
    JointType.FLOATING: JOINT_FIXED,
}
_AXIS = {JointType.REVOLUTE: 1.0, JointType.CONTINUOUS: 1.0, JointType.PRISMATIC: 2.0}
_BOX, _SPHERE, _CYLINDER, _CAPSULE, _ELLIPSOID, _HULL, _PLANE = range(7)
_HAS_MOTOR = 1
_BLOCK = 64


class _Growing:
    """An array that grows at its end."""

    def __init__(self, width: int, dtype: str = "f8") -> None:
        self.data: NDArray[Any] = np.zeros((_BLOCK, width), dtype=dtype)
        self.used: int = 0

    def extend(self, rows: Any) -> int:
        """Append rows and return where they begin."""
        first = self.used
        self.used += len(rows)
        while self.used > len(self.data):
            self.data = np.concatenate([self.data, np.zeros_like(self.data)])
        if len(rows):
            self.data[first : self.used] = rows
        return first


class BodyTemplates:
    """The arrays of all templates; see `body_kernels` for their columns."""

    def __init__(self) -> None:
        self.table: _Growing = _Growing(4, "i8")
        self.links: _Growing = _Growing(5)
        self.origins: _Growing = _Growing(7)
        self.pieces: _Growing = _Growing(4, "i8")
        self.shapes: _Growing = _Growing(11)
        self.vertices: _Growing = _Growing(3)
        self.most_links = 1
        self.most_pieces = 1

    def arrays(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """What the kernels take, in their order."""
        return (
            self.table.data,
            self.links.data,
            self.origins.data,
            self.pieces.data,
            self.shapes.data,
            self.vertices.data,
        )


templates: BodyTemplates = BodyTemplates()


class BodyTemplate:
    """One template.

    Attributes:
        row: In the table of templates.
        asset: As loaded.
        com: ``T_base_com`` as position and (x, y, z, w).
        joint_infos: What ``getJointInfo`` gives, a joint.
        mass: Of all links together [kg].
    """

    def __init__(self, asset: Asset) -> None:
        self.asset = asset
        self.com: tuple[Vec3, Quat] = from_engine(asset.links[0].inertial.pose)
        self.mass = sum(link.inertial.mass for link in asset.links)
        self.joint_infos: list[tuple[Any, ...]] = [
            joint_info(asset, i) for i in range(len(asset.links) - 1)
        ]
        self._chain: Any = None
        self._link_templates: dict[int, BodyTemplate] = {}
        self.row: int = self._write()

    def _write(self) -> int:
        links = [
            [link.parent, _AXIS.get(link.joint.type, 0.0) if i else 0.0, *link.joint.axis]
            for i, link in enumerate(self.asset.links)
        ]
        origins = [
            _row(link.joint.origin if i else Pose()) for i, link in enumerate(self.asset.links)
        ]
        first_link = templates.links.extend(links)
        templates.origins.extend(origins)
        pieces: list[list[int]] = []
        shapes: list[list[float]] = []
        for index, link in enumerate(self.asset.links):
            for shape in link.collisions:
                for kind, size, radius, first, count, pose in _convex(shape):
                    pieces.append([index, kind, first, count])
                    shapes.append([*_row(pose), *size, radius])
        first_piece = templates.pieces.extend(pieces)
        templates.shapes.extend(shapes)
        templates.most_links = max(templates.most_links, len(links))
        templates.most_pieces = max(templates.most_pieces, len(pieces))
        return templates.table.extend([[first_link, len(links), first_piece, len(pieces)]])

    @property
    def joint_count(self) -> int:
        """Number of joints, fixed ones among them."""
        return len(self.joint_infos)

    def link_index(self, name: str) -> int | None:
        """Number of a link by name, counted from 0 above the base; None: there is none."""
        for info in self.joint_infos:
            if info[12].decode() == name:
                return info[0]
        return None

    def joint_index(self, name: str) -> int | None:
        """Number of a joint by name; None: there is none."""
        for info in self.joint_infos:
            if info[1].decode() == name:
                return info[0]
        return None

    def link_com(self, link: int) -> Any:
        """``T_link_com`` of a link as position and (x, y, z, w); -1 is the base."""
        return from_engine(self.asset.links[link + 1].inertial.pose)

    def link_template(self, link: int) -> BodyTemplate:
        """The template of the shapes of one link alone; 0 is the base."""
        if link not in self._link_templates:
            collisions = self.asset.links[link].collisions
            self._link_templates[link] = BodyTemplate(Asset("", [Link("", collisions=collisions)]))
        return self._link_templates[link]

    def chain(self) -> Any:
        """The kinematic chain, for inverse kinematics."""
        if self._chain is None:
            from unibody.core.engine.kinematics.chain import Chain
            from unibody.core.engine.records.options import BodyOptions
            from unibody.core.engine.spec.writer import make_record

            self._chain = Chain(make_record(0, self.asset, BodyOptions(fixed=True)))
        return self._chain


def _row(pose: Pose) -> list[float]:
    position, quat = from_engine(pose)
    return [*position, *quat]


def joint_info(asset: Asset, joint: int) -> tuple[Any, ...]:
    """The 17 fields ``getJointInfo`` gives; see PyBullet's Quickstart Guide."""
    link = asset.links[joint + 1]
    parent = asset.links[link.parent]
    own = link.inertial.pose
    kind = _JOINT_NUMBERS[link.joint.type]
    axis = (0.0, 0.0, 0.0)
    moving = link.joint.type in _AXIS
    if moving:
        axis = quat_rotate(pose_inverse(own).quat, link.joint.axis)
    frame = pose_multiply(pose_inverse(parent.inertial.pose), link.joint.origin)
    turned = pose_multiply(frame, Pose((0.0, 0.0, 0.0), own.quat))
    before = sum(
        _JOINT_NUMBERS[other.joint.type] != JOINT_FIXED for other in asset.links[1 : joint + 1]
    )
    free = kind != JOINT_FIXED
    return (
        joint,
        link.joint.name.encode(),
        kind,
        7 + before if free else -1,
        6 + before if free else -1,
        _HAS_MOTOR if moving else 0,
        link.joint.damping,
        link.joint.friction,
        link.joint.lower,
        link.joint.upper,
        link.joint.effort,
        link.joint.velocity,
        link.name.encode(),
        axis,
        frame.pos,
        from_engine(pose_inverse(turned))[1],
        link.parent - 1,
    )


def _convex(shape: Shape) -> list[tuple[int, list[float], float, int, int, Pose]]:
    """Convex pieces of a shape: kind, size, radius about its origin, vertices, pose."""
    size = shape.size
    if shape.kind is ShapeKind.BOX:
        half = [0.5 * edge for edge in size]
        return [(_BOX, half, float(np.linalg.norm(half)), 0, 0, shape.pose)]
    if shape.kind is ShapeKind.SPHERE:
        return [(_SPHERE, [size[0], 0.0, 0.0], size[0], 0, 0, shape.pose)]
    if shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        radius, half = size[0], 0.5 * size[1]
        round_ = shape.kind is ShapeKind.CAPSULE
        reach = half + radius if round_ else float(np.hypot(radius, half))
        kind = _CAPSULE if round_ else _CYLINDER
        return [(kind, [radius, half, 0.0], reach, 0, 0, shape.pose)]
    if shape.kind is ShapeKind.ELLIPSOID:
        return [(_ELLIPSOID, list(size), max(size), 0, 0, shape.pose)]
    if shape.kind is ShapeKind.PLANE:
        return [(_PLANE, [0.0, 0.0, 0.0], 0.0, 0, 0, shape.pose)]
    if shape.kind is ShapeKind.HEIGHTFIELD:
        return [_hull(_heightfield_points(shape), shape.pose)]
    if shape.mesh is None:
        return []
    return [_hull(mesh.vertices, shape.pose) for mesh in load_mesh(shape.mesh)]


def _hull(points: NDArray[Any], pose: Pose) -> tuple[int, list[float], float, int, int, Pose]:
    points = np.asarray(points, dtype=float)
    mesh = TriMesh(points, np.zeros((0, 3), dtype=np.int32))
    corners = convex_hull(mesh).vertices
    radius = float(np.linalg.norm(corners, axis=1).max())
    first = templates.vertices.extend(corners)
    return _HULL, [0.0, 0.0, 0.0], radius, first, len(corners), pose


def _heightfield_points(shape: Shape) -> NDArray[Any]:
    field = shape.heightfield
    if field is None:
        return np.zeros((1, 3))
    x = (np.arange(field.columns) - 0.5 * (field.columns - 1)) * field.spacing[0]
    y = (np.arange(field.rows) - 0.5 * (field.rows - 1)) * field.spacing[1]
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return np.column_stack([grid, field.heights])


_templates: dict[int, BodyTemplate] = {}


def template_of(asset: Asset) -> BodyTemplate:
    """The template of an asset; the same for the same asset."""
    template = _templates.get(id(asset))
    if template is None or template.asset is not asset:
        template = _templates[id(asset)] = BodyTemplate(asset)
    return template
