"""Cables, cloths and soft bodies of a pattern, in all worlds: one row an object."""

from __future__ import annotations

import itertools
import logging
import weakref
from typing import Any, ClassVar

import warp as wp

from unibody.newton.enums import AttributeFrequency as Frequency
from unibody.newton.labels import match_labels
from unibody.newton.selection import object_arrays as arrays

_log = logging.getLogger("newton")


class DeformableView:
    """Objects of one family. What is got is a view of the array where objects are evenly spaced.

    Where they are not it is a copy, the same array each time, written anew.

    Args:
        model: The model.
        pattern: Of labels, a list of them, a regular expression, or indices that ascend.
        verbose: Whether a line says what was found.

    Attributes:
        family: "curve", "surface" or "volume".
        count: Number of objects, C.
        count_per_world: Objects of each world; None: they differ.
        labels: Of each object, world by world.
        worlds: Of each object; -1: of all worlds.
        worlds_device: The same as an array, (C,).
        deformable_object_boundaries: Where the objects of each world begin, and the number of all.

    Raises:
        KeyError: No object has such a label.
        ValueError: Objects of one world and of all worlds have.
    """

    _FAMILY: ClassVar[str] = ""
    _KINDS: ClassVar[dict[str, str]] = {}

    def __init__(self, model: Any, pattern: Any, *, verbose: bool | None = None) -> None:
        self.model = model
        self.device: Any = model.device
        self.family: str = self._FAMILY
        ids, sizes = _chosen(self, model, pattern)
        self.count: int = len(ids)
        self.count_per_world: int | None = sizes[0] if len(set(sizes)) == 1 else None
        labels = getattr(model, f"{self.family}_label")
        worlds = getattr(model, f"{self.family}_world").numpy()
        self.labels: list[str] = [labels[i] for i in ids]
        self.worlds: list[int] = [int(worlds[i]) for i in ids]
        self._ends = [sum(sizes[:world]) for world in range(len(sizes) + 1)]
        with wp.ScopedDevice(self.device):
            self.worlds_device: wp.array[Any] = wp.array(self.worlds, dtype=wp.int32)
            self.deformable_object_boundaries: wp.array[Any] = wp.array(self._ends, dtype=wp.int32)
            self._members = wp.empty(self.count, dtype=wp.int32)
        self._ranges: dict[str, list[tuple[int, int]]] = {}
        self._starts: dict[str, wp.array[Any]] = {}
        for kind, entity in self._KINDS.items():
            bounds = (
                getattr(model, f"{self.family}_{entity}_{end}").numpy()[ids].tolist()
                for end in ("start", "end")
            )
            self._ranges[kind] = list(zip(*bounds, strict=True))
            starts = [start for start, _ in self._ranges[kind]]
            self._starts[kind] = wp.array(starts, dtype=wp.int32, device=self.device)
        self._rows: Any = weakref.WeakKeyDictionary()
        if verbose:
            self._tell(pattern)

    def _tell(self, pattern: Any) -> None:
        counts = {kind: self.element_count(kind) for kind in self._KINDS}
        parts = ", ".join(f"{n if n is not None else 'ragged'} {k}(s)" for k, n in counts.items())
        _log.info(
            "%s '%s' (%s): %s deformable object(s) x [%s]",
            *(type(self).__name__, pattern, self.family, self.count, parts),
        )

    def deformable_object_ranges(self) -> list[tuple[int, int]]:
        """Which rows are of each world, as (first, end); of objects of all worlds there is one."""
        return list(itertools.pairwise(self._ends))

    def element_count(self, kind: Any) -> int | None:
        """Parts of each object; None: they differ.

        Args:
            kind: An `AttributeFrequency`, or its name in small letters.

        Raises:
            TypeError: It is neither.
            ValueError: Objects of this family have no such parts.
        """
        sizes = {end - start for start, end in self._ranges[self._kind(kind)]}
        return sizes.pop() if len(sizes) == 1 else None

    def ranges(self, kind: Any) -> list[tuple[int, int]]:
        """Where parts of each object are in the arrays of the model, as (first, end).

        Args:
            kind: See `element_count`.
        """
        return list(self._ranges[self._kind(kind)])

    def starts(self, kind: Any) -> wp.array[Any]:
        """Where parts of each object begin, (C,); not to be written.

        Args:
            kind: See `element_count`.
        """
        return self._starts[self._kind(kind)]

    def set_mask_from_indices(self, mask: wp.array[Any], deformable_object_indices: Any) -> None:
        """Let a mask mean some rows and no others.

        Args:
            mask: Is written, (C,) of bools.
            deformable_object_indices: Numbers of rows; an array of the device may have others, too,
                which mean none.

        Raises:
            TypeError: The mask is no Warp array, or an index no integer.
            ValueError: An index or an array does not fit.
            RuntimeError: A graph is being recorded, and indices are of the host.
        """
        from unibody.newton.selection import object_kernels as kernels

        if not isinstance(mask, wp.array):
            raise TypeError("mask is no Warp array: a caller-owned one is written")
        arrays.mask_of(mask, self.count, self.device)
        if self.count > 1 and abs(mask.strides[0]) < 1:
            raise ValueError("entries of the mask overlap in memory")
        indices = arrays.indices_of(deformable_object_indices, self.count, self.device)
        self._members.zero_()
        for kernel, dim, inputs in (
            (kernels.note_members, indices.size, [indices, self._members]),
            (kernels.write_mask, self.count, [self._members, mask]),
        ):
            wp.launch(kernel, dim=dim, inputs=inputs, device=self.device, record_tape=False)

    def _kind(self, kind: Any) -> str:
        name = kind.name.lower() if isinstance(kind, Frequency) else kind
        if not isinstance(name, str):
            raise TypeError(
                f"kind must be an AttributeFrequency or its name in small letters: {kind!r}"
            )
        if name not in self._KINDS:
            raise ValueError(
                f"objects of the family {self.family} record {', '.join(self._KINDS)} elements,"
                f" not {name!r}"
            )
        return name

    def _parts(self, kind: str) -> int:
        count = self.element_count(kind)
        if count is None:
            sizes = sorted({end - start for start, end in self._ranges[kind]})
            raise ValueError(
                f"Varying {kind} counts per {self.family}, {sizes}, make no array:"
                f" ranges({kind!r}) says where they are"
            )
        return count

    def _read(self, kind: str, name: str, source: Any, dtype: Any) -> wp.array[Any]:
        """Parts of all objects, (C, parts)."""
        from unibody.newton.selection.object_kernels import read_rows

        parts = self._parts(kind)
        array = getattr(source, name)
        self._check(kind, array, dtype)
        rows, is_copy = self._rows_of(kind, name, source, array, parts)
        if is_copy:
            inputs = [array, self._starts[kind], rows]
            wp.launch(read_rows, dim=(self.count, parts), inputs=inputs, device=self.device)
        return rows

    def _rows_of(
        self, kind: str, name: str, source: Any, array: Any, parts: int
    ) -> tuple[wp.array[Any], bool]:
        """Room for parts, and whether they have to be copied there; kept as long as the source."""
        grad = array.grad if array.requires_grad else None
        kept = self._rows.setdefault(source, {})
        if name in kept and kept[name][1] is array and kept[name][2] is grad:
            return kept[name][0]
        starts = [start for start, _ in self._ranges[kind]]
        seen = rows_or_none(array, starts, parts)
        made = seen is None
        if seen is None:
            seen = wp.empty(
                (self.count, parts),
                dtype=array.dtype,
                device=self.device,
                requires_grad=array.requires_grad,
            )
        if not self.device.is_capturing:
            kept[name] = (seen, made), array, grad
        return seen, made

    def _write(self, kind: str, name: str, target: Any, values: Any, dtype: Any, mask: Any) -> None:
        """Write parts of those objects that a mask means."""
        from unibody.newton.selection.object_kernels import write_rows

        parts = self._parts(kind)
        array = getattr(target, name)
        self._check(kind, array, dtype)
        values = arrays.values_of(values, (self.count, parts), dtype, self.device)
        mask = arrays.mask_of(mask, self.count, self.device)
        if arrays.overlap(values, array):
            raise ValueError(
                "values overlap the state array that is written: wp.clone(values) works"
            )
        wp.launch(
            write_rows,
            dim=(self.count, parts),
            inputs=[values, self._starts[kind], mask],
            outputs=[array],
            device=self.device,
        )

    def _check(self, kind: str, array: Any, dtype: Any) -> None:
        least = max((end for _, end in self._ranges[kind]), default=0)
        arrays.check_array(array, dtype, self.device, least, kind)


def rows_or_none(array: Any, starts: list[int], parts: int) -> Any:
    """See `object_arrays.rows_of`; a new array where there is nothing to see."""
    if not parts:
        return wp.empty((len(starts), 0), dtype=array.dtype, device=array.device)
    return arrays.rows_of(array, starts, parts)


def _chosen(view: DeformableView, model: Any, pattern: Any) -> tuple[list[int], list[int]]:
    """Objects of a pattern, world by world, and how many there are in each world."""
    labels = getattr(model, f"{view.family}_label")
    worlds = getattr(model, f"{view.family}_world").numpy()
    found = match_labels(labels, pattern)
    if isinstance(pattern, list) and found and isinstance(pattern[0], int):
        if any(after <= before for before, after in itertools.pairwise(found)):
            raise ValueError(f"indices {pattern} are not unique and ascending")
        if found[0] < 0 or found[-1] >= len(labels):
            raise ValueError(f"indices {pattern} are not in [0, {len(labels)})")
    shared = [i for i in found if worlds[i] < 0]
    own = [[i for i in found if worlds[i] == world] for world in range(model.world_count)]
    ids = [i for row in own for i in row]
    if ids and shared:
        raise ValueError(
            f"pattern {pattern!r} matches global and per-world objects, of which there is no order"
        )
    if shared:
        return shared, [len(shared)]
    if not ids:
        raise KeyError(f"No {view.family} objects matching pattern {pattern!r}")
    return ids, [len(row) for row in own]


class _ParticleView(DeformableView):
    """Objects made of particles."""

    @property
    def particle_count(self) -> int | None:
        """Particles of each object, P; None: they differ."""
        return self.element_count("particle")

    def get_particle_inv_masses(self, source: Any) -> wp.array[Any]:
        """Inverse masses of a model's particles, (C, P) [1/kg]."""
        return self._read("particle", "particle_inv_mass", source, wp.float32)

    def get_particle_flags(self, source: Any) -> wp.array[Any]:
        """Flags of a model's particles, (C, P)."""
        return self._read("particle", "particle_flags", source, wp.int32)

    def get_particle_positions(self, source: Any) -> wp.array[Any]:
        """Places of particles of a model or state, (C, P) [m]."""
        return self._read("particle", "particle_q", source, wp.vec3)

    def set_particle_positions(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write places of particles of a model or state.

        Args:
            target: The model or state.
            values: (C, P) of vectors, or numbers (C, P, 3) [m].
            mask: Which objects are written, (C,); None: all.
        """
        self._write("particle", "particle_q", target, values, wp.vec3, mask)

    def get_particle_velocities(self, source: Any) -> wp.array[Any]:
        """Velocities of particles of a model or state, (C, P) [m/s]."""
        return self._read("particle", "particle_qd", source, wp.vec3)

    def set_particle_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write velocities of particles of a model or state, as `set_particle_positions`."""
        self._write("particle", "particle_qd", target, values, wp.vec3, mask)


class DeformableCurveView(DeformableView):
    """Cables, whose segments are bodies; see `DeformableView`."""

    _FAMILY = "curve"
    _KINDS: ClassVar[dict[str, str]] = {"body": "body", "joint": "joint"}

    @property
    def body_count(self) -> int | None:
        """Segments of each cable, B; None: they differ."""
        return self.element_count("body")

    def get_body_transforms(self, source: Any) -> wp.array[Any]:
        """Poses of segments of a model or state, (C, B)."""
        return self._read("body", "body_q", source, wp.transform)

    def set_body_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write poses of segments of a model or state.

        Args:
            target: The model or state.
            values: (C, B) of transforms, or numbers (C, B, 7).
            mask: Which cables are written, (C,); None: all.
        """
        self._write("body", "body_q", target, values, wp.transform, mask)

    def get_body_velocities(self, source: Any) -> wp.array[Any]:
        """Velocities of segments of a model or state, linear first, (C, B)."""
        return self._read("body", "body_qd", source, wp.spatial_vector)

    def set_body_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        """Write velocities of segments of a model or state, as `set_body_transforms`."""
        self._write("body", "body_qd", target, values, wp.spatial_vector, mask)


class DeformableSurfaceView(_ParticleView):
    """Cloths; see `DeformableView`."""

    _FAMILY = "surface"
    _KINDS: ClassVar[dict[str, str]] = {
        "particle": "particle",
        "triangle": "tri",
        "edge": "edge",
    }


class DeformableVolumeView(_ParticleView):
    """Soft bodies; see `DeformableView`."""

    _FAMILY = "volume"
    _KINDS: ClassVar[dict[str, str]] = {"particle": "particle", "tetrahedron": "tet"}
