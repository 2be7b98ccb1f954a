"""How shapes are drawn: colours and textures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unibody.core.assets.description import Shape, Vec3
    from unibody.core.render.mesh import Texture as Image


@dataclass(slots=True)
class Look:
    """One visual shape of a link as it is drawn.

    Attributes:
        link: PyBullet's index; -1 is the base.
        shape: Geometry, and its pose in the link's frame.
        rgba: Colour and opacity, each 0 to 1.
        specular: Colour of its gloss.
        texture: Index of ``Client.textures``; -1: none; None: not numbered yet, see
            ``number_textures``.
        double_sided: Faces are drawn from behind too.
        fields: The first fields of getVisualShapeData, () until they are asked for.
    """

    link: int
    shape: Shape
    rgba: tuple[float, float, float, float]
    specular: Vec3
    texture: int | None = None
    double_sided: bool = False
    fields: tuple[Any, ...] = ()


@dataclass(slots=True)
class Texture:
    """An image for surfaces.

    Attributes:
        file: Its path; "" for the chequered pattern that planes and height fields have.
        width: [pixels].
        height: [pixels].
        pixels: RGB bytes row by row where a script replaced the image, or None.
        image: The same for cameras, once one has seen it.
    """

    file: str
    width: int
    height: int
    pixels: bytes | None = None
    image: Image | None = None
