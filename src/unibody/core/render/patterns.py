"""Textures that are not read from files."""

from __future__ import annotations

import functools

import numpy as np

from unibody.core.render.mesh import Texture

_TILE = 32  # pixels of a square
Rgb = tuple[int, int, int]


@functools.cache
def chequers(first: Rgb, second: Rgb) -> Texture:
    """Squares of two colours, 0 to 255 each: on a plane, half a metre wide."""
    texels = np.full((2 * _TILE, 2 * _TILE, 3), second, dtype=np.uint8)
    texels[:_TILE, :_TILE] = texels[_TILE:, _TILE:] = first
    return Texture(texels)
