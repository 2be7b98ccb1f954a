"""Bodies that appear in a running world, without a compile.

A script that adds bodies one by one, with steps in between, would compile everything for each of
them. Such a world is compiled with slots at its end: bodies like the last one, which the model then
does not count. MuJoCo numbers bodies, coordinates and geoms in one order, so a model that counts
fewer of them is the model without the last ones. A body that fits takes the first of these slots:
its values are written and the counts are raised.

The arrays of the bindings are views of the memory of a model. Their length is changed where NumPy
keeps it, so that they always show what the model counts. All that is assumed about memory is
checked when slots are reserved; where a check fails there are none, and every edit compiles.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import mujoco
import numpy as np
from mujoco.introspect import ast_nodes, structs
from numpy.typing import NDArray

from unibody.core.engine.insertion.slot_filling import alike, fits
from unibody.core.engine.insertion.slot_memory import SlotMemory
from unibody.core.engine.library.layout import offsets_of, size_of
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.spec.geometry import MeshStore
from unibody.core.engine.spec.writer import make_record, write_body
from unibody.machine_code import pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_i64

_Ints = NDArray[np.int64]
# What a model counts that grows with a body, and with the meshes of one of another kind.
COUNTS: tuple[str, ...] = (
    "nbody", "njnt", "ngeom", "nq", "nv", "nM", "nB", "nC", "nD", "ntree", "nmocap", "nnames_map",
    "nbvh", "nbvhstatic", "nmesh", "nmeshvert", "nmeshnormal", "nmeshface", "nmeshgraph",
    "nmeshpoly", "nmeshpolyvert", "nmeshpolymap",
)  # fmt: skip
_NV = COUNTS.index("nv")
HASH = 2  # entries of MuJoCo's table of names for each object; the names themselves stay
_AWAKE = {
    "ntree_awake": "ntree",
    "nbody_awake": "nbody",
    "nparent_awake": "nbody",
    "nv_awake": "nv",
}
_NO_ID = -1
_ALIGNMENT = 64  # bytes, of every array of a model
_DATA_AT, _DIMENSIONS_AT = 16, 32  # in NumPy's array object


def write_slots(spec: Any, pattern: BodyRecord, capacity: int) -> None:
    """Write bodies like one that ``fits`` to the end of a spec, without what ``fill_slot`` sets.

    The pattern is in the spec, or was and is plain.
    """
    if pattern.links[0].spec_body is None:
        pattern = make_record(_NO_ID, pattern.asset, pattern.options, like=pattern)
        write_body(spec, pattern, MeshStore(spec))
        capacity -= 1
    body, geoms = pattern.links[0].spec_body, pattern.links[0].spec_geoms
    mass, inertia, ipos, iquat = body.mass, body.inertia, body.ipos, body.iquat
    shapes = [
        {
            name: getattr(geom, name)
            for name in ("type", "size", "pos", "quat", "meshname", "solimp", "margin")
        }
        for geom in geoms
    ]
    for _ in range(capacity):
        slot = spec.worldbody.add_body(mocap=pattern.fixed)
        slot.explicitinertial = True
        slot.mass, slot.inertia, slot.ipos, slot.iquat = mass, inertia, ipos, iquat
        if not pattern.fixed:
            slot.add_freejoint()
        for shape in shapes:
            slot.add_geom(mass=0.0, **shape)


class ReservedSlots:
    """Slots for more bodies at the end of a model.

    Args:
        model: Compiled with ``capacity`` bodies like ``pattern`` after all others.
        data: Its MjData. Both are cut down to what is in use.
        pattern: A body that ``fits``.
        capacity: How many slots there are.

    Raises:
        LayoutError: Something is not where it is expected in memory.
    """

    def __init__(self, model: Any, data: Any, pattern: BodyRecord, capacity: int) -> None:
        self._model, self._data = model, data
        self._pattern = pattern
        self._capacity = capacity
        self._taken = 0
        self.margins: NDArray[np.float64] | None = None  # of the geoms of one slot, once known
        self.memory: SlotMemory = SlotMemory(model, data)
        self._sizes = (Sizes("mjModel", model, model), Sizes("mjData", data, model))
        moving = not pattern.fixed
        full = {name: int(getattr(model, name)) for name in COUNTS}
        self._step = {
            "nbody": 1,
            "njnt": int(moving),
            "ngeom": len(pattern.links[0].link.collisions),
            "nq": 7 * moving,
            "nv": 6 * moving,
            "ntree": int(moving),
            "nmocap": int(pattern.fixed),
        }
        dof = full["nv"] - capacity * self._step["nv"]
        starts = {"nM": model.dof_Madr, "nC": model.M_rowadr, "nD": model.D_rowadr}
        for name, start in starts.items():
            self._step[name] = (full[name] - int(start[dof])) // capacity if moving else 0
        self._step["nB"] = 2 * self._step["nv"]  # a column of its own and one of the world's row
        self._step["nnames_map"] = HASH * sum(self._step[name] for name in COUNTS[:3])
        # boxes of the static tree are counted in full, because those of meshes come after them
        self._own_columns = np.array(model.B_colind[full["nv"] :])
        self._own_rows = np.array(model.B_rowadr) - full["nv"]
        self._each = np.array([self._step.get(name, 0) for name in COUNTS])
        self._first = np.array([full[name] for name in COUNTS]) - capacity * self._each
        simple = model.dof_simplenum
        run = np.flatnonzero(simple == full["nv"] - np.arange(full["nv"]))
        self._simple = int(run[0]) if len(run) and moving and simple[dof] else full["nv"] + 1
        model.body_subtreemass[0] -= model.body_mass[model.nbody - capacity :].sum()
        model.body_mass[model.nbody - capacity :] = 0.0
        model.names_map[:] = -1  # a table of another size; nothing is looked up by name
        self._count()

    def takes(self, records: list[BodyRecord]) -> bool:
        """Whether there are slots left for all of these bodies."""
        return self._taken + len(records) <= self._capacity and all(map(self.holds, records))

    def holds(self, record: BodyRecord) -> bool:
        """Whether a body is of the kind of these slots."""
        return fits(record) and alike(self._pattern, record)

    def enter(self, records: list[BodyRecord]) -> None:
        """Let the model count slots for bodies that it ``takes``."""
        self.count(len(records))

    def shaped_as(self, record: BodyRecord) -> BodyRecord:
        """The body whose shapes are in the slot of another one."""
        return self._pattern

    def count(self, more: int) -> None:
        """Let the model count more slots, or fewer."""
        self._taken += more
        self._count()

    def fill(self) -> None:
        """Let the model count all slots."""
        self.count(self._capacity - self._taken)

    def clear(self, pattern: BodyRecord) -> None:
        """Let the model count no slot, of a model that is as it was compiled for ``pattern``."""
        self._pattern, self.margins = pattern, None
        self.count(-self._taken)

    def leaves(self, records: list[BodyRecord]) -> bool:
        """Whether these bodies, in their order, are the last ones that took slots."""
        count = len(records)
        first = int(self._model.nbody) - count
        return count <= self._taken and (not count or records[0].body == first)

    def leave(self, records: list[BodyRecord]) -> None:
        """Let these bodies, for which ``leaves`` is true, leave their slots."""
        masses = self._model.body_mass[records[0].body :]
        self._model.body_subtreemass[0] -= masses.sum()
        masses[:] = 0.0
        self.count(-len(records))

    @property
    def taken(self) -> int:
        """How many slots are taken."""
        return self._taken

    @property
    def pattern(self) -> BodyRecord:
        """The body with whose shapes the slots were compiled."""
        return self._pattern

    def _count(self) -> None:
        counts = self._first + self._taken * self._each
        for sizes in self._sizes:
            sizes.write(counts)
        model, start, nv = self._model, self._simple, int(counts[_NV])
        if start < nv:
            model.dof_simplenum[start:] = np.arange(nv - start, 0, -1)
        if self._step["nv"]:
            widen_world(model, self._own_rows, self._own_columns, nv)


class LayoutError(Exception):
    """Memory is not laid out the way it is expected to be."""


class Sizes:
    """The counts of an mjModel or mjData, and the lengths of the arrays that follow them."""

    def __init__(self, struct: str, owner: Any, model: Any) -> None:
        offsets = offsets_of(struct)
        keys = COUNTS if struct == "mjModel" else tuple(_AWAKE.values())
        names = keys if struct == "mjModel" else tuple(_AWAKE)
        counts = [
            (owner._address + offsets[name], COUNTS.index(key))
            for name, key in zip(names, keys, strict=True)
        ]
        base = _word(owner._address + offsets["buffer"])
        fields: list[tuple[int, int, int, int]] = []  # address, bytes a row, rows, their count
        arrays: list[tuple[int, int]] = []  # where the length is kept, index of the count
        for name, width, extent, follows in _growing(struct):
            address = _word(owner._address + offsets[name])
            if not base <= address <= base + owner.nbuffer:
                continue  # in the arena
            rows = int(getattr(model, extent[0]))
            fields.append((address, width * _columns(model, extent[1:]), rows, follows))
            array: Any = getattr(owner, name, None)
            if isinstance(array, np.ndarray):
                arrays.append((_length_address(array, address, rows), follows))
        fields.sort(key=lambda field: field[0])
        sizes = np.array([width * rows for _, width, rows, _ in fields], dtype=np.int64)
        unused = int(owner.nbuffer) - _buffer(sizes)  # bytes of other arrays
        # How many pairs of each kind follow; then width and count of each array, the address of
        # the size of the buffer, and where each count and each length is kept, and which it is.
        pairs = [number for _, width, _, count in fields for number in (width, count)]
        numbers = [len(fields), len(counts), len(arrays), unused, *pairs]
        numbers.append(owner._address + offsets["nbuffer"])
        numbers += [number for pair in (*counts, *arrays) for number in pair]
        self._table = np.array(numbers, dtype=np.int64)
        self._address = self._table.ctypes.data

    def write(self, counts: _Ints) -> None:
        """Make counts effective, in the order of ``COUNTS``."""
        _writer()(self._address, counts.ctypes.data)


@functools.cache
def _growing(struct: str) -> list[tuple[str, int, tuple[Any, ...], int]]:
    """The arrays of a struct that grow with a body.

    Returns:
        Name, bytes an element, extent, and index of the count that is the first extent.
    """
    fields: Any = structs.STRUCTS[struct].fields
    return [
        (field.name, size_of(field.type.inner_type)[0], field.array_extent,
         COUNTS.index(field.array_extent[0]))
        for field in fields
        if getattr(field, "array_extent", None)
        and isinstance(field.type, ast_nodes.PointerType)
        and field.array_extent[0] in COUNTS
    ]  # fmt: skip


def _columns(model: Any, extent: tuple[Any, ...]) -> int:
    """Elements in a row of an array."""
    count = 1
    for size in extent:
        owner = model if hasattr(model, str(size)) else mujoco
        count *= size if isinstance(size, int) else int(getattr(owner, size))
    return count


def _buffer(sizes: _Ints) -> int:
    """Bytes of arrays one after the other, each one aligned."""
    aligned = -(-sizes // _ALIGNMENT) * _ALIGNMENT
    return int(aligned.sum() - aligned[-1] + sizes[-1])


@rule
def _write_sizes(table: Pointer, counts: Pointer) -> None:
    """Write counts to where they are kept, the size of the buffer behind them, and lengths.

    Args:
        table: The numbers of ``Sizes``, see there.
        counts: In the order of ``COUNTS``.
    """
    widths, kept, lengths, unused = table[0], table[1], table[2], table[3]
    row, used, size, aligned = 4, 0, 0, 0
    for _ in range(widths):
        size = table[row] * counts[table[row + 1]]
        aligned = -(-size // _ALIGNMENT) * _ALIGNMENT
        used += aligned
        row += 2
    pointer_i64(table[row])[0] = unused + used - aligned + size
    row += 1
    for _ in range(kept + lengths):
        pointer_i64(table[row])[0] = counts[table[row + 1]]
        row += 2


def _build(digest: str) -> Any:
    @kept_entry(types.void(types.int64, types.int64))
    def entry(table: int, counts: int) -> None:
        if len(digest) > 0:
            _write_sizes(pointer_i64(table), pointer_i64(counts))

    return entry.ctypes


@functools.cache
def _writer() -> Any:
    return compiled("the sizes of worlds", _build, sys.modules[__name__], pointers)


def widen_world(model: Any, own_rows: _Ints, own_columns: _Ints, nv: int) -> None:
    """Give the world's row of a table, which comes first in it, all columns."""
    model.B_rownnz[0] = nv
    starts, columns = model.B_rowadr, model.B_colind
    starts[1:] = own_rows[1 : len(starts)] + nv
    columns[:nv] = np.arange(nv)
    columns[nv:] = own_columns[: len(columns) - nv]


def _word(address: int) -> int:
    """The 8 bytes at an address."""
    return ctypes.c_int64.from_address(address).value


def _length_address(array: Any, place: int, length: int) -> int:
    """Where NumPy keeps the length of an array."""
    if array.size and _word(id(array) + _DATA_AT) != place:
        raise LayoutError("NumPy's arrays do not begin as expected")
    address = _word(id(array) + _DIMENSIONS_AT)
    if not array.ndim or not _word(address) == array.shape[0] == length:
        raise LayoutError("NumPy's arrays do not keep their shape where it is expected")
    return address
