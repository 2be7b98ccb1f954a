"""SolverMuJoCo: writes a model as plain MuJoCo's, and steps that."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import warp as wp

from unibody.core.engine.plain import spec as plain
from unibody.errors import InvalidArgumentError
from unibody.newton.enums import ActuatorControl, ActuatorKind, ActuatorTarget, EqType
from unibody.newton.kinematics import record_fk
from unibody.newton.solvers import host_steps
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.flags import ModelFlags as Flags
from unibody.newton.solvers.flags import StateFlags
from unibody.newton.solvers.held import kinematic_bodies, refuse_held_links
from unibody.newton.solvers.mujoco import (
    attributes,
    groups,
    homogeneous,
    later_options,
    reports,
    resets,
    tree,
)
from unibody.newton.solvers.mujoco.exchange import direct_controls, gravity_compensation
from unibody.newton.solvers.mujoco.given import Given, device_of
from unibody.newton.solvers.mujoco.parts import Part, Recording
from unibody.newton.solvers.mujoco.views import DataView, ModelView
from unibody.newton.solvers.observables import ObservableKind, Observables
from unibody.newton.solvers.resets import chosen_worlds
from unibody.newton.solvers.unsupported import refuse_muscles, tell_of_attachments
from unibody.newton.targets import targets_of

_RECORDINGS = 16  # pairs of states whose launches are kept
_MASS, _JOINTS = Flags.BODY_INERTIAL_PROPERTIES, Flags.JOINT_PROPERTIES


class SolverMuJoCo(SolverBase):
    """Rigid bodies by MuJoCo: on the CPU in double precision, elsewhere by mujoco-warp.

    Worlds that differ in more than numbers are stepped in groups.

    Args:
        model: The model.
        separate_worlds: Whether each world of the model is one of MuJoCo's; None: where there
            are several.
        njmax: Most rows of constraints of a world on a GPU; None: by the model.
        nconmax: Most contacts of a world on a GPU; None: by the model.
        iterations: Of the solver; None: the attribute ``mujoco:iterations``, else 100. The same
            holds for all options below: argument, attribute, default.
        ls_iterations: Of the line search; 50.
        ccd_iterations: Of convex collision; MuJoCo's default.
        sdf_iterations: Of collisions of signed distances; MuJoCo's default.
        sdf_initpoints: Starts of collisions of signed distances; MuJoCo's default.
        solver: "newton" or "cg".
        integrator: "implicitfast", "euler" or "rk4".
        cone: "pyramidal" or "elliptic".
        jacobian: "auto", "dense" or "sparse".
        impratio: Impedance of friction over that of normal forces; 1.
        tolerance: Of the solver; 1e-8.
        ls_tolerance: Of the line search; 0.01.
        ccd_tolerance: Of convex collision [m]; 1e-6.
        density: Of the medium [kg/m^3]; 0.
        viscosity: Of the medium [Pa s]; 0.
        wind: Velocity of the medium [m/s].
        magnetic: Magnetic flux.
        use_mujoco_cpu: Whether ``mj_model`` and ``mj_data`` themselves are stepped.
        disable_contacts: Whether nothing touches.
        update_data_interval: Every so many steps the state is taken over from `state_in`;
            0: never after the first; None: in every step.
        save_to_mjcf: File that the model is written to, as MJCF.
        ls_parallel: Whether mujoco-warp searches along lines in parallel.
        use_mujoco_contacts: Whether MuJoCo finds contacts; else those given to `step` are used.
        include_sites: Whether sites of the model are sites in MuJoCo.
        skip_visual_only_geoms: Whether shapes that do not collide are left out.
        backend: "cpu" or "warp" for a model on the CPU: MuJoCo, or mujoco-warp without a GPU;
            None: MuJoCo, unless contacts are given.
        njmax_nnz: Most entries of a world's sparse Jacobian on a GPU; None: by the model.
        disable_sensors: Whether MuJoCo works out no sensors.
        enable_multiccd: Whether convex collision finds several points; None: as MuJoCo has it.
        kinematic_switchable_roots: Whether bodies may turn kinematic while it runs.
        **later: Further options of 1.x, which are off.

    Attributes:
        mj_model: The first group's MjModel.
        mj_data: Its MjData: what it started as, or what is stepped with `use_mujoco_cpu`.
        mjw_model: mujoco-warp's model, or a view of the same names.
        mjw_data: mujoco-warp's data, or a view of the same names.
        mjc_body_to_newton: MuJoCo's body -> body, (worlds, nbody). In the same way
            ``mjc_geom_to_newton_shape``, ``mjc_jnt_to_newton_jnt``, ``mjc_jnt_to_newton_dof``,
            ``mjc_dof_to_newton_dof``, ``mjc_eq_to_newton_eq``, ``mjc_eq_to_newton_jnt``,
            ``mjc_eq_to_newton_mimic``, ``mjc_mocap_to_newton_jnt`` and
            ``mjc_tendon_to_newton_tendon``.
        mjc_actuator_ctrl_source: A `CtrlSource` for each of MuJoCo's actuators, (nu,).
        mjc_actuator_to_newton_actuator_idx: The actuator of the model that each is, or -1, (nu,).
        mjc_actuator_to_newton_idx: The control of the script that drives each, (nu,); of targets
            of positions the degree of freedom d, of velocities -(d + 2).
    """

    CtrlSource = ActuatorControl
    CtrlType = ActuatorKind
    EqType = EqType
    TrnType = ActuatorTarget

    class ObservableKind(ObservableKind):
        """Names of what steps can tell."""

        QFRC_ACTUATOR = "qfrc_actuator"
        QFRC_BIAS = "qfrc_bias"
        QFRC_CONSTRAINT = "qfrc_constraint"
        QFRC_FRICTIONLOSS = "qfrc_frictionloss"

    Observables = Observables

    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset(
        {"body_qdd", "body_parent_f", "contact_f", *reports.OF_DOFS}
    )

    @classmethod
    def import_mujoco(cls) -> tuple[Any, Any]:
        """The modules ``mujoco`` and ``mujoco_warp``."""
        return plain.modules()

    def __init__(
        self,
        model: Any,
        *,
        separate_worlds: bool | None = None,
        njmax: int | None = None,
        nconmax: int | None = None,
        iterations: int | None = None,
        ls_iterations: int | None = None,
        ccd_iterations: int | None = None,
        sdf_iterations: int | None = None,
        sdf_initpoints: int | None = None,
        solver: int | str | None = None,
        integrator: int | str | None = None,
        cone: int | str | None = None,
        jacobian: int | str | None = None,
        impratio: float | None = None,
        tolerance: float | None = None,
        ls_tolerance: float | None = None,
        ccd_tolerance: float | None = None,
        density: float | None = None,
        viscosity: float | None = None,
        wind: tuple[float, ...] | None = None,
        magnetic: tuple[float, ...] | None = None,
        use_mujoco_cpu: bool = False,
        disable_contacts: bool | None = False,
        update_data_interval: int | None = None,
        save_to_mjcf: str | None = None,
        ls_parallel: bool = False,
        use_mujoco_contacts: bool = True,
        include_sites: bool = True,
        skip_visual_only_geoms: bool = True,
        backend: str | None = None,
        njmax_nnz: int | None = None,
        disable_sensors: bool | None = None,
        enable_multiccd: bool | None = None,
        kinematic_switchable_roots: bool = True,
        **later: Any,
    ) -> None:
        super().__init__(model)
        refuse_muscles(model, "SolverMuJoCo")
        tell_of_attachments(model, "SolverMuJoCo")
        later_options.check(later, njmax_nnz, update_data_interval)
        self.use_mujoco_cpu = use_mujoco_cpu
        self._interval = 1 if update_data_interval is None else update_data_interval
        self._held = None if kinematic_switchable_roots else kinematic_bodies(model)
        self._steps = 0
        self._recordings: dict[Any, Any] = {}
        stated = {name: value for name, value in locals().items() if name in attributes.OPTIONS}
        given = Given(device_of(model, use_mujoco_cpu, use_mujoco_contacts, backend), stated)
        given.sites, given.visual = include_sites, not skip_visual_only_geoms
        given.no_contacts, given.parallel_search = bool(disable_contacts), ls_parallel
        given.contacts, given.rows, given.nonzeros = nconmax, njmax, njmax_nnz
        given.disable(sensor=disable_sensors or None, multiccd=_opposite(enable_multiccd))
        self._begin(given, separate_worlds, save_to_mjcf, use_mujoco_contacts)

    def _begin(
        self, given: Given, separate_worlds: bool | None, file: str | None, own_contacts: bool
    ) -> None:
        model = self.model
        if not model.joint_count:
            raise InvalidArgumentError(
                "model", "no joints", "The model must have at least one joint"
            )
        tree.warn_of_standalone_roots(model)
        tree.warn_of_free_joints(model)
        self._write_models(given, separate_worlds)
        if file:
            Path(file).write_text(self._parts[0].spec.to_xml(), encoding="utf-8")
        self._own_contacts = own_contacts
        for part in self._parts:
            part.take_contacts(model, own_contacts)
            part.exchange.put_state(model.joint_q, model.joint_qd)
        self.notify_model_changed(Flags.ALL)

    def _write_models(self, given: Given, separate_worlds: bool | None) -> None:
        model = self.model
        self._given = given
        self._parts = [Part(model, group, given) for group in self._groups(separate_worlds)]
        for i, part in enumerate(self._parts):
            if part.updates.moves_inertial_frames():  # its worlds differ in them
                self._parts[i] = Part(model, part.group, given, general=True)
        self._expose(given)

    def _groups(self, separate: bool | None) -> list[groups.Group]:
        stated = bool(separate)
        if separate is None:
            separate = not self.use_mujoco_cpu and self.model.num_worlds > 1
        if separate:
            found = groups.separate(self.model)
            if stated and len(found) > 1:
                homogeneous.check(self.model)
                homogeneous.check_actuators(self.model)
                if self.use_mujoco_cpu:
                    raise InvalidArgumentError(
                        "use_mujoco_cpu",
                        True,
                        "False: worlds with meshes of their own require use_mujoco_cpu=False",
                    )
            return found
        if self.model.num_worlds > 1:
            raise InvalidArgumentError(
                "separate_worlds",
                False,
                f"True for world_count={self.model.num_worlds}: separate_worlds=False is only"
                " supported for single-world models",
            )
        return [groups.whole(self.model)]

    def _expose(self, given: Given) -> None:
        first = self._parts[0]
        self.mj_model: Any = first.mj_model
        self.mj_data: Any = first.mj_data
        worlds: Any = first.worlds
        if hasattr(worlds, "mjw_model"):
            self.mjw_model, self.mjw_data = worlds.mjw_model, worlds.mjw_data
        else:
            self.mjw_model: Any = ModelView(worlds, parallel_search=given.parallel_search)
            self.mjw_data: Any = DataView(worlds, given, first.mj_data)
        names = {
            "mjc_body_to_newton": first.maps.body,
            "mjc_geom_to_newton_shape": first.maps.geom,
            "mjc_jnt_to_newton_jnt": first.maps.joint,
            "mjc_jnt_to_newton_dof": first.maps.joint_dof,
            "mjc_dof_to_newton_dof": first.maps.dof,
            "mjc_eq_to_newton_eq": first.maps.equality,
            "mjc_eq_to_newton_jnt": first.maps.equality_joint,
            "mjc_eq_to_newton_mimic": first.maps.mimic,
            "mjc_eq_to_newton_joint_mimic": first.maps.follower,
            "mjc_mocap_to_newton_jnt": first.maps.mocap,
            "mjc_tendon_to_newton_tendon": first.maps.tendon,
            "mjc_actuator_ctrl_source": first.maps.actuator_sources(),
            "mjc_actuator_to_newton_actuator_idx": first.maps.actuator_rows(),
            "mjc_actuator_to_newton_idx": first.maps.actuator_numbers(),
        }
        for name, numbers in names.items():
            setattr(self, name, wp.array(numbers, dtype=wp.int32, device=self.model.device))

    def _gravity_compensation(self) -> Any:
        return gravity_compensation(self.model)

    @property
    def update_data_interval(self) -> int:
        """Every so many steps the state is taken over from `state_in`."""
        later_options.tell_of_interval()
        return self._interval

    @update_data_interval.setter
    def update_data_interval(self, value: int) -> None:
        later_options.tell_of_interval()
        self._interval = value

    def observables(
        self, kinds: Iterable[str], *, contacts: Any = None, requires_grad: bool | None = None
    ) -> Observables:
        """Make arrays for what steps shall tell; see `SolverBase.observables`."""
        found = super().observables(kinds, contacts=contacts, requires_grad=requires_grad)
        if reports.of_bodies(found.kinds) and not self._given.reports:
            self._given.reports = True
            if self._given.device == "cpu" and not reports.wanted(self.model):
                for i, part in enumerate(self._parts):
                    self._replace(i, general=part.general)
                self.notify_model_changed(int(Flags.ALL))
            for part in self._parts:
                reports.work_out_bodies(part.worlds)
        return found

    def step(
        self,
        state_in: Any,
        state_out: Any,
        control: Any,
        contacts: Any,
        dt: float,
        *,
        observables: Observables | None = None,
    ) -> Any:
        """Move a state by a time step.

        Args:
            state_in: Positions and velocities of joints, and forces on bodies.
            state_out: Positions and velocities of joints and bodies are written.
            control: Forces and targets; None: those of the model.
            contacts: Contacts, if the solver was made with ``use_mujoco_contacts=False``.
            dt: Time step [s].
            observables: What is told of the step; contacts are told with their forces.
        """
        self.validate_observables(observables, contacts)
        given = (state_in, state_out, control, contacts, dt, observables)
        if self._interval == 1:
            self._step(*given)
        else:  # only when a graph runs is it known whether a state is taken over
            this: weakref.ref[Any] = weakref.ref(self)
            told = None if observables is None else observables.unowned()
            host_steps.run(self, partial(_step, this, *given[:-1], told))
        self._tell_step(dt, state_out, control)
        return state_out

    def _step(
        self,
        state_in: Any,
        state_out: Any,
        control: Any,
        contacts: Any,
        dt: float,
        observables: Any,
    ) -> None:
        fresh = self._interval > 0 and self._steps % self._interval == 0
        acting = self.model if control is None else control
        moves, kinematics = self._recorded(state_in, state_out, acting, fresh)
        asked = reports.asked(state_out, observables)
        for move in moves:
            reports.watch(move.part.worlds, asked)
            for launch in move.before:
                launch.launch()
            step = partial(move.part.step, dt)
            if not self._own_contacts:
                step = partial(_step_with_contacts, weakref.ref(move.part), state_in, contacts, dt)
            host_steps.run(self, step)
            for launch in move.after:
                launch.launch()
        if kinematics is not None:
            kinematics.launch()
        this: weakref.ref[Any] = weakref.ref(self)
        if asked:
            host_steps.run(self, partial(_write_reports, this, asked))
        if observables is not None and observables.contact_f is not None:
            forces = observables.contact_f
            host_steps.run(self, partial(_write_contacts, this, contacts, state_out, forces))
        self._steps += 1

    def _recorded(self, state_in: Any, state_out: Any, acting: Any, fresh: bool) -> Any:
        """Launches for these arrays; those of the last pairs of states are kept."""
        m = self.model
        arrays = (
            *(state_in.joint_q, state_in.joint_qd, state_in.body_f),
            *(state_out.joint_q, state_out.joint_qd, state_out.body_q, state_out.body_qd),
            *(targets_of(m, acting).values, acting.joint_target_vel, acting.joint_f),
            *(direct_controls(acting), m.body_com, m.joint_X_p, m.joint_X_c, m.joint_axis),
            m.body_flags,
        )
        key = (fresh, *map(id, arrays))
        found = self._recordings.get(key)
        if found is not None:
            return found[:2]
        moves = []
        for part in self._parts:
            given, taken = ((state.joint_q, state.joint_qd) for state in (state_in, state_out))
            before: list[wp.Launch] = []
            if fresh or part.updates.holds:
                before += part.exchange.recorded_put(*given, held=not fresh)
            before += part.exchange.recorded_controls(acting, state_in.body_f)
            after = part.exchange.recorded_take(*given, *taken)
            moves.append(Recording(part, before, after))
        kinematics = record_fk(m, state_out.joint_q, state_out.joint_qd, state_out)
        if len(self._recordings) >= _RECORDINGS:
            del self._recordings[next(iter(self._recordings))]
        self._recordings[key] = (moves, kinematics, arrays)  # while they live, ids are theirs
        return moves, kinematics

    def notify_model_changed(self, flags: int) -> None:
        """Take over what a script has changed in the model.

        Args:
            flags: Bits of `SolverNotifyFlags`.
        """
        if flags & _MASS:
            self._open_inertial_frames()
        if flags & Flags.BODY_PROPERTIES:
            refuse_held_links(self.model, self._held)
            self._recordings.clear()
        for part in self._parts:
            updates = part.updates
            if flags & (_MASS | _JOINTS | Flags.JOINT_REFERENCE_POSE_PROPERTIES):
                part.exchange.forget_written()
            changed, refined = bool(flags & _MASS) and updates.inertias(), False
            changed |= updates.dofs(flags)
            changed |= bool(flags & _JOINTS) and updates.joints()
            if flags & Flags.SHAPE_PROPERTIES:
                # which frames are the body's is derived, too
                changed |= updates.geoms(own_contacts=self._own_contacts)
                changed |= updates.sites()
                part.worlds.place_shapes()
            if flags & Flags.MODEL_PROPERTIES:
                updates.options()
            if flags & Flags.CONSTRAINT_PROPERTIES:
                changed |= updates.constraints()
            if flags & Flags.TENDON_PROPERTIES:
                changed |= updates.tendons()
            if flags & Flags.ACTUATOR_PROPERTIES:
                refined = updates.actuators()
            if changed:
                part.worlds.derive(keep_scale=updates.holds)
            if changed or refined:
                updates.resolve_ratios()

    def reset(self, state: Any, world_mask: Any = None, flags: Any = None) -> None:
        """Begin anew: joints as in the model, and nothing kept of earlier steps.

        Args:
            state: Its ``joint_q`` and ``joint_qd`` are written.
            world_mask: Worlds, and at last what belongs to all worlds, as bools; None: all.
            flags: Bits of `StateFlags`: JOINT_Q and JOINT_QD; None: both.
        """
        if state is None:
            raise InvalidArgumentError("state", state, "a State")
        worlds = chosen_worlds(self.model, world_mask)
        chosen = int(StateFlags.ALL if flags is None else flags)
        written = resets.reset_joints(self.model, state, worlds, chosen)
        for part in self._parts:
            if written and self._interval != 1:
                resets.put_states(part, state, worlds)
            resets.forget_steps(part, worlds)

    def _open_inertial_frames(self) -> None:
        """Compile models anew whose inertial frames are to change for the first time."""
        for i, part in enumerate(self._parts):
            if part.general or not part.updates.moves_inertial_frames():
                continue
            fresh = self._replace(i, general=True)
            self.notify_model_changed(int(Flags.ALL) & ~int(_MASS))
            fresh.updates.inertias()

    def _replace(self, i: int, *, general: bool) -> Part:
        """Compile the model of a part anew; its worlds go on where they are."""
        part = self._parts[i]
        fresh = Part(self.model, part.group, self._given, general=general)
        fresh.worlds.copy_state(part.worlds)
        self._parts[i] = part.successor = fresh
        self._recordings.clear()
        self._expose(self._given)
        fresh.take_contacts(self.model, self._own_contacts)
        return fresh

    def update_contacts(self, contacts: Any, state: Any = None) -> None:
        """Write MuJoCo's contacts and their forces.

        Args:
            contacts: What is written.
            state: The state that they belong to.
        """
        self._write_contacts(contacts, state, contacts.force)

    def _write_contacts(self, contacts: Any, state: Any, forces: Any) -> None:
        found = [(part.maps, part.worlds.contacts()) for part in self._parts]
        reports.write_contacts(self.model, contacts, found, state, forces)

    def get_max_contact_count(self) -> int:
        """Most contacts of all worlds."""
        return int(self.mjw_data.naconmax)

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Let a builder know the attributes of MuJoCo.

        Args:
            builder: The builder.
        """
        attributes.register(builder)


def _opposite(flag: bool | None) -> bool | None:
    return None if flag is None else not flag


def _step(
    solver: weakref.ref[Any],
    before: Any,
    after: Any,
    control: Any,
    contacts: Any,
    dt: float,
    observables: Any,
) -> None:
    """A step of a solver that may be recorded: what is recorded does not keep the solver."""
    there = solver()
    if there is not None:
        there._step(before, after, control, contacts, dt, observables)


def _step_with_contacts(part: weakref.ref[Any], state: Any, contacts: Any, dt: float) -> None:
    """A step of worlds that are given contacts."""
    there = part()
    if there is not None:
        there.latest().injected.put(state, contacts)
        there.step(dt)


def _write_contacts(solver: weakref.ref[Any], contacts: Any, state: Any, forces: Any) -> None:
    """Write the contacts of a step that may be recorded."""
    there = solver()
    if there is not None:
        there._write_contacts(contacts, state, forces)


def _write_reports(solver: weakref.ref[Any], asked: list[reports.Asked]) -> None:
    """Write what was asked for of a step that may be recorded."""
    there = solver()
    if there is not None:
        for part, arrays in product(there._parts, asked):
            reports.write(there.model, arrays, part.worlds, part.maps)
