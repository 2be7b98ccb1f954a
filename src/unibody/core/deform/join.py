"""Several deformable bodies as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from unibody.core.deform.tables import Tables
from unibody.errors import InvalidArgumentError

_KINDS = ("springs", "triangles", "bends", "tetrahedra")


def joined(parts: Sequence[Tables], masses: Any) -> Tables:
    """Tables of all particles of several bodies, in their order.

    Args:
        parts: At least one; those with triangles have one law.
        masses: Of all particles, in place of those in the tables [kg].

    Raises:
        InvalidArgumentError: If the triangles of two parts follow different laws.
    """
    starts = np.cumsum([0, *(len(part.masses) for part in parts)])
    laws = {part.triangles.law for part in parts if len(part.triangles.corners)}
    if len(laws) > 1:
        names = sorted(law.value for law in laws)
        raise InvalidArgumentError("parts", names, "triangles of one law")
    found = {
        name: _concatenated(
            [
                replace(elements, corners=elements.corners + start)
                for start, elements in zip(starts, (getattr(p, name) for p in parts), strict=False)
            ]
        )
        for name in _KINDS
    }
    if laws:
        found["triangles"] = replace(found["triangles"], law=laws.pop())
    return Tables(np.asarray(masses, dtype=np.float64), **found)


def _concatenated(elements: list[Any]) -> Any:
    arrays = {
        entry.name: np.concatenate([getattr(part, entry.name) for part in elements])
        for entry in fields(elements[0])
        if entry.name != "law"
    }
    return replace(elements[0], **arrays)
