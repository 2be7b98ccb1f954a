# pyright: basic
"""Worlds on a Warp device: mujoco-warp, in float32, with a CUDA graph captured once."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

from unibody.core.engine.mesh_contacts.warp_terrain import Terrain, terrain_of
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.rules.registry import refuse_without_twin
from unibody.core.engine.rules.warp_callbacks import WarpRules, friction_softness, rows_of
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.contact_margins import show_planes
from unibody.core.engine.worlds import warp_kernels as k
from unibody.core.engine.worlds.base import Array, Ids, Worlds
from unibody.core.engine.worlds.selection import chosen_worlds, model_field
from unibody.core.engine.worlds.warp_capacity import Watch, capacity
from unibody.core.engine.worlds.warp_correction_kernels import Corrections
from unibody.core.engine.worlds.warp_solve_again import SolveAgain, can_solve_again
from unibody.core.engine.worlds.warp_speed_kernels import SpeedLimits
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.notices import tell

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_TOLERANCE = 1e-6  # of the solver: float32 has nothing below
_RULES = {"geom_user", "jnt_user", "body_user"}
_DERIVED = ("body_subtreemass", "body_invweight0", "dof_invweight0", "tendon_invweight0")


class WarpWorlds(Worlds):
    """See ``Worlds``. Arrays are Warp arrays of float32.

    mujoco-warp holds contacts of all worlds in one pool and rows in a fixed number a world; both
    are sized generously from the shapes of the scene, and grow where that was not enough.
    """

    def __init__(self, scene: Scene, count: int, device: str) -> None:
        world = scene.world
        self.count = count
        self.device = device
        self._device = _find_device(device)
        self.model: Any = world.model
        self.records: dict[int, BodyRecord] = dict(scene.bodies)
        refuse_without_twin(scene.options, world.model, world.data, device)
        with wp.ScopedDevice(self._device):
            self._prepared = model = _prepared(world.model)
            try:
                self._m = mjw.put_model(model)
            except NotImplementedError as error:
                raise NotSupportedError(
                    f"this scene on {device} ({error})", 'the device "cpu" runs it'
                ) from error
            self._m.opt.warn_overflow = 0  # it would print from each world in each step
            self._start = copy.copy(world.data)
            self._room = capacity(model, self._start)
            self._d = self._make_data()
            self._rules = WarpRules(model, self._m, self._d)
            self._m.callback.control = self._rules
            self._terrain = Terrain(world.model, self._m, self._d)
            if self._terrain.geoms:
                self._m.callback.contactfilter = self._terrain
            self._bind()
            self._home = self._state()
            self._watch = Watch(self._device)
        self._records = self._device.is_cuda  # launches, in graphs
        self._graphs: dict[str, Any] = {}
        self._own: set[str] = set()  # parameters with a row a world

    def _make_data(self) -> Any:
        contacts, rows = self._room
        return mjw.put_data(
            self._prepared, self._start, nworld=self.count, nconmax=contacts, njmax=rows
        )

    def _grow(self) -> None:
        """Make room for twice as many contacts and rows; all else stays as it is."""
        contacts, rows = self._room
        self._room = 2 * contacts, 2 * rows
        tell(
            f"worlds on {self.device} had more contacts than there was room for: {contacts} each, "
            f"in {rows} rows. Some were left out of a step; now there is room for {2 * contacts}"
        )
        with wp.ScopedDevice(self._device):
            state = self._state()
            self._graphs.clear()  # they hold the addresses of what is replaced
            self._d = self._make_data()
            self._rules.use(self._m, self._d)
            self._bind()
            self._put_state(state)
            self._watch = Watch(self._device)

    def _bind(self) -> None:
        d, shape = self._d, (self.count, self._m.nbody)
        self.qpos: Array = d.qpos
        self.qvel: Array = d.qvel
        self.mocap_pos: Array = d.mocap_pos
        self.mocap_quat: Array = d.mocap_quat
        self.qfrc_applied: Array = d.qfrc_applied
        self.xfrc_applied: Array = d.xfrc_applied
        self.xpos: Array = d.xpos
        self.xquat: Array = d.xquat
        self.xipos: Array = d.xipos
        drives = int(self.model.numeric_data[t.N_DRIVES])
        self.drives: Array = self._rules_at(0, drives, t.DRIVE_SIZE)
        equalities = int(self.model.numeric_data[t.N_EQUALITIES])
        self.equalities: Array = self._rules_at(drives * t.DRIVE_SIZE, equalities, t.EQUALITY_SIZE)
        self.linear: Array = wp.zeros(shape, dtype=wp.vec3)
        self.angular: Array = wp.zeros(shape, dtype=wp.vec3)
        self.contact_wrench: Array = wp.zeros(shape, dtype=wp.spatial_vector)
        self.dof_force: Array = wp.zeros((self.count, self._m.nv), dtype=float)
        limited = bool(self.model.numeric_data[t.N_SPEED_LIMIT])
        corrected = bool(self.model.numeric_data[t.N_CORRECTIONS])
        again = SolveAgain(self._m, d) if (limited or corrected) and can_solve_again(d) else None
        self._limits = SpeedLimits(self.model, self._m, d, self._rules, again) if limited else None
        self._corrections = Corrections(self.model, d, again) if corrected and again else None
        self._again = again
        self._geom_body = wp.array(self.model.geom_bodyid.astype(np.int32), dtype=int)

    def _rules_at(self, first: int, count: int, size: int) -> Any:
        """A view of ``count`` rules of ``size`` numbers in the user data of each world."""
        numbers = self._d.userdata
        return wp.array(
            ptr=numbers.ptr + 4 * first if count else None,
            dtype=float,
            shape=(self.count, count, size),
            strides=(numbers.strides[0], 4 * size, 4),
        )

    def step(self, substeps: int = 1) -> None:  # noqa: D102
        if self._watch.seen:
            self._grow()
        self._launch(f"step {substeps}", functools.partial(self._advance, substeps))

    def _launch(self, name: str, work: Callable[[], None]) -> None:
        """Do some work that is always the same; on a GPU its launches are recorded once."""
        with wp.ScopedDevice(self._device):
            if not self._records:
                work()
                return
            if name not in self._graphs:
                self._graphs[name] = self._capture(work)
            wp.capture_launch(self._graphs[name])

    def _advance(self, substeps: int) -> None:
        for _ in range(substeps):
            if not (self._limits or self._corrections or self._rules.creeps):
                mjw.step(self._m, self._d)
                continue
            mjw.forward(self._m, self._d)
            if self._corrections is not None:
                self._corrections.loosen_wedged(self._m, self._d, self._rules)
            if self._limits is not None:
                self._limits.hold(self._rules.body_user)
            if self._corrections is not None:
                self._corrections.correct_limits(self._m, self._d, self._rules)
            if self._limits is not None:
                self._limits(self._m, self._d, self._rules.body_user)
            self._rules.after_solve(self._m, self._d)
            mjw.euler(self._m, self._d)
        self._watch(self._d)
        if self.model.numeric_data[t.N_REPORT]:
            self._report()

    def _capture(self, work: Callable[[], None]) -> Any:
        """Record the launches of some work; doing it before that compiles the kernels."""
        state = self._state()
        work()
        self._put_state(state)
        with wp.ScopedCapture() as capture:
            work()
        return capture.graph

    def _report(self) -> None:
        d = self._d
        self.contact_wrench.zero_()
        self.dof_force.zero_()
        wp.launch(
            k.contact_wrenches,
            dim=d.naconmax,
            inputs=[
                self._rules.contacts(d),
                self._geom_body,
                d.efc.force,
                d.xipos,
                self.contact_wrench,
            ],
        )
        wp.launch(
            k.dof_forces,
            dim=(self.count, d.njmax),
            inputs=[
                self._rules.joints,
                self._m.jnt_type,
                self._m.jnt_range,
                d.qpos,
                d.efc.force,
                rows_of(d),
                self.dof_force,
            ],
        )

    def kinematics(self) -> None:  # noqa: D102
        self._launch("kinematics", self._place)

    def _place(self) -> None:
        m, d = self._m, self._d
        mjw.kinematics(m, d)
        mjw.com_pos(m, d)
        mjw.com_vel(m, d)
        wp.launch(
            k.velocities,
            dim=(self.count, m.nbody),
            inputs=[m.body_rootid, d.cvel, d.xipos, d.subtree_com, self.linear, self.angular],
        )

    def jacobians(self, record: BodyRecord) -> Array:  # noqa: D102
        m, d = self._m, self._d
        links, dofs = len(record.links), record.nv
        with wp.ScopedDevice(self._device):
            out = wp.zeros((self.count, links, 6, dofs), dtype=float)
            wp.launch(
                k.jacobians,
                dim=(self.count, links, dofs),
                inputs=[
                    record.body,
                    max(record.dof, 0),
                    m.body_rootid,
                    m.body_isdofancestor,
                    d.cdof,
                    d.xipos,
                    d.subtree_com,
                    out,
                ],
            )
        return out

    def mass_matrices(self, record: BodyRecord) -> Array:  # noqa: D102
        m, d = self._m, self._d
        with wp.ScopedDevice(self._device):
            out = wp.zeros((self.count, record.nv, record.nv), dtype=float)
            mjw.crb(m, d)
            wp.launch(
                k.mass_matrices,
                dim=(self.count, record.nv),
                inputs=[max(record.dof, 0), m.M_rownnz, m.M_rowadr, m.M_colind, d.M, out],
            )
        return out

    def parameter(self, name: str) -> Array:  # noqa: D102
        owner, field = self._owner(name)
        values: Any = getattr(owner, field, None)
        rows = values.shape[0] if isinstance(values, wp.array) and values.ndim else 0
        if rows not in {1, self.count}:
            raise InvalidArgumentError("name", name, "a field of mujoco-warp's Model by world")
        if rows != self.count or values.strides[0] == 0:
            with wp.ScopedDevice(self._device):
                repeated = np.repeat(values.numpy()[:1], self.count, axis=0)
                values = wp.array(repeated, dtype=values.dtype)
            setattr(owner, field, values)
        if name not in self._own:
            self._own.add(name)
            self._note(name)
        return values

    def use_acceleration_drives(self) -> None:
        """Say that some drive gives accelerations now."""
        if self._rules.use_acceleration_drives():
            self._graphs.clear()  # they hold fewer launches

    def _note(self, name: str) -> None:
        """Have what a parameter may have switched on take part in later steps."""
        if name == "body_user":
            self._rules.use_damping()
        elif name == "dof_frictionloss":
            self._rules.use_joint_friction()
        self._graphs.clear()  # they hold other launches, and the address of what was replaced

    def _owner(self, name: str) -> tuple[Any, str]:
        if name in _RULES:
            return self._rules, name.replace("jnt_", "joint_")
        if name.startswith("opt."):
            return self._m.opt, name[4:]
        return self._m, name

    def parameters_changed(self, worlds: Ids = None) -> None:  # noqa: D102
        chosen_worlds(worlds, self.count)
        for name in _DERIVED:
            self.parameter(name)  # else all worlds write into one row
        with wp.ScopedDevice(self._device):
            # the anchors of points would be taken from the bodies' first poses
            anchors = wp.clone(self._m.eq_data)
            mjw.set_const(self._m, self._d)
            wp.copy(self._m.eq_data, anchors)

    def set_home(self) -> None:  # noqa: D102
        self._home = self.snapshot()

    def reset(self, worlds: Ids = None) -> None:  # noqa: D102
        chosen = chosen_worlds(worlds, self.count)
        with wp.ScopedDevice(self._device):
            if chosen is None:
                self._put_state(self._home)
                return
            mask = np.zeros(self.count, dtype=np.bool_)
            mask[chosen] = True
            mjw.set_state(self._m, self._d, self._home, _STATE, wp.array(mask, dtype=bool))

    def snapshot(self, out: Any = None) -> Array:  # noqa: D102
        with wp.ScopedDevice(self._device):
            found = self._state()
        if out is None:
            return found
        wp.copy(out, found)
        return out

    def restore(self, state: Any) -> None:  # noqa: D102
        if np.shape(state) != self._home.shape:
            raise InvalidArgumentError(
                "state", np.shape(state), f"what snapshot gave, {self._home.shape}"
            )
        with wp.ScopedDevice(self._device):
            self._put_state(state)

    def _state(self) -> Any:
        size = mujoco.mj_stateSize(self.model, _STATE)
        state = wp.zeros((self.count, size), dtype=float)
        mjw.get_state(self._m, self._d, state, _STATE)
        return state

    def _put_state(self, state: Any) -> None:
        mjw.set_state(self._m, self._d, state, _STATE)

    def copy_into(self, world: int, model: Any, data: Any, states: Any = None) -> None:  # noqa: D102
        for name in self._own:
            field = model_field(model, name)
            row = self.parameter(name)[world : world + 1].numpy()
            field[:] = np.reshape(row, field.shape)
        held = self.snapshot()[world : world + 1].numpy()[0] if states is None else states[world]
        mujoco.mj_setState(model, data, np.asarray(held, float), _STATE)

    def memory(self) -> int:  # noqa: D102
        arrays = [*vars(self._d).values(), *vars(self._d.efc).values()]
        arrays += [*vars(self._d.contact).values(), self._home, self.contact_wrench]
        held = sum(a.capacity for a in arrays if isinstance(a, wp.array))
        users = (self._again, self._limits, self._corrections)
        return held + sum(user.memory() for user in users if user is not None)


def _find_device(name: str) -> Any:
    try:
        return wp.get_device("cpu" if name == "warp-cpu" else name)
    except (ValueError, RuntimeError) as error:
        known = ["cpu", "warp-cpu", *(d.alias for d in wp.get_cuda_devices())]
        raise InvalidArgumentError("device", name, f"one of {known}") from error


def _prepared(model: Any) -> Any:
    """The model as mujoco-warp takes it: it has no flag AUTORESET, and needs a looser solver."""
    prepared = copy.copy(model)
    show_planes(prepared)
    prepared.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    # boxes meet as MuJoCo's meet on the CPU: up to eight corners of two sides
    prepared.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    prepared.opt.tolerance = max(prepared.opt.tolerance, _TOLERANCE)
    prepared.opt.impratio = 1.0 / friction_softness(model)
    terrain = terrain_of(model)  # it has contacts of its own
    prepared.geom_contype[terrain] = prepared.geom_conaffinity[terrain] = 0
    return prepared
