"""Where the arrays of a running world lie in memory, for compiled functions."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from unibody.core.engine.world import World


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


_known: WeakKeyDictionary[World, tuple[int, Addresses]] = WeakKeyDictionary()


def addresses(world: World) -> Addresses:
    """The addresses of a world; valid for one generation of it."""
    generation, found = _known.get(world, (-1, None))
    if found is None or generation != world.generation:
        arrays = (getattr(world.data, name) for name in Addresses._fields)
        found = Addresses(*(array.ctypes.data for array in arrays))
        _known[world] = world.generation, found
    return found
