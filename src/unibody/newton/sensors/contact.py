"""SensorContact: forces of contacts on bodies or shapes, in total and by what they touch."""

from __future__ import annotations

from enum import Enum
from itertools import product
from typing import Any, ClassVar

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.labels import Pattern, match_labels
from unibody.newton.solvers.observables import ObservableKind


class MatchAny:
    """Stands for all counterparts at once."""


class SensorContact:
    """Measures forces of contacts on sensing objects.

    Args:
        model: The model.
        sensing_obj_bodies: Bodies that sense, as indices or patterns of labels.
        sensing_obj_shapes: Shapes that sense; one of the two is stated.
        counterpart_bodies: Bodies whose forces are told apart.
        counterpart_shapes: Shapes whose forces are told apart; one of the two at most.
        include_total: Whether the first column is the total, where there are counterparts.
        prune_noncolliding: Whether counterparts that can never touch have no reading.
        verbose: Whether to print what it measures; None: as Warp does.
        request_contact_attributes: Whether contacts made from now on have forces.
        sensing_bodies: The later name of ``sensing_obj_bodies``.
        sensing_shapes: The later name of ``sensing_obj_shapes``.
        measure_total: The later name of ``include_total``.

    Attributes:
        net_force: Forces [N], a row a sensing object, a column a reading.
        shape: Of `net_force`.
        sensing_objs: Index and kind of each row's object.
        counterparts: Index and kind of each counterpart.
        reading_indices: For each row, the counterparts of its readings.
        solver_observable_kinds: What it reads, where solvers tell it as observables.
    """

    solver_observable_kinds: ClassVar[frozenset[str]] = frozenset({ObservableKind.CONTACT_F})

    class MatchKind(Enum):
        """What a sensing object or a counterpart is."""

        MATCH_ANY = 0
        SHAPE = 1
        BODY = 2

    def __init__(
        self,
        model: Any,
        *,
        sensing_obj_bodies: Pattern | None = None,
        sensing_obj_shapes: Pattern | None = None,
        counterpart_bodies: Pattern | None = None,
        counterpart_shapes: Pattern | None = None,
        include_total: bool = True,
        prune_noncolliding: bool = False,
        verbose: bool | None = None,
        request_contact_attributes: bool = True,
        sensing_bodies: Pattern | None = None,
        sensing_shapes: Pattern | None = None,
        measure_total: bool | None = None,
    ) -> None:
        if sensing_bodies is not None or sensing_shapes is not None:
            if sensing_obj_bodies is not None or sensing_obj_shapes is not None:
                raise TypeError("sensing_obj_* are earlier names of sensing_*: state one of them")
            sensing_obj_bodies, sensing_obj_shapes = sensing_bodies, sensing_shapes
        if measure_total is not None:
            include_total = measure_total
            if not measure_total and counterpart_bodies is None and counterpart_shapes is None:
                raise ValueError("measure_total=False needs counterparts: else nothing is measured")
        if (sensing_obj_bodies is None) == (sensing_obj_shapes is None):
            raise ValueError(
                "Exactly one of `sensing_obj_bodies` and `sensing_obj_shapes` must be specified"
            )
        if counterpart_bodies is not None and counterpart_shapes is not None:
            raise ValueError(
                "At most one of `counterpart_bodies` and `counterpart_shapes` may be specified."
            )
        self.device, self._model = model.device, model
        self.verbose: bool = getattr(wp.config, "verbose", False) if verbose is None else verbose
        if request_contact_attributes:
            model.request_contact_attributes("force")
        self.sensing_objs, members = _objects(
            model, "sensing_obj", sensing_obj_bodies, sensing_obj_shapes
        )
        self.counterparts, others = _objects(
            model, "counterpart", counterpart_bodies, counterpart_shapes
        )
        with_total = include_total or not self.counterparts
        self._others = [index for index, _ in self.counterparts]
        self._apart = bool(self.counterparts)
        if with_total:
            self.counterparts.insert(0, (MatchAny, self.MatchKind.MATCH_ANY))
        pairs = None
        if prune_noncolliding:
            pairs = {tuple(pair) for pair in model.shape_contact_pairs.numpy().tolist()}
        columns = self._columns(members, others, with_total, pairs)
        count = 1 + max((shape for group in (*members, *others) for shape in group), default=0)
        with wp.ScopedDevice(model.device):
            self._total = 0 if with_total else -1
            self._row_of = wp.array(_number_of(members, count), dtype=wp.int32)
            self._counterpart_of = wp.array(_number_of(others, count), dtype=wp.int32)
            self._column_of = wp.array(columns, dtype=wp.int32)
            self.net_force: wp.array[Any] = wp.zeros(self.shape, dtype=wp.vec3)
        if self.verbose:
            print(f"SensorContact: {self.shape[0]} objects, {self.shape[1]} readings")  # noqa: T201

    def _columns(
        self,
        members: list[list[int]],
        others: list[list[int]],
        with_total: bool,
        pairs: set[Any] | None,
    ) -> np.ndarray:
        """The column of each row and counterpart; -1: they have no reading."""
        columns = np.full((len(members), max(len(others), 1)), -1, np.int32)
        self.reading_indices: list[list[int]] = []
        for row, mine in enumerate(members):
            readings = [0] if with_total else []
            for number, theirs in enumerate(others):
                met = {(min(p), max(p)) for p in product(mine, theirs) if p[0] != p[1]}
                if pairs is not None:
                    met &= pairs
                if met:
                    columns[row, number] = len(readings)
                    readings.append(number + with_total)
            self.reading_indices.append(readings)
        self.shape: tuple[int, int] = (len(members), max(map(len, self.reading_indices), default=0))
        return columns

    def update(self, state: Any = None, contacts: Any = None, *, observables: Any = None) -> None:
        """Measure contacts.

        Args:
            state: Not needed; contacts, where they are the only argument, as before 1.x.
            contacts: The contacts.
            observables: Of the step, with ``contact_f``; None: the contacts have their forces.

        Raises:
            ValueError: There are no forces, as contacts were made before the sensor, or they are
                of other contacts or of another model.
        """
        contacts = state if contacts is None else contacts
        if observables is not None and observables.model is not self._model:
            raise ValueError("observables are of another model: expected those of the sensor's")
        if observables is not None and observables.contacts is not contacts:
            raise ValueError("observables are of other contacts: expected those of their last step")
        forces = contacts.force if observables is None else observables.contact_f
        if forces is None:
            raise ValueError(
                "SensorContact requires a ``Contacts`` object with ``force`` allocated (create"
                " ``SensorContact`` before ``Contacts`` for automatically requesting it), or"
                " observables made with the sensor's solver_observable_kinds"
            )
        from unibody.newton.sensors.sensor_kernels import contact_readings

        self.net_force.zero_()
        wp.launch(
            contact_readings,
            dim=contacts.rigid_contact_max,
            inputs=[
                contacts.rigid_contact_count,
                contacts.rigid_contact_shape0,
                contacts.rigid_contact_shape1,
                forces,
                self._row_of,
                self._counterpart_of,
                self._column_of,
                self._total,
            ],
            outputs=[self.net_force],
            device=self.device,
        )

    @property
    def total_force(self) -> wp.array[Any] | None:
        """The total force on each sensing object [N]; None: it is not measured."""
        return self.net_force[:, 0] if self._total == 0 else None

    @property
    def force_matrix(self) -> wp.array[Any] | None:
        """Forces of counterparts, a row a sensing object [N]; None: there are no counterparts."""
        if not self._apart:
            return None
        return self.net_force[:, self._total + 1 :]

    @property
    def sensing_indices(self) -> list[int]:
        """Bodies or shapes that sense, one a row."""
        return [int(index) for index, _ in self.sensing_objs]

    @property
    def counterpart_indices(self) -> list[list[int]]:
        """For each row, the bodies or shapes of the columns of `force_matrix`."""
        first = self._total + 1
        return [
            [int(self._others[number - first]) for number in row[first:]]
            for row in self.reading_indices
        ]

    @property
    def sensing_type(self) -> str:
        """Whether bodies or shapes sense: "body" or "shape"."""
        return "body" if self.sensing_objs[0][1] is self.MatchKind.BODY else "shape"

    @property
    def counterpart_type(self) -> str | None:
        """Whether counterparts are bodies or shapes; None: there are none."""
        if not self._apart:
            return None
        return "body" if self.counterparts[-1][1] is self.MatchKind.BODY else "shape"

    def __getattr__(self, name: str) -> Any:
        if name in ("total_force_friction", "force_matrix_friction", "position_matrix"):
            instead = "total_force and force_matrix hold whole forces"
            raise NotSupportedError(f"SensorContact.{name}", instead)
        raise AttributeError(f"'SensorContact' object has no attribute {name!r}")

    def get_total_force(self) -> wp.array[Any]:
        """The forces, as `net_force`."""
        return self.net_force


def _objects(
    model: Any, name: str, bodies: Pattern | None, shapes: Pattern | None
) -> tuple[list[tuple[Any, Any]], list[list[int]]]:
    """Indices and kinds of objects, and the shapes of each."""
    if bodies is None and shapes is None:
        return [], []
    kind, what = SensorContact.MatchKind.BODY, "bodies"
    if bodies is None:
        kind, what = SensorContact.MatchKind.SHAPE, "shapes"
    labels = model.body_label if bodies is not None else model.shape_label
    found = match_labels(labels, bodies if bodies is not None else shapes)  # type: ignore[arg-type]
    for index in found:
        if not 0 <= index < len(labels):
            raise IndexError(
                f"{name}_{what} contains index {index}, but model only has {len(labels)} {what}"
            )
    if len(set(found)) != len(found):
        raise InvalidArgumentError(f"{name}_{what}", found, "each index once")
    if bodies is None:
        return [(index, kind) for index in found], [[index] for index in found]
    return [(index, kind) for index in found], [list(model.body_shapes[index]) for index in found]


def _number_of(members: list[list[int]], count: int) -> np.ndarray:
    numbers = np.full(count, -1, np.int32)
    for number, shapes in enumerate(members):
        numbers[shapes] = number
    return numbers
