"""What an infinite plane without a texture looks like."""

from __future__ import annotations

import dataclasses

from unibody.core.assets.description import ShapeKind
from unibody.core.render.patterns import chequers
from unibody.core.render.visual_shapes import VisualShape

_LIGHT, _DARK = (235, 238, 242), (176, 196, 222)


def patterned(visual: VisualShape) -> VisualShape:
    """The shape, with a pattern where it is a plane without a texture."""
    if visual.texture or visual.shape.kind is not ShapeKind.PLANE:
        return visual
    return dataclasses.replace(visual, texture=chequers(_LIGHT, _DARK))
