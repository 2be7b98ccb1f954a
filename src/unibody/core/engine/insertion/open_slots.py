"""Slots in a running world for bodies of one link of any kind.

A script that throws objects into a bin takes another one each time. What MuJoCo makes of such a
body alone is compiled once, and copied to the end of the model that runs; so are its meshes, the
first time.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.insertion import model_bytes
from unibody.core.engine.insertion.mesh_rows import MeshCopy, copies_of, mesh_keys
from unibody.core.engine.insertion.model_assembly import MESH_ROWS, can_have_slots, with_slots
from unibody.core.engine.insertion.reserved_slots import COUNTS, HASH, Sizes, widen_world
from unibody.core.engine.insertion.segments import RUNS, Segment, Span, Stretch, follows
from unibody.core.engine.insertion.slot_filling import centred_bounds, fits_alone
from unibody.core.engine.insertion.slot_memory import SlotMemory
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.spec.blank import new_spec
from unibody.core.engine.spec.geometry import MeshStore
from unibody.core.engine.spec.writer import make_record, write_body

_REMEMBERED = 256  # kinds of bodies
_LEAST_MESHES = 16  # of the largest that came, there is room for
_LEAST_GEOMS = 4  # of a body
_MOST_BYTES = 1 << 26  # of the meshes to come
_VERTEX_BYTES = 200  # about, of a mesh with all that belongs to it
_NOT_COPIED = frozenset(
    ("B_rowadr", "B_colind", "name_bodyadr", "name_jntadr", "name_geomadr", "dof_simplenum")
)
_Ints = NDArray[np.int64]


class Part(NamedTuple):
    """A body of one link, compiled alone.

    Attributes:
        record: The body; kept, so that no other can get the identities of its meshes.
        segment: The body in its model.
        each: What it counts without its meshes, in the order of ``COUNTS``.
        stretches: Its rows of all arrays that have some.
        meshes: By key.
    """

    record: BodyRecord
    segment: Segment
    each: _Ints
    stretches: tuple[Stretch, ...]
    meshes: dict[bytes, MeshCopy]
    keys: list[bytes]


_parts: OrderedDict[tuple[Any, ...], Part] = OrderedDict()


def _key_of(record: BodyRecord) -> tuple[Any, ...]:
    """What bodies have in common that one part can stand for.

    Shapes that are put anywhere else than in the middle are compared; of one that is there, a
    primitive, kind and sizes are written.
    """
    com, shapes = record.links[0].com, record.links[0].link.collisions
    if centred_bounds(record) is not None:
        return (record.fixed, com, "a primitive")
    return (
        record.fixed, com,
        *((s.kind, s.size, s.pose, s.margin, id(s.mesh) if s.mesh else 0) for s in shapes),
    )  # fmt: skip


def part_of(record: BodyRecord) -> Part:
    """What MuJoCo makes of a body alone; its pose, masses and surface are not of interest."""
    key = _key_of(record)
    part = _parts.get(key)
    if part is None:
        spec = new_spec(WorldOptions())
        copy = make_record(record.id, record.asset, record.options, like=record)
        write_body(spec, copy, MeshStore(spec))
        part = _parts[key] = _part(copy, spec.compile())
        while len(_parts) > _REMEMBERED:
            _parts.popitem(last=False)
    else:
        _parts.move_to_end(key)
    return part


def _part(record: BodyRecord, model: Any) -> Part:
    segment = Segment(model, Span(1, 2))
    number = dict.fromkeys(COUNTS, 0) | {name: segment.count(name) for name in RUNS}
    number["nnames_map"] = HASH * sum(number[name] for name in COUNTS[:3])
    number["nB"] += number["nv"]  # a column of the world's row, too
    number["nbvh"] = number["nbvhstatic"]
    stretches = tuple(
        segment.stretch(name, count)
        for name, count in model_bytes.fields()
        if follows(count) and name not in _NOT_COPIED and len(segment.own(name, count))
    )
    each = np.array([number[name] for name in COUNTS])
    keys = mesh_keys(model)
    return Part(record, segment, each, stretches, copies_of(model, keys), keys)


class OpenSlots:
    """Slots for more bodies of one link at the end of a model.

    Args:
        model: From ``with_open_slots``.
        data: Its MjData. Both are cut down to what is in use.
        used: What is in use, by counts.

    Raises:
        LayoutError: Something is not where it is expected in memory.
    """

    margins: NDArray[np.float64] | None = None
    pattern: BodyRecord | None = None  # no body says what others are like

    def __init__(self, model: Any, data: Any, used: dict[str, int]) -> None:
        self._model = model
        self.memory: SlotMemory = SlotMemory(model, data)
        self._sizes = (Sizes("mjModel", model, model), Sizes("mjData", data, model))
        counts = model_bytes.counts_of(model)
        self._full = np.array([counts[name] for name in COUNTS])
        self._now = np.array([used[name] for name in COUNTS])
        self._each: list[_Ints] = []  # of the bodies that came, what they count
        self.records: list[BodyRecord] = []  # whose these slots are
        self.entered: int = 0  # bodies that ever came
        self._numbers = {key: number for number, key in enumerate(mesh_keys(model))}
        self._arrays = {name: getattr(model, name) for name, _ in model_bytes.fields()}
        self._own_rows = np.array(model.B_rowadr) - counts["nv"]
        self._own_columns = np.array(model.B_colind[counts["nv"] :])
        model.body_mass[used["nbody"] :] = 0.0
        self._count()

    @property
    def taken(self) -> int:
        """How many slots are taken."""
        return len(self._each)

    def holds(self, record: BodyRecord) -> bool:
        """Whether a body is of the kind of these slots."""
        return fits_alone(record)

    def shaped_as(self, record: BodyRecord) -> BodyRecord:
        """The body whose shapes are in the slot of another one: those of the part."""
        return part_of(record).record

    def takes(self, records: list[BodyRecord]) -> bool:
        """Whether there is room for all of these bodies and their meshes."""
        if not all(map(fits_alone, records)):
            return False
        needed = self._now.copy()
        known: set[bytes] = set()
        for part in map(part_of, records):
            needed += part.each
            for key, mesh in part.meshes.items():
                if key not in self._numbers and key not in known:
                    known.add(key)
                    needed += mesh.counts
        return bool((needed <= self._full).all())

    def enter(self, records: list[BodyRecord]) -> None:
        """Let bodies that it ``takes`` have slots, of which the model counts all."""
        self.records += records
        self.entered += len(records)
        for part in map(part_of, records):
            starts = dict(zip(COUNTS, self._now.tolist(), strict=True))
            self._now += part.each
            self._each.append(part.each)
            fresh = [key for key in part.keys if key not in self._numbers]
            starts_of_meshes: list[dict[str, int]] = []
            for key in fresh:
                self._numbers[key] = int(self._now[_MESHES])
                starts_of_meshes.append(dict(zip(COUNTS, self._now.tolist(), strict=True)))
                self._now += part.meshes[key].counts
            self._count()
            self._write(part, starts)
            for key, start in zip(fresh, starts_of_meshes, strict=True):
                part.meshes[key].write(self._model, start)

    def assign(self, record: BodyRecord, slot: BodyRecord) -> None:
        """Let a body have the slot of another one, if that is one of these."""
        for number, other in enumerate(self.records):
            if other is slot:
                self.records[number] = record
                self.entered += 1

    def behind(self, gone: list[BodyRecord]) -> list[BodyRecord]:
        """The bodies that stay, with slots behind the first of those that are gone."""
        numbers = {id(record) for record in gone}
        is_gone = [id(record) in numbers for record in self.records]
        first = is_gone.index(True) if any(is_gone) else len(is_gone)
        return [record for record in self.records[first:] if id(record) not in numbers]

    def leaves(self, records: list[BodyRecord]) -> bool:
        """Whether these bodies, in their order, are the last ones that took slots."""
        count = len(records)
        first = int(self._model.nbody) - count
        return count <= self.taken and (not count or records[0].body == first)

    def leave(self, records: list[BodyRecord]) -> None:
        """Let these bodies, for which ``leaves`` is true, leave their slots; meshes stay."""
        model = self._model
        masses = model.body_mass[records[0].body :]
        model.body_subtreemass[0] -= masses.sum()
        masses[:] = 0.0
        del self.records[-len(records) :]
        for record in reversed(records):
            each = self._each.pop().copy()
            state = record.links[0]
            end = int(model.body_bvhadr[state.body] + model.body_bvhnum[state.body])
            if end != self._now[_BOXES]:  # boxes of meshes came after those of the body
                each[_BOXES] = each[_STATIC_BOXES] = 0
            self._now -= each
        self._count()

    def _count(self) -> None:
        for sizes in self._sizes:
            sizes.write(self._now)
        widen_world(self._model, self._own_rows, self._own_columns, int(self._now[_NV]))

    def _write(self, part: Part, starts: dict[str, int]) -> None:
        """Copy a body to where it begins, by counts."""
        model, segment = self._model, part.segment
        dofs = starts["nv"] + segment.count("nv")
        for stretch in part.stretches:
            start = starts[stretch.follows]
            rows = stretch.moved(starts)
            self._arrays[stretch.name][start : start + len(rows)] = rows
        if part.keys:
            numbers = np.array([self._numbers[key] for key in part.keys], dtype=np.int32)
            first, count = starts["ngeom"], segment.count("ngeom")
            own = segment.own("geom_dataid", "ngeom")
            model.geom_dataid[first : first + count] = np.where(own < 0, own, numbers[own])
        model.body_mass[starts["nbody"]] = 0.0  # it is written, and added to that of all, next
        self._write_world_row(part, starts, dofs)
        model.dof_simplenum[:] = _simple(model.dof_simplenum[: starts["nv"]], segment)
        for name in ("npolygonmax", "nmeshdegmax"):
            model_bytes.raise_count(model, name, int(getattr(segment.model, name)))

    def _write_world_row(self, part: Part, starts: dict[str, int], dofs: int) -> None:
        """Take note of the row of a body in the table of bodies and degrees of freedom."""
        before = starts["nB"] - starts["nv"]  # of the rows of all bodies but the world
        columns = part.segment.rows("B_colind", "nB", starts)
        self._own_columns[before : before + len(columns)] = columns
        self._own_rows[starts["nbody"]] = before
        widen_world(self._model, self._own_rows, self._own_columns, dofs)


_MESHES, _NV = COUNTS.index("nmesh"), COUNTS.index("nv")
_BOXES, _STATIC_BOXES = COUNTS.index("nbvh"), COUNTS.index("nbvhstatic")


def with_open_slots(
    model: Any, records: Iterable[BodyRecord], capacity: int, most_bodies: int
) -> Any | None:
    """A copy of a model with slots for bodies like some; None if there can be none.

    Args:
        model: Just compiled, with these bodies in it.
        records: For which ``fits_alone`` is true.
        capacity: How many more bodies can come.
        most_bodies: How many there are then.
    """
    if not can_have_slots(model):
        return None
    for record in records:
        part_of(record)  # one of those that there is to be room for
    geoms = int(model.ngeom) / max(int(model.nbody) - 1, 1)
    copies = {key: mesh for part in _parts.values() for key, mesh in part.meshes.items()}
    rows = np.array([mesh.counts for mesh in copies.values()] or [np.zeros(len(COUNTS), np.int64)])
    wanted = np.maximum(_LEAST_MESHES * rows.max(axis=0), 2 * rows.sum(axis=0)).tolist()
    meshes = {
        name: max(wanted[COUNTS.index(name)], int(getattr(model, name)))
        for name in (*MESH_ROWS, "nbvh")
    }
    too_much = meshes["nmeshvert"] * _VERTEX_BYTES / _MOST_BYTES
    if too_much > 1.0:
        meshes = {name: int(number / too_much) for name, number in meshes.items()}
    each = max(_LEAST_GEOMS, 2 * math.ceil(geoms))
    return with_slots(model, capacity, each, meshes, most_bodies)


def _simple(before: NDArray[np.int32], segment: Segment) -> NDArray[np.int32]:
    """For each degree of freedom how many follow, it included, whose inertia is diagonal."""
    is_simple = np.concatenate([before, segment.own("dof_simplenum", "nv")]) > 0
    dofs = np.arange(len(is_simple))
    ends = np.where(is_simple, len(is_simple), dofs)
    nearest = np.minimum.accumulate(ends[::-1])[::-1]  # the next one that is not
    return np.where(is_simple, nearest - dofs, 0).astype(np.int32)
