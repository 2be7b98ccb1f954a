"""Colours of the textures that MJCF files draw by rule, without a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from xml.etree import ElementTree

_DEFAULTS = {"rgb1": "0.8 0.8 0.8", "rgb2": "0.5 0.5 0.5"}  # MuJoCo's


class Textures:
    """Mean colours of the textures of materials: a shape has one colour here.

    A material names its texture itself; one that a class of defaults names is not read.
    """

    def __init__(self) -> None:
        self._of_materials: dict[str, NDArray[np.float64]] = {}

    def accept(self, root: ElementTree.Element) -> None:
        """Read a document before what MuJoCo does not draw is taken out of it."""
        colors: dict[str, NDArray[np.float64]] = {}
        for texture in root.iterfind("asset/texture"):
            kind = texture.get("builtin", "none")
            if kind == "none" or texture.get("file"):
                continue
            one, two = (
                np.array(texture.get(name, usual).split(), dtype=float)
                for name, usual in _DEFAULTS.items()
            )
            # checkers have both on equal areas, gradients go evenly from one to the other
            colors[texture.get("name", "")] = one if kind == "flat" else 0.5 * (one + two)
        for material in root.iterfind("asset/material"):
            color = colors.get(material.get("texture") or "")
            if color is not None:
                self._of_materials[material.get("name", "")] = color

    def tint(self, material: str) -> NDArray[np.float64]:
        """Factors on red, green and blue of a material: ones where it has no such texture."""
        return self._of_materials.get(material, np.ones(3))
