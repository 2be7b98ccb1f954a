# pyright: basic, reportAttributeAccessIssue=false
"""The exchange with worlds on a Warp device."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.description import Quat
from unibody.core.batch import warp_kernels as k
from unibody.core.batch.exchange import Exchange, Members, Which
from unibody.core.batch.layout import Control, Space
from unibody.core.batch.parameters import Change
from unibody.core.batch.warp_buffers import WarpBuffers
from unibody.core.engine.records import rule_table as rules

_COLUMNS = {int(Control.POSITION): rules.D_POSITION, int(Control.VELOCITY): rules.D_VELOCITY}
_EFFORT = int(Control.EFFORT)


class WarpExchange(Exchange):
    """See ``Exchange``; arrays are Warp's.

    Attributes:
        device: Warp's.
    """

    _buffers: WarpBuffers

    def __init__(self, of: Members, worlds: Any) -> None:
        super().__init__(of, worlds)
        self._own: set[str] = set()
        self._shared: dict[str, Any] = {}
        layout, put, p = self._buffers.layout, self._buffers.put, self.places
        self.device: wp.Device = self._buffers.device
        self._roots, self._bodies, self._dofs = put(p.roots), put(p.bodies), put(p.dofs)
        self._drives, self._spans = put(p.drives), put(p.spans)
        self._actor_base = put(self.actor_base)
        self._body_base, self._dof_base = put(self.body_base), put(self.dof_base)
        self._nothing = wp.zeros((0, 3), dtype=float, device=self.device)
        self._no_shift = wp.zeros(self.count, dtype=wp.vec3, device=self.device)
        self._shift = wp.array(self.origins, dtype=wp.vec3, device=self.device)
        self._origins = self._shift if layout.in_world else self._no_shift
        self._columns = (layout.scalar_column, layout.vector_column)
        self._at_origin = layout.at_origin
        points = np.asarray(self.worlds.model.body_ipos, np.float32)[None]
        points = np.zeros_like(points) if layout.at_origin else points
        self._points = wp.array(points, dtype=wp.vec3, device=self.device)

    def _launch(self, kernel: Any, dim: Any, *inputs: Any) -> None:
        wp.launch(kernel, dim=dim, inputs=list(inputs), device=self.device)

    @functools.cached_property
    def _actor_places(self) -> Any:
        return self._buffers.put(self._index.actor_places)

    @functools.cached_property
    def _dof_places(self) -> Any:
        return self._buffers.put(self._index.dof_places)

    # --- parameters ----------------------------------------------------------------------------

    def _expanded(self, name: str) -> Any:
        self._own.add(name)
        values = self.worlds.parameter(name)
        if name == "body_ipos" and not self._at_origin:
            self._points = values
        return values

    def on_device(self, name: str, kind: Any) -> Any:
        """A parameter of bodies on the device: (worlds, bodies), or (1, bodies) if shared."""
        if name in self._own:
            return self.worlds.parameter(name)
        if name not in self._shared:
            values = np.asarray(getattr(self.worlds.model, name), np.float32)[None]
            self._shared[name] = wp.array(values, dtype=kind, device=self.device)
        return self._shared[name]

    def parameter(self, name: str, worlds: slice = slice(None)) -> Any:  # noqa: D102
        if name in self._own:
            return self.worlds.parameter(name)[worlds].numpy()
        owner = self.worlds.model
        for part in name.split("."):
            owner = getattr(owner, part)
        return np.asarray(owner, dtype=float)[None]

    def put_parameter(self, change: Change, worlds: Which) -> None:  # noqa: D102
        self._put(self._expanded(change.name), change.columns, change.values, worlds)

    def _put(self, array: Any, columns: Any, values: Any, worlds: Which) -> None:
        """Write columns of some worlds; what other worlds have stays on the device if it can."""
        if isinstance(worlds, slice):
            array = array[worlds]
            rows: Any = np.arange(array.shape[0])
        else:
            rows = worlds
        found = array.numpy().copy()
        shape = found[rows[:, None], columns].shape
        found[rows[:, None], columns] = np.reshape(values, shape)
        array.assign(found)

    def put_whole(self, name: str, values: Any) -> None:  # noqa: D102
        self._expanded(name).assign(np.asarray(values, np.float32))

    def put_mocap(self, row: int, positions: Any, quat: Quat) -> None:  # noqa: D102
        for array, put in ((self.worlds.mocap_pos, positions), (self.worlds.mocap_quat, quat)):
            values = array.numpy().copy()
            values[:, row] = put
            array.assign(values)

    def put_spring(self, world: int, number: int, rule: Sequence[float]) -> None:  # noqa: D102
        array = self.worlds.equalities[world : world + 1]
        values = array.numpy().copy()
        values[0, number, rules.E_SPRING :] = rule
        array.assign(values)

    def put_drives(self, local: int, rows: Any, worlds: Which) -> None:  # noqa: D102
        drives = self.places.actors[local].drives
        if len(drives):
            self._put(self.worlds.drives, drives, rows, worlds)
        if (rows[..., rules.D_MODE] == rules.DriveMode.ACCELERATION).any():
            self.worlds.use_acceleration_drives()

    # --- states --------------------------------------------------------------------------------

    def reader(self, name: str) -> Callable[[], None]:  # noqa: D102
        read = getattr(self, f"_read_{name}")
        return functools.partial(read, getattr(self._buffers, name))

    def _read_dofs(self, out: Any) -> None:
        w, dim = self.worlds, (self.count, len(self.places.dofs))
        self._launch(k.read_dofs, dim, w.qpos, w.qvel, self._dofs, self._dof_base, out)

    def _read_roots(self, out: Any) -> None:
        w, dim = self.worlds, (self.count, len(self.places.roots))
        self._launch(
            k.read_roots,
            dim,
            w.qpos,
            w.qvel,
            w.mocap_pos,
            w.mocap_quat,
            self._points,
            self._origins,
            self._roots,
            self._actor_base,
            *self._columns,
            out,
        )

    def _read_bodies(self, out: Any) -> None:
        w, dim = self.worlds, (self.count, len(self.places.bodies))
        self._launch(
            k.read_bodies,
            dim,
            w.xpos,
            w.xquat,
            w.linear,
            w.angular,
            w.xipos,
            self._origins,
            self._bodies,
            self._body_base,
            *self._columns,
            int(self._at_origin),
            out,
        )

    def _read_contacts(self, out: Any) -> None:
        dim = (self.count, len(self.places.bodies))
        wrench = self.worlds.contact_wrench
        self._launch(k.read_forces, dim, wrench, self._bodies, self._body_base, out)

    def read_dof_forces(self, wanted: Any, efforts: Any, out: Any) -> None:  # noqa: D102
        dim = (self.count, len(self.places.dofs))
        forces = self.worlds.dof_force
        self._launch(
            k.read_dof_forces, dim, forces, self._dofs, self._dof_base, wanted, efforts, out
        )

    def write_dofs(self, actors: Any, values: Any, parts: int) -> None:  # noqa: D102
        self._launch(
            k.write_dofs,
            len(actors),
            self.group,
            actors,
            self._actor_places,
            self._spans,
            self._dof_base,
            self._dofs,
            values,
            parts,
            self.worlds.qpos,
            self.worlds.qvel,
        )

    def write_dof_rows(self, rows: Any, values: Any, parts: int) -> None:  # noqa: D102
        self._launch(
            k.write_dof_rows,
            len(rows),
            self.group,
            rows,
            self._dof_places,
            self._dofs,
            values,
            parts,
            self.worlds.qpos,
            self.worlds.qvel,
        )

    def write_roots(self, actors: Any, values: Any, parts: int) -> None:  # noqa: D102
        w = self.worlds
        self._launch(
            k.write_roots,
            len(actors),
            self.group,
            actors,
            self._actor_places,
            self._roots,
            self._points,
            self._origins,
            *self._columns,
            values,
            parts,
            w.qpos,
            w.qvel,
            w.mocap_pos,
            w.mocap_quat,
        )

    # --- controls ------------------------------------------------------------------------------

    def write_targets(self, actors: Any, values: Any, control: int) -> None:  # noqa: D102
        self._launch(
            k.write_targets,
            len(actors),
            self.group,
            actors,
            self._actor_places,
            self._spans,
            self._dof_base,
            self._drives,
            values,
            control,
            self._buffers.controls,
            _COLUMNS[control],
            self._buffers.targets(control),
            self.worlds.drives,
        )

    def write_target_rows(self, rows: Any, values: Any, control: int) -> None:  # noqa: D102
        self._launch(
            k.write_target_rows,
            len(rows),
            self.group,
            rows,
            self._dof_places,
            self._drives,
            values,
            control,
            self._buffers.controls,
            _COLUMNS[control],
            self._buffers.targets(control),
            self.worlds.drives,
        )

    def write_efforts(self, actors: Any, values: Any) -> None:  # noqa: D102
        self._launch(
            k.write_efforts,
            len(actors),
            self.group,
            actors,
            self._actor_places,
            self._spans,
            self._dof_base,
            self._dofs,
            values,
            _EFFORT,
            self._buffers.controls,
            self._buffers.efforts,
            self.worlds.qfrc_applied,
        )

    def write_effort_rows(self, rows: Any, values: Any) -> None:  # noqa: D102
        self._launch(
            k.write_effort_rows,
            len(rows),
            self.group,
            rows,
            self._dof_places,
            self._dofs,
            values,
            _EFFORT,
            self._buffers.controls,
            self._buffers.efforts,
            self.worlds.qfrc_applied,
        )

    def add_wrenches(  # noqa: D102
        self, forces: Any, torques: Any, points: Any, space: int, world: int | None = None
    ) -> None:
        w = self.worlds
        self._launch(
            k.add_wrenches,
            (self.count, len(self.places.bodies)),
            self._nothing if forces is None else forces,
            self._nothing if torques is None else torques,
            self._nothing if points is None else points,
            int(space == Space.LOCAL),
            self._shift if space == Space.WORLD else self._no_shift,
            -1 if world is None else world,
            w.xpos,
            w.xquat,
            w.xipos,
            self._bodies,
            self._body_base,
            w.xfrc_applied,
        )

    def clear_forces(self, *, efforts: bool = True) -> None:  # noqa: D102
        if efforts:
            self.worlds.qfrc_applied.zero_()
        self.worlds.xfrc_applied.zero_()

    def link_frame(self, local: int, link: int, world: int) -> tuple[Any, Any]:  # noqa: D102
        body = self.record(local).body + link
        xpos, xquat = self.worlds.xpos.numpy(), self.worlds.xquat.numpy()
        return xpos[world, body], xquat[world, body]
