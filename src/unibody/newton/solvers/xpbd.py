"""SolverXPBD: positions are corrected constraint by constraint, in a few iterations a step."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import exceptions
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.launching import launch_rows
from unibody.newton.model import Model
from unibody.newton.solvers import forces
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.flags import SolverNotifyFlags
from unibody.newton.solvers.held import inverse_masses, kinematic_bodies
from unibody.newton.solvers.observables import ObservableKind, Observables
from unibody.newton.solvers.resets import chosen_worlds
from unibody.newton.solvers.spring_changes import ENDS, SpringChanges
from unibody.newton.solvers.tendons import impulses
from unibody.newton.solvers.tendons.cables import TendonAttributes
from unibody.newton.solvers.unsupported import (
    refuse_features,
    refuse_unsupported,
    tell_of_followers,
)
from unibody.newton.solvers.xpbd_host import HostRounds, corrections_of
from unibody.newton.solvers.xpbd_kernel_rounds import KernelRounds
from unibody.newton.state import Contacts, Control, State
from unibody.notices import tell_once

_ROUNDS = 10  # of rebounds in one iteration of them


class SolverXPBD(TendonAttributes, SolverBase):
    """Moves bodies and particles, and corrects them by what joints, contacts and elements ask for.

    Args:
        model: The model.
        iterations: Corrections of all constraints a step.
        soft_body_relaxation: Share of the corrections of tetrahedra that is applied.
        soft_contact_relaxation: That of contacts of particles.
        joint_linear_relaxation: That of joints, for places.
        joint_angular_relaxation: That of joints, for turns.
        joint_linear_compliance: Inverse stiffness of joints, for places [m/N].
        joint_angular_compliance: Inverse stiffness of joints, for turns [rad/(N m)].
        rigid_contact_relaxation: Share of the corrections of contacts of shapes that is applied.
        rigid_contact_con_weighting: Whether a body's contacts share its corrections.
        angular_damping: Share of the angular velocity that is lost in a second [1/s].
        enable_restitution: Whether contacts rebound by the shapes' restitution.
        rigid_contact_restitution_iterations: Tens of rounds in which contacts that share bodies
            agree on their rebounds.
        tendon_max_sweeps: Most sweeps of a tendon's slip in an iteration.
        tendon_settle_tol: Change of tensions, as a share of the greatest, at which they end; 0: all
            sweeps are made.
        tendon_activation_tol: Share of its radius that a dynamic roller has to push a cable aside
            before the cable runs around it.
    """

    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset(
        {ObservableKind.BODY_PARENT_F, ObservableKind.CONTACT_F}
    )

    def __init__(
        self,
        model: Model,
        iterations: int = 2,
        soft_body_relaxation: float = 0.9,
        soft_contact_relaxation: float = 0.9,
        joint_linear_relaxation: float = 0.7,
        joint_angular_relaxation: float = 0.4,
        joint_linear_compliance: float = 0.0,
        joint_angular_compliance: float = 0.0,
        rigid_contact_relaxation: float = 0.8,
        rigid_contact_con_weighting: bool = True,
        angular_damping: float = 0.0,
        enable_restitution: bool = False,
        rigid_contact_restitution_iterations: int = 2,
        tendon_max_sweeps: int = 256,
        tendon_settle_tol: float = 1e-3,
        tendon_activation_tol: float = 2e-3,
    ) -> None:
        super().__init__(model)
        refuse_unsupported(model, "SolverXPBD")
        self._follows = bool((model.joint_mimic_joint.numpy() >= 0).any())
        tell_of_followers(model, "SolverXPBD")
        if model.requires_grad:
            tell_once(
                "SolverXPBD has no gradients: SolverSemiImplicit and SolverFeatherstone have them"
            )
        if iterations < 1:
            raise InvalidArgumentError("iterations", iterations, "1 or more")
        self.iterations = iterations
        self.soft_body_relaxation = soft_body_relaxation
        self.soft_contact_relaxation = soft_contact_relaxation
        self.joint_linear_relaxation = joint_linear_relaxation
        self.joint_angular_relaxation = joint_angular_relaxation
        self.joint_linear_compliance = joint_linear_compliance
        self.joint_angular_compliance = joint_angular_compliance
        self.rigid_contact_relaxation = rigid_contact_relaxation
        self.rigid_contact_con_weighting = rigid_contact_con_weighting
        self.angular_damping = angular_damping
        if rigid_contact_restitution_iterations < 1:
            name = "rigid_contact_restitution_iterations"
            allowed = f"{name} must be at least 1"
            raise InvalidArgumentError(name, rigid_contact_restitution_iterations, allowed)
        self.enable_restitution = enable_restitution
        self.rigid_contact_restitution_iterations = rigid_contact_restitution_iterations
        self._add_cables(
            model, tendon_max_sweeps, tendon_settle_tol, tendon_activation_tol, least=0.0
        )
        self._from_motion = False
        self._pressed: wp.array[Any] | None = None
        self._pressed_dt = 1.0
        self._has_held = bool(kinematic_bodies(model).any())
        self._corrections = corrections_of(model)
        self.spring_changes: SpringChanges = SpringChanges(model, ENDS)

    @property
    def compute_body_velocity_from_position_delta(self) -> bool:
        """Whether velocities are those of the motion in the step."""
        _tell_old("compute_body_velocity_from_position_delta", "1.6")
        return self._from_motion

    @compute_body_velocity_from_position_delta.setter
    def compute_body_velocity_from_position_delta(self, value: bool) -> None:
        _tell_old("compute_body_velocity_from_position_delta", "1.6")
        self._from_motion = value

    def notify_model_changed(self, flags: int) -> None:
        """Take over what a script has changed in the model.

        Args:
            flags: Bits of `SolverNotifyFlags`.
        """
        if flags & SolverNotifyFlags.BODY_PROPERTIES:
            self._has_held = bool(kinematic_bodies(self.model).any())
        if flags & SolverNotifyFlags.TENDON_PROPERTIES and self.cables is not None:
            self.cables.refresh()

    def reset(self, state: State, world_mask: Any = None, flags: int | None = None) -> None:
        """Have tendons begin anew: with their first material, where bodies are then.

        Args:
            state: What is written; its bodies and particles stay.
            world_mask: Worlds, and at last what belongs to all worlds, as bools; None: all.
            flags: Accepted: tendons are reset in any case.
        """
        if self.cables is not None:
            self.cables.reset(state, chosen_worlds(self.model, world_mask))

    def step(
        self,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        *,
        observables: Observables | None = None,
    ) -> None:
        """Move a state by a time step.

        Args:
            state_in: The state.
            state_out: The state after the step.
            control: Forces and targets; None: those of the model.
            contacts: Contacts that were found; None: there are none.
            dt: Time step [s].
            observables: What is told of the step; None: nothing.
        """
        self.validate_observables(observables, contacts)
        control = self.model.control(clone_variables=False) if control is None else control
        forces = None if observables is None else observables.contact_f
        work = _Step(self, state_in, state_out, control, contacts, dt)
        work.note_pressure(forces)
        wrenches = [state_out.body_parent_f, getattr(observables, "body_parent_f", None)]
        work.note_joints([array for array in wrenches if array is not None])
        if self.cables is not None:
            impulses.begin(self.cables, state_in)
        work.predict()
        for _ in range(self.iterations):
            work.correct_particles()
            work.correct_joints()
            work.correct_tendons()
            work.correct_contacts()
        work.finish()
        if self.cables is not None:
            impulses.finish(self.cables, work.bodies(), state_out)
        self._pressed, self._pressed_dt = work.pressed, dt
        if contacts is not None and forces is not None:
            self._report_forces(contacts, forces)
        self._tell_step(dt, state_out, control)

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the forces of the last step's contacts, if these ask for them.

        Args:
            contacts: Those of the last step; their ``force`` is written.
            state: Not needed.
        """
        _tell_old("update_contacts", "1.7")
        if contacts.force is None:
            asked = 'without force: model.request_contact_attributes("force") before they are made'
            raise InvalidArgumentError("contacts", asked, "contacts with room for forces")
        self._report_forces(contacts, contacts.force)

    def _report_forces(self, contacts: Contacts, forces: wp.array[Any]) -> None:
        from unibody.newton.solvers.xpbd_report_kernels import report_forces

        forces.zero_()
        if self._pressed is None:
            return
        wp.launch(
            report_forces,
            dim=len(self._pressed),
            inputs=[contacts.rigid_contact_count, self._pressed, self._pressed_dt],
            outputs=[forces],
            device=self.device,
        )


def _tell_old(name: str, version: str) -> None:
    """Warn of what releases of 1.x have begun to take away."""
    if is_after_first_of_1():
        text = f"SolverXPBD.{name} is deprecated in Newton {version}"
        exceptions.warn(text, exceptions.NewtonDeprecationWarning)


class _Step:
    """One step: arrays that its stages share."""

    def __init__(
        self,
        solver: SolverXPBD,
        state_in: State,
        state_out: State,
        control: Control,
        contacts: Contacts | None,
        dt: float,
    ) -> None:
        self.solver, self.model = solver, solver.model
        self.state_in, self.state_out = state_in, state_out
        self.control, self.contacts, self.dt = control, contacts, dt
        self.q, self.qd = state_out.body_q, state_out.body_qd
        self.x, self.v = state_out.particle_q, state_out.particle_qd
        self.body_deltas: Any = None
        self.weights: Any = None
        self.free: Any = None
        self.rounds: HostRounds | KernelRounds | None = None
        self.pressed: wp.array[Any] | None = None
        self.given: wp.array[Any] | None = None
        self.impulses: wp.array[Any] | None = None
        self.told: wp.array[Any] | None = None
        self.wrenches: list[wp.array[Any]] = []
        self.inv_mass, self.inv_inertia = inverse_masses(self.model, solver._has_held)
        count = self.model.body_count
        self.rigid = contacts if contacts is not None and count and self.model.shape_count else None

    def note_pressure(self, forces: wp.array[Any] | None) -> None:
        """Have corrections of contacts noted where rebounds, or a script, need their impulses."""
        if self.rigid is None:
            return
        room, device = self.rigid.rigid_contact_max, self.model.device
        if self.rigid.force is not None or forces is not None:
            self.pressed = wp.zeros(room, dtype=wp.vec3, device=device)
        if self.solver.enable_restitution:
            self.given = wp.zeros(room, dtype=wp.vec2, device=device)
        if self.pressed is not None or self.given is not None:
            self.impulses = wp.zeros(room, dtype=wp.vec3, device=device)

    def note_joints(self, wrenches: list[wp.array[Any]]) -> None:
        """Have impulses of joints noted, to be written as forces on what the joints hold."""
        self.wrenches = wrenches
        if wrenches and self.model.body_count:
            self.told = wp.zeros(
                self.model.body_count, dtype=wp.spatial_vector, device=self.model.device
            )

    def _launch(self, kernel: Any, dim: int, inputs: list[Any], outputs: list[Any]) -> None:
        if dim:
            wp.launch(kernel, dim=dim, inputs=inputs, outputs=outputs, device=self.model.device)

    def predict(self) -> None:
        """Move all as if there were no constraints."""
        model, solver = self.model, self.solver
        solver.integrate_particles(model, self.state_in, self.state_out, self.dt)
        if model.particle_count:
            given = (solver, self.control, self.x, self.v, self.dt)
            host = solver._corrections
            self.rounds = KernelRounds(*given) if host is None else HostRounds(*given, host)
            self.rounds.begin()
        if not model.body_count:
            return
        given = self.state_in.body_f
        if model.joint_count:
            self.state_in.body_f = forces.with_joint_forces(
                model, self.state_in, self.control, self.dt, self.told
            )
        try:
            solver.integrate_bodies(
                model, self.state_in, self.state_out, self.dt, solver.angular_damping
            )
        finally:
            self.state_in.body_f = given
        if solver.enable_restitution and self.rigid is not None:
            self.free = wp.clone(self.qd, requires_grad=False)

    def bodies(self, q: Any = None, qd: Any = None) -> Any:
        """Bodies at their present places, or at others, as a struct of kernels."""
        from unibody.newton.solvers.xpbd_motion_kernels import Bodies

        found: Any = Bodies()
        if self.model.body_count:
            found.q = self.q if q is None else q
            found.qd = self.qd if qd is None else qd
            found.com = self.model.body_com
            found.inv_mass, found.inv_inertia = self.inv_mass, self.inv_inertia
        return found

    def _fresh(self, array: Any, like: Any) -> wp.array[Any]:
        """Zeros: the array that was, or a new one."""
        if array is None:
            return wp.zeros_like(like, requires_grad=False)
        array.zero_()
        return array

    def _move_bodies(self, weights: Any = None, rest: float = 0.0) -> None:
        from unibody.newton.solvers.xpbd_motion_kernels import apply_to_bodies

        self._launch(
            apply_to_bodies,
            self.model.body_count,
            [self.bodies(), self.model.body_inertia, self.body_deltas, weights, rest, self.dt],
            [self.q, self.qd],
        )

    def correct_joints(self) -> None:
        """Move bodies as joints ask for."""
        model, solver = self.model, self.solver
        if not model.joint_count:
            return
        from unibody.newton.solvers.xpbd_joint_kernels import Axes, solve_joints
        from unibody.newton.solvers.xpbd_motion_kernels import AT_REST

        drives = forces.drives(model, self.control)
        axes: Any = Axes()
        axes.axis, axes.lower, axes.upper = model.joint_axis, drives.lower, drives.upper
        axes.target_pos, axes.target_at = drives.target_pos, drives.target_at
        axes.target_vel = drives.target_vel
        axes.ke, axes.kd = drives.target_ke, drives.target_kd
        if self.told is not None:
            axes.told = self.told
        self.body_deltas = self._fresh(self.body_deltas, self.qd)
        self._launch(
            solve_joints,
            model.joint_count,
            [
                self.bodies(),
                axes,
                model.joint_type,
                model.joint_enabled,
                model.joint_parent,
                model.joint_child,
                model.joint_X_p,
                model.joint_X_c,
                model.joint_dof_dim,
                model.joint_qd_start,
                solver.joint_linear_compliance,
                solver.joint_angular_compliance,
                solver.joint_linear_relaxation,
                solver.joint_angular_relaxation,
                self.dt,
            ],
            [self.body_deltas],
        )
        self._move_bodies(rest=AT_REST)
        if solver._follows:
            self._correct_followers(axes)

    def correct_tendons(self) -> None:
        """Move bodies as tendons ask for."""
        cables, share = self.solver.cables, self.solver.joint_linear_relaxation
        if cables is None:
            return
        moves = bool(self.model.body_count)
        self.body_deltas = self._fresh(self.body_deltas, self.qd) if moves else None
        impulses.pull(cables, self.bodies(), share, self.dt, self.body_deltas)
        if moves:
            self._move_bodies()

    def _correct_followers(self, axes: Any) -> None:
        """Move bodies as joints that follow others ask for."""
        from unibody.newton.solvers.xpbd_mimic_kernels import Places, solve_followers

        model, solver, joints = self.model, self.solver, Places()
        for name in ("parent", "child", "X_p", "X_c"):
            setattr(joints, name, getattr(model, f"joint_{name}"))
        joints.dims, joints.start = model.joint_dof_dim, model.joint_qd_start  # type: ignore[attr-defined]
        self.body_deltas = self._fresh(self.body_deltas, self.qd)
        self._launch(
            solve_followers,
            model.joint_count,
            [
                self.bodies(),
                axes,
                joints,
                model.joint_enabled,
                model.joint_mimic_joint,
                model.joint_mimic_coeffs,
                # one for both ends: else the two impulses would not balance
                min(solver.joint_linear_relaxation, solver.joint_angular_relaxation),
                self.dt,
            ],
            [self.body_deltas],
        )
        self._move_bodies()

    def correct_contacts(self) -> None:
        """Move bodies as their contacts ask for."""
        if self.rigid is None:
            return
        from unibody.newton.solvers.xpbd_contact_kernels import solve_contacts

        model, solver, contacts = self.model, self.solver, self.rigid
        self.body_deltas = self._fresh(self.body_deltas, self.qd)
        self.weights = self._fresh(self.weights, self.inv_mass)
        launch_rows(
            solve_contacts,
            contacts.rigid_contact_max,
            [
                self.bodies(),
                forces.points(contacts),
                contacts.rigid_contact_offset0,
                contacts.rigid_contact_offset1,
                model.shape_body,
                model.shape_material_mu,
                model.shape_material_torsional_friction,
                model.shape_material_rolling_friction,
                solver.rigid_contact_relaxation,
                self.dt,
            ],
            outputs=[self.body_deltas, self.weights, self.impulses],
            device=model.device,
        )
        shared = self.weights if solver.rigid_contact_con_weighting else None
        if self.impulses is not None:
            self._note_impulses(shared)
        self._move_bodies(shared)

    def _note_impulses(self, shared: wp.array[Any] | None) -> None:
        from unibody.newton.solvers.xpbd_contact_kernels import note_impulses, note_pushes

        assert self.rigid is not None and self.impulses is not None
        contacts, of_shapes = self.rigid.rigid_contact_max, self.model.shape_body
        points = forces.points(self.rigid)
        if self.pressed is not None:
            noted = [points, of_shapes, self.inv_mass, shared, self.impulses]
            self._launch(note_impulses, contacts, noted, [self.pressed])
        if self.given is not None:
            noted = [points, of_shapes, shared, self.impulses]
            self._launch(note_pushes, contacts, noted, [self.given])
        self.impulses.zero_()

    def correct_particles(self) -> None:
        """Move particles as their elements and contacts ask for."""
        model = self.model
        if self.rounds is None:
            return
        from unibody.newton.solvers import xpbd_particle_kernels as kernels

        self.rounds.ask()
        deltas = self.rounds.deltas
        self._correct_soft_contacts(kernels, deltas)
        self._launch(
            kernels.apply_to_particles,
            model.particle_count,
            [
                self.state_in.particle_q,
                self.x,
                self.v,
                model.particle_flags,
                deltas,
                self.dt,
                model.particle_max_velocity,
            ],
            [self.x, self.v],
        )

    def _correct_soft_contacts(self, kernels: Any, deltas: wp.array[Any]) -> None:
        model, contacts, relaxation = self.model, self.contacts, self.solver.soft_contact_relaxation
        particles = [self.x, self.v, model.particle_inv_mass, model.particle_radius]
        if contacts is not None and model.shape_count and contacts.soft_contact_max:
            refuse_features(contacts, "SolverXPBD")
            if model.body_count:
                self.body_deltas = self._fresh(self.body_deltas, self.qd)
            launch_rows(
                kernels.solve_soft_contacts,
                contacts.soft_contact_max,
                [
                    *particles,
                    model.particle_flags,
                    self.bodies(),
                    model.shape_body,
                    model.shape_material_mu,
                    model.soft_contact_mu,
                    model.particle_adhesion,
                    contacts.soft_contact_count,
                    contacts.soft_contact_particle,
                    contacts.soft_contact_shape,
                    contacts.soft_contact_body_pos,
                    contacts.soft_contact_body_vel,
                    contacts.soft_contact_normal,
                    self.dt,
                    relaxation,
                ],
                outputs=[deltas, self.body_deltas],
                device=model.device,
            )
            if model.body_count:
                self._move_bodies()

    def finish(self) -> None:
        """Write the state, with velocities of rebounds."""
        from unibody.newton.solvers.xpbd_motion_kernels import velocities_of_motion
        from unibody.newton.solvers.xpbd_report_kernels import report_wrenches

        model, state = self.model, self.state_out
        for wrench in self.wrenches:
            self._launch(report_wrenches, model.body_count, [self.told, self.dt], [wrench])
        if self.solver._from_motion:
            self._launch(
                velocities_of_motion,
                model.body_count,
                [self.state_in.body_q, state.body_q, model.body_com, model.body_flags, self.dt],
                [state.body_qd],
            )
        if not self.solver.enable_restitution:
            return
        if self.rigid is not None:
            self._rebound_bodies()
        if self.contacts is not None and model.particle_count:
            self._rebound_particles()

    def _rebound_bodies(self) -> None:
        from unibody.newton.solvers import xpbd_contact_kernels as kernels
        from unibody.newton.solvers.xpbd_motion_kernels import add_velocities

        model, before, after = self.model, self.state_in, self.state_out.body_qd
        assert self.rigid is not None
        contacts, rebounds = self.rigid.rigid_contact_max, cast(Any, kernels.Rebounds())
        rebounds.bodies = self.bodies(before.body_q, before.body_qd)
        rebounds.points, rebounds.free = forces.points(self.rigid), self.free
        rebounds.shape_body = model.shape_body
        rebounds.restitution = model.shape_material_restitution
        rebounds.shares, rebounds.dt = wp.zeros_like(self.inv_mass), self.dt
        rebounds.given = self.given
        pushes = wp.zeros(contacts, dtype=float, device=model.device)
        self._launch(kernels.count_rebounds, contacts, [rebounds], [rebounds.shares])
        changes = self._fresh(self.body_deltas, self.qd)
        self._launch(kernels.level_pushes, contacts, [rebounds], [changes, pushes])
        self._launch(add_velocities, model.body_count, [changes], [after])
        for _ in range(_ROUNDS * self.solver.rigid_contact_restitution_iterations):
            changes = self._fresh(self.body_deltas, self.qd)
            self._launch(kernels.rebound, contacts, [rebounds, after], [changes, pushes])
            self._launch(add_velocities, model.body_count, [changes], [after])

    def _rebound_particles(self) -> None:
        from unibody.newton.solvers.xpbd_particle_kernels import rebound_particles

        model, before, contacts = self.model, self.state_in, self.contacts
        assert contacts is not None
        self._launch(
            rebound_particles,
            contacts.soft_contact_max,
            [
                before.particle_qd,
                before.particle_q,
                model.particle_radius,
                model.particle_flags,
                self.bodies(before.body_q, before.body_qd),
                model.shape_body,
                model.particle_adhesion,
                model.soft_contact_restitution,
                contacts.soft_contact_count,
                contacts.soft_contact_particle,
                contacts.soft_contact_shape,
                contacts.soft_contact_body_pos,
                contacts.soft_contact_normal,
                self.dt,
            ],
            [self.state_out.particle_qd],
        )
