"""createCollisionShape and createVisualShape for shapes that a few numbers say all about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.bullet.geometry.plain_shapes import can_be_plain
from unibody.core.assets.description import Quat, Vec3
from unibody.machine_code.calls.argument_forms import Form

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client


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
