"""Selections: actors, and parts of actors, by the pattern of their names over all environments.

Where things lie is looked up once; a call then copies rows. Worlds that are built anew in the
meantime are noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from unibody.core.batch.batch import Batch
from unibody.core.batch.bias import read_coriolis_forces
from unibody.core.batch.devices import gravity_forces, make_rows
from unibody.core.batch.dynamics import Part, jacobian_rows, matrix_columns
from unibody.core.batch.exchange import on_host
from unibody.core.batch.fields import FIELDS, Field
from unibody.core.batch.group import Group
from unibody.core.batch.layout import Control, Space
from unibody.core.batch.patterns import matching, none_fits
from unibody.core.batch.rows import Rows
from unibody.core.batch.tables import BodyFlag
from unibody.errors import InvalidArgumentError, NotSupportedError

Ints = npt.NDArray[np.int64]
_MATRICES = ("jacobians", "mass_matrices", "gravity_forces", "coriolis_forces")


class Selection:
    """Some actors, bodies, degrees of freedom or shapes.

    The first axis of every array counts what was selected; parts of actors (``Actors.bodies``,
    ``dofs``, ``shapes``) have a second one for the parts, as long as the actor with the most parts
    has. Where an actor has fewer, arrays hold zeros, and nothing is written.

    Attributes:
        batch: The batch.
        what: "actor", "body", "dof" or "shape".
        owners: The actor of each entry along the first axis.
        numbers: Rows in the arrays of the batch, (count,) or (count, parts); -1: there is none.
        names: Of what is selected, or of the parts of the first actor.
    """

    def __init__(
        self, batch: Batch, what: str, owners: Sequence[Any], places: Ints, names: Sequence[str]
    ) -> None:
        """Make one.

        Args:
            batch: The batch, built.
            what: What is selected.
            owners: An actor each.
            places: Numbers in these, (owners,) or (owners, parts); -1: there is none.
            names: See above.
        """
        self.batch = batch
        self.what = what
        self.owners: list[Any] = list(owners)
        self.names: list[str] = list(names)
        self._places = places
        self.numbers = self._numbered()
        self._rows: Rows | None = None
        self._groups: Any = None
        self._fields = FIELDS[what]

    def _numbered(self) -> Ints:
        first = np.array([getattr(owner, _FIRST[self.what]) for owner in self.owners], np.int64)
        first = first.reshape(-1, *[1] * (self._places.ndim - 1))
        return np.where(self._places >= 0, first + self._places, -1)

    @property
    def count(self) -> int:
        """Length of the first axis."""
        return len(self.numbers)

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Where there is something, of the shape of ``numbers``."""
        return self.numbers >= 0

    def read(self, name: str, out: Any = None) -> Any:
        """A quantity of all that is selected, see ``fields``.

        Args:
            name: Of the quantity.
            out: Where to write it; None: a new array.

        Returns:
            An array of NumPy, or on a Warp device of Warp: the axes of ``numbers``, and those of
            one value.

        Raises:
            InvalidArgumentError: There is no such quantity.
        """
        field = self._field(name)
        batch, rows = self.batch, self._ready()
        if name == "forces":
            self._report_forces()
        if field.fresh:
            getattr(batch, field.fresh)()
        if field.record:
            return rows.take(getattr(batch.buffers, field.array)[field.record], 0, 0, out)
        found = rows.take(getattr(batch.buffers, field.array), field.first, field.width, out)
        return found if field.tail or not field.width else found.reshape(self.numbers.shape)

    def write(self, name: str, values: Any, chosen: Any = None) -> None:
        """Set a quantity, to be effective in the next step.

        Args:
            name: Of the quantity.
            values: Of the shape that ``read`` returns, or one that can be spread to it.
            chosen: Numbers along the first axis, or a mask of it; None: all.

        Raises:
            InvalidArgumentError: There is no such quantity, the shape is another, or a number is
                out of range.
            NotSupportedError: The quantity can only be read.
        """
        field = self._field(name)
        if not field.written:
            raise NotSupportedError(f"writing {name!r} of a selection of {self.what}s", "read it")
        if chosen is not None:
            self.part(chosen).write(name, values)
            return
        rows = self._ready()
        own = rows.checked(values, field.tail)
        if field.record:
            self._write_property(field, rows, own)
        elif field.control:
            self._write_control(field, rows, own)
        elif self.what == "dof":
            self._write_dofs(field, rows, own)
        else:
            self._write_roots(field, rows, own)

    def add_wrenches(
        self,
        forces: Any = None,
        torques: Any = None,
        points: Any = None,
        space: Space = Space.WORLD,
    ) -> None:
        """Add forces [N] and torques [Nm] to bodies, for one step.

        Args:
            forces: ``(*numbers.shape, 3)``; at the mass centres where there are no points.
            torques: The same.
            points: The same: where the forces act [m].
            space: The frame of all of them.
        """
        if self.what != "body":
            raise InvalidArgumentError("selection", self.what, "a selection of bodies")
        self.batch.kinematics()
        rows = self._ready()
        spread = [None if v is None else self._spread(rows, v) for v in (forces, torques, points)]
        for group in self.batch.groups:
            group.exchange.add_wrenches(spread[0], spread[1], spread[2], int(space))
        self.batch.forced()

    # --- parts ---------------------------------------------------------------------------------

    def _spread(self, rows: Rows, values: Any) -> Any:
        """Vectors of all bodies of the batch, zero but for those that are selected."""
        whole = self.batch.buffers.zeros((self.batch.buffers.counts[1], 3))
        rows.put(whole, 0, rows.checked(values, (3,)))
        return whole

    def _field(self, name: str) -> Field:
        field = self._fields.get(name)
        if field is None:
            raise InvalidArgumentError("name", name, f"one of {sorted(self._fields)}")
        return field

    def part(self, chosen: Any) -> Selection:
        """Some of what is selected.

        Args:
            chosen: Numbers along the first axis, or a mask of it.

        Raises:
            InvalidArgumentError: A number is out of range, or the mask has another length.
        """
        places = np.asarray(chosen.numpy() if hasattr(chosen, "numpy") else chosen)
        if places.dtype == np.bool_:
            if places.shape != (self.count,):
                raise InvalidArgumentError("chosen.shape", places.shape, f"({self.count},)")
            places = np.flatnonzero(places)
        if places.size and not 0 <= places.min() <= places.max() < self.count:
            raise InvalidArgumentError(
                "chosen", places.tolist()[:8], f"numbers from 0 to {self.count - 1}"
            )
        owners = [self.owners[place] for place in places.ravel().tolist()]
        own = self._places[places.ravel()]
        return Selection(self.batch, self.what, owners, own, self.names)

    def _ready(self) -> Rows:
        """The rows, for the worlds that there are now."""
        batch = self.batch
        batch.build()
        if self._rows is None or self._groups is not batch.groups:
            self._groups = batch.groups
            self.numbers: Ints = self._numbered()
            self._rows = make_rows(self.numbers, batch.buffers, batch.device)
            there = self.numbers[self.numbers >= 0]
            self._there = there
            self._own = batch.buffers.indices(there)
            self._actors = np.unique([owner.index for owner in self.owners]).astype(np.int64)
            places = batch.index.actor_places[self._actors]
            used: list[int] = np.unique(places[:, 0]).tolist()
            self._used: list[Group] = [batch.groups[number] for number in used]
            pairs: list[list[int]] = np.unique(places[:, (0, 2)], axis=0).tolist()
            self._kinds: list[tuple[int, int, Ints]] = [
                (group, local, np.unique(places[(places[:, (0, 2)] == (group, local)).all(1), 1]))
                for group, local in pairs
            ]
            self._balls = self.what == "dof" and any(
                (group.places.dofs[:, 2] >= 0).any() for group in self._used
            )
        return self._rows

    # --- writing -------------------------------------------------------------------------------

    def _write_property(self, field: Field, rows: Rows, values: Any) -> None:
        batch = self.batch
        rows.put(getattr(batch.buffers, field.array)[field.record], 0, values)
        if field.record in {"lower", "upper"}:
            batch.buffers.dof_table["limited"][self._there] = True
        if field.record in {"com", "inertia"} and self._off_centre():
            return  # worlds are built anew, with these properties
        change: Callable[..., None]
        for number, local, worlds in self._kinds:
            change = getattr(batch.groups[number], _CHANGES[self.what])
            change(local, worlds.astype(np.int64))

    def _off_centre(self) -> bool:
        """Note that mass centres may lie elsewhere; True if there are no worlds for that yet."""
        batch = self.batch
        ready = all(batch.groups[number].shifted[local] for number, local, _ in self._kinds)
        if not ready:
            for number in self._actors.tolist():
                batch.index.actors[number].off_centre = True
            batch.edited()
        return not ready

    def _write_control(self, field: Field, rows: Rows, values: Any) -> None:
        array = getattr(self.batch.buffers, field.array)
        rows.put(array, 0, values)
        for group in self._used:
            if field.control == Control.EFFORT:
                group.exchange.write_effort_rows(self._own, array)
            else:
                group.exchange.write_target_rows(self._own, array, field.control)
        if field.control == Control.EFFORT:
            self.batch.forced()

    def _write_dofs(self, field: Field, rows: Rows, values: Any) -> None:
        batch = self.batch
        if self._balls:
            batch.read_dofs()  # the components of a ball joint are written together
        rows.put(batch.buffers.dofs, field.first, values.reshape((*self.numbers.shape, 1)))
        for group in self._used:
            group.exchange.write_dof_rows(self._own, batch.buffers.dofs, field.parts)
        batch.state_changed("dofs")

    def _write_roots(self, field: Field, rows: Rows, values: Any) -> None:
        batch = self.batch
        batch.read_roots()
        rows.put(batch.buffers.roots, field.first, values)
        for group in self._used:
            group.exchange.write_roots(self._own, batch.buffers.roots, field.parts)
        batch.state_changed("roots", "dofs")

    def _report_forces(self) -> None:
        host = self.batch.buffers.host
        if not host.reporting[self._there].all():
            host.reporting[self._there] = True
            self.batch.buffers.to_device("reporting")
            self.batch.read_dof_forces()


_FIRST = {"actor": "index", "body": "sim_body", "dof": "sim_dof", "shape": "sim_shape"}
_CHANGES = {"body": "bodies_changed", "dof": "dofs_changed", "shape": "surfaces_changed"}


class Actors(Selection):
    """Some actors, see ``Selection``.

    Attributes:
        actors: The actors.
    """

    def __init__(self, batch: Batch, actors: Sequence[Any]) -> None:
        self.actors: list[Any] = list(actors)
        places = np.zeros(len(self.actors), np.int64)
        super().__init__(batch, "actor", actors, places, [actor.name for actor in actors])
        self._parts: list[Part] | None = None
        self._parts_of: Any = None
        self._sorted: list[tuple[Ints, Actors]] | None = None

    @property
    def homogeneous(self) -> bool:
        """Whether all are of one kind."""
        return len({id(actor.kind) for actor in self.actors}) == 1

    def bodies(self, pattern: str = "*", *, regex: bool = False) -> Selection:
        """The bodies whose names fit a pattern, (count, bodies)."""
        return self._pick("body", lambda kind: kind.body_names, pattern, regex)

    def dofs(self, pattern: str = "*", *, regex: bool = False) -> Selection:
        """The degrees of freedom whose names fit a pattern, (count, dofs)."""
        return self._pick("dof", lambda kind: [dof.name for dof in kind.dofs], pattern, regex)

    def shapes(self, pattern: str = "*", *, regex: bool = False) -> Selection:
        """The collision shapes of the bodies whose names fit a pattern, (count, shapes)."""
        return self._pick(
            "shape",
            lambda kind: [kind.body_names[shape.body] for shape in kind.shapes],
            pattern,
            regex,
        )

    def _pick(
        self, what: str, names_of: Callable[[Any], list[str]], pattern: str, regex: bool
    ) -> Selection:
        found = {
            id(actor.kind): matching(names_of(actor.kind), pattern, regex=regex)
            for actor in {id(a.kind): a for a in self.actors}.values()
        }
        most = max((len(places) for places in found.values()), default=0)
        if not most and pattern != "*":
            names = [name for a in self.actors for name in names_of(a.kind)]
            raise none_fits(f"{what}s", pattern, names)
        numbers = np.full((self.count, most), -1, np.int64)
        for row, actor in zip(numbers, self.actors, strict=True):
            own = found[id(actor.kind)]
            row[: len(own)] = own
        names = names_of(self.actors[0].kind) if self.actors else []
        own = found[id(self.actors[0].kind)] if self.actors else []
        return Selection(self.batch, what, self.actors, numbers, [names[n] for n in own])

    def read(self, name: str, out: Any = None) -> Any:
        """See ``Selection.read``; besides, "jacobians" and "mass_matrices".

        And "gravity_forces", what gravity exerts on each column, (count, columns) [N, Nm], and
        "coriolis_forces", what holds against Coriolis and centrifugal forces on each.

        Their columns are those of the base's velocity and angular velocity in the world's axes,
        where it moves, and of the degrees of freedom. Jacobians, (count, bodies, 6, columns), are
        of the mass centres; a base that is held has no row. Where an actor has fewer bodies or
        columns than another, arrays end with zeros.
        """
        if name not in _MATRICES:
            return super().read(name, out)
        if not self.actors:
            raise InvalidArgumentError("name", name, "a quantity that no actors have")
        alike = self._alike()
        if len(alike) > 1:
            return self._of_several_kinds(name, alike, out)
        kind, fixed = self.actors[0].kind, self.actors[0].fixed
        columns = matrix_columns(kind, fixed=fixed)
        if name == "gravity_forces":
            return self._gravity_forces(columns, out)
        if name == "coriolis_forces":
            return self._coriolis_forces(columns, out)
        rows = (jacobian_rows(kind, fixed=fixed), 6) if name == "jacobians" else (columns,)
        found = out
        if found is None:
            found = self.batch.buffers.zeros((self.count, *rows, columns))
        for part in self._ready_parts():
            if name == "jacobians":
                part.read_jacobians(found)
            else:
                part.read_mass_matrices(found)
        return found

    def _alike(self) -> list[tuple[Ints, Actors]]:
        """Actors whose matrices have the same shape, and their numbers here."""
        if self._sorted is None:
            found: dict[tuple[int, bool], list[int]] = {}
            for number, actor in enumerate(self.actors):
                found.setdefault((id(actor.kind), actor.fixed), []).append(number)
            single = len(found) == 1
            self._sorted = [
                (
                    np.array(rows, np.int64),
                    self if single else Actors(self.batch, [self.actors[row] for row in rows]),
                )
                for rows in found.values()
            ]
        return self._sorted

    def _of_several_kinds(self, name: str, alike: list[tuple[Ints, Actors]], out: Any) -> Any:
        """A matrix of all, those of one shape after the other."""
        parts: list[npt.NDArray[Any]] = [on_host(actors.read(name)) for _, actors in alike]
        shape = np.max([part.shape[1:] for part in parts], axis=0).tolist()
        whole = np.zeros((self.count, *shape), parts[0].dtype)
        for (rows, _), part in zip(alike, parts, strict=True):
            whole[(rows, *(slice(0, length) for length in part.shape[1:]))] = part
        return self._placed(whole, out)

    def _placed(self, values: npt.NDArray[Any], out: Any) -> Any:
        """Values in an array of the batch's own kind."""
        found: Any = self.batch.buffers.zeros(values.shape) if out is None else out
        if isinstance(found, np.ndarray):
            found[...] = values
        else:
            found.assign(values.astype(np.float32))
        return cast("Any", found)

    def _ready_parts(self) -> list[Part]:
        self.batch.kinematics()
        if self._parts is None or self._parts_of is not self.batch.groups:
            self._parts_of = self.batch.groups
            self._parts = self.batch.matrix_parts(self.actors)
        return self._parts

    def _coriolis_forces(self, columns: int, out: Any) -> Any:
        forces = np.zeros((self.count, columns))
        for part in self._ready_parts():
            read_coriolis_forces(part, forces)
        return self._placed(forces, out)

    def _gravity_forces(self, columns: int, out: Any) -> Any:
        jacobians = self.read("jacobians")
        buffers = self.batch.buffers
        found = buffers.zeros((self.count, columns)) if out is None else out
        moving = self.bodies().numbers[:, -jacobians.shape[1] :]
        table = buffers.body_table[moving]
        falls = (table["flags"] & BodyFlag.WEIGHTLESS) == 0
        if not self.actors[0].kind.placement.gravity:
            falls[:] = False
        gravity_forces(jacobians, table["mass"] * falls, self.batch.options.world.gravity, found)
        return found


def select_actors(batch: Batch, pattern: str, *, regex: bool = False) -> Actors:
    """The actors of all environments whose names fit a pattern.

    Args:
        batch: The batch; builds.
        pattern: A glob, level by level, or a regular expression; see ``patterns``.
        regex: Which of the two it is.

    Raises:
        InvalidArgumentError: No name fits.
    """
    actors = batch.actors
    names = [actor.name for actor in actors]
    found = matching(names, pattern, regex=regex)
    if not found:
        raise none_fits("actors", pattern, names)
    return Actors(batch, [actors[number] for number in found])


def select_bodies(batch: Batch, pattern: str, *, regex: bool = False) -> Selection:
    """The bodies of all environments whose names fit a pattern, (count,).

    A body's name is that of its actor, ``/`` and its own.

    Raises:
        InvalidArgumentError: No name fits.
    """
    bodies = [
        (actor, number) for actor in batch.actors for number in range(len(actor.kind.body_names))
    ]
    names = [f"{actor.name}/{actor.kind.body_names[number]}" for actor, number in bodies]
    found = matching(names, pattern, regex=regex)
    if not found:
        raise none_fits("bodies", pattern, names)
    owners = [bodies[n][0] for n in found]
    places = np.array([bodies[n][1] for n in found], np.int64)
    return Selection(batch, "body", owners, places, [names[n] for n in found])
