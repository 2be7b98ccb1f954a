"""One running world: an MjModel with its MjData, stepped and brought up to date on demand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.library.layout import offsets_of
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.free_body_constants import KeptConstants, set_scale
from unibody.core.engine.rules.callbacks import installation
from unibody.core.engine.solver.settings import new_solver, solves_by_blocks
from unibody.core.engine.spec.contact_margins import hide_planes, let_pairs_follow
from unibody.core.engine.world import contact_memory

if TYPE_CHECKING:
    from unibody.core.engine.solver.stage import Solver

Poses = tuple[bytes | memoryview, bytes | memoryview, bytes | memoryview]
"""The memory of ``xpos``, ``xquat`` and ``xipos``."""

STATE = ("qpos", "qvel", "qacc_warmstart", "mocap_pos", "mocap_quat")
"""What a step starts from, but for what it is told (drives, forces)."""

_DENSE = mujoco.mjtJacobian.mjJAC_DENSE
_NO_ISLANDS = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
_EXCLUDES = offsets_of("mjModel")["nexclude"]
_MANY_EXCLUDES = 500  # pairs of links that do not collide: MuJoCo goes through all, again and again
_MANY_BODIES = 32  # with fewer, more calls cost what they save
_EMPTY = np.zeros(1).data[:0]  # doubles, none of them


class World:
    """A compiled scene.

    Attributes:
        model: The MjModel.
        data: The MjData.
        version: Counts every change of the state: a cache that remembers it knows when to refresh.
        kinematics_version: The version that `kinematics` was last called for.
        before_step: Called once, before the next step.
        steps: Counts the steps.
        placed: The step after which all bodies were put somewhere at once; -1: they were not.
        forces_live: The forces of the last step are still where MuJoCo put them.
        generation: Counts recompiles: addresses and array views are valid for one generation.
        qpos, qvel, xpos, ...: The memory of the MjData array of that name, as bytes: `struct` reads
            a few numbers from it several times faster than NumPy.
        shows_earlier: ``xpos``, ``xquat`` and ``xipos`` are `earlier_poses` themselves.
        state: The memory of the arrays in ``STATE`` that are not empty, as doubles.
        owner_body: Scene body id of each MuJoCo body, (nbody,); -1 for the world.
        owner_link: Link index of each MuJoCo body, -1 for a base, (nbody,).
        geom_rank: Which geom of a contact counts as the first, (ngeom,): that of the lower rank.
    """

    owner_body: NDArray[np.int64]
    owner_link: NDArray[np.int64]
    geom_rank: NDArray[np.int64]

    def __init__(self, model: Any, data: Any) -> None:
        self.generation: int = 0
        self.version: int = 0
        self.before_step: Callable[[], None] | None = None
        self.steps: int = 0
        self.placed = -1
        self.shows_earlier = False
        self._earlier: Poses = (b"", b"", b"")
        self._installation = installation()
        self._solver: Solver | None = None  # our own, of a large scene
        self._installation.ensure()
        self.replace(model, data)

    def replace(self, model: Any, data: Any, earlier: Poses | None = None) -> None:
        """Go on with another model and data after a recompile.

        ``earlier`` is what `earlier_poses` is to give from now on.
        """
        if earlier is not None:
            self._earlier = earlier
        self.shows_earlier = False
        self._scratch: Any = None  # another MjData and more, for what MjModel derives
        self.model = model
        self.data = data
        self.generation += 1
        self._scale_axes()
        hide_planes(model)
        self._bind()
        if model.nsensor:
            self._installation.ensure_reports()
        self.joint_damping = np.array(model.dof_damping)
        self.joint_friction = np.array(model.dof_frictionloss)
        self._one_axis: NDArray[np.bool_] | None = None  # dofs that damping may make stiff
        self._stiffened = True  # there may be dofs whose damping is in a row
        self.place_damping()
        self._forces: memoryview | None = _EMPTY
        self.forces_live = False
        self._const_stale = self._scale_stale = False
        self.kinematics_version = -1
        self._velocity_version = -1
        self.changed()

    def _scale_axes(self) -> None:
        """Take note of joints whose speed counts in lengths of their axis.

        MuJoCo's sliding joints move by any axis they are given; for the turning ones see ``step``.
        """
        model = self.model
        lengths = model.jnt_user[:, t.J_AXIS]
        slides = (lengths > 0.0) & (model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE)
        model.jnt_axis[slides] *= lengths[slides, None]
        if slides.any():
            model.dof_simplenum[:] = 0  # MuJoCo takes the inertia of simple ones for their mass
        hinges = (lengths > 0.0) & (model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE)
        self._scaled_dofs = model.jnt_dofadr[hinges]
        self._scales = lengths[hinges, None]

    def _lengthen_axes(self) -> None:
        """Give the motion axes that MuJoCo has just worked out the lengths that they count in."""
        if len(self._scales):
            self.data.cdof[self._scaled_dofs] *= self._scales

    def _bind(self) -> None:
        model, data = self.model, self.data
        wanted = model.nsensor == 0 or model.numeric_data[t.N_REPORT] != 0.0
        self._excludes = ctypes.c_int.from_address(model._address + _EXCLUDES)
        self._has_pairs = model.npair > 0
        self._skips_sensor = model.nbody >= _MANY_BODIES and not wanted
        if not solves_by_blocks(model):
            self._solver = None
        elif self._solver is None:
            self._solver = new_solver()
        self.qpos: memoryview[int] = _memory(data.qpos)
        self.qvel: memoryview[int] = _memory(data.qvel)
        self.xpos: memoryview[int] = _memory(data.xpos)
        self.xquat: memoryview[int] = _memory(data.xquat)
        self.xipos: memoryview[int] = _memory(data.xipos)
        self.cvel: memoryview[int] = _memory(data.cvel)
        self.subtree_com: memoryview[int] = _memory(data.subtree_com)
        self.mocap_pos: memoryview[int] = _memory(data.mocap_pos)
        self.mocap_quat: memoryview[int] = _memory(data.mocap_quat)
        self.userdata: memoryview[int] = _memory(data.userdata)
        self.qfrc_applied: memoryview[int] = _memory(data.qfrc_applied)
        self._xfrc_applied = _memory(data.xfrc_applied)
        self._no_forces = bytes(len(self.qfrc_applied)), bytes(len(self._xfrc_applied))
        arrays = (getattr(data, name) for name in STATE)
        self.state: tuple[Any, ...] = tuple(
            [array.reshape(-1).data for array in arrays if array.size]
        )

    def grown(self) -> None:
        """Go on with other bodies in the same model and data; what stayed has not moved.

        None of those that came or went has joints that could have damping or friction.
        """
        nv = int(self.model.nv)
        self.joint_damping: NDArray[np.float64] = _of_length(self.joint_damping, nv)
        self.joint_friction: NDArray[np.float64] = _of_length(self.joint_friction, nv)
        self._one_axis = None
        self.generation += 1
        self._scratch = None
        self._bind()
        self.changed()

    def place_damping(self) -> None:
        """Decide where the damping of each joint acts.

        Explicit damping, as Bullet has it, diverges above ``2 / (dt * inverse inertia)``. From half
        of that on, the damping of a joint without friction moves to an implicit row.
        """
        model = self.model
        if not self.joint_damping.any() and not model.jnt_user.any():
            return
        if self._one_axis is None:
            kind = model.jnt_type[model.dof_jntid]
            one_axis = (kind == mujoco.mjtJoint.mjJNT_HINGE) | (kind == mujoco.mjtJoint.mjJNT_SLIDE)
            self._one_axis = (self.joint_friction == 0.0) & one_axis
        stiff = self.joint_damping * model.opt.timestep * model.dof_invweight0 > 1.0
        stiff &= self._one_axis
        stiffens = bool(stiff.any())
        if not (stiffens or self._stiffened):
            model.dof_damping[:] = self.joint_damping
            return
        self._stiffened = stiffens
        model.dof_damping[:] = np.where(stiff, 0.0, self.joint_damping)
        model.dof_frictionloss[:] = np.where(stiff, 1.0, self.joint_friction)
        model.jnt_user[model.dof_jntid[stiff], t.J_DAMPING] = self.joint_damping[stiff]
        model.jnt_user[model.dof_jntid[~stiff], t.J_DAMPING] = 0.0

    def clear_forces(self) -> None:
        """Take all applied forces away."""
        self.qfrc_applied[:], self._xfrc_applied[:] = self._no_forces

    def changed(self) -> None:
        """Say that the state was written to."""
        self.version += 1

    def constants_changed(self, *, derived: bool) -> None:
        """Say that mass or inertia of a link was written to; the rest follows before a step.

        ``derived``: but for what the solver's tolerance is relative to, it was written, too.
        """
        self._scale_stale = True
        self._const_stale |= not derived
        self.version += 1

    def step(self) -> None:
        """Advance by one time step; applied forces act for this step only.

        Where the speed of a turning joint counts in lengths of its axis, the joint turns by its
        coordinate, but all velocities and forces are those of an axis of that length: Bullet's
        multi-bodies, whose files may state an axis like (1, 1, 0).
        """
        if self.before_step is not None:
            before, self.before_step = self.before_step, None
            before()
        if self._scale_stale:
            self._set_constants()
        if self._has_pairs:
            self.ready_to_collide()
        installation = self._installation
        installation.ensure()
        clock = installation.clock
        reading, clock.value = clock.value, None
        try:
            self._advance()
        finally:
            if reading:
                clock.value = reading
        self._forces = None
        self.forces_live = self.shows_earlier = True
        self.steps += 1
        self.version += 1

    def _advance(self) -> None:
        """Make a step, with more room for contacts where it does not suffice."""
        while True:
            try:
                if self._solver is not None and self.model.opt.jacobian != _DENSE:
                    self._step_by_blocks(self._solver)
                elif len(self._scales):
                    self._step_with_scaled_axes()
                elif self._skips_sensor:
                    self._step_without_sensor()
                else:
                    mujoco.mj_step(self.model, self.data)
                return
            except mujoco.FatalError as problem:
                if not contact_memory.is_full(problem):
                    raise
                self._take_memory()

    def _take_memory(self) -> None:
        """Go on with an MjData that has more room for contacts, in the same state."""
        try:
            contact_memory.enlarge(self.model)
        finally:  # what MuJoCo holds of the stack it would never give back
            self.data: Any = contact_memory.fresh_data(self.model, self.data)
            self.generation += 1
            self._scratch = None
            self._bind()
            self.kinematics_version = self._velocity_version = -1
            self.changed()

    def _step_without_sensor(self) -> None:
        """The stages of ``mj_step``, but without what MuJoCo works out for a sensor before it."""
        model, data = self.model, self.data
        flags = int(model.opt.disableflags)
        mujoco.mj_checkPos(model, data)
        mujoco.mj_checkVel(model, data)
        model.opt.disableflags = flags | _NO_SENSORS
        mujoco.mj_forward(model, data)
        model.opt.disableflags = flags
        self._installation.after_solve(model, data)
        mujoco.mj_checkAcc(model, data)
        mujoco.mj_Euler(model, data)

    def _step_by_blocks(self, solve: Solver) -> None:
        """The stages of ``mj_step``, with a solver of our own."""
        model, data = self.model, self.data
        flags = int(model.opt.disableflags)
        mujoco.mj_checkPos(model, data)
        mujoco.mj_checkVel(model, data)
        model.opt.disableflags = flags | _NO_ISLANDS
        self._positions()
        mujoco.mj_fwdVelocity(model, data)
        self._installation.control(model, data)
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        model.opt.disableflags = flags
        solve(model, data)
        mujoco.mj_checkAcc(model, data)
        mujoco.mj_Euler(model, data)

    def _positions(self) -> None:
        """``mj_fwdPosition``; where many pairs do not collide, the contact filter knows them."""
        excludes = self._excludes.value
        if excludes >= _MANY_EXCLUDES:
            self.model.numeric_data[t.N_EXCLUDES] = excludes
            self._excludes.value = 0
        try:
            if len(self._scales):
                self._scaled_positions()
            else:
                mujoco.mj_fwdPosition(self.model, self.data)
        finally:
            if excludes >= _MANY_EXCLUDES:
                self._excludes.value = excludes
                self.model.numeric_data[t.N_EXCLUDES] = 0.0

    def _step_with_scaled_axes(self) -> None:
        """The stages of ``mj_step``, with longer motion axes from the kinematics on."""
        model, data = self.model, self.data
        mujoco.mj_checkPos(model, data)
        mujoco.mj_checkVel(model, data)
        self._scaled_positions()
        mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_POS, 0)
        mujoco.mj_checkAcc(model, data)
        mujoco.mj_Euler(model, data)

    def _scaled_positions(self) -> None:
        """``mj_fwdPosition``, with longer motion axes."""
        model, data = self.model, self.data
        mujoco.mj_fwdKinematics(model, data)
        self._lengthen_axes()
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        mujoco.mj_collision(model, data)
        mujoco.mj_makeConstraint(model, data)
        mujoco.mj_island(model, data)
        mujoco.mj_projectConstraint(model, data)
        mujoco.mj_transmission(model, data)

    def constraint_forces(self) -> memoryview:
        """Forces of the constraint rows of the last step, (nefc,) [N or Nm]; empty before one."""
        if self._forces is None:
            force = self.data.efc_force
            self._forces = memoryview(force) if force.size else _EMPTY
        return self._forces

    def _set_constants(self) -> None:
        model = self.model
        if self._const_stale:
            if self._scratch is None:
                self._scratch = mujoco.MjData(model), KeptConstants(model)
            scratch, free = self._scratch
            free.note(model)
            anchors = np.array(model.eq_data)  # MuJoCo would take those of the pose in the file
            mujoco.mj_setConst(model, scratch)
            model.eq_data[:] = anchors
            free.put_back(model)
        set_scale(model)
        self._const_stale = self._scale_stale = False

    def kinematics(self) -> None:
        """Bring body poses, mass centres and joint axes up to the present coordinates."""
        if self.kinematics_version != self.version:
            if self.shows_earlier:
                self._earlier = bytes(self.xpos), bytes(self.xquat), bytes(self.xipos)
                self.shows_earlier = False
            mujoco.mj_kinematics(self.model, self.data)
            mujoco.mj_comPos(self.model, self.data)
            self._lengthen_axes()
            self.kinematics_version = self.version

    def earlier_poses(self) -> Poses:
        """``xpos``, ``xquat`` and ``xipos`` of the state that the last step started from.

        Bodies that are newer than the last step have none.
        """
        return (self.xpos, self.xquat, self.xipos) if self.shows_earlier else self._earlier

    def set_earlier_poses(self, poses: Poses) -> None:
        """Let `earlier_poses` give others until the next step; empty ones: the present."""
        if not poses[0]:
            self.kinematics()
            poses = bytes(self.xpos), bytes(self.xquat), bytes(self.xipos)
        self._earlier = poses
        self.shows_earlier: bool = False

    def velocities(self) -> None:
        """Bring body velocities up to date (``cvel``)."""
        if self._velocity_version != self.version:
            self.kinematics()
            mujoco.mj_comVel(self.model, self.data)
            self._velocity_version = self.version

    def ready_to_collide(self) -> None:
        """Bring up to date what MuJoCo finds contacts by, before it looks for them."""
        if self._has_pairs:
            let_pairs_follow(self.model)

    def collide(self) -> None:
        """Find the contacts of the present coordinates."""
        self._forces = np.array(self.constraint_forces()).data
        self.forces_live: bool = False
        self.kinematics()
        self.ready_to_collide()
        mujoco.mj_collision(self.model, self.data)
        self.version += 1
        self.kinematics_version: int = self.version


def _of_length(numbers: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """The first numbers, with zeros behind them if there are too few."""
    result = np.zeros(length)
    count = min(length, len(numbers))
    result[:count] = numbers[:count]
    return result


def _memory(array: NDArray[np.float64]) -> memoryview:
    """The memory of an array as bytes; it can be written to, also where there are none."""
    return array.data.cast("B") if array.size else memoryview(bytearray())
