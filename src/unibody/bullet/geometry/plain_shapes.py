"""Shapes in their link's frame that a few numbers say all about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.bullet import constants as c
from unibody.bullet.geometry.inertia import widen
from unibody.bullet.tables.shapes import ShapeTable
from unibody.core.assets.description import Quat, Shape, ShapeKind, Vec3
from unibody.machine_code.calls.argument_forms import Form

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client

_ROUND = {
    c.GEOM_CAPSULE: ShapeKind.CAPSULE,
    c.GEOM_CYLINDER: ShapeKind.CYLINDER,
}


def can_be_plain(kind: int, radius: float, half_extents: Vec3 | None, length: float) -> bool:
    """Whether a shape is allowed, and no mesh or height field."""
    if kind == c.GEOM_BOX:
        return half_extents is not None
    if kind == c.GEOM_SPHERE:
        return radius > 0.0
    if kind == c.GEOM_PLANE:
        return True
    return kind in _ROUND and radius > 0.0 and length >= 0.0


def plain_shape(kind: int, radius: float, half_extents: Vec3 | None, length: float) -> Shape:
    """A box (half extents [m]), ball, capsule (length without the caps [m]), cylinder or floor."""
    if half_extents is not None and kind == c.GEOM_BOX:
        x, y, z = half_extents
        return Shape(ShapeKind.BOX, (2.0 * x, 2.0 * y, 2.0 * z))
    if kind == c.GEOM_SPHERE:
        return Shape(ShapeKind.SPHERE, (radius,))
    if kind == c.GEOM_PLANE:
        return Shape(ShapeKind.PLANE)
    return Shape(_ROUND[kind], (radius, length))


def _collision(kind: int, radius: float, half_extents: Vec3 | None, length: float) -> Shape:
    shape = plain_shape(kind, radius, half_extents, length)
    widen(shape, implicit_cylinder=True)
    return shape


def _visual(
    kind: int,
    radius: float,
    half_extents: Vec3 | None,
    length: float,
    rgba: Quat | None,
    specular: Vec3 | None,
) -> Shape:
    shape = plain_shape(kind, radius, half_extents, length)
    shape.rgba, shape.specular = rgba, specular
    return shape


def collision_shapes() -> ShapeTable:
    """An empty table of collision shapes."""
    return ShapeTable(_collision)


def visual_shapes() -> ShapeTable:
    """An empty table of visual shapes."""
    return ShapeTable(_visual)


def _plain_collision(
    client: Client, kind: int, radius: float, half_extents: Vec3 | None, length: float
) -> Any:
    """What createCollisionShape does for a plain shape."""
    if not can_be_plain(kind, radius, half_extents, length):
        return NotImplemented
    shape_id = client.shape_ids.take()
    client.collision_shapes.stated[shape_id] = (kind, radius, half_extents, length)
    return shape_id


def _plain_visual(
    client: Client, kind: int, radius: float, half_extents: Vec3 | None, length: float,
    rgba: Quat | None, specular: Vec3 | None,
) -> Any:  # fmt: skip
    """The same for createVisualShape."""
    if not can_be_plain(kind, radius, half_extents, length):
        return NotImplemented
    shape_id = client.visual_ids.take()
    stated = (kind, radius, half_extents, length, rgba, specular)
    client.visual_shapes.stated[shape_id] = stated
    return shape_id


_CLIENT = ("physicsClientId",)
COLLISION_FORMS = (
    Form(
        _plain_collision,
        ("shapeType", "radius", "halfExtents", "height"),
        _CLIENT,
        {"halfExtents": 3},
    ),
)
VISUAL_FORMS = (
    Form(
        _plain_visual,
        ("shapeType", "radius", "halfExtents", "length", "rgbaColor", "specularColor"),
        _CLIENT,
        {"halfExtents": 3, "rgbaColor": 4, "specularColor": 3},
    ),
)
