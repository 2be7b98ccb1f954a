"""SolverVBD: cloth, soft bodies, springs, rigid bodies and cables by block descent."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp

from unibody.core.deform.state import State as ParticleState
from unibody.core.deform.vbd.solver import SurfaceContact, VertexBlockDescent
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.collision.feature_pass import pair_count
from unibody.newton.dialect import damping_of, is_after_first_of_1
from unibody.newton.gravity_kernels import shared_row
from unibody.newton.solvers import (
    host_steps,
    rigid_vbd_reports,
    rigid_vbd_scene,
    vbd_later_options,
    vbd_particles,
)
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.collision_schedule import (
    CollisionFrequencyType,
    CollisionSchedule,
    CollisionSlot,
)
from unibody.newton.solvers.flags import ModelFlags
from unibody.newton.solvers.observables import ObservableKind, Observables
from unibody.newton.solvers.particle_rows import TouchedShapes, follow, motion_of, touched_shapes
from unibody.newton.solvers.resets import chosen_worlds, put_first
from unibody.newton.solvers.rigid_vbd import RigidBlockDescent
from unibody.newton.solvers.rigid_vbd_attributes import RigidAttributes
from unibody.newton.solvers.rigid_vbd_options import HARD, RigidOptions
from unibody.newton.solvers.spring_changes import SpringChanges
from unibody.newton.solvers.tendons.cables import (
    LEAST_COMPLIANCE,
    TENDON_OPTIONS,
    TendonAttributes,
)
from unibody.newton.solvers.tendons.pulls import Pulls
from unibody.newton.solvers.unsupported import refuse_muscles, tell_of_independence
from unibody.newton.solvers.vbd_bounds import MotionBounds
from unibody.newton.solvers.vbd_contact_reports import ContactForces
from unibody.newton.solvers.vbd_coupling import Coupling
from unibody.newton.solvers.vbd_inside import Inside
from unibody.newton.solvers.vbd_tables import rows_of, tables_of

if TYPE_CHECKING:
    from unibody.newton.state import Control


class SolverVBD(TendonAttributes, RigidAttributes, SolverBase):
    """Moves particles by implicit Euler steps, vertex by vertex (Chen et al. 2024), or bodies.

    Rigid bodies are moved one by one (see `rigid_vbd`), unless another solver does that; particles
    touch them where they are.

    Args:
        model: The model; the particles of its builder were colored.
        iterations: Times over all particles in a step; None: as the scene says, or 10.
        friction_epsilon: Speed below which friction grows with it [m/s].
        integrate_with_external_rigid_solver: Whether another solver moves the rigid bodies.
        particle_enable_self_contact: Whether triangles touch one another.
        particle_self_contact_radius: How near they push one another [m].
        particle_self_contact_margin: How near they have to be to be looked at [m].
        particle_conservative_bound_relaxation: Of their way to another side particles go as far
            between two searches.
        particle_vertex_contact_buffer_size: Accepted: there is room for all.
        particle_edge_contact_buffer_size: Accepted: there is room for all.
        particle_collision_detection_interval: Iterations between two searches; 0: before and
            after the first guess of a step; below: before it only.
        particle_edge_parallel_epsilon: Accepted: parallel edges have closest points here.
        particle_enable_tile_solve: Accepted: how graphics cards share the work.
        particle_topological_contact_filter_threshold: What is less than so many edges apart does
            not touch.
        particle_rest_shape_contact_exclusion_radius: What is nearer at rest does not touch [m].
        particle_external_vertex_contact_filtering_map: Not supported.
        particle_external_edge_contact_filtering_map: Not supported.
        particle_self_contact_gap: Of 1.x. Where it is given, sides push one another from
            `particle_self_contact_margin` on, and are looked at from so much farther [m].
        collision_pipeline: Of 1.x. Finds the contacts of each step; its ``contacts`` are None then.
        collision_frequency: Of 1.x: see `set_collision_frequency`.
        collision_frequency_type: Likewise.
        **rigid: Options of rigid bodies, see `RigidOptions`; of 1.x, ``tendon_max_sweeps``,
            ``tendon_settle_tol`` and ``tendon_activation_tol``, see `SolverXPBD`.

    Attributes:
        rigid_soft_enable_dat: Whether particles and bodies keep off one another (of 1.x): see
            `vbd_bounds`.
        truncation_ts: Shares of their ways that particles have gone, as far as they are bounded.
        body_truncation_ts: Likewise of bodies, where they are bounded.
        body_particle_contact_penalty_k: Stiffness of contacts of particles in the last step, for as
            many as there are pairs of a particle and a shape that may meet [N/m].

    Raises:
        ValueError: If the particles were not colored.
        NotSupportedError: If a filter of contacts is not there, or if the model is not on the CPU.
    """

    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset({ObservableKind.CONTACT_F})

    def __init__(
        self,
        model: Any,
        iterations: int | None = None,
        friction_epsilon: float = 1e-2,
        integrate_with_external_rigid_solver: bool = False,
        particle_enable_self_contact: bool = False,
        particle_self_contact_radius: float = 0.2,
        particle_self_contact_margin: float = 0.2,
        particle_conservative_bound_relaxation: float = 0.85,
        particle_vertex_contact_buffer_size: int = 32,
        particle_edge_contact_buffer_size: int = 64,
        particle_collision_detection_interval: int = 0,
        particle_edge_parallel_epsilon: float = 1e-5,
        particle_enable_tile_solve: bool = True,
        particle_topological_contact_filter_threshold: int = 2,
        particle_rest_shape_contact_exclusion_radius: float = 0.0,
        particle_external_vertex_contact_filtering_map: dict[Any, Any] | None = None,
        particle_external_edge_contact_filtering_map: dict[Any, Any] | None = None,
        particle_self_contact_gap: float | None = None,
        collision_pipeline: Any = None,
        collision_frequency: Any = None,
        collision_frequency_type: Any = None,
        **rigid: Any,
    ) -> None:
        super().__init__(model)
        _check(model, collision_pipeline)
        old = particle_conservative_bound_relaxation
        share, bounded = vbd_later_options.take(rigid, collision_pipeline, model, old)
        self.friction_epsilon: float = friction_epsilon
        self.collision_pipeline: Any = collision_pipeline
        self.contacts: Any = None if collision_pipeline is None else collision_pipeline.contacts()
        self._schedule = _schedule(
            *(collision_pipeline, collision_frequency, collision_frequency_type),
            particle_collision_detection_interval,
            bounded=bounded,
        )
        self._bound(bounded, share, external=integrate_with_external_rigid_solver)
        contact = None
        if particle_enable_self_contact and model.tri_count:
            _refuse_filters(
                vertex=particle_external_vertex_contact_filtering_map,
                edge=particle_external_edge_contact_filtering_map,
            )
            contact = _surface_contact(
                model,
                *(particle_self_contact_radius, particle_self_contact_margin),
                particle_self_contact_gap,
                slow=friction_epsilon,
                rings=max(particle_topological_contact_filter_threshold, 1),
                exclusion=particle_rest_shape_contact_exclusion_radius,
                share=share,
                interval=self._schedule.interval(),
            )
        self._solver = VertexBlockDescent(tables_of(model), surface_contact=contact)
        self._spring_changes, self._update_history = SpringChanges(model), True
        self.iterations = rigid_vbd_scene.iterations_of(model, iterations)
        self._add_bodies(rigid, integrate_with_external_rigid_solver)

    def _bound(self, bounded: bool, share: float, *, external: bool) -> None:
        """Make what happens while a step goes on."""
        self.dat_conservative_bound_relaxation = share
        model, pipeline, bounds = self.model, self.collision_pipeline, None
        if bounded and external:
            raise ValueError(
                "rigid_soft_enable_dat=True bounds bodies that SolverVBD moves:"
                " integrate_with_external_rigid_solver=False works"
            )
        if bounded:
            bounds = MotionBounds(model, pipeline.soft_contact_margin, share)
            self.body_truncation_ts: wp.array[Any] = bounds.of_bodies
        self.rigid_soft_enable_dat: bool = bounded
        self.truncation_ts: wp.array[Any] = (
            wp.zeros(model.particle_count, dtype=wp.float32, device=model.device)
            if bounds is None
            else bounds.of_particles
        )
        self._inside = Inside(pipeline, self._schedule, bounds)

    def _add_bodies(self, rigid: dict[str, Any], external: bool) -> None:
        """Make what moves rigid bodies, tendons and particles with them, by a script's options."""
        model = self.model
        stated = [rigid.pop(name, usual) for name, usual in TENDON_OPTIONS.items()]
        self._add_cables(model, *stated, least=LEAST_COMPLIANCE)
        options = _rigid_options(model, rigid, self.collision_pipeline, external=external)
        self._options, self._follows = options, external and _moved_before(model)
        if external and self.cables is not None:
            raise NotSupportedError(
                "tendons with SolverVBD(integrate_with_external_rigid_solver=True)",
                "SolverXPBD moves bodies with tendons; SolverVBD does that itself, too",
            )
        self._bodies = _rigid_part(model, options, self.friction_epsilon, external, self.cables)
        self._pulls = Pulls(model, self.cables if self._bodies is None else None)
        pairs = pair_count(model)
        stiffness = wp.zeros(pairs, dtype=wp.float32, device=model.device)
        self.body_particle_contact_penalty_k: wp.array[Any] = stiffness
        self._coupling = _coupling(model, self._solver, self._bodies, options, stiffness)

    @property
    def iterations(self) -> int:
        """Times over all particles in a step."""
        return self._solver.iterations

    @iterations.setter
    def iterations(self, value: int) -> None:
        if value < 0:
            raise InvalidArgumentError("iterations", value, "zero or a positive number")
        self._solver.iterations = value

    @property
    def collision_frequency(self) -> dict[Any, int]:
        """Iterations between two searches for contacts, by `CollisionSlot`."""
        return dict(self._schedule.frequency)

    @property
    def collision_frequency_type(self) -> dict[Any, Any]:
        """When contacts are looked for, by `CollisionSlot`."""
        return dict(self._schedule.types)

    def set_collision_frequency(
        self, *, collision_frequency: Any = None, collision_frequency_type: Any = None
    ) -> None:
        """Choose when the solver looks for contacts from the next step on.

        Args:
            collision_frequency: Iterations between two searches, by `CollisionSlot`, where the type
                is ITERATIONS; None: as before.
            collision_frequency_type: `CollisionFrequencyType` by `CollisionSlot`; None: as before.
        """
        self._schedule.change(collision_frequency, collision_frequency_type)
        if self._solver.touches:
            self._solver.interval = self._schedule.interval()

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Let a builder know what scenes and joints say for this solver (after 1.0).

        Args:
            builder: The builder.
        """
        if is_after_first_of_1():
            rigid_vbd_scene.register(builder)

    def set_rigid_history_update(self, update: bool) -> None:
        """Choose whether joints lose stiffness before the next step, as they do before others."""
        self._update_history = update

    def notify_model_changed(self, flags: int) -> None:
        """Take over what a script has changed in the model.

        Args:
            flags: Bits of `ModelFlags`.
        """
        if self._bodies is not None:
            self._bodies.notify(flags)
        if flags & ModelFlags.TENDON_PROPERTIES and self.cables is not None:
            self.cables.refresh()

    def reset(self, state: Any, world_mask: Any = None, flags: int | None = None) -> None:
        """Begin anew: bodies and particles as in the model, and nothing kept of earlier steps.

        Args:
            state: What is written.
            world_mask: Worlds, and at last what belongs to all worlds, as bools; None: all.
            flags: Bits of `StateFlags`: which arrays are written; None: all of these.
        """
        worlds = chosen_worlds(self.model, world_mask)
        put_first(self.model, state, worlds, flags)
        if self.cables is not None:
            self.cables.reset(state, worlds)
        if self._bodies is not None:
            self._bodies.forget(worlds)
        if self._coupling is not None and self._coupling.attachments is not None:
            self._coupling.attachments.forget(worlds)

    def collect_rigid_contact_forces(
        self, body_q: Any, body_q_prev: Any, contacts: Any, dt: float
    ) -> rigid_vbd_reports.Reports:
        """Tell contacts between shapes after a step; see `rigid_vbd_reports.contact_forces`.

        Args:
            body_q: Poses of bodies after the step.
            body_q_prev: Poses before it.
            contacts: Those of the step; None: there were none.
            dt: Its length [s].
        """
        return rigid_vbd_reports.contact_forces(
            self._bodies, self.model, body_q, body_q_prev, contacts, dt
        )

    def coupling_harvest_proxy_particle_forces(self, *args: Any, **kwargs: Any) -> None:
        """Not supported: bodies of another solver have no stand-ins here.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(
            "SolverVBD proxy-particle coupling",
            "SolverVBD moves rigid bodies, cloth and soft bodies together",
        )

    def rebuild_bvh(self, state: Any) -> None:
        """Accepted: what is near is searched for anew in each step, without a tree.

        Args:
            state: Places of the particles.
        """

    def step(
        self,
        state_in: Any,
        state_out: Any,
        control: Control | None,
        contacts: Any,
        dt: float,
        *,
        observables: Observables | None = None,
    ) -> None:
        """Move particles by a time step.

        Args:
            state_in: Positions, velocities and forces of particles, poses and velocities of bodies.
            state_out: Its particles and bodies are written.
            control: Forces and targets of joints; None: those of the model.
            contacts: As `Model.collide` found them.
            dt: Time step [s].
            observables: What is told of the step; None: nothing.
        """
        contacts = self._collide(state_in, contacts)
        self.validate_observables(observables, contacts)
        kept, self._update_history = self._update_history, True
        self._schedule.check(touches=self._solver.touches, bounded=self._inside.bounds is not None)
        coupled, inside, states = None, self._inside, (state_in, state_out)
        self._pulls.load(state_in)  # nothing here where bodies move: their stages do it
        self._pulls.begin(state_in.body_q)
        self._pulls.end(state_out, dt)
        if self._coupling is not None:
            coupled = _beside(self._coupling, control, kept, inside)
        elif self._bodies is not None:
            look = inside.looking(*states, None, contacts)
            self._bodies.step(self, *states, control, contacts, dt, kept, detection=look)
        if self.model.particle_count:
            self._move_particles(states, contacts, dt, coupled)
        if observables is not None and observables.contact_f is not None:
            self._export_contact_forces(observables.contact_f, states, contacts, dt)
        self._tell_step(dt, state_out, control)

    def _collide(self, state: Any, contacts: Any) -> Any:
        """The contacts of a step: those of a script, or what the solver's own pipeline finds."""
        if self.collision_pipeline is None:
            return contacts
        if contacts is not None:
            raise InvalidArgumentError("contacts", contacts, "None: the solver's pipeline collides")
        if self._schedule.when(CollisionSlot.RIGID) != CollisionFrequencyType.NONE:
            self.collision_pipeline.collide(state, self.contacts)
        return self.contacts

    def _move_particles(
        self, states: tuple[Any, Any], contacts: Any, dt: float, coupled: Any
    ) -> None:
        """Move particles, in a recorded graph too; ``coupled`` moves bodies beside them."""
        model, solver = self.model, self._solver
        host_steps.run(
            self, functools.partial(_follow_springs, model, solver, self._spring_changes)
        )
        told = self.body_particle_contact_penalty_k, self.truncation_ts
        moving = functools.partial(
            _step, model, solver, self.friction_epsilon, *states, contacts, dt, coupled,
            follows=self._follows, told=told, inside=self._inside,
        )  # fmt: skip
        host_steps.run(self, moving)

    def _export_contact_forces(
        self, found: Any, states: tuple[Any, Any], contacts: Any, dt: float
    ) -> None:
        """Write the forces of the contacts of a step."""
        ContactForces(
            self.model,
            self._solver,
            self._bodies,
            self.friction_epsilon,
            coupled=self._coupling is not None,
            external=self._follows,
        ).tell(self, found, states, contacts, dt)


def _check(model: Any, collision_pipeline: Any) -> None:
    """Refuse models that the solver cannot move, and pipelines of others."""
    if collision_pipeline is not None and collision_pipeline.model is not model:
        raise ValueError("collision_pipeline and solver must use the same model")
    vbd_later_options.check_materials(model)
    refuse_muscles(model, "SolverVBD")
    tell_of_independence(model, "SolverVBD")
    if model.device.is_cuda:
        raise NotSupportedError("SolverVBD on a graphics card", 'finalize(device="cpu") works')
    if model.particle_count and not len(model.particle_color_groups):
        raise ValueError(
            "the particles have no colors: call ModelBuilder.color() before finalize()"
        )


def _schedule(
    pipeline: Any, frequency: Any, types: Any, interval: int, *, bounded: bool
) -> CollisionSchedule:
    """When contacts are looked for, with the interval of before 1.x as what AUTO stands for."""
    kind, soft = CollisionFrequencyType, CollisionFrequencyType.PRE_POST_INIT
    if interval:
        soft = kind.PRE_INIT if interval < 0 else kind.ITERATIONS
        stated = (types or {}).keys() | (frequency or {}).keys()
        if CollisionSlot.SOFT_SELF_CONTACT in stated:
            raise ValueError(
                f"particle_collision_detection_interval={interval} and collision_frequency of"
                " SOFT_SELF_CONTACT say the same: one of them is enough"
            )
    rigid = kind.PRE_POST_INIT if bounded else kind.PRE_INIT
    rigid = kind.NONE if pipeline is None else rigid
    fallback = {CollisionSlot.RIGID: rigid, CollisionSlot.SOFT_SELF_CONTACT: soft}
    found = CollisionSchedule(pipeline, frequency, types, fallback)
    if interval > 0:
        found.frequency[CollisionSlot.SOFT_SELF_CONTACT] = interval
    return found


def _reach(radius: float, margin: float, gap: float | None) -> tuple[float, float]:
    """At which distances particles touch, and are looked for; with a gap, the margin is the first.

    The gap is what 1.x adds to the margin.
    """
    if gap is not None:
        radius, margin = margin, margin + gap
    if margin < radius:
        allowed = f"particle_self_contact_radius ({radius}) or more"
        raise InvalidArgumentError("particle_self_contact_margin", margin, allowed)
    return radius, margin


def _surface_contact(
    model: Any, radius: float, margin: float, gap: float | None, **more: Any
) -> SurfaceContact:
    """How triangles of a model touch one another."""
    radius, margin = _reach(radius, margin, gap)
    return SurfaceContact(
        rows_of(model.tri_indices, 3),
        radius=radius,
        margin=margin,
        stiffness=model.soft_contact_ke,
        damping=damping_of(model.soft_contact_kd, model.soft_contact_ke),
        friction=math.sqrt(model.soft_contact_mu),
        rest=model.particle_q.numpy(),
        **more,
    )


def _refuse_filters(**filters: Any) -> None:
    for name, value in filters.items():
        if value:
            raise NotSupportedError(
                f"SolverVBD(particle_external_{name}_contact_filtering_map=...)",
                "particle_topological_contact_filter_threshold",
            )


def _rigid_options(
    model: Any, stated: dict[str, Any], collision_pipeline: Any, *, external: bool
) -> RigidOptions:
    """Options of rigid bodies, unless another solver moves them; others are refused by name."""
    moves = bool(model.body_count) and not external
    given = rigid_vbd_scene.options_of(model, stated, moves_bodies=moves)
    known = [field.name for field in dataclasses.fields(RigidOptions)]
    for name in given:
        if name in known:
            continue
        if name.startswith("rigid_"):
            raise NotSupportedError(f"SolverVBD({name}=)", f"one of {', '.join(known)} works")
        raise TypeError(f"SolverVBD() has no argument {name!r}")
    options = RigidOptions(**given)
    rigid_vbd_scene.check_history(collision_pipeline, options, stated)
    if moves:
        rigid_vbd_scene.check_joints(model)
    return options


def _moved_before(model: Any) -> bool:
    """Whether another solver has moved the bodies to the second state before: after 1.0."""
    return bool(model.body_count) and is_after_first_of_1()


def _rigid_part(
    model: Any, options: RigidOptions, friction_epsilon: float, external: bool, cables: Any
) -> RigidBlockDescent | None:
    """What moves the rigid bodies of a model; None: there are none, or another solver does."""
    if external or not model.body_count:
        return None
    return RigidBlockDescent(model, options, friction_epsilon, cables)


def _coupling(
    model: Any,
    solver: VertexBlockDescent,
    bodies: RigidBlockDescent | None,
    options: RigidOptions,
    told: Any,
) -> Coupling | None:
    """What lets particles and bodies move one another; None: nothing moves bodies so.

    Raises:
        ValueError: Particles are held at bodies that another solver moves.
    """
    held = model.attachment_particle_body_count
    if bodies is None:
        if held:
            raise ValueError(
                "SolverVBD has to integrate both endpoints of attachments of particles to bodies:"
                " integrate_with_external_rigid_solver=False works"
            )
        return None
    if not model.particle_count or not (held or model.body_inv_mass.numpy().any()):
        return None
    keep = options.rigid_avbd_gamma
    if options.scheme == HARD:
        keep = keep * options.alpha(options.rigid_avbd_joint_alpha)
    return Coupling(model, solver, bodies, bodies.friction_epsilon, keep, told)


def _beside(coupling: Coupling, control: Any, update_history: bool, inside: Inside) -> Any:
    """Moves bodies beside particles with a control of the moment it is called in."""

    def move(
        moved: ParticleState, drive: Any, state_in: Any, state_out: Any, contacts: Any, dt: float
    ) -> None:
        coupling.step(
            *(moved, drive, state_in, state_out, control, contacts, dt, update_history, inside)
        )

    return move


def _step(
    model: Any,
    solver: VertexBlockDescent,
    friction_epsilon: float,
    state_in: Any,
    state_out: Any,
    contacts: Any,
    dt: float,
    coupled: Any = None,
    *,
    follows: bool = False,
    told: tuple[Any, Any],
    inside: Inside,
) -> None:
    """Move particles by a step; and bodies, if ``coupled`` does that beside them.

    ``follows``: bodies have been moved from the first state to the second by another solver.
    ``told`` gets the stiffness of contacts, and shares of the ways of particles; ``inside`` is what
    happens while the step goes on.
    """
    inverse = model.particle_inv_mass.numpy()[:, None]
    world = model.particle_world.numpy()
    rows = np.where(world < 0, shared_row(model), world)
    drive = model.gravity.numpy()[rows] + state_in.particle_f.numpy() * inverse
    # The search begins with gravity's way, as in the original: nothing is kept between steps.
    moved = ParticleState.at(state_in.particle_q.numpy(), state_in.particle_qd.numpy(), drive)
    if coupled is None:

        def touching() -> TouchedShapes | None:
            found = touched_shapes(model, contacts, friction_epsilon, dt, told=told[0])
            if found is not None and follows:
                motion_of(found, state_out.body_q.numpy(), state_in.body_q.numpy())
            elif found is not None:
                follow(found, model, state_in, dt)
            return found

        vbd_particles.step(
            solver, moved, drive, dt, touching, inside, (state_in, state_out), contacts
        )
    else:
        coupled(moved, drive, state_in, state_out, contacts, dt)
    if inside.bounds is None:
        told[1].numpy()[:] = solver.granted
    state_out.particle_q.numpy()[:] = moved.positions
    state_out.particle_qd.numpy()[:] = moved.velocities


def _follow_springs(model: Any, solver: VertexBlockDescent, changes: SpringChanges) -> None:
    """Take springs that a script has changed."""
    if changes.found():
        solver.follow(tables_of(model))
