"""Rigid bodies of SolverVBD: arrays that last over steps, and the stages of a step."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import damping_of, in_use
from unibody.newton.enums import JointType
from unibody.newton.model import Model
from unibody.newton.solvers import forces
from unibody.newton.solvers.held import inverse_masses, kinematic_bodies
from unibody.newton.state import Contacts, Control, State


@dataclasses.dataclass
class RigidOptions:
    """Options of the rigid bodies.

    Args:
        rigid_avbd_beta: By how much a joint's stiffness grows in a round, for each meter or radian
            of its error.
        rigid_avbd_gamma: Share of a joint's stiffness that lasts into the next step.
        rigid_contact_k_start: Stiffness that contacts begin with in 0.2, to grow as joints do
            [N/m]; in 1.x they have that of their shapes from the first round.
        rigid_joint_linear_k_start: Stiffness that joints begin with, for places [N/m].
        rigid_joint_angular_k_start: That for turns [N m/rad].
        rigid_joint_linear_ke: Stiffness of joints that are no cables, for places [N/m].
        rigid_joint_angular_ke: That for turns [N m/rad].
        rigid_joint_linear_kd: Damping of those: a share of the stiffness [s], in 1.x [N s/m].
        rigid_joint_angular_kd: That for turns [s], in 1.x [N m s/rad].
        rigid_body_contact_buffer_size: Accepted: lists of contacts are as long as they need to be.
        rigid_body_particle_contact_buffer_size: Accepted likewise.
        rigid_contact_history: Whether contacts of matched points go on from the step before (1.x).
            They have all of their stiffness from the first round here, and no multipliers: there is
            nothing of them to go on from.
        rigid_enable_dahl_friction: Not supported: bending without hysteresis.
    """

    rigid_avbd_beta: float = 1.0e5
    rigid_avbd_gamma: float = 0.99
    rigid_contact_k_start: float = 1.0e2
    rigid_joint_linear_k_start: float = 1.0e4
    rigid_joint_angular_k_start: float = 1.0e1
    rigid_joint_linear_ke: float = 1.0e9
    rigid_joint_angular_ke: float = 1.0e9
    rigid_joint_linear_kd: float = 0.0
    rigid_joint_angular_kd: float = 0.0
    rigid_body_contact_buffer_size: int = 64
    rigid_body_particle_contact_buffer_size: int = 256
    rigid_enable_dahl_friction: bool = False
    rigid_contact_history: bool = False

    def __post_init__(self) -> None:
        if self.rigid_enable_dahl_friction:
            raise NotSupportedError(
                "SolverVBD(rigid_enable_dahl_friction=True)", "cables bend without hysteresis"
            )
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not value >= 0.0:
                raise InvalidArgumentError(field.name, value, "zero or a positive number")


class RigidBlockDescent:
    """Moves rigid bodies, one after another within a colour, to where their energy is least.

    Args:
        model: The model; the bodies of its builder were colored.
        options: Options.
        friction_epsilon: Speed below which friction grows with it [m/s].

    Raises:
        ValueError: If the bodies were not colored.
        NotSupportedError: If there is a joint of a kind that is not solved for.
    """

    def __init__(self, model: Model, options: RigidOptions, friction_epsilon: float) -> None:
        from unibody.newton.solvers.rigid_vbd_kernels import Bodies, Joints, Materials

        if not len(model.body_color_groups):
            raise ValueError(
                "the rigid bodies have no colors: call ModelBuilder.color() before finalize()"
            )
        kinds = model.joint_type.numpy() if model.joint_count else np.zeros(0, np.int32)
        if (kinds == JointType.DISTANCE).any():
            raise NotSupportedError("SolverVBD with distance joints", "SolverXPBD has them")
        self.model, self.options, self.friction_epsilon = model, options, friction_epsilon
        device = model.device
        self.bodies: Any = Bodies()
        self.bodies.com, self.bodies.inertia = model.body_com, model.body_inertia
        self.bodies.mass, self.bodies.inv_mass = model.body_mass, model.body_inv_mass
        self.note_held()
        self.bodies.before = wp.clone(model.body_q)
        self._placed = wp.clone(model.body_q)
        self._is_placed = wp.zeros(model.body_count, dtype=bool, device=device)
        self.bodies.free = wp.clone(model.body_q)
        self.joints: Any = Joints()
        for field, name in (
            *(("kind", "type"), ("enabled", "enabled"), ("parent", "parent"), ("child", "child")),
            *(("X_p", "X_p"), ("X_c", "X_c"), ("dims", "dof_dim"), ("start", "qd_start")),
        ):
            setattr(self.joints, field, getattr(model, f"joint_{name}"))
        rows = _rows_of(model, kinds, options)
        for field, kind in (
            ("rest", wp.quat),
            *((name, wp.vec2) for name in rows if name != "rest"),
        ):
            if field != "least":
                setattr(self.joints, field, wp.array(rows[field], dtype=kind, device=device))
        self._least = wp.array(rows["least"], dtype=wp.vec2, device=device)
        self.joints.stiffness = wp.clone(self._least)
        self._begins, self._numbers = _joints_of_bodies(model, kinds)
        self.shapes: Any = Materials()
        self.shapes.body, self.shapes.mu = model.shape_body, model.shape_material_mu
        self.shapes.ke, self.shapes.kd = model.shape_material_ke, model.shape_material_kd
        self.shapes.shared = in_use() == "0.2"
        self._heads = wp.zeros(model.body_count, dtype=int, device=device)
        self._following: wp.array | None = None
        self._earlier = wp.clone(model.body_qd)

    def step(
        self,
        solver: Any,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        *,
        update_history: bool = True,
    ) -> None:
        """Move the bodies by a time step.

        Args:
            solver: Whose `integrate_bodies` and `iterations` are used.
            state_in: Poses, velocities and forces.
            state_out: Its poses and velocities are written.
            control: Forces and targets of joints; None: those of the model.
            contacts: Contacts that were found; None: there are none.
            dt: Time step [s].
            update_history: Whether joints lose stiffness before the step.
        """
        from unibody.newton.solvers import rigid_vbd_kernels as kernels

        model, options = self.model, self.options
        control = model.control(clone_variables=False) if control is None else control
        self.bodies.inv_mass, _ = inverse_masses(model, self._has_held)
        self._predict(solver, state_in, state_out, control, dt)
        axes = self._axes(control)
        if model.joint_count and update_history:
            self._launch(
                kernels.relax_joints,
                model.joint_count,
                [self.joints, self._least, options.rigid_avbd_gamma],
            )
        tables = [self.bodies, self.joints, axes, self._begins, self._numbers]
        points, *more = self._contacts(contacts, fresh=update_history)
        found = [points, *more, self.friction_epsilon, dt]
        growing = 0 if contacts is None or not more[0].shared else contacts.rigid_contact_max
        for _ in range(solver.iterations):
            for group in model.body_color_groups:
                self._launch(kernels.solve_bodies, len(group), [group, *tables, *found])
            if model.joint_count:
                self._launch(
                    kernels.stiffen_joints,
                    model.joint_count,
                    [self.bodies, self.joints, axes, options.rigid_avbd_beta],
                )
            if growing:
                self._launch(
                    kernels.stiffen_contacts,
                    growing,
                    [self.bodies, points, more[0], options.rigid_avbd_beta],
                )
        self._launch(kernels.velocities, model.body_count, [self.bodies, dt, state_out.body_qd])

    def note_held(self) -> None:
        """Take over which bodies are kinematic."""
        self._has_held = bool(kinematic_bodies(self.model).any())

    def _launch(self, kernel: Any, dim: int, inputs: list[Any]) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.model.device)

    def _predict(
        self, solver: Any, state_in: State, state_out: State, control: Control, dt: float
    ) -> None:
        """Move all bodies as if nothing held them, and begin the search there."""
        from unibody.newton.solvers.rigid_vbd_kernels import begin_search, hold_massless

        given = state_in.body_f
        if self.model.joint_count:
            state_in.body_f = forces.with_joint_forces(self.model, state_in, control)
        try:
            solver.integrate_bodies(self.model, state_in, state_out, dt)
        finally:
            state_in.body_f = given
        self._launch(
            hold_massless,
            self.model.body_count,
            [
                *(self.bodies.inv_mass, state_in.body_q, state_out.body_q),
                *(self._placed, self._is_placed, self.bodies.before),
            ],
        )
        wp.copy(self.bodies.free, state_out.body_q)
        self.bodies.q = state_out.body_q
        self._launch(
            begin_search,
            self.model.body_count,
            [
                self.bodies,
                state_in.body_qd,
                self._earlier,
                dt,
            ],
        )

    def _axes(self, control: Control) -> Any:
        from unibody.newton.solvers.rigid_vbd_kernels import Axes

        model, found = self.model, Axes()
        if not model.joint_count:
            return found
        drives = forces.drives(model, control)
        found.axis = model.joint_axis
        found.lower, found.upper = drives.lower, drives.upper
        found.limit_ke, found.limit_kd = model.joint_limit_ke, model.joint_limit_kd
        found.target_pos, found.target_at = drives.target_pos, drives.target_at
        found.target_vel = drives.target_vel
        found.ke, found.kd = drives.target_ke, drives.target_kd
        return found

    def _contacts(self, contacts: Contacts | None, *, fresh: bool) -> list[Any]:
        """Contacts, shapes, and the contacts of each body as a list."""
        from unibody.newton.solvers import rigid_vbd_kernels as kernels

        if contacts is None or not contacts.rigid_contact_max or not self.model.shape_count:
            return [kernels.Points(), kernels.Materials(), None, None]
        if self.options.rigid_contact_history and contacts.rigid_contact_match_index is None:
            raise InvalidArgumentError(
                "contacts",
                "no indices of matches",
                "those of a CollisionPipeline with contact_matching, for rigid_contact_history",
            )
        points, room = forces.points(contacts), contacts.rigid_contact_max
        if self._following is None or len(self._following) < 2 * room:
            self._following = wp.zeros(2 * room, dtype=int, device=self.model.device)
        self._heads.fill_(-1)
        lists = [self._heads, self._following]
        self._launch(kernels.list_contacts, room, [points, self.shapes, *lists])
        if self.shapes.shared:
            present: wp.array | None = self.shapes.present
            if present is None or len(present) < room:
                self.shapes.present = wp.zeros(room, dtype=float, device=self.model.device)
                fresh = True
            if fresh:
                start = [points, self.shapes, self.options.rigid_contact_k_start]
                self._launch(kernels.begin_contacts, room, start)
        return [points, self.shapes, *lists]


def _rows_of(model: Model, kinds: np.ndarray, options: RigidOptions) -> dict[str, np.ndarray]:
    """Greatest and least stiffness and damping of joints (along, about), and turns at rest."""
    count = model.joint_count
    most = np.tile((options.rigid_joint_linear_ke, options.rigid_joint_angular_ke), (count, 1))
    shares = np.tile((options.rigid_joint_linear_kd, options.rigid_joint_angular_kd), (count, 1))
    rest = np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))
    cables = np.flatnonzero(kinds == JointType.CABLE)
    if len(cables):
        rows = model.joint_qd_start.numpy()[cables][:, None] + np.arange(2)
        most[cables] = model.joint_target_ke.numpy()[rows]
        shares[cables] = model.joint_target_kd.numpy()[rows]
        rest[cables] = _rest_turns(model, cables)
    rods = np.flatnonzero(kinds == JointType.ROD)
    if len(rods):
        turns = model.joint_q_start.numpy()[rods][:, None] + np.arange(3, 7)
        rest[rods] = model.joint_rest_q.numpy()[turns]
    start = (options.rigid_joint_linear_k_start, options.rigid_joint_angular_k_start)
    least = np.minimum(np.tile(start, (count, 1)), most)
    return {"most": most, "damping": damping_of(shares, most), "least": least, "rest": rest}


def _rest_turns(model: Model, joints: np.ndarray) -> np.ndarray:
    """From the parent's anchor frame to the child's where the model was built."""
    poses, found = model.body_q.numpy(), []
    frames = [model.joint_X_p.numpy(), model.joint_X_c.numpy()]
    bodies = [model.joint_parent.numpy(), model.joint_child.numpy()]
    for j in joints:
        turns = []
        for frame, body in zip(frames, bodies, strict=True):
            turn = wp.quat(*frame[j, 3:].tolist())
            turns.append(wp.quat(*poses[body[j], 3:].tolist()) * turn if body[j] >= 0 else turn)
        found.append(np.array(wp.quat_inverse(turns[0]) * turns[1]))
    return np.array(found).reshape(-1, 4)


def _joints_of_bodies(model: Model, kinds: np.ndarray) -> tuple[wp.array, wp.array]:
    """Where each body's joints begin in a list of joints, and that list."""
    lists: list[list[int]] = [[] for _ in range(model.body_count)]
    if model.joint_count:
        enabled = model.joint_enabled.numpy()
        ends = zip(model.joint_parent.numpy(), model.joint_child.numpy(), strict=True)
        for j, pair in enumerate(ends):
            for body in pair:
                if body >= 0 and enabled[j] and kinds[j] != JointType.FREE:
                    lists[body].append(j)
    begins = np.cumsum([0, *(len(row) for row in lists)])
    numbers = [j for row in lists for j in row]
    device = model.device
    return (
        wp.array(begins, dtype=int, device=device),
        wp.array(np.array(numbers, np.int32), dtype=int, device=device),
    )
