"""SolverFeatherstone: articulations in reduced coordinates, with contacts as springs."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.articulations import joints_of, layout_of
from unibody.newton.enums import JointType
from unibody.newton.gravity_kernels import gravity_of_worlds
from unibody.newton.kinematics import eval_fk
from unibody.newton.model import Model
from unibody.newton.solvers import forces
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.descendants import Descendants
from unibody.newton.solvers.flags import ModelFlags as Flags
from unibody.newton.solvers.followers import Followers
from unibody.newton.solvers.held import held_dofs, kinematic_bodies
from unibody.newton.solvers.observables import ObservableKind, Observables
from unibody.newton.solvers.smoothing import FrictionSmoothing
from unibody.newton.solvers.unsupported import refuse_features, refuse_unsupported
from unibody.newton.state import Contacts, Control, State

_OF_THE_MATRIX = (
    Flags.BODY_PROPERTIES
    | Flags.BODY_INERTIAL_PROPERTIES
    | Flags.JOINT_PROPERTIES
    | Flags.JOINT_DOF_PROPERTIES
    | Flags.JOINT_DOF_INERTIAL_PROPERTIES
)
_OF_BODIES = {"V": wp.spatial_vector, "A": wp.spatial_vector, "own_F": wp.spatial_vector}
_OF_BODIES |= {"F": wp.spatial_vector, "body_qd": wp.spatial_vector, "body_q": wp.transform}
_OF_BODIES |= {"own_inertia": wp.spatial_matrix, "inertia": wp.spatial_matrix}


class _Work:
    """Arrays of one step; those of a gradient's steps are kept apart."""

    def __init__(self, model: Model, total: int, grad: bool) -> None:
        with wp.ScopedDevice(model.device):
            for name, dtype in _OF_BODIES.items():
                setattr(self, name, wp.zeros(model.body_count, dtype=dtype, requires_grad=grad))
            self.reference = wp.zeros(model.articulation_count, dtype=wp.vec3, requires_grad=grad)
            dofs = model.joint_dof_count
            self.S = wp.zeros(dofs, dtype=wp.spatial_vector, requires_grad=grad)
            self.tau = wp.zeros(dofs, dtype=float, requires_grad=grad)
            self.qdd = wp.zeros(dofs, dtype=float, requires_grad=grad)
            self.adjoint_work = wp.zeros(dofs, dtype=float)
            self.H = wp.zeros(total, dtype=float, requires_grad=grad)
            self.L = wp.zeros(total, dtype=float)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name!r} is not an array of a step")


class SolverFeatherstone(FrictionSmoothing, SolverBase):
    """Moves joints by their accelerations, from the mass matrix of all that they carry.

    Forces of contacts and of deformable elements are those of SolverSemiImplicit, but those of
    particles on triangles. It has gradients. Degrees of freedom that move neither mass nor armature
    go on as they are, whatever force acts. Joints of kind DISTANCE are free, as in the original.

    Args:
        model: The model.
        angular_damping: Changes nothing, as in the original: joints have damping of their own.
        update_mass_matrix_interval: Steps after which the mass matrix is worked out again.
        friction_smoothing: Speed below which friction grows with it smoothly [m/s].
        use_tile_gemm: Changes no result: matrices are small sums here.
        fuse_cholesky: Changes no result.
    """

    SUPPORTED_OBSERVABLES = frozenset({ObservableKind.BODY_PARENT_F})

    def __init__(
        self,
        model: Model,
        angular_damping: float = 0.05,
        update_mass_matrix_interval: int = 1,
        friction_smoothing: float = 1.0,
        use_tile_gemm: bool = False,
        fuse_cholesky: bool = True,
    ) -> None:
        super().__init__(model)
        refuse_unsupported(model, "SolverFeatherstone", muscles=True, passive=True)
        _refuse_loops(model)
        _refuse_points(model)
        if update_mass_matrix_interval < 1:
            raise InvalidArgumentError(
                "update_mass_matrix_interval", update_mass_matrix_interval, "1 or more"
            )
        self.angular_damping = angular_damping
        self.update_mass_matrix_interval = update_mass_matrix_interval
        self._smooth(friction_smoothing)
        self.use_tile_gemm = use_tile_gemm
        self.fuse_cholesky = fuse_cholesky
        self._step = 0
        self._layout = layout_of(model) if model.joint_count else None
        self._work: _Work | None = None
        self._qdd: wp.array[Any] | None = None
        self._matrix: tuple[wp.array[Any], wp.array[Any]] | None = None
        self._mass_matrix_dirty = True
        self._held = held_dofs(model)
        self._followers = None
        if self._layout is not None and (model.joint_mimic_joint.numpy() >= 0).any():
            self._followers = Followers(model, self._layout)
        self._descendants = Descendants(model)

    def notify_model_changed(self, flags: int) -> None:
        """Take over what a script has changed in the model.

        Args:
            flags: Bits of `SolverNotifyFlags`.
        """
        if flags & _OF_THE_MATRIX:
            self._held = held_dofs(self.model)
        if flags & Flags.CONSTRAINT_PROPERTIES and self._followers is not None:
            self._followers.take_over()
            self._mass_matrix_dirty = True
        if flags & _OF_THE_MATRIX:
            self._mass_matrix_dirty = True

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
            state_in: Its joints' positions and velocities count, not its bodies'.
            state_out: The state after the step.
            control: Forces and targets; None: those of the model.
            contacts: Contacts that were found; None: there are none.
            dt: Time step [s].
            observables: What is told of the step; None: nothing.
        """
        self.validate_observables(observables, contacts)
        refuse_features(contacts, "SolverFeatherstone")
        model = self.model
        control = model.control(clone_variables=False) if control is None else control
        particle_f = state_in.particle_f
        forces.add_element_forces(model, state_in, control, particle_f)
        forces.add_particle_contact_forces(model, state_in, particle_f)
        if model.joint_count and model.joint_dof_count:
            told = [state_out.body_parent_f, getattr(observables, "body_parent_f", None)]
            self._step_joints(state_in, state_out, control, contacts, dt)
            self._tell_parents([array for array in told if array is not None])
        else:
            forces.add_soft_contact_forces(model, state_in, contacts, particle_f, state_in.body_f)
            if model.body_count:
                _copy_bodies(state_in, state_out)
        self.integrate_particles(model, state_in, state_out, dt)
        self._step += 1
        self._tell_step(dt, state_out, control)

    def _step_joints(
        self,
        state_in: State,
        state_out: State,
        control: Control,
        contacts: Contacts | None,
        dt: float,
    ) -> None:
        model, layout = self.model, self._layout
        assert layout is not None
        grad = state_in.requires_grad
        if self._work is None or grad:
            self._work = _Work(model, layout.total, grad)
        work = self._work
        joints = joints_of(model)
        moved = self._motions(joints, state_in, work)
        body_f = forces.copy_of_wrenches(state_in.body_f)
        forces.add_contact_forces(model, moved, contacts, body_f, self._smoothed_speed())
        forces.add_soft_contact_forces(model, moved, contacts, state_in.particle_f, body_f)
        forces.add_muscle_forces(model, moved, control, body_f)
        self._wrenches(joints, body_f, work)
        qdd = self._qdd = self._accelerations(joints, state_in, control, work)
        after = (state_out.joint_q, state_out.joint_qd)
        led = self._followers is not None
        free = self._descendants.levels > 0
        stepped, moving = (
            (wp.empty_like(after[0]), wp.empty_like(after[1])) if apart else after
            for apart in (led or free, free)
        )
        from unibody.newton.solvers.featherstone_kernels import integrate_joints

        wp.launch(
            integrate_joints,
            dim=model.joint_count,
            inputs=[
                joints,
                model.body_com,
                model.body_flags,
                state_in.joint_q,
                state_in.joint_qd,
                qdd,
                dt,
            ],
            outputs=list(stepped),
            device=model.device,
        )
        if self._followers is None:
            moving = stepped
        else:
            self._followers.coordinates(*stepped, *moving)
        if free:
            self._descendants.move(joints, work, qdd, moving, after, dt)
        eval_fk(model, state_out.joint_q, state_out.joint_qd, state_out)  # type: ignore[arg-type]

    def _tell_parents(self, told: list[wp.array[Any]]) -> None:
        """Write the forces of the last step's joints on their children."""
        from unibody.newton.articulation_kernels import gather
        from unibody.newton.solvers.featherstone_kernels import own_wrenches, tell_parent_wrenches

        model, work = self.model, self._work
        if not told or work is None:
            return
        joints = joints_of(model)
        faster, own, all_of = (wp.zeros_like(work.own_F) for _ in range(3))
        inputs = [joints, work.S, self._qdd, work.own_inertia, work.own_F]
        count, device = model.articulation_count, model.device
        wp.launch(own_wrenches, dim=count, inputs=inputs, outputs=[faster, own], device=device)
        inertia = wp.zeros_like(work.own_inertia)
        inputs = [joints, work.own_inertia, own]
        wp.launch(gather, dim=count, inputs=inputs, outputs=[inertia, all_of], device=device)
        inputs = [model.joint_child, model.joint_articulation, work.body_q, model.body_com]
        for array in told:
            array.zero_()
            wp.launch(
                tell_parent_wrenches,
                dim=model.joint_count,
                inputs=[*inputs, work.reference, all_of],
                outputs=[array],
                device=device,
            )

    def _motions(self, joints: Any, state: State, work: _Work) -> State:
        """The state with the poses and velocities that its joints' coordinates mean."""
        from unibody.newton.articulation_kernels import motions

        model = self.model
        wp.launch(
            motions,
            dim=model.articulation_count,
            inputs=[
                joints,
                state.joint_q,
                state.joint_qd,
                model.body_com,
                model.body_world,
                gravity_of_worlds(model),
            ],
            outputs=[work.reference, work.body_q, work.body_qd, work.S, work.V, work.A],
            device=model.device,
        )
        moved = State()
        moved.body_q, moved.body_qd = work.body_q, work.body_qd
        moved.particle_q, moved.particle_qd = state.particle_q, state.particle_qd
        return moved

    def _wrenches(self, joints: Any, body_f: wp.array[Any], work: _Work) -> None:
        from unibody.newton.articulation_kernels import gather, wrenches

        model = self.model
        wp.launch(
            wrenches,
            dim=model.joint_count,
            inputs=[
                model.joint_child,
                model.joint_articulation,
                work.body_q,
                model.body_com,
                model.body_mass,
                model.body_inertia,
                body_f,
                work.reference,
                work.V,
                work.A,
            ],
            outputs=[work.own_inertia, work.own_F],
            device=model.device,
        )
        work.inertia.zero_()
        work.F.zero_()
        wp.launch(
            gather,
            dim=model.articulation_count,
            inputs=[joints, work.own_inertia, work.own_F],
            outputs=[work.inertia, work.F],
            device=model.device,
        )

    def _accelerations(
        self, joints: Any, state: State, control: Control, work: _Work
    ) -> wp.array[Any]:
        from unibody.newton import articulation_kernels as kernels
        from unibody.newton.solvers.featherstone_kernels import joint_efforts

        model, layout = self.model, self._layout
        assert layout is not None
        wp.launch(
            joint_efforts,
            dim=model.joint_count,
            inputs=[
                joints,
                state.joint_q,
                state.joint_qd,
                forces.drives(model, control),
                work.S,
                work.F,
                self._held,
            ],
            outputs=[work.tau],
            device=model.device,
        )
        shape = [layout.sizes, layout.starts]
        due = self._mass_matrix_dirty or self._step % self.update_mass_matrix_interval == 0
        if due or self._matrix is None:
            self._mass_matrix_dirty = False
            wp.launch(
                kernels.mass_matrix,
                dim=len(layout.pairs),
                inputs=[layout.pairs, work.S, work.inertia, model.joint_armature, self._held],
                outputs=[work.H],
                device=model.device,
            )
            matrix = work.H if self._followers is None else self._followers.matrix(work.H)
            wp.launch(
                kernels.factor,
                dim=model.articulation_count,
                inputs=[*shape, matrix],
                outputs=[work.L],
                device=model.device,
                record_tape=False,
            )
            self._matrix = (matrix, work.L)
        efforts = work.tau if self._followers is None else self._followers.efforts(work.tau)
        wp.launch(
            kernels.solve,
            dim=model.articulation_count,
            inputs=[*shape, layout.dofs, *self._matrix, efforts],
            outputs=[work.qdd, work.adjoint_work],
            device=model.device,
        )
        return work.qdd if self._followers is None else self._followers.accelerations(work.qdd)


def _copy_bodies(state_in: State, state_out: State) -> None:
    for name in ("body_q", "body_qd"):
        wp.copy(getattr(state_out, name), getattr(state_in, name))


def _refuse_loops(model: Model) -> None:
    outside = np.flatnonzero(model.joint_articulation.numpy() < 0)
    if len(outside):
        raise NotSupportedError(
            f"SolverFeatherstone with joint {int(outside[0])}, which is part of no articulation",
            "SolverSemiImplicit, or an equality constraint of SolverMuJoCo",
        )


def _refuse_points(model: Model) -> None:
    """Refuse masses that turn freely and carry nothing, and that resist no torque."""
    kinds, child = model.joint_type.numpy(), model.joint_child.numpy()
    found = np.isin(kinds, [int(JointType.FREE), int(JointType.BALL)])
    found &= ~np.isin(child, model.joint_parent.numpy())
    if not found.any():
        return
    inertia = model.body_inertia.numpy().reshape(-1, 9)[child]
    found &= (model.body_mass.numpy()[child] > 0.0) & ~inertia.any(axis=1)
    found &= ~kinematic_bodies(model)[child]
    ends, armature = model.joint_qd_start.numpy()[1:], model.joint_armature.numpy()
    for joint in np.flatnonzero(found).tolist():
        if (armature[ends[joint] - 3 : ends[joint]] <= 0.0).any():
            body = int(child[joint])
            raise NotSupportedError(
                f"SolverFeatherstone with body {body} ({model.body_key[body]!r}), which has a mass"
                f" and no inertia, on the {JointType(int(kinds[joint])).name} joint {joint}",
                "a body with an inertia, or an armature of the joint, or SolverXPBD",
            )
