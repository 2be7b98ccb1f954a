"""NonVisualMaterial: what a surface is made of, for sensors that do not see colors."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from pxr import Sdf, Usd, UsdShade

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, one_each
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.experimental.shapes import made_or_found

_BASES = (
    "none", "aluminum", "steel", "oxidized_steel", "iron", "oxidized_iron", "silver", "brass",
    "bronze", "oxidized_Bronze_Patina", "tin", "plastic", "fiberglass", "carbon_fiber", "vinyl",
    "plexiglass", "pvc", "nylon", "polyester", "clear_glass", "frosted_glass", "one_way_mirror",
    "mirror", "ceramic_glass", "asphalt", "concrete", "leaf_grass", "dead_leaf_grass", "rubber",
    "wood", "bark", "cardboard", "paper", "fabric", "skin", "fur_hair", "leather", "marble",
    "brick", "stone", "gravel", "dirt", "mud", "water", "salt_water", "snow", "ice",
    "calibration_lambertion",
)  # fmt: skip
_COATINGS = ("none", "paint", "clearcoat", "paint_clearcoat")
BASE_SPEC: dict[str, int] = {name: number for number, name in enumerate(_BASES)}
"""Materials, by their numbers: the lower eight bits of an identifier."""
COATING_SPEC: dict[str, int] = {name: number for number, name in enumerate(_COATINGS)}
"""What is on them: the next three bits."""
ATTRIBUTE_SPEC: dict[str, int] = {
    "none": 0, "emissive": 1, "retroreflective": 2, "single_sided": 4, "visually_transparent": 8,
}  # fmt: skip
"""What else they are: the upper five bits."""
BASE_ATTR = "omni:simready:nonvisual:base"
COATING_ATTR = "omni:simready:nonvisual:coating"
ATTRIBUTE_ATTR = "omni:simready:nonvisual:attributes"
_PARTS = (
    (BASE_ATTR, BASE_SPEC, 0, 0xFF), (COATING_ATTR, COATING_SPEC, 8, 0x7),
    (ATTRIBUTE_ATTR, ATTRIBUTE_SPEC, 11, 0x1F),
)  # fmt: skip
_MOST = 0xFFFF


class NonVisualMaterial(Prim):
    """Materials that say what surfaces are made of: those that are there, or new ones.

    Args:
        paths: Of the prims, which are all there or all free.
        bases: What they are made of, such as "aluminum", one each or one for all.
        coatings: What is on it, such as "paint".
        attributes: What else they are, such as "emissive".

    Raises:
        InvalidArgumentError: A prim is no material, or a word is none that there is.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        bases: str | list[str] | None = None,
        coatings: str | list[str] | None = None,
        attributes: str | list[str] | None = None,
    ) -> None:
        found, self._materials = made_or_found(paths, UsdShade.Material)
        super().__init__(found, resolve_paths=False)
        for prim in self.prims:
            for name, *_ in _PARTS:
                if not prim.HasAttribute(name):
                    prim.CreateAttribute(name, Sdf.ValueTypeNames.String, True).Set("none")
        for write, words in (
            (self.set_bases, bases), (self.set_coatings, coatings),
            (self.set_attributes, attributes),
        ):  # fmt: skip
            if words is not None:
                write(words)

    @property
    def materials(self) -> list[UsdShade.Material]:
        """The materials of USD."""
        return self._materials

    @staticmethod
    def encode_material_ids(prims: Any) -> Any:
        """(N, 1) identifiers of materials, on the CPU.

        Args:
            prims: A `NonVisualMaterial`, or a path, prim or material of USD, or a list of such.
        """
        if isinstance(prims, NonVisualMaterial):
            found = prims.prims
        else:
            several = prims if isinstance(prims, list) else [prims]
            found = [
                one.GetPrim() if isinstance(one, UsdShade.Material) else get_prim_at_path(one)
                for one in several
            ]
        numbers = np.array([_encoded(prim) for prim in found], np.uint16).reshape(-1, 1)
        return wp.array(numbers, dtype=wp.uint16, device="cpu")

    @staticmethod
    def decode_material_ids(ids: Array) -> list[tuple[str, ...]]:
        """What materials are made of, what is on it, and what else they are.

        Args:
            ids: (N, 1) identifiers.

        Raises:
            InvalidArgumentError: One is not from 0 to 65535.
        """
        return [_decoded(int(one)) for one in np.asarray(convert.plain(ids)).reshape(-1)]

    def get_bases(self, *, indices: Array | None = None) -> list[str]:
        """What they are made of."""
        return self._words(BASE_ATTR, indices)

    def set_bases(self, bases: str | list[str], *, indices: Array | None = None) -> None:
        """Set what they are made of."""
        self._set_words(BASE_ATTR, BASE_SPEC, "bases", bases, indices)

    def get_coatings(self, *, indices: Array | None = None) -> list[str]:
        """What is on it."""
        return self._words(COATING_ATTR, indices)

    def set_coatings(self, coatings: str | list[str], *, indices: Array | None = None) -> None:
        """Set what is on it."""
        self._set_words(COATING_ATTR, COATING_SPEC, "coatings", coatings, indices)

    def get_attributes(self, *, indices: Array | None = None) -> list[str]:
        """What else they are."""
        return self._words(ATTRIBUTE_ATTR, indices)

    def set_attributes(self, attributes: str | list[str], *, indices: Array | None = None) -> None:
        """Set what else they are."""
        self._set_words(ATTRIBUTE_ATTR, ATTRIBUTE_SPEC, "attributes", attributes, indices)

    def _words(self, name: str, indices: Any) -> list[str]:
        return [str(self.prims[i].GetAttribute(name).Get()) for i in self._rows(indices)]

    def _set_words(
        self, name: str, known: dict[str, int], argument: str, words: Any, indices: Any
    ) -> None:
        which = self._rows(indices)
        for i, word in zip(which, one_each(argument, words, len(which)), strict=True):
            if word not in known:
                raise InvalidArgumentError(argument, word, f"one of {', '.join(known)}")
            self.prims[i].GetAttribute(name).Set(str(word))


def _encoded(prim: Usd.Prim) -> int:
    stated = [(prim.GetAttribute(name), known, shift) for name, known, shift, _ in _PARTS]
    return sum(known.get(one.Get(), 0) << shift for one, known, shift in stated if one)


def _decoded(number: int) -> tuple[str, ...]:
    if not 0 <= number <= _MOST:
        raise InvalidArgumentError("ids", number, f"numbers from 0 to {_MOST}")
    parts = [(known, number >> shift & mask) for _, known, shift, mask in _PARTS]
    return tuple(
        next((word for word, own in known.items() if own == part), "none") for known, part in parts
    )
