"""The bodies of a client as they look: what its cameras and its window are made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unibody.bullet.visuals.images import image_of
from unibody.bullet.visuals.looks import looks_of
from unibody.core.render.visual_shapes import VisualShape, shapes_of_link

if TYPE_CHECKING:
    from unibody.bullet.handles.body import Body
    from unibody.bullet.state.client_state import ClientState
    from unibody.bullet.state.looks import Look
    from unibody.core.render.mesh import Texture

BODY_BITS = 24  # a label is the body, and the link + 1 above these bits
_INT32 = 1 << 31


def visuals_of(client: ClientState, body: Body, *, chequers: bool = True) -> Iterator[VisualShape]:
    """The visual shapes of a body, on the rows of MuJoCo's bodies in the running world.

    Args:
        client: With the textures, which are numbered.
        body: The body.
        chequers: Planes and height fields have PyBullet's pattern where they have no other texture.

    Yields:
        In the order of ``looks_of``, in the frames that links have in the engine. The owner is
        (body id, link index), the base being link -1; the label has both.
    """
    links = body.record.links
    shapes = [shape for link in body.record.asset.links for shape in shapes_of_link(link)]
    # a window looks on while a script makes and removes bodies
    for look, shape in zip(list(looks_of(client, body)), shapes, strict=False):
        label = body.id + (look.link + 1 << BODY_BITS)
        yield VisualShape(
            links[look.link + 1].body,
            shape,
            look.rgba,
            _texture(client, look, chequers),
            (body.id, look.link),
            label=(label + _INT32) % (2 * _INT32) - _INT32,  # wraps, as in C
            double_sided=look.double_sided,
            movable=body.record.can_move(look.link + 1),
        )


def _texture(client: ClientState, look: Look, chequers: bool) -> str | Texture:
    if look.texture is None or look.texture < 0:
        return ""
    source = client.textures[look.texture]
    if not (chequers or source.file or source.pixels):
        return ""
    return image_of(client, look.texture) or ""
