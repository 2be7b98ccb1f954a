"""The bodies of a scene of core as parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unibody.viewer.parts import Part

if TYPE_CHECKING:
    from unibody.core.engine.scene.scene import Scene

PLAIN = (0.8, 0.8, 0.82, 1.0)
COLLISION = (0.95, 0.55, 0.2, 0.5)


def parts_of_scene(scene: Scene, *, collisions: bool = False) -> Iterator[Part]:
    """The visual shapes of all links, on the rows of MuJoCo's bodies in the running world.

    Args:
        scene: The scene; it is compiled first if there were edits.
        collisions: Collision shapes, in one see-through colour, in place of visual ones.

    Yields:
        Parts whose owner is (body id, link index), the base being link 0. A link without visual
        shapes looks like its collision shapes.
    """
    _ = scene.world  # rows exist once it is compiled
    for number, record in scene.bodies.items():
        for index, state in enumerate(record.links):
            visuals = [] if collisions else state.link.visuals
            for shape in visuals or state.link.collisions:
                rgba = COLLISION if collisions else shape.rgba or PLAIN
                yield Part(state.body, shape, rgba, shape.texture, (number, index))
