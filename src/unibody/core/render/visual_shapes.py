"""How bodies look: the one description that cameras, pages and films are made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unibody.core.assets.description import Link, Shape
from unibody.core.render.mesh import Mesh, Texture

if TYPE_CHECKING:
    from unibody.core.engine.scene.scene import Scene

Rgba = tuple[float, float, float, float]
PLAIN: Rgba = (0.8, 0.8, 0.82, 1.0)
COLLISION: Rgba = (0.95, 0.55, 0.2, 0.5)


Deformed = Mapping[tuple[int, int], Mesh]
"""How shapes that deform look now, by their owner; a mesh's faces stay as they are."""


@dataclass(slots=True)
class VisualShape:
    """One shape on one moving frame, and how it looks. It is never written to.

    Attributes:
        frame: Row of the poses it follows; -1: it stands in the world.
        shape: Geometry, and its pose in the frame.
        rgba: Colour and opacity, 0 to 1; textures are multiplied by it.
        texture: An image file, or the image; "": none.
        owner: Whose it is, as the surface numbers its things, such as (body id, link index).
        wireframe: Only its edges are drawn.
        label: Its number in the segmentation.
        double_sided: Faces are drawn from behind too.
        deforms: Its mesh is another one in each picture; see `Deformed`.
        movable: Whether what it belongs to can be pulled; the world cannot.
    """

    frame: int
    shape: Shape
    rgba: Rgba = (1.0, 1.0, 1.0, 1.0)
    texture: str | Texture = ""
    owner: tuple[int, int] = (-1, -1)
    wireframe: bool = False
    label: int = 0
    double_sided: bool = False
    deforms: bool = False
    movable: bool = True


def shapes_of_link(link: Link, *, collisions: bool = False) -> list[Shape]:
    """The shapes that a link is seen by.

    Args:
        link: The link; without visual shapes it looks like its collision shapes.
        collisions: Those in place of visual ones.
    """
    return link.collisions if collisions else link.visuals or link.collisions


def visuals_of_scene(scene: Scene, *, collisions: bool = False) -> Iterator[VisualShape]:
    """The shapes of all links of a scene, on the rows of MuJoCo's bodies in the running world.

    Args:
        scene: The scene; it is compiled first if there were edits.
        collisions: Collision shapes, in one see-through colour, in place of visual ones.

    Yields:
        Shapes whose owner is (body id, link index), the base being link 0.
    """
    _ = scene.world  # rows exist once it is compiled
    for number, record in scene.bodies.items():
        for index, state in enumerate(record.links):
            for shape in shapes_of_link(state.link, collisions=collisions):
                rgba = COLLISION if collisions else shape.rgba or PLAIN
                yield VisualShape(
                    state.body,
                    shape,
                    rgba,
                    shape.texture,
                    (number, index),
                    movable=record.can_move(index),
                )
