"""The rows that a mesh has in the arrays of a model, copied to another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.insertion.reserved_slots import COUNTS, HASH

# By the count they follow: the arrays of a mesh, and which of their numbers refer to what.
_ARRAYS = {
    "nmeshvert": ("mesh_vert", "mesh_polymapadr", "mesh_polymapnum"),
    "nmeshnormal": ("mesh_normal",),
    "nmeshface": ("mesh_face", "mesh_facenormal", "mesh_facetexcoord"),
    "nmeshpoly": ("mesh_polynormal", "mesh_polyvertadr", "mesh_polyvertnum"),
    "nmeshgraph": ("mesh_graph",),
    "nmeshpolyvert": ("mesh_polyvert",),
    "nmeshpolymap": ("mesh_polymap",),
    "nbvh": ("bvh_depth", "bvh_child", "bvh_nodeid"),
    "nbvhstatic": ("bvh_aabb",),
    "nmesh": (
        "mesh_vertadr", "mesh_vertnum", "mesh_faceadr", "mesh_facenum", "mesh_bvhadr",
        "mesh_bvhnum", "mesh_octadr", "mesh_octnum", "mesh_normaladr", "mesh_normalnum",
        "mesh_texcoordadr", "mesh_texcoordnum", "mesh_graphadr", "mesh_extrema", "mesh_scale",
        "mesh_pos", "mesh_quat", "mesh_pathadr", "mesh_polynum", "mesh_polyadr",
    ),
}  # fmt: skip
_REFERS = {
    "mesh_polymapadr": "nmeshpolymap", "mesh_polyvertadr": "nmeshpolyvert",
    "mesh_vertadr": "nmeshvert", "mesh_normaladr": "nmeshnormal", "mesh_faceadr": "nmeshface",
    "mesh_polyadr": "nmeshpoly", "mesh_graphadr": "nmeshgraph", "mesh_bvhadr": "nbvhstatic",
}  # fmt: skip


class MeshCopy(NamedTuple):
    """The rows of a mesh.

    Attributes:
        counts: How many there are, in the order of ``COUNTS``.
        rows: By array, with the count that it follows; what they refer to begins at 0.
    """

    counts: NDArray[np.int64]
    rows: dict[str, tuple[str, NDArray[Any]]]

    def write(self, model: Any, starts: dict[str, int]) -> None:
        """Copy the mesh to where it begins in another model, by counts."""
        for name, (count, rows) in self.rows.items():
            start, kind = starts[count], _REFERS.get(name)
            if kind is not None:
                rows = np.where(rows < 0, rows, rows + np.int32(starts[kind]))  # noqa: PLW2901
            getattr(model, name)[start : start + len(rows)] = rows


def mesh_keys(model: Any) -> list[bytes]:
    """The names of the meshes of a model, which say what is in them."""
    names: bytes = model.names
    return [names[start : names.index(b"\0", start)] for start in model.name_meshadr.tolist()]


def copies_of(model: Any, keys: Sequence[bytes]) -> dict[bytes, MeshCopy]:
    """All meshes of a model, by their keys."""
    return {key: _copy(model, number) for number, key in enumerate(keys)}


def _copy(model: Any, number: int) -> MeshCopy:
    spans = {
        "nmesh": (number, number + 1),
        "nmeshvert": _stretch(model.mesh_vertadr, model.mesh_vertnum, number),
        "nmeshnormal": _stretch(model.mesh_normaladr, model.mesh_normalnum, number),
        "nmeshface": _stretch(model.mesh_faceadr, model.mesh_facenum, number),
        "nmeshpoly": _stretch(model.mesh_polyadr, model.mesh_polynum, number),
        "nmeshgraph": _rest(model.mesh_graphadr, number, int(model.nmeshgraph)),
        "nbvh": _stretch(model.mesh_bvhadr, model.mesh_bvhnum, number),
    }
    spans["nbvhstatic"] = spans["nbvh"]
    vertices, polygons = spans["nmeshvert"], spans["nmeshpoly"]
    spans["nmeshpolyvert"] = _inner(model.mesh_polyvertadr, polygons, int(model.nmeshpolyvert))
    spans["nmeshpolymap"] = _inner(model.mesh_polymapadr, vertices, int(model.nmeshpolymap))
    rows: dict[str, tuple[str, NDArray[Any]]] = {}
    for count, names in _ARRAYS.items():
        first, end = spans[count]
        for name in names:
            part: NDArray[Any] = getattr(model, name)[first:end].copy()
            if name in _REFERS:
                part = np.where(part < 0, part, part - np.int32(spans[_REFERS[name]][0]))
            rows[name] = count, part
    rows["mesh_pathadr"] = "nmesh", np.full(1, -1, dtype=np.int32)
    numbers = dict.fromkeys(COUNTS, 0) | {name: end - first for name, (first, end) in spans.items()}
    numbers["nnames_map"] = HASH
    return MeshCopy(np.array([numbers[name] for name in COUNTS]), rows)


def _stretch(starts: Any, lengths: Any, number: int) -> tuple[int, int]:
    first = max(int(starts[number]), 0)
    return first, first + int(lengths[number])


def _rest(starts: Any, number: int, total: int) -> tuple[int, int]:
    """The rows from where a mesh begins to where the next one does."""
    first = int(starts[number])
    if first < 0:
        return 0, 0
    after = [start for start in starts[number + 1 :].tolist() if start >= 0]
    return first, after[0] if after else total


def _inner(starts: Any, rows: tuple[int, int], total: int) -> tuple[int, int]:
    """What some rows have, of something that begins for each row where ``starts`` says."""
    first, end = rows
    if first == end:
        return 0, 0
    return int(starts[first]), int(starts[end]) if end < len(starts) else total
