"""Where the arrays of a running world lie in memory, for compiled functions."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from unibody.core.engine.library.layout import offsets_of
from unibody.core.engine.world.world import World


class Addresses(NamedTuple):
    """Addresses of arrays of MjData."""

    qpos: int
    qvel: int
    mocap_pos: int
    mocap_quat: int
    userdata: int
    xipos: int
    ximat: int
    xquat: int
    xfrc_applied: int
    qfrc_applied: int


def force_addresses(world: World) -> tuple[int, int]:
    """Of the pointer to the forces of the constraint rows, and of their number (an int)."""
    offsets = offsets_of("mjData")
    return world.data._address + offsets["efc_force"], world.data._address + offsets["nefc"]


_known: WeakKeyDictionary[World, tuple[int, Addresses]] = WeakKeyDictionary()


def addresses(world: World) -> Addresses:
    """The addresses of a world; valid for one generation of it."""
    generation, found = _known.get(world, (-1, None))
    if found is None or generation != world.generation:
        arrays = (getattr(world.data, name) for name in Addresses._fields)
        found = Addresses(*(array.ctypes.data for array in arrays))
        _known[world] = world.generation, found
    return found
