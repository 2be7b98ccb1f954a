"""Worlds on the CPU: ``mujoco.batch.Batch``, in float64, on all cores."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.rules.callbacks import installation
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds import kernels as k
from unibody.core.engine.worlds.arguments import Frames, Masses, Poses, State, Tree, field, packed
from unibody.core.engine.worlds.base import Ids, Worlds
from unibody.core.engine.worlds.batch_stepper import BatchStepper
from unibody.core.engine.worlds.selection import chosen_worlds, model_field
from unibody.core.engine.worlds.solutions import Solution, Wanted
from unibody.core.engine.worlds.solving import Solver
from unibody.core.engine.worlds.stepping import Stepper
from unibody.core.engine.worlds.threads import Shares
from unibody.errors import InvalidArgumentError
from unibody.mechanisms import is_plain

Array = NDArray[np.float64]

_KINEMATIC_FIELDS = ("body_pos", "body_quat", "body_ipos", "jnt_axis", "jnt_pos", "qpos0")


class CpuWorlds(Worlds):
    """See ``Worlds``. Arrays are NumPy views of float64.

    Attributes:
        threads: That step worlds, the caller's included.
    """

    def __init__(self, scene: Scene, count: int, threads: int = 0) -> None:
        world = scene.world
        self.count = count
        self.device = "cpu"
        self.model: Any = world.model
        self.records: dict[int, BodyRecord] = dict(scene.bodies)
        self._installation = installation()
        self._senses = world.model.nsensor > 0
        self._shares = Shares(count, threads)
        self.threads: int = self._shares.threads
        self._batch = Batch(world.model, nsim=count, nthread=self.threads)
        self._batch.state[:] = _state_row(world.model, world.data)
        self._stepper: Stepper | BatchStepper = (
            BatchStepper(self._batch)
            if is_plain("threads")
            else Stepper(world.model, self._batch.state, self.threads)
        )
        self._solver: Solver | None = None
        self._bind(world.model)
        self._home = self._batch.state.copy()
        self._expanded: dict[str, Array] = {}
        self._own_fields: dict[str, Array] = {}  # those, and what was derived from them
        self._derived = 0  # how many were expanded when others were derived
        self._axes = np.zeros((count, world.model.njnt, 3))
        self._anchors = np.zeros((count, world.model.njnt, 3))
        self._indices, self._tree = _tree(world.model)
        self._state = State(
            *(field(a) for a in (self.qpos, self.qvel, self.mocap_pos, self.mocap_quat))
        )
        self._poses = Poses(*(field(array) for array in self._results()))
        self._pack()

    def _results(self) -> tuple[Array, ...]:
        return (
            self.xpos,
            self.xquat,
            self.xipos,
            self._axes,
            self._anchors,
            self.linear,
            self.angular,
        )

    def _bind(self, model: Any) -> None:
        count, nbody = self.count, model.nbody
        bind = self._batch.bind
        self.qpos: Array = bind("qpos")
        self.qvel: Array = bind("qvel")
        self.mocap_pos: Array = bind("mocap_pos")
        self.mocap_quat: Array = bind("mocap_quat")
        self.qfrc_applied: Array = bind("qfrc_applied")
        self.xfrc_applied: Array = bind("xfrc_applied")
        drives = int(model.numeric_data[t.N_DRIVES])
        numbers = bind("userdata")
        held = drives * t.DRIVE_SIZE + int(model.numeric_data[t.N_EQUALITIES]) * t.EQUALITY_SIZE
        self.drives: Array = _split(numbers[:, : drives * t.DRIVE_SIZE], t.DRIVE_SIZE)
        self.equalities: Array = _split(numbers[:, drives * t.DRIVE_SIZE : held], t.EQUALITY_SIZE)
        self.xpos: Array = np.zeros((count, nbody, 3))
        self.xquat: Array = np.tile([1.0, 0.0, 0.0, 0.0], (count, nbody, 1))
        self.xipos: Array = np.zeros((count, nbody, 3))
        self.linear: Array = np.zeros((count, nbody, 3))
        self.angular: Array = np.zeros((count, nbody, 3))
        self.contact_wrench = np.zeros((count, nbody, t.REPORT_WRENCH))
        self.dof_force = np.zeros((count, model.nv))
        if model.numeric_data[t.N_REPORT]:
            report = self._stepper.report
            wrenches = t.REPORT_WRENCH * nbody
            self.contact_wrench: Array = _split(report[:, :wrenches], t.REPORT_WRENCH)
            self.dof_force: Array = report[:, wrenches:]

    def _pack(self) -> None:
        """Note what the kinematics are about."""
        frames = Frames(*(field(self._values(name)) for name in _KINEMATIC_FIELDS))
        self._about = packed(self._tree, frames, self._state, self._poses)
        self._places = self._about.ctypes.data

    def _values(self, name: str) -> Array:
        """A model field with the world as first axis; all worlds share it unless expanded."""
        if name in self._expanded:
            return self._expanded[name]
        field = getattr(self.model, name)
        return np.broadcast_to(field, (self.count, *field.shape))

    def step(self, substeps: int = 1) -> None:  # noqa: D102
        self._advance(substeps, 0)

    def step_and_place(self, substeps: int = 1) -> None:  # noqa: D102
        self._advance(substeps, self._places)

    def _advance(self, substeps: int, places: int) -> None:
        self._installation.ensure()
        after_solve = 0
        if self._senses:
            after_solve = self._installation.ensure_reports()
        clock = self._installation.clock
        reading, clock.value = clock.value, None
        try:
            self._stepper.step(substeps, after_solve, places)
        finally:
            if reading:
                clock.value = reading

    def kinematics(self) -> None:  # noqa: D102
        self._shares.run(k.place, self._places)

    def jacobians(self, record: BodyRecord) -> Array:  # noqa: D102
        out = np.zeros((self.count, len(record.links), 6, record.nv))
        self._shares.run(
            k.jacobians,
            record.body,
            len(record.links),
            max(record.dof, 0),
            record.nv,
            self._tree,
            self._poses,
            field(out),
        )
        return out

    def mass_matrices(self, record: BodyRecord) -> Array:  # noqa: D102
        out = np.zeros((self.count, record.nv, record.nv))
        names = ("body_mass", "body_inertia", "body_iquat", "dof_armature")
        self._shares.run(
            k.mass_matrices,
            record.body,
            len(record.links),
            max(record.dof, 0),
            record.nv,
            self._tree,
            self._poses,
            Masses(*(field(self._values(name)) for name in names)),
            field(out),
        )
        return out

    def parameter(self, name: str) -> Array:  # noqa: D102
        if name not in self._expanded:
            try:
                self._expanded[name] = self._batch.expand(name)
            except (ValueError, AttributeError, KeyError) as error:
                raise InvalidArgumentError("name", name, "a field of MjModel") from error
            if name in _KINEMATIC_FIELDS:
                self._pack()
            self._use_fields()
        return self._expanded[name]

    def parameters_changed(self, worlds: Ids = None) -> None:  # noqa: D102
        chosen = chosen_worlds(worlds, self.count)
        if not self.model.neq:
            self._batch.set_const(ids=chosen)
        else:
            # MuJoCo would take the anchors of points from the bodies' first poses
            data = self.parameter("eq_data")
            kept = data.copy()
            self._batch.set_const(ids=chosen)
            data[:] = kept
        if self._derived != len(self._expanded):
            self._derived = len(self._expanded)
            self._use_fields()

    def _use_fields(self) -> None:
        """Have worlds step with their own values of what was expanded, or derived from that."""
        names = [*self._expanded, *mujoco.MjModel._setconst_outputs]
        found = {name: self._batch._b.expanded(name) for name in names}
        self._own_fields = {name: values for name, values in found.items() if values is not None}
        self._stepper.use_fields(self._own_fields)

    def set_home(self) -> None:  # noqa: D102
        self._home = self._batch.state.copy()

    def reset(self, worlds: Ids = None) -> None:  # noqa: D102
        chosen = chosen_worlds(worlds, self.count)
        if chosen is None:
            self._batch.state[:] = self._home
        else:
            self._batch.state[chosen] = self._home[chosen]

    def snapshot(self, out: Any = None) -> Array:  # noqa: D102
        if out is None:
            return self._batch.state.copy()
        np.copyto(out, self._batch.state)  # its memory is there already: that is half of the time
        return out

    def restore(self, state: Any) -> None:  # noqa: D102
        if np.shape(state) != self._batch.state.shape:
            raise InvalidArgumentError(
                "state", np.shape(state), f"what snapshot gave, {self._batch.state.shape}"
            )
        self._batch.state[:] = state

    def copy_into(self, world: int, model: Any, data: Any, states: Any = None) -> None:  # noqa: D102
        for name, values in self._own_fields.items():
            target = model_field(model, name)
            target[:] = values[world].view(target.dtype).reshape(target.shape)
        spec = mujoco.mjtState.mjSTATE_INTEGRATION
        state = self._batch.state if states is None else states
        mujoco.mj_setState(model, data, state[world], spec)

    def solve(self, wanted: Wanted, states: Any = None) -> Solution:  # noqa: D102
        if not isinstance(self._stepper, Stepper):
            return super().solve(wanted, states)
        if self._solver is None:
            self._solver = Solver(self.model, self._stepper)
        return self._solver.solve(wanted, self._batch.state if states is None else states)

    def memory(self) -> int:  # noqa: D102
        arrays = [*self._results(), self._batch.state, self._home, *self._expanded.values()]
        if self.contact_wrench.size:
            arrays += [self.contact_wrench, self.dof_force]
        return sum(array.nbytes for array in arrays)


def _split(rows: Array, size: int) -> Array:
    """A view of (N, n * size) as (N, n, size)."""
    shape = (rows.shape[0], rows.shape[1] // size, size)
    strides = (rows.strides[0], size * rows.strides[1], rows.strides[1])
    return np.lib.stride_tricks.as_strided(rows, shape, strides)


def _state_row(model: Any, data: Any) -> Array:
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    row = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data, row, spec)
    return row


def _tree(model: Any) -> tuple[list[NDArray[np.int32]], Tree]:
    """The arrays that describe the tree, and their addresses."""
    names = (
        "body_parentid",
        "body_mocapid",
        "body_jntnum",
        "body_jntadr",
        "jnt_type",
        "jnt_qposadr",
        "jnt_dofadr",
    )
    arrays = [np.array(getattr(model, name), dtype=np.int32) for name in names]
    return arrays, Tree(model.nbody, *(array.ctypes.data for array in arrays))
