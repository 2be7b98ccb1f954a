"""Pictures of what a viewer shows, without any page: for films and files."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Shape
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Style,
    Wanted,
    look_at,
    perspective,
    sun_shadow,
)
from unibody.core.render.mesh import Mesh, Part
from unibody.core.render.parts import Surface, parts_of, whole
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.viewer.chequers import patterned
from unibody.viewer.items import Item
from unibody.viewer.lights import SUN, Sun
from unibody.viewer.strokes import draw_items
from unibody.viewer.view import View

Image = NDArray[np.uint8]
BACKGROUND = (0.7, 0.7, 0.8)
_NEAR, _FAR = 0.02, 500.0  # m
_LARGEST_MAP = 8192  # pixels
_DARKEST = 0.8  # share of the light that the darkest shadow takes away


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a picture is taken of.

    Attributes:
        view: The camera.
        frames: Where the frames are that parts follow.
        items: Lines, points and texts to draw as well.
        background: Red, green and blue where nothing is, 0 to 1.
        sun: The light.
        wireframe: Draw edges only.
        deformed: How parts that deform look.
    """

    view: View
    frames: Frames
    items: Iterable[Item] = ()
    background: tuple[float, float, float] = BACKGROUND
    sun: Sun = SUN
    wireframe: bool = False
    deformed: Deformed = dataclasses.field(default_factory=dict[tuple[int, int], Mesh])


class Painter:
    """Takes pictures of parts, as a viewer's page shows them."""

    def __init__(self) -> None:
        self._stage = Stage()
        self._renderer = SoftwareRenderer()
        self._parts: list[VisualShape] = []

    def show(self, parts: Sequence[VisualShape]) -> None:
        """Replace what there is to see."""
        if list(parts) != self._parts:
            self._parts = list(parts)
            self._show({})

    def _show(self, deformed: Deformed) -> None:
        drawn: list[Part] = []
        for part in self._parts:
            now = deformed.get(part.owner) if part.deforms else None
            surfaces = whole if now is None else partial(_one, now)
            drawn += parts_of(dataclasses.replace(patterned(part), double_sided=True), surfaces)
        self._stage.show(drawn)

    def picture(self, sight: Sight) -> Image:
        """Take a picture: (height, width, 4), red, green, blue and 255."""
        if sight.deformed:
            self._show(sight.deformed)
        view = sight.view
        aspect = view.width / view.height
        up = view.up if _is_level(view) else view.aside
        camera = Camera(
            view.width,
            view.height,
            look_at(view.position, view.target, up),
            perspective(view.fov, aspect, _NEAR, _FAR),
        )
        style = _style(sight)
        wanted = Wanted(segmentation=False)
        picture = self._renderer.render(self._stage, camera, sight.frames, style, wanted)
        return draw_items(picture.color, picture.depth, camera, sight.items)


def _one(mesh: Mesh, shape: Shape) -> Sequence[Surface]:
    """A shape that is another mesh now."""
    del shape
    return (Surface(mesh),)


def _style(sight: Sight) -> Style:
    view = sight.view
    shadow, sun = None, sight.sun
    if sun.shadows and sun.darkness > 0.0:
        reach = 0.5 * sun.map_width or max(1.0, 1.5 * math.dist(view.position, view.target))
        size = min(max(sun.map_size, 1), _LARGEST_MAP)
        shadow = sun_shadow(sun.towards, view.target, reach, size)
        rest = 1.0 - _DARKEST * min(sun.darkness, 1.0)
        shadow = dataclasses.replace(shadow, rest=rest)
    red, green, blue = sight.background
    return Style(
        (Light(sun.towards, ambient=0.55, diffuse=0.45, specular=0.05, shadow=shadow),),
        (255.0 * red, 255.0 * green, 255.0 * blue),
        translucent=True,
        wireframe=sight.wireframe,
    )


def _is_level(view: View) -> bool:
    """False if the camera looks straight up or down."""
    away = [t - p for t, p in zip(view.target, view.position, strict=True)]
    return math.hypot(*(x for x, up in zip(away, view.up, strict=True) if not up)) > 1e-9
