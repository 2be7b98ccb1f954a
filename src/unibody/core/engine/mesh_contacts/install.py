# ruff: noqa: PLR0913, PLR0917 - collision functions take what MuJoCo hands them
"""Putting the narrow phase of triangle meshes into MuJoCo's table of collision functions."""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.library.process_wide import made_once
from unibody.core.engine.mesh_contacts import (
    clip,
    contact_reduction,
    convex,
    geom_pose,
    gjk,
    height_field,
    narrow_phase,
    registry,
    struct_fields,
    surface,
    touch,
)
from unibody.core.engine.mesh_contacts.narrow_phase import NOT_OURS, collide
from unibody.core.engine.mesh_contacts.struct_fields import CONTACT_SIZE, Fields
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.callbacks import libmujoco
from unibody.machine_code import numba, pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.kept import kept_entry, provide_symbol

_GEOM = mujoco.mjtGeom
_TYPES = 9  # mjNGEOMTYPES
MOST_CONTACTS = 50  # mjMAXCONPAIR
_FIELD = int(_GEOM.mjGEOM_HFIELD)
_CONVEX = tuple(
    int(kind)
    for kind in (
        _GEOM.mjGEOM_SPHERE, _GEOM.mjGEOM_CAPSULE, _GEOM.mjGEOM_ELLIPSOID,
        _GEOM.mjGEOM_CYLINDER, _GEOM.mjGEOM_BOX, _GEOM.mjGEOM_MESH,
    )
)  # fmt: skip
_PAIR = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64
)  # fmt: skip
_OURS = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64, types.float64,
    types.int64,
)  # fmt: skip
_NOW = -1.0  # the limit that asks for the contacts of a step
# What MuJoCo calls finds by these names the functions, and the header, of this process.
_OURS_NAME, _PREVIOUS_NAME = "unibody_triangles", "unibody_before_triangles"
_HEADER_NAME = "unibody_triangles_header"
_ours = types.ExternalFunction(_OURS_NAME, _OURS)
_previous = types.ExternalFunction(_PREVIOUS_NAME, _PAIR)
_header = pointers.symbol_address(_HEADER_NAME)
SOURCES = (
    contact_reduction,
    clip,
    convex,
    struct_fields,
    geom_pose,
    gjk,
    height_field,
    narrow_phase,
    pointers,
    surface,
    t,
    touch,
)


def _build(at: Fields, digest: str) -> Any:
    """Compile our part, or load it from numba's cache; see ``rules.callbacks`` for the digest."""

    @kept_entry(_OURS)
    def pair(
        m: int, d: int, contacts: int, mesh: int, geom: int, margin: float, limit: float,
        header: int,
    ) -> int:  # fmt: skip
        if len(digest) == 0:
            return NOT_OURS
        return collide(m, d, contacts, mesh, geom, margin, limit, header, at)

    return pair


def _build_in_front(digest: str) -> Any:
    """A collision function: ours, or for what is not ours the one that was there before."""

    @kept_entry(_PAIR)
    def function(m: int, d: int, contacts: int, mesh: int, geom: int, margin: float) -> int:
        count = _ours(m, d, contacts, mesh, geom, margin, _NOW, _header()) if len(digest) > 0 else 0
        return count if count >= 0 else _previous(m, d, contacts, mesh, geom, margin)

    return function


def _in_front(ours: int, previous: int, header: int) -> Any:
    """The same for another one that was there before: it names addresses, and is not kept."""
    five = (ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32, ctypes.c_int32)
    numbers = (ctypes.c_double, ctypes.c_double, ctypes.c_int64)
    call_ours = ctypes.CFUNCTYPE(ctypes.c_int32, *five, *numbers)(ours)
    call_previous = ctypes.CFUNCTYPE(ctypes.c_int32, *five, ctypes.c_double)(previous)

    @numba.cfunc(_PAIR)
    def function(m: int, d: int, contacts: int, mesh: int, geom: int, margin: float) -> int:
        count = call_ours(m, d, contacts, mesh, geom, margin, _NOW, header)
        return count if count >= 0 else call_previous(m, d, contacts, mesh, geom, margin)

    return function


class _Installation:
    """The process-wide table."""

    def __init__(self) -> None:
        at = struct_fields.fields()
        self._ours: Any = compiled(
            "the contacts of triangle meshes", lambda digest: _build(at, digest), *SOURCES
        )
        self.call: Any = self._ours.ctypes  # for Python
        self._table = (ctypes.c_void_p * (_TYPES * _TYPES)).in_dll(libmujoco(), "mjCOLLISIONFUNC")
        self._functions: dict[int, Any] = {}  # by what was there before; kept alive for ever
        self._addresses: set[int] = set()

    def ensure(self) -> None:
        """Install our function, or put it in front of one that replaced it."""
        for kind in _CONVEX:
            place = _FIELD * _TYPES + kind
            current = self._table[place] or 0
            if current in self._addresses:
                continue
            if current not in self._functions:
                self._functions[current] = function = self._made_in_front_of(current)
                self._addresses.add(function.address)
            self._table[place] = self._functions[current].address

    def _made_in_front_of(self, current: int) -> Any:
        if self._functions:
            return _in_front(self._ours.address, current, registry.header_address())
        provide_symbol(_OURS_NAME, self._ours.address)
        provide_symbol(_PREVIOUS_NAME, current)
        provide_symbol(_HEADER_NAME, registry.header_address())
        return compiled("the table of contacts", _build_in_front)


@made_once
def _installation() -> _Installation:
    return _Installation()


def install() -> None:
    """Let MuJoCo collide triangle meshes; as often as wanted."""
    _installation().ensure()


def contacts_within(
    model: Any, data: Any, mesh: int, geom: int, limit: float
) -> NDArray[np.float64]:
    """The contacts of a mesh of triangles and a convex geom up to a distance [m].

    Geom poses have to be up to date.

    Returns:
        (N, 7): distance [m], position [m], unit normal towards the convex geom.
    """
    room = np.empty((MOST_CONTACTS, CONTACT_SIZE))
    count = _installation().call(
        model._address, data._address, room.ctypes.data, mesh, geom, 0.0, limit,
        registry.header_address(),
    )  # fmt: skip
    return room[: max(count, 0), :7]


def surface_of_geom(model: Any, geom: int) -> surface.TriangleSurface | None:
    """The surface that a geom of a compiled model stands for."""
    if model.geom_type[geom] != _GEOM.mjGEOM_HFIELD:
        return None
    return registry.surface_named(model.hfield(int(model.geom_dataid[geom])).name)
