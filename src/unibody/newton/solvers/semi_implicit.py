"""SolverSemiImplicit: forces of springs for all that binds bodies, and symplectic Euler steps."""

from __future__ import annotations

import math

from unibody.newton.model import Model
from unibody.newton.solvers import forces
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.observables import Observables
from unibody.newton.solvers.smoothing import FrictionSmoothing
from unibody.newton.solvers.unsupported import (
    refuse_features,
    refuse_unsupported,
    tell_of_followers,
)
from unibody.newton.state import Contacts, Control, State


class SolverSemiImplicit(FrictionSmoothing, SolverBase):
    """Moves bodies and particles one by one; joints and contacts are springs. It has gradients.

    Args:
        model: The model.
        angular_damping: Share of the angular velocity that is lost in a second [1/s].
        friction_smoothing: Speed below which friction grows with it smoothly [m/s].
        joint_attach_ke: Stiffness of joints in the directions that they take away [N/m].
        joint_attach_kd: Their damping [N s/m].
        enable_tri_contact: Whether particles push away triangles that they come near to.
        joint_mimic_ke: Stiffness of springs that let joints follow others [N/m or N m/rad].
        joint_mimic_kd: Their damping [N s/m or N m s/rad].

    Raises:
        ValueError: A gain of joints that follow others is negative or no finite number.
    """

    def __init__(
        self,
        model: Model,
        angular_damping: float = 0.05,
        friction_smoothing: float = 1.0,
        joint_attach_ke: float = 1.0e4,
        joint_attach_kd: float = 1.0e2,
        enable_tri_contact: bool = True,
        *,
        joint_mimic_ke: float = 1.0e2,
        joint_mimic_kd: float = 1.0,
    ) -> None:
        super().__init__(model)
        refuse_unsupported(model, "SolverSemiImplicit", muscles=True, passive=True)
        tell_of_followers(model, "SolverSemiImplicit")
        for name, gain in (("joint_mimic_ke", joint_mimic_ke), ("joint_mimic_kd", joint_mimic_kd)):
            if not (math.isfinite(gain) and gain >= 0.0):
                raise ValueError(f"{name} must be finite and non-negative, not {gain}")
        self.joint_mimic_ke: float = float(joint_mimic_ke)
        self.joint_mimic_kd: float = float(joint_mimic_kd)
        self._follows = bool((model.joint_mimic_joint.numpy() >= 0).any())
        self.angular_damping = angular_damping
        self._smooth(friction_smoothing)
        self.joint_attach_ke = joint_attach_ke
        self.joint_attach_kd = joint_attach_kd
        self.enable_tri_contact = enable_tri_contact
        self._triangles = forces.TriangleContacts(model)

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
            state_in: The state; its ``particle_f`` gets the forces of elements and contacts.
            state_out: The state after the step.
            control: Forces and targets; None: those of the model.
            contacts: Contacts that were found; None: there are none.
            dt: Time step [s].
            observables: What is told of the step; None: nothing.
        """
        self.validate_observables(observables, contacts)
        refuse_features(contacts, "SolverSemiImplicit")
        model = self.model
        control = model.control(clone_variables=False) if control is None else control
        body_f = state_in.body_f
        if body_f is not None and (model.joint_count or model.muscle_count):
            body_f = forces.copy_of_wrenches(body_f)
        particle_f = state_in.particle_f
        forces.add_element_forces(model, state_in, control, particle_f)
        if body_f is not None:
            forces.add_joint_forces(
                model, state_in, control, body_f, self.joint_attach_ke, self.joint_attach_kd
            )
            if self._follows:
                forces.add_mimic_forces(
                    model, state_in, body_f, self.joint_mimic_ke, self.joint_mimic_kd
                )
        forces.add_muscle_forces(model, state_in, control, body_f)
        forces.add_particle_contact_forces(model, state_in, particle_f)
        if self.enable_tri_contact:
            self._triangles.add(state_in, particle_f)
        forces.add_contact_forces(model, state_in, contacts, body_f, self._smoothed_speed())
        forces.add_soft_contact_forces(model, state_in, contacts, particle_f, body_f)
        self.integrate_particles(model, state_in, state_out, dt)
        given, state_in.body_f = state_in.body_f, body_f
        try:
            self.integrate_bodies(model, state_in, state_out, dt, self.angular_damping)
        finally:
            state_in.body_f = given
        self._tell_step(dt, state_out, control)
