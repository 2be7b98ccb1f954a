# pyright: basic, reportAttributeAccessIssue=false
"""The exchange with worlds on a Warp device."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.core.engine.records import rule_table as rules
from unibody.isaacgym.batch import warp_derived
from unibody.isaacgym.batch import warp_kernels as k
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.batch.exchange import Exchange
from unibody.isaacgym.batch.parameters import Change, drive_rows
from unibody.isaacgym.types.enums import CoordinateSpace, DofDriveMode

if TYPE_CHECKING:
    from unibody.isaacgym.batch.derived import Part
    from unibody.isaacgym.batch.group import Group

_COLUMNS = {
    int(DofDriveMode.DOF_MODE_POS): rules.D_POSITION,
    int(DofDriveMode.DOF_MODE_VEL): rules.D_VELOCITY,
}


class WarpExchange(Exchange):
    """See ``Exchange``; tensors are Warp arrays."""

    def __init__(self, group: Group) -> None:
        super().__init__(group)
        self.worlds = group.worlds
        self.count = len(group.envs)
        self._own: set[str] = set()
        self._shared: dict[str, Any] = {}
        put = group.sim.buffers.put
        p = self.places
        self.device = group.sim.buffers.device
        self._roots, self._bodies, self._dofs = put(p.roots), put(p.bodies), put(p.dofs)
        self._drives, self._spans = put(p.drives), put(p.spans)
        self._actor_base = put(self.actor_base)
        self._body_base, self._dof_base = put(self.body_base), put(self.dof_base)
        self._places: Any = None
        self._nothing = wp.zeros((0, 3), dtype=float, device=self.device)
        self._no_shift = wp.zeros(self.count, dtype=wp.vec3, device=self.device)
        self._shift = wp.array(self.origins, dtype=wp.vec3, device=self.device)
        coms = np.asarray(self.worlds.model.body_ipos, np.float32)[None]
        self._coms = wp.array(coms, dtype=wp.vec3, device=self.device)

    def _launch(self, kernel: Any, dim: Any, *inputs: Any) -> None:
        wp.launch(kernel, dim=dim, inputs=list(inputs), device=self.device)

    @property
    def _actor_places(self) -> Any:
        if self._places is None:
            self._places = self.group.sim.buffers.put(self.group.sim.actor_places)
        return self._places

    # --- parameters ----------------------------------------------------------------------------

    def _expanded(self, name: str) -> Any:
        self._own.add(name)
        values = self.worlds.parameter(name)
        if name == "body_ipos":
            self._coms = values
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

    def put_parameter(self, change: Change, worlds: slice) -> None:  # noqa: D102
        array = self._expanded(change.name)[worlds]  # what others have stays on the device
        values = array.numpy().copy()
        shape = values[:, change.columns].shape
        values[:, change.columns] = np.reshape(change.values, shape)
        array.assign(values)

    def put_whole(self, name: str, values: Any) -> None:  # noqa: D102
        self._expanded(name).assign(np.asarray(values, np.float32))

    def put_mocap(self, row: int, positions: Any) -> None:  # noqa: D102
        values = self.worlds.mocap_pos.numpy().copy()
        values[:, row] = positions
        self.worlds.mocap_pos.assign(values)

    def put_spring(self, world: int, number: int, rule: Sequence[float]) -> None:  # noqa: D102
        array = self.worlds.equalities[world : world + 1]
        values = array.numpy().copy()
        values[0, number, rules.E_SPRING :] = rule
        array.assign(values)

    def put_drives(  # noqa: D102
        self, local: int, actors: Sequence[Actor], world: int | None = None
    ) -> None:
        drives = self.places.actors[local].drives
        if len(drives):
            worlds = slice(None) if world is None else slice(world, world + 1)
            array = self.worlds.drives[worlds]
            values = array.numpy().copy()
            values[:, drives] = drive_rows(actors)
            array.assign(values)

    # --- states --------------------------------------------------------------------------------

    def reader(self, name: str) -> Callable[[], None]:  # noqa: D102
        read = getattr(self, f"_read_{name}")
        return functools.partial(read, getattr(self.group.sim.buffers, name))

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
            self._coms,
            self._roots,
            self._actor_base,
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
            self._bodies,
            self._body_base,
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
        w = self.worlds
        self._launch(
            k.write_dofs,
            len(actors),
            self.group.number,
            actors,
            self._actor_places,
            self._spans,
            self._dof_base,
            self._dofs,
            values,
            parts,
            w.qpos,
            w.qvel,
        )

    def write_roots(self, actors: Any, values: Any, parts: int) -> None:  # noqa: D102
        w = self.worlds
        self._launch(
            k.write_roots,
            len(actors),
            self.group.number,
            actors,
            self._actor_places,
            self._roots,
            self._coms,
            values,
            parts,
            w.qpos,
            w.qvel,
            w.mocap_pos,
            w.mocap_quat,
        )

    # --- controls ------------------------------------------------------------------------------

    def write_targets(self, actors: Any, values: Any, mode: int) -> None:  # noqa: D102
        buffers = self.group.sim.buffers
        self._launch(
            k.write_targets,
            len(actors),
            self.group.number,
            actors,
            self._actor_places,
            self._spans,
            self._dof_base,
            self._drives,
            values,
            mode,
            buffers.modes,
            _COLUMNS[mode],
            buffers.targets(mode),
            self.worlds.drives,
        )

    def write_efforts(self, actors: Any, values: Any) -> None:  # noqa: D102
        self._launch(
            k.write_efforts,
            len(actors),
            self.group.number,
            actors,
            self._actor_places,
            self._spans,
            self._dof_base,
            self._dofs,
            values,
            int(DofDriveMode.DOF_MODE_EFFORT),
            self.group.sim.buffers.modes,
            self.group.sim.buffers.efforts,
            self.worlds.qfrc_applied,
        )

    def add_wrenches(  # noqa: D102
        self, forces: Any, torques: Any, points: Any, space: int, world: int | None = None
    ) -> None:
        w = self.worlds
        shifted = space == CoordinateSpace.GLOBAL_SPACE
        self._launch(
            k.add_wrenches,
            (self.count, len(self.places.bodies)),
            self._nothing if forces is None else forces,
            self._nothing if torques is None else torques,
            self._nothing if points is None else points,
            int(space == CoordinateSpace.LOCAL_SPACE),
            self._shift if shifted else self._no_shift,
            -1 if world is None else world,
            w.xpos,
            w.xquat,
            w.xipos,
            self._bodies,
            self._body_base,
            w.xfrc_applied,
        )

    def clear_forces(self) -> None:  # noqa: D102
        self.worlds.qfrc_applied.zero_()
        self.worlds.xfrc_applied.zero_()

    # --- derived -------------------------------------------------------------------------------

    def read_jacobians(self, part: Part, out: Any) -> None:  # noqa: D102
        warp_derived.read_jacobians(self, part, out)

    def read_mass_matrices(self, part: Part, out: Any) -> None:  # noqa: D102
        warp_derived.read_mass_matrices(self, part, out)

    def link_frame(self, local: int, link: int, world: int) -> tuple[Any, Any]:  # noqa: D102
        body = self.group.record(local).body + link
        xpos, xquat = self.worlds.xpos.numpy(), self.worlds.xquat.numpy()
        return xpos[world, body], xquat[world, body]
