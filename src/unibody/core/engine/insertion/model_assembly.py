"""Models with slots for bodies of any kind, without a compile of what is in them.

The arrays of a model without cameras and actuators are those of its bodies and meshes one after
the other. Room is made by bodies that stand for those to come, and by rows of meshes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.insertion import model_bytes
from unibody.core.engine.insertion.reserved_slots import HASH
from unibody.core.engine.insertion.segments import RUNS, Segment, Span, follows
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.spec.blank import new_spec

_NONE = (
    "nu", "nactuator", "nout", "na", "nsite", "ncam", "nlight", "nflex", "nskin", "ntex", "nmat",
    "npair", "ntuple", "nkey", "nplugin", "noct", "nbvhdynamic", "nmeshtexcoord",
)  # fmt: skip
_NAMES = {"nbody": "name_bodyadr", "njnt": "name_jntadr", "ngeom": "name_geomadr"}
MESH_ROWS = (
    "nmesh", "nmeshvert", "nmeshnormal", "nmeshface", "nmeshgraph", "nmeshpoly", "nmeshpolyvert",
    "nmeshpolymap",
)  # fmt: skip
_HELD_SHARE = 4  # for so many bodies that move there is room for one that does not
_MEGABYTE = 1 << 20
_MOST_ROWS = 500  # for which MuJoCo reserves memory, if it is not told how many there are
_MOST_CONTACTS = 100

_Arrays = dict[str, list[NDArray[Any]]]


def can_have_slots(model: Any) -> bool:
    """Whether a model has only what models with slots consist of."""
    counts = model_bytes.counts_of(model)
    return model_bytes.is_known() and not any(counts[name] for name in _NONE)


def with_slots(
    model: Any, capacity: int, geoms: int, meshes: Mapping[str, int], most_bodies: int
) -> Any:
    """A copy of a model, with bodies behind its own that stand for others.

    Args:
        model: For which ``can_have_slots`` is true.
        capacity: How many bodies can come.
        geoms: How many geoms each of them has.
        meshes: How many rows of each kind there are for meshes, by counts; "nbvh": of their boxes.
        most_bodies: For how many bodies MuJoCo is to have memory.

    Raises:
        ValueError: MuJoCo refuses the model.
    """
    parts = [_stand_ins(capacity, geoms, False), _stand_ins(capacity // _HELD_SHARE, geoms, True)]
    come = [Segment(part, Span(1, int(part.nbody))) for part in parts]
    counts = model_bytes.counts_of(model)
    starts = {name: counts["nbvh" if name == "nbvhstatic" else name] for name in RUNS}
    rows = {name: [getattr(model, name)] for name, count in model_bytes.fields() if follows(count)}
    dofs = starts["nv"] + sum(segment.count("nv") for segment in come)
    starts["nB"] += dofs - int(model.nv)  # the row of the world, which comes first
    for segment in come:
        for name, count in model_bytes.fields():
            if follows(count):
                rows[name].append(segment.rows(name, count, starts))
        starts = {name: starts[name] + segment.count(name) for name in RUNS}
    counts |= starts
    _widen_world(model, rows, dofs)
    _add_meshes(model, counts, rows, meshes)
    _name(model, counts, rows)
    counts["narena"] = max(int(model.narena), _arena(counts, most_bodies))
    counts["nbuffer"] += _size(model, rows) - _size(model, {})
    return model_bytes.read(model_bytes.file_of(model, counts, rows))


@functools.lru_cache(maxsize=8)
def _stand_ins(count: int, geoms: int, fixed: bool) -> Any:
    """Bodies alone, with the most numbers that a body of one link can have."""
    spec = new_spec(WorldOptions())
    for _ in range(count):
        body = spec.worldbody.add_body(mocap=fixed)
        body.explicitinertial = True
        body.mass, body.inertia, body.ipos = 1.0, (1.0, 1.0, 1.0), (0.1, 0.2, 0.3)
        if not fixed:
            body.add_freejoint()
        for _ in range(geoms):
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.1, 0.0, 0.0), mass=0.0)
    return spec.compile()


def _widen_world(model: Any, rows: _Arrays, dofs: int) -> None:
    """Give the world's row of a table, which comes first in it, all columns."""
    more = dofs - int(model.nv)
    adr, columns = model.B_rowadr.copy(), model.B_colind
    adr[1:] += np.int32(more)
    rows["B_rowadr"][0] = adr
    count = model.B_rownnz.copy()
    count[0] = dofs
    rows["B_rownnz"][0] = count
    rows["B_colind"][0] = np.concatenate(
        [np.arange(dofs, dtype=np.int32), columns[int(model.nv) :]]
    )


def _name(model: Any, counts: dict[str, int], rows: _Arrays) -> None:
    """Give what comes no name; nothing is looked up by name."""
    nameless = model.names.index(b"\0")
    for name in _NAMES.values():
        first, *others = rows[name]
        rows[name] = [first, *(np.full_like(other, nameless) for other in others)]
    named = (*_NAMES, "nmesh")
    counts["nnames_map"] += HASH * sum(counts[name] - int(getattr(model, name)) for name in named)
    rows["names_map"] = [np.full(counts["nnames_map"], -1, dtype=np.int32)]


def _add_meshes(
    model: Any, counts: dict[str, int], rows: _Arrays, meshes: Mapping[str, int]
) -> None:
    """Rows for meshes, which say that each of them has nothing."""
    for name, count in model_bytes.fields():
        if count in MESH_ROWS:
            array = getattr(model, name)
            more = np.zeros((meshes[count], *array.shape[1:]), dtype=array.dtype)
            rows[name] = [array, more]
    for name in MESH_ROWS:
        counts[name] += meshes[name]
    for name, count in model_bytes.fields():
        if count in ("nbvh", "nbvhstatic"):
            array = getattr(model, name)
            rows[name].append(np.zeros((meshes["nbvh"], *array.shape[1:]), dtype=array.dtype))
    counts["nbvhstatic"] += meshes["nbvh"]
    counts["nbvh"] = counts["nbvhstatic"]


def _arena(counts: Mapping[str, int], most_bodies: int) -> int:
    """Bytes for what MuJoCo works out in a step: those that its compiler reserves, at least."""
    rows = _MOST_ROWS + counts["neq"] + counts["nv"]
    things = ("nq", "nv", "nbody", "njnt", "ngeom", "neq", "ntendon", "nwrap")
    numbers = 5 * rows * rows + 20 * sum(counts[name] for name in things)
    dense = _MOST_ROWS * (3 * counts["nv"] + 2 * _MOST_ROWS + 20) + 100 * _MOST_CONTACTS
    size = max(8 * (numbers + dense), 5 * most_bodies**2)
    return -(-size // _MEGABYTE) * _MEGABYTE


def _size(model: Any, rows: Mapping[str, list[NDArray[Any]]]) -> int:
    lengths: dict[str, int] = {}
    for name, _ in model_bytes.fields():
        own = rows.get(name)
        if own is None:
            array = getattr(model, name)
            lengths[name] = len(array) if isinstance(array, bytes) else array.nbytes
        else:
            lengths[name] = sum(part.nbytes for part in own)
    return model_bytes.buffer_size(lengths)
