"""The exchange with worlds on the CPU: numba kernels on NumPy arrays, on all threads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Quat
from unibody.core.batch import read_kernels, write_kernels
from unibody.core.batch.exchange import Exchange, Members, Which
from unibody.core.batch.kernel_arrays import packed
from unibody.core.batch.layout import Control, Space
from unibody.core.batch.parameters import Change
from unibody.core.engine.records import rule_table as rules
from unibody.core.engine.worlds.cpu import CpuWorlds
from unibody.core.engine.worlds.threads import Shares

Array = npt.NDArray[Any]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]

_COPIED = 2048  # worlds: copying the numbers of fewer is faster than waking a thread
_COLUMNS = {int(Control.POSITION): rules.D_POSITION, int(Control.VELOCITY): rules.D_VELOCITY}
_EFFORT = int(Control.EFFORT)
_READERS = {
    "dofs": read_kernels.read_dofs,
    "roots": read_kernels.read_roots,
    "bodies": read_kernels.read_bodies,
    "contacts": read_kernels.read_forces,
}


class CpuExchange(Exchange):
    """See ``Exchange``; arrays are NumPy's."""

    worlds: CpuWorlds

    def __init__(self, of: Members, worlds: Any) -> None:
        super().__init__(of, worlds)
        self._layout = self._buffers.layout
        self._like = np.dtype(self._layout.dtype).type(0)
        self._nothing = np.zeros((0, 3), self._layout.dtype)
        self._shares = Shares(self.count, self.worlds.threads)
        self._own: set[str] = set()  # parameters with a row a world
        nothing = np.broadcast_to(np.zeros(3), (self.count, 3))
        self._origins = self.origins if self._layout.in_world else nothing
        self._points = self._velocity_points()
        self._unmoved = np.zeros((self.count, 3))
        self._numbers = self._packed()

    # --- parameters ----------------------------------------------------------------------------

    def _shared(self, name: str) -> F64:
        field = getattr(self.worlds.model, name)
        return np.broadcast_to(field, (self.count, *field.shape))

    def _velocity_points(self) -> F64:
        """The points in the frames of the bodies that velocities are for."""
        if self._layout.at_origin:
            nbody = self.worlds.model.nbody
            return np.broadcast_to(np.zeros((nbody, 3)), (self.count, nbody, 3))
        if "body_ipos" in self._own:
            return self.worlds.parameter("body_ipos")
        return self._shared("body_ipos")

    def _expanded(self, name: str) -> F64:
        self._own.add(name)
        values = self.worlds.parameter(name)
        if name == "body_ipos":
            self._points = self._velocity_points()
            for key, numbers in self._packed().items():
                self._numbers[key][:] = numbers  # readers know where they are
        return values

    def parameter(self, name: str, worlds: slice = slice(None)) -> F64:  # noqa: D102
        if name in self._own:
            return self.worlds.parameter(name)[worlds]
        owner = self.worlds.model
        for part in name.split("."):
            owner = getattr(owner, part)
        return np.asarray(owner, dtype=float)[None]

    def put_parameter(self, change: Change, worlds: Which) -> None:  # noqa: D102
        rows = self._expanded(change.name)
        if isinstance(worlds, slice):
            rows[worlds, change.columns] = change.values
        else:
            rows[worlds[:, None], change.columns] = change.values

    def put_whole(self, name: str, values: F64) -> None:  # noqa: D102
        self._expanded(name)[:] = values

    def put_mocap(self, row: int, positions: F64, quat: Quat) -> None:  # noqa: D102
        self.worlds.mocap_pos[:, row] = positions
        self.worlds.mocap_quat[:, row] = quat

    def put_spring(self, world: int, number: int, rule: Sequence[float]) -> None:  # noqa: D102
        self.worlds.equalities[world, number, rules.E_SPRING :] = rule

    def put_drives(self, local: int, rows: F64, worlds: Which) -> None:  # noqa: D102
        drives = self.places.actors[local].drives
        if not len(drives):
            return
        if isinstance(worlds, slice):
            self.worlds.drives[worlds, drives] = rows
        else:
            self.worlds.drives[worlds[:, None], drives] = rows

    # --- states --------------------------------------------------------------------------------

    def _packed(self) -> dict[str, Numbers]:
        """What the kernels of states are about; valid as long as the worlds are."""
        w, p, out, index = self.worlds, self.places, self._buffers, self._index
        actors = index.actor_places
        columns = (self._layout.scalar_column, self._layout.vector_column)
        dofs = [w.qpos, w.qvel]
        roots = [*dofs, w.mocap_pos, w.mocap_quat, self._points, self._origins]
        poses = [w.xpos, w.xquat, w.linear, w.angular, w.xipos, self._origins]
        at_bodies = [p.bodies, self.body_base]
        flags = (*columns, int(self._layout.at_origin))
        return {
            "set dofs": packed(dofs, [actors, p.spans, self.dof_base, p.dofs]),
            "set dof rows": packed(dofs, [index.dof_places, p.dofs]),
            "set roots": packed(roots, [p.roots, actors], more=columns),
            "dofs": packed(dofs, [p.dofs, self.dof_base], [out.dofs]),
            "roots": packed(roots, [p.roots, self.actor_base], [out.roots], columns),
            "bodies": packed(poses, at_bodies, [out.bodies], flags),
            "contacts": packed([w.contact_wrench], at_bodies, [out.contacts]),
        }

    @functools.cached_property
    def _controlled(self) -> dict[int, tuple[Numbers, Numbers]]:
        """What the kernels that write controls are about: those of actors, and of single rows."""
        w, p, index, buffers = self.worlds, self.places, self._index, self._buffers
        tables = [index.actor_places, p.spans, self.dof_base]
        found: dict[int, tuple[Numbers, Numbers]] = {}
        for control in (*_COLUMNS, _EFFORT):
            rules_of = [w.qfrc_applied if control == _EFFORT else w.drives]
            at = p.dofs if control == _EFFORT else p.drives
            noted = buffers.efforts if control == _EFFORT else buffers.targets(control)
            notes = [buffers.controls, noted]
            found[control] = (
                packed(rules_of, [*tables, at], notes),
                packed(rules_of, [index.dof_places, at], notes),
            )
        return found

    @functools.cached_property
    def _addresses(self) -> dict[int, tuple[int, int]]:
        """Where the numbers of ``_controlled`` are: to look that up takes as long as a call."""
        return {
            control: (actors.ctypes.data, rows.ctypes.data)
            for control, (actors, rows) in self._controlled.items()
        }

    def reader(self, name: str) -> Callable[[], None]:  # noqa: D102
        numbers = self._numbers[name].ctypes.data
        if self.count < 2 * _COPIED:
            return functools.partial(_READERS[name], 0, self.count, numbers, self._like)
        shared = functools.partial(self._shares.run, least=_COPIED)
        return functools.partial(shared, _READERS[name], numbers, self._like)

    def read_dof_forces(self, wanted: Any, efforts: Array, out: Array) -> None:  # noqa: D102
        self._shares.run(
            read_kernels.read_dof_forces,
            self.worlds.dof_force,
            self.places.dofs,
            self.dof_base,
            wanted,
            efforts,
            out,
            least=_COPIED,
        )

    def write_dofs(self, actors: I32, values: Array, parts: int) -> None:  # noqa: D102
        numbers = self._numbers["set dofs"].ctypes.data
        write_kernels.write_dofs(self.group, actors, numbers, values, parts)

    def write_dof_rows(self, rows: I32, values: Array, parts: int) -> None:  # noqa: D102
        numbers = self._numbers["set dof rows"].ctypes.data
        write_kernels.write_dof_rows(self.group, rows, numbers, values, parts)

    def write_roots(self, actors: I32, values: Array, parts: int) -> None:  # noqa: D102
        numbers = self._numbers["set roots"].ctypes.data
        write_kernels.write_roots(self.group, actors, numbers, values, parts)

    # --- controls ------------------------------------------------------------------------------

    def write_targets(self, actors: I32, values: Array, control: int) -> None:  # noqa: D102
        numbers, _ = self._addresses[control]
        column = _COLUMNS[control]
        write_kernels.write_targets(self.group, actors, numbers, values, control, column)

    def write_target_rows(self, rows: I32, values: Array, control: int) -> None:  # noqa: D102
        _, numbers = self._addresses[control]
        column = _COLUMNS[control]
        write_kernels.write_target_rows(self.group, rows, numbers, values, control, column)

    def write_efforts(self, actors: I32, values: Array) -> None:  # noqa: D102
        numbers, _ = self._addresses[_EFFORT]
        write_kernels.write_efforts(self.group, actors, numbers, values, _EFFORT)

    def write_effort_rows(self, rows: I32, values: Array) -> None:  # noqa: D102
        _, numbers = self._addresses[_EFFORT]
        write_kernels.write_effort_rows(self.group, rows, numbers, values, _EFFORT)

    def add_wrenches(  # noqa: D102
        self,
        forces: Array | None,
        torques: Array | None,
        points: Array | None,
        space: int,
        world: int | None = None,
    ) -> None:
        w = self.worlds
        arguments = (
            self._nothing if forces is None else forces,
            self._nothing if torques is None else torques,
            self._nothing if points is None else points,
            space == Space.LOCAL,
            self.origins if space == Space.WORLD else self._unmoved,
            w.xpos,
            w.xquat,
            w.xipos,
            self.places.bodies,
            self.body_base,
            w.xfrc_applied,
        )
        if world is None:
            self._shares.run(write_kernels.add_wrenches, *arguments)
        else:
            write_kernels.add_wrenches(world, world + 1, *arguments)

    def clear_forces(self, *, efforts: bool = True) -> None:  # noqa: D102
        if efforts:
            self.worlds.qfrc_applied[:] = 0.0
        self.worlds.xfrc_applied[:] = 0.0

    def link_frame(self, local: int, link: int, world: int) -> tuple[F64, F64]:  # noqa: D102
        body = self.record(local).body + link
        return self.worlds.xpos[world, body].copy(), self.worlds.xquat[world, body].copy()
