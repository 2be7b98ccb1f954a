"""How bodies look: getVisualShapeData and changeVisualShape."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from operator import index as as_index
from typing import Any, cast

from unibody.bullet import constants as c
from unibody.bullet.arguments.vectors import plain_vector, vec3_or, vector
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.state.client_state import ClientState
from unibody.bullet.state.looks import Look
from unibody.bullet.visuals.images import add_texture, mesh_color, shape_texture
from unibody.core.assets.description import Quat, Shape, ShapeKind, Vec3
from unibody.machine_code.calls.argument_forms import Form

_WHITE = (1.0, 1.0, 1.0, 1.0)
_GLOSS = (1.0, 1.0, 1.0)
_KEEP_TEXTURE = -2
_KEEP_FLAGS = -1
# of links without a colour, by link index, where URDF_GOOGLEY_UNDEFINED_COLORS asks for them
_GOOGLEY = (
    (60 / 256, 186 / 256, 84 / 256, 1.0),
    (244 / 256, 194 / 256, 13 / 256, 1.0),
    (219 / 256, 50 / 256, 54 / 256, 1.0),
    (72 / 256, 133 / 256, 237 / 256, 1.0),
)
_FLOAT4 = struct.Struct("=4f")

KINDS = {
    ShapeKind.SPHERE: c.GEOM_SPHERE,
    ShapeKind.BOX: c.GEOM_BOX,
    ShapeKind.CYLINDER: c.GEOM_CYLINDER,
    ShapeKind.CAPSULE: c.GEOM_CAPSULE,
    ShapeKind.PLANE: c.GEOM_PLANE,
    ShapeKind.MESH: c.GEOM_MESH,
    ShapeKind.HEIGHTFIELD: c.GEOM_HEIGHTFIELD,
    ShapeKind.ELLIPSOID: c.GEOM_SPHERE,  # PyBullet has no ellipsoid; the sizes say what it is
}


def looks_of(client: ClientState, body: Body) -> list[Look]:
    """The visual shapes of a body in PyBullet's order, made when they are first asked for."""
    found = client.looks.get(body.id)
    if found is None:
        found = client.looks[body.id] = list(_new_looks(body))
    return found


def _new_looks(body: Body) -> Iterator[Look]:
    for index, link in enumerate(body.asset.links, start=-1):
        # a link must be seen: without visual shapes it looks like its collision shapes
        for shape in link.visuals or link.collisions:
            color_of = _color if link.visuals else _unstated
            rgba = color_of(shape, index, body.flags)
            yield Look(index, shape, rgba, shape.specular or _GLOSS)


def _color(shape: Shape, link: int, flags: int) -> tuple[float, float, float, float]:
    rgba = shape.rgba or _unstated(shape, link, flags)
    if flags & c.URDF_USE_MATERIAL_COLORS_FROM_MTL:
        stated = mesh_color(shape)
        if stated is not None:
            see_through = flags & c.URDF_USE_MATERIAL_TRANSPARANCY_FROM_MTL
            rgba = (*stated[:3], stated[3] if see_through else 1.0)
    return _FLOAT4.unpack(_FLOAT4.pack(*rgba))  # PyBullet keeps colours in single precision


def _unstated(_shape: Shape, link: int, flags: int) -> tuple[float, float, float, float]:
    return _GOOGLEY[max(link, 0) & 3] if flags & c.URDF_GOOGLEY_UNDEFINED_COLORS else _WHITE


def number_textures(client: ClientState) -> None:
    """Number the textures that came with the bodies loaded so far, in PyBullet's order."""
    if client.textures_numbered == client.session.edits:
        return
    client.textures_numbered = client.session.edits
    for body in client.bodies.values():
        for look in looks_of(client, body):
            if look.texture is None:
                texture = shape_texture(look.shape)
                look.texture = -1 if texture is None else add_texture(client, texture)


def getVisualShapeData(
    objectUniqueId: int, flags: int = 0, physicsClientId: int = 0
) -> tuple[tuple[Any, ...], ...]:
    """The visual shapes of a body, in PyBullet's 8 fields; () for an unknown body.

    (body, link, ``GEOM_*``, dimensions, mesh file, position and (x, y, z, w) in the link's frame,
    rgba), with ``VISUAL_SHAPE_DATA_TEXTURE_UNIQUE_IDS`` also the texture's id or -1. Dimensions:
    a box's full extents; (radius, 0, 0); (length, radius, 0) of cylinders and capsules; a mesh's
    scale.

    Raises:
        error: Not connected.
    """
    client = get_client(physicsClientId)
    body = client.bodies.get(as_index(objectUniqueId))
    if body is None:
        return ()
    with_texture = flags & c.VISUAL_SHAPE_DATA_TEXTURE_UNIQUE_IDS
    if with_texture:
        number_textures(client)
    looks = looks_of(client, body)
    if with_texture:
        return tuple([(*_fields(body, look), look.rgba, look.texture) for look in looks])
    return tuple([(*(look.fields or _fields(body, look)), look.rgba) for look in looks])


def _fields(body: Body, look: Look) -> tuple[Any, ...]:
    """What does not change of a look."""
    if not look.fields:
        shape = look.shape
        look.fields = (
            body.id, look.link, KINDS[shape.kind], _dimensions(shape), mesh_file(body, shape),
            shape.pose.pos, bullet_quat(shape.pose.quat),
        )  # fmt: skip
    return look.fields


def _dimensions(shape: Shape) -> Vec3:
    size = shape.size
    if shape.kind is ShapeKind.SPHERE:
        return (size[0], 0.0, 0.0)
    if shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        return (size[1], size[0], 0.0)
    if shape.mesh is not None:
        return shape.mesh.scale if shape.mesh.file else _GLOSS
    return cast("Vec3", size) if len(size) == 3 else (0.0, 0.0, 0.0)


def mesh_file(body: Body, shape: Shape) -> bytes:
    """The mesh file as PyBullet names it: as written for made bodies, else the file found."""
    if shape.mesh is None:
        return b""
    soft = body.client.soft_bodies
    named = not body.asset.file or (soft is not None and body.id in soft.records)
    return (shape.mesh.name if named else shape.mesh.file).encode()


def bullet_quat(quat: Quat) -> tuple[float, float, float, float]:
    """(w, x, y, z) as (x, y, z, w), of the two signs the one Bullet computes from a matrix."""
    w, x, y, z = quat
    largest = max(x, y, z, key=abs)
    positive = w > 0.0 if abs(w) > 0.5 else largest > 0.0
    return (x, y, z, w) if positive else (-x, -y, -z, -w)


def changeVisualShape(
    objectUniqueId: int,
    linkIndex: int,
    shapeIndex: int = -1,
    textureUniqueId: int = _KEEP_TEXTURE,
    rgbaColor: Sequence[float] | None = None,
    specularColor: Sequence[float] | None = None,
    flags: int = _KEEP_FLAGS,
    physicsClientId: int = 0,
) -> None:
    """Change how a link looks; what is left out stays.

    As in PyBullet an unknown body or link is passed over, an unknown texture takes the texture
    away, and a colour with the wrong number of values is taken as white.

    Args:
        objectUniqueId: The body.
        linkIndex: Its link; -1: the base.
        shapeIndex: Which of the link's visual shapes; -1: all.
        textureUniqueId: From loadTexture; -1 takes the texture away.
        rgbaColor: Colour and opacity, each 0 to 1.
        specularColor: Colour of the gloss, each 0 to 1.
        flags: ``VISUAL_SHAPE_DOUBLE_SIDED`` or 0.
        physicsClientId: The client.

    Raises:
        error: Not connected.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    body = client.bodies.get(objectUniqueId)
    if body is None:
        return
    rgba = None if rgbaColor is None else _rgba_or_white(rgbaColor)
    specular = None if specularColor is None else vec3_or(specularColor, _GLOSS)
    _change_looks(body, linkIndex, shapeIndex, textureUniqueId, rgba, specular, flags)


def _change_looks(
    body: Body,
    link: int,
    shape_index: int,
    texture: int,
    rgba: tuple[float, float, float, float] | None,
    specular: Vec3 | None,
    flags: int,
) -> None:
    client = body.client
    if texture > _KEEP_TEXTURE:
        number_textures(client)
        texture = texture if texture < len(client.textures) else -1
    client.looks_version += 1
    looks = client.looks.get(body.id) or looks_of(client, body)
    if shape_index >= 0:
        looks = [look for look in looks if look.link == link][shape_index : shape_index + 1]
    for look in looks:
        if look.link != link:
            continue
        if texture > _KEEP_TEXTURE:
            look.texture = texture
        if rgba is not None:
            look.rgba = rgba
        if specular is not None:
            look.specular = specular
        if flags > _KEEP_FLAGS:
            look.double_sided = bool(flags & c.VISUAL_SHAPE_DOUBLE_SIDED)


resetVisualShapeData = changeVisualShape


def _change_color(body: Body, link: int, rgba: tuple[float, float, float, float] | None) -> None:
    """Change the colour of a link alone."""
    client = body.client
    client.looks_version += 1
    looks = client.looks.get(body.id) or looks_of(client, body)
    if rgba is not None:
        for look in looks:
            if look.link == link:
                look.rgba = rgba


_BODY = ("physicsClientId", "objectUniqueId")
FORMS = (
    Form(_change_color, ("linkIndex", "rgbaColor"), _BODY, {"rgbaColor": 4}),
    Form(
        _change_looks,
        ("linkIndex", "shapeIndex", "textureUniqueId", "rgbaColor", "specularColor", "flags"),
        _BODY,
        {"rgbaColor": 4, "specularColor": 3},
    ),
)


def _rgba_or_white(value: Any) -> tuple[float, float, float, float]:
    rgba = plain_vector(value, 4)
    if rgba is not None:
        return rgba
    try:
        return vector(value, 4, "")
    except (error, TypeError, ValueError):
        return _WHITE
