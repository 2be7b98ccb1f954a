"""Shapes in their link's frame that a few numbers say all about."""

from __future__ import annotations

from unibody.bullet import constants as c
from unibody.bullet.geometry.inertia import widen
from unibody.core.assets.description import Quat, Shape, ShapeKind, Vec3

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


def new_collision_shape(
    kind: int, radius: float, half_extents: Vec3 | None, length: float
) -> Shape:
    """What is collided with, of the numbers of `plain_shape`."""
    shape = plain_shape(kind, radius, half_extents, length)
    widen(shape, implicit_cylinder=True)
    return shape


def new_visual_shape(
    kind: int,
    radius: float,
    half_extents: Vec3 | None,
    length: float,
    rgba: Quat | None,
    specular: Vec3 | None,
) -> Shape:
    """What is seen, of the numbers of `plain_shape` and two colours or None."""
    shape = plain_shape(kind, radius, half_extents, length)
    shape.rgba, shape.specular = rgba, specular
    return shape
