"""SolverBase: what all solvers share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import warp as wp

from unibody.core.engine.world import step_observers
from unibody.newton.gravity_kernels import accelerations, gravity_of_worlds
from unibody.newton.solvers import collision_schedule, host_steps
from unibody.newton.solvers import integration_kernels as kernels
from unibody.newton.solvers import observables as told

if TYPE_CHECKING:
    from unibody.newton.builder.model_builder import ModelBuilder
    from unibody.newton.model import Model
    from unibody.newton.state import Contacts, Control, State


class SolverStep(NamedTuple):
    """A step that a solver made.

    Attributes:
        model: The model.
        state: After the step.
        control: What it was given; None: what the model says.
    """

    model: Model
    state: State
    control: Control | None


class SolverBase:
    """Moves states of a model by time steps. Scripts may write solvers of their own.

    Args:
        model: The model.
    """

    CollisionSlot = collision_schedule.CollisionSlot
    CollisionFrequencyType = collision_schedule.CollisionFrequencyType
    ObservableKind = told.ObservableKind
    Observables = told.Observables
    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def supported_observables(self) -> frozenset[str]:
        """What steps can tell beside the state."""
        return self.SUPPORTED_OBSERVABLES

    def observables(
        self,
        kinds: Iterable[str],
        *,
        contacts: Contacts | None = None,
        requires_grad: bool | None = None,
    ) -> told.Observables:
        """Make arrays for what steps shall tell beside the state.

        Args:
            kinds: Names, of `ObservableKind`.
            contacts: Whose forces are told, where they are asked for.
            requires_grad: Whether the arrays take part in gradients; None: as the model.

        Raises:
            ValueError: The solver cannot tell a kind, or contacts are missing.
        """
        return told.make(self, kinds, contacts, requires_grad)

    def validate_observables(
        self, observables: told.Observables | None, contacts: Contacts | None = None
    ) -> None:
        """Check what a step is given to write.

        Args:
            observables: What `observables` made; None: nothing.
            contacts: Those of the step.

        Raises:
            TypeError: It is something else.
            ValueError: Another solver made it, or contacts are missing or too many.
        """
        told.check(self, observables, contacts)

    @property
    def device(self) -> Any:
        """Where the arrays of the model are."""
        return self.model.device

    def integrate_bodies(
        self,
        model: Model,
        state_in: State,
        state_out: State,
        dt: float,
        angular_damping: float = 0.0,
    ) -> None:
        """Move bodies by a semi-implicit Euler step, as if there were no joints.

        Args:
            model: The model.
            state_in: Poses, velocities and forces.
            state_out: Its poses and velocities are written.
            dt: Time step [s].
            angular_damping: Share of the angular velocity that is lost in a second [1/s].
        """
        if not model.body_count:
            return
        wp.launch(
            kernels.integrate_bodies,
            dim=model.body_count,
            inputs=[
                state_in.body_q,
                state_in.body_qd,
                state_in.body_f,
                model.body_com,
                model.body_inertia,
                model.body_inv_mass,
                model.body_inv_inertia,
                model.body_flags,
                model.body_world,
                gravity_of_worlds(model),
                angular_damping,
                dt,
            ],
            outputs=[state_out.body_q, state_out.body_qd],
            device=model.device,
        )

    def integrate_particles(
        self, model: Model, state_in: State, state_out: State, dt: float
    ) -> None:
        """Move particles by a semi-implicit Euler step.

        Args:
            model: The model.
            state_in: Positions, velocities and forces.
            state_out: Its positions and velocities are written.
            dt: Time step [s].
        """
        if not model.particle_count:
            return
        wp.launch(
            kernels.integrate_particles,
            dim=model.particle_count,
            inputs=[
                state_in.particle_q,
                state_in.particle_qd,
                state_in.particle_f,
                model.particle_inv_mass,
                model.particle_flags,
                model.particle_world,
                gravity_of_worlds(model),
                dt,
                model.particle_max_velocity,
            ],
            outputs=[state_out.particle_q, state_out.particle_qd],
            device=model.device,
        )

    def step(
        self,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        *,
        observables: told.Observables | None = None,
    ) -> State | None:
        """Move a state by a time step.

        Args:
            state_in: The state.
            state_out: The state after the step.
            control: Forces and targets; None: those of the model.
            contacts: Contacts that were found.
            dt: Time step [s].
            observables: What is told of the step; None: nothing.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define step")

    def _tell_step(self, dt: float, state: State, control: Control | None) -> None:
        """Tell who watches the run that a step was made, in recorded graphs of the CPU, too."""
        if step_observers.observers:
            stepped = SolverStep(self.model, state, control)
            host_steps.run(self, partial(step_observers.notify_step, float(dt), None, stepped))

    def coupling_eval_gravity_acceleration(
        self, out_body_acceleration: Any, out_particle_acceleration: Any
    ) -> None:
        """Tell the accelerations of gravity that steps apply, for couplings with other solvers.

        Args:
            out_body_acceleration: Of bodies [m/s^2]; None: they are not told.
            out_particle_acceleration: Of particles [m/s^2]; None: they are not told.
        """
        model = self.model
        for worlds, compensated, found in (
            (model.body_world, self._gravity_compensation(), out_body_acceleration),
            (model.particle_world, None, out_particle_acceleration),
        ):
            if found is None or not len(found):
                continue
            wp.launch(
                accelerations,
                dim=len(found),
                inputs=[worlds, gravity_of_worlds(model), compensated],
                outputs=[found],
                device=model.device,
            )

    def _gravity_compensation(self) -> Any:
        """The share of gravity that bodies do not feel, (bodies,), or None."""
        return None

    def notify_model_changed(self, flags: int) -> None:
        """Take over what a script has changed in the model.

        Args:
            flags: Bits of `SolverNotifyFlags`.
        """

    def reset(self, state: State, world_mask: Any = None, flags: int | None = None) -> None:
        """Forget what the solver keeps of earlier steps: nothing, unless a solver says otherwise.

        Args:
            state: The state that begins anew.
            world_mask: Worlds, and at last what belongs to all worlds, as bools; None: all.
            flags: Bits of `StateFlags`; None: all.
        """

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the contacts of the last step.

        Args:
            contacts: What is written.
            state: The state that they belong to.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define update_contacts")

    @classmethod
    def register_custom_attributes(cls, builder: ModelBuilder) -> None:
        """Let a builder know the attributes that the solver reads.

        Args:
            builder: The builder.
        """
