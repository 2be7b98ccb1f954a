"""What an infinite plane without a texture looks like."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from unibody.core.assets.description import ShapeKind
from unibody.core.render.mesh import Texture
from unibody.core.render.parts import texture_of_pixels
from unibody.core.render.visual_shapes import VisualShape

_TILE = 32  # pixels of a square of the pattern


def patterned(visual: VisualShape) -> VisualShape:
    """The shape, with a pattern where it is a plane without a texture."""
    if visual.texture or visual.shape.kind is not ShapeKind.PLANE:
        return visual
    return dataclasses.replace(visual, texture=_chequers())


@functools.cache
def _chequers() -> Texture:
    """Squares of half a metre, 64 x 64 pixels."""
    image = np.full((2 * _TILE, 2 * _TILE, 3), (235, 238, 242), dtype=np.uint8)
    image[:_TILE, :_TILE] = image[_TILE:, _TILE:] = (176, 196, 222)
    return texture_of_pixels(image)
