"""The exchange with worlds on the CPU: numba kernels on NumPy arrays, on all threads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.engine.records import rule_table as rules
from unibody.core.engine.worlds.threads import Shares
from unibody.isaacgym.batch import kernels as k
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.batch.derived import to_api_columns
from unibody.isaacgym.batch.exchange import Exchange
from unibody.isaacgym.batch.parameters import Change, drive_rows
from unibody.isaacgym.types.enums import CoordinateSpace, DofDriveMode

if TYPE_CHECKING:
    from unibody.isaacgym.batch.derived import Part
    from unibody.isaacgym.batch.group import Group

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]

_NOTHING = np.zeros((0, 3), np.float32)
_COPIED = 2048  # worlds: copying the numbers of fewer is faster than waking a thread
_COLUMNS = {
    int(DofDriveMode.DOF_MODE_POS): rules.D_POSITION,
    int(DofDriveMode.DOF_MODE_VEL): rules.D_VELOCITY,
}
_EFFORT = int(DofDriveMode.DOF_MODE_EFFORT)
_READERS = {
    "dofs": k.read_dofs,
    "roots": k.read_roots,
    "bodies": k.read_bodies,
    "contacts": k.read_forces,
}


class CpuExchange(Exchange):
    """See ``Exchange``; tensors are NumPy arrays."""

    def __init__(self, group: Group) -> None:
        super().__init__(group)
        self._worlds = group.worlds
        self._shares = Shares(len(group.envs), group.sim.threads)
        self._own: set[str] = set()  # parameters with a row a world
        self._coms = self._shared("body_ipos")
        self._no_shift = np.zeros((len(group.envs), 3), np.float32)
        self._shift = np.zeros((len(group.envs), 3), np.float32)
        self._shift[:] = self.origins
        self._numbers = self._packed()

    # --- parameters ----------------------------------------------------------------------------

    def _shared(self, name: str) -> F64:
        field = getattr(self._worlds.model, name)
        return np.broadcast_to(field, (self._worlds.count, *field.shape))

    def _expanded(self, name: str) -> F64:
        self._own.add(name)
        values = self._worlds.parameter(name)
        if name == "body_ipos":
            self._coms = values
            for key, numbers in self._packed().items():
                self._numbers[key][:] = numbers  # readers know where they are
        return values

    def parameter(self, name: str, worlds: slice = slice(None)) -> F64:  # noqa: D102
        if name in self._own:
            return self._worlds.parameter(name)[worlds]
        owner = self._worlds.model
        for part in name.split("."):
            owner = getattr(owner, part)
        return np.asarray(owner, dtype=float)[None]

    def put_parameter(self, change: Change, worlds: slice) -> None:  # noqa: D102
        self._expanded(change.name)[worlds, change.columns] = change.values

    def put_whole(self, name: str, values: F64) -> None:  # noqa: D102
        self._expanded(name)[:] = values

    def put_mocap(self, row: int, positions: F64) -> None:  # noqa: D102
        self._worlds.mocap_pos[:, row] = positions

    def put_spring(self, world: int, number: int, rule: Sequence[float]) -> None:  # noqa: D102
        self._worlds.equalities[world, number, rules.E_SPRING :] = rule

    def put_drives(  # noqa: D102
        self, local: int, actors: Sequence[Actor], world: int | None = None
    ) -> None:
        drives = self.places.actors[local].drives
        if len(drives):
            worlds = slice(None) if world is None else slice(world, world + 1)
            self._worlds.drives[worlds, drives] = drive_rows(actors)

    # --- states --------------------------------------------------------------------------------

    def _packed(self) -> dict[str, npt.NDArray[np.int64]]:
        """What the kernels of states are about; valid as long as the worlds are."""
        w, p, out = self._worlds, self.places, self.group.sim.buffers
        actors = self.group.sim.actor_places
        states = [w.qpos, w.qvel, w.mocap_pos, w.mocap_quat, self._coms]
        poses = [w.xpos, w.xquat, w.linear, w.angular]
        return {
            "set dofs": k.packed(states[:2], [actors, p.spans, self.dof_base, p.dofs]),
            "set roots": k.packed(states, [p.roots, actors]),
            "dofs": k.packed(states[:2], [p.dofs, self.dof_base], [out.dofs]),
            "roots": k.packed(states, [p.roots, self.actor_base], [out.roots]),
            "bodies": k.packed(poses, [p.bodies, self.body_base], [out.bodies]),
            "contacts": k.packed([w.contact_wrench], [p.bodies, self.body_base], [out.contacts]),
        }

    @functools.cached_property
    def _controlled(self) -> dict[int, tuple[int, npt.NDArray[np.int64]]]:
        """What the kernels that write controls are about, by drive mode: address, and numbers."""
        w, p, sim = self._worlds, self.places, self.group.sim
        tables = [sim.actor_places, p.spans, self.dof_base]
        controls = {
            mode: k.packed([w.drives], [*tables, p.drives], [sim.modes, sim.buffers.targets(mode)])
            for mode in _COLUMNS
        }
        notes = [sim.modes, sim.buffers.efforts]
        controls[_EFFORT] = k.packed([w.qfrc_applied], [*tables, p.dofs], notes)
        return {mode: (numbers.ctypes.data, numbers) for mode, numbers in controls.items()}

    def reader(self, name: str) -> Callable[[], None]:  # noqa: D102
        numbers = self._numbers[name].ctypes.data
        if len(self.group.envs) < 2 * _COPIED:
            return functools.partial(_READERS[name], 0, len(self.group.envs), numbers)
        return functools.partial(self._shares.run, _READERS[name], numbers, least=_COPIED)

    def read_dof_forces(self, wanted: Any, efforts: F32, out: F32) -> None:  # noqa: D102
        forces = self._worlds.dof_force
        self._shares.run(
            k.read_dof_forces,
            forces,
            self.places.dofs,
            self.dof_base,
            wanted,
            efforts,
            out,
            least=_COPIED,
        )

    def write_dofs(self, actors: I32, values: F32, parts: int) -> None:  # noqa: D102
        numbers = self._numbers["set dofs"].ctypes.data
        k.write_dofs(self.group.number, actors, numbers, values, parts)

    def write_roots(self, actors: I32, values: F32, parts: int) -> None:  # noqa: D102
        numbers = self._numbers["set roots"].ctypes.data
        k.write_roots(self.group.number, actors, numbers, values, parts)

    # --- controls ------------------------------------------------------------------------------

    def write_targets(self, actors: I32, values: F32, mode: int) -> None:  # noqa: D102
        numbers, _ = self._controlled[mode]
        k.write_targets(self.group.number, actors, numbers, values, mode, _COLUMNS[mode])

    def write_efforts(self, actors: I32, values: F32) -> None:  # noqa: D102
        numbers, _ = self._controlled[_EFFORT]
        k.write_efforts(self.group.number, actors, numbers, values, _EFFORT)

    def add_wrenches(  # noqa: D102
        self,
        forces: F32 | None,
        torques: F32 | None,
        points: F32 | None,
        space: int,
        world: int | None = None,
    ) -> None:
        w = self._worlds
        shift = self._shift if space == CoordinateSpace.GLOBAL_SPACE else self._no_shift
        arguments = (
            _NOTHING if forces is None else forces,
            _NOTHING if torques is None else torques,
            _NOTHING if points is None else points,
            space == CoordinateSpace.LOCAL_SPACE,
            shift,
            w.xpos,
            w.xquat,
            w.xipos,
            self.places.bodies,
            self.body_base,
            w.xfrc_applied,
        )
        if world is None:
            self._shares.run(k.add_wrenches, *arguments)
        else:
            k.add_wrenches(world, world + 1, *arguments)

    def clear_forces(self) -> None:  # noqa: D102
        self._worlds.qfrc_applied[:] = 0.0
        self._worlds.xfrc_applied[:] = 0.0

    # --- derived -------------------------------------------------------------------------------

    def read_jacobians(self, part: Part, out: F32) -> None:  # noqa: D102
        found = self._worlds.jacobians(self.group.record(part.local))
        turned = to_api_columns(found, part.base, *self._root_frames(part.local))
        out[part.rows] = turned[:, part.links][..., part.columns][part.worlds]

    def read_mass_matrices(self, part: Part, out: F32) -> None:  # noqa: D102
        frames = self._root_frames(part.local)
        found = self._worlds.mass_matrices(self.group.record(part.local))
        turned = to_api_columns(found, part.base, *frames)
        turned = to_api_columns(turned.swapaxes(-1, -2), part.base, *frames)
        out[part.rows] = turned[:, part.columns][..., part.columns][part.worlds]

    def _root_frames(self, local: int) -> tuple[F64, F64]:
        """Rotation of an actor's first body, and its mass centre's place from it.

        (worlds, 3, 3), and in the world's axes (worlds, 3).
        """
        body = self.group.record(local).body
        w = self._worlds
        return rotations(w.xquat[:, body]), w.xipos[:, body] - w.xpos[:, body]

    def link_frame(self, local: int, link: int, world: int) -> tuple[F64, F64]:  # noqa: D102
        body = self.group.record(local).body + link
        return self._worlds.xpos[world, body].copy(), self._worlds.xquat[world, body].copy()
