"""The surfaces of this process, found by the name of the geom's height field.

A triangle mesh is a height-field geom in MuJoCo: a box of the size of the mesh, without vertices,
hull or inertia to compile, for which MuJoCo has room for 50 contacts with any convex geom. The
name of its height field says which surface it stands for, so that a model needs no address.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from unibody.core.engine.mesh_contacts.surface import Slot, TriangleSurface
from unibody.machine_code.forks import fork_safe_lock

PREFIX = "triangles"
DIGITS = 16  # of the key, hexadecimal, behind the prefix
BASE = 1e-6  # m: thickness of the box below the mesh and above a flat one; more is a skin's

_lock = fork_safe_lock()
_surfaces: weakref.WeakValueDictionary[int, TriangleSurface] = weakref.WeakValueDictionary()
_users: weakref.WeakKeyDictionary[Any, list[TriangleSurface]] = weakref.WeakKeyDictionary()
_rows: dict[int, int] = {}  # row of a key in the table
_tables: list[Any] = []  # all that ever were: compiled code on another thread may read an old one
_header = np.zeros(2, dtype=np.int64)  # address of the table, number of its rows


def header_address() -> int:
    """Where compiled code finds the address of the table of records, and their number."""
    return _header.ctypes.data


def name_of(surface: TriangleSurface, skin: float) -> str:
    """Name of the height field that stands for a surface with a skin [m] on both sides."""
    return f"{PREFIX}{surface.key:0{DIGITS}x}" + (f"_{skin!r}" if skin else "")


def surface_named(name: str) -> TriangleSurface | None:
    """The surface that a height field stands for, None for one that is a height field."""
    if not name.startswith(PREFIX) or len(name) < len(PREFIX) + DIGITS:
        return None
    try:
        return _surfaces.get(int(name[len(PREFIX) :][:DIGITS], 16))
    except ValueError:
        return None


def enter(surface: TriangleSurface) -> None:
    """Let compiled code find a surface, for as long as somebody holds it."""
    with _lock:
        if surface.key in _rows and _surfaces.get(surface.key) is surface:
            return
        row = _rows.get(surface.key, _free_row())
        table = _tables[-1]
        _rows[surface.key] = row
        _surfaces[surface.key] = surface
        table[row, 1:] = surface.record[1:]
        table[row, Slot.KEY] = surface.key
        _header[1] = max(int(_header[1]), row + 1)
        weakref.finalize(surface, _leave, surface.key, int(surface.record[Slot.FACES]))


def hold(model: Any, surfaces: list[TriangleSurface]) -> None:
    """Keep surfaces for as long as a compiled model lives."""
    _users[model] = surfaces


def held(model: Any) -> list[TriangleSurface]:
    """The surfaces that a compiled model holds."""
    return _users.get(model, [])


def _free_row() -> int:
    used = set(_rows.values())
    row = next(n for n in range(len(used) + 1) if n not in used)
    if not _tables or row >= len(_tables[-1]):
        size = 2 * len(_tables[-1]) if _tables else 64
        table = np.zeros((size, Slot.SIZE), dtype=np.int64)
        if _tables:
            table[: len(_tables[-1])] = _tables[-1]
        _tables.append(table)
        _header[0] = table.ctypes.data
    return row


def _leave(key: int, faces: int) -> None:
    with _lock:
        row = _rows.get(key)
        if row is not None and _tables[-1][row, Slot.FACES] == faces:
            _tables[-1][row, Slot.KEY] = 0
            del _rows[key]
