"""Rigid bodies of SolverVBD: arrays that last over steps, and the stages of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.errors import NotSupportedError
from unibody.newton.dialect import damping_of, in_use, is_after_first_of_1
from unibody.newton.enums import JointType
from unibody.newton.model import Model
from unibody.newton.solvers import forces
from unibody.newton.solvers.flags import ModelFlags
from unibody.newton.solvers.held import inverse_masses, kinematic_bodies
from unibody.newton.solvers.rigid_vbd_contacts import HeldContacts
from unibody.newton.solvers.rigid_vbd_hysteresis import Hysteresis
from unibody.newton.solvers.rigid_vbd_options import (
    COMPLIANT,
    GROWING,
    RigidOptions,
    check_materials,
)
from unibody.newton.solvers.rigid_vbd_slots import JointSlots
from unibody.newton.solvers.rods.rounds import RodRounds, rounds_of
from unibody.newton.solvers.rods.rows import Law
from unibody.newton.solvers.tendons.cables import Cables
from unibody.newton.solvers.tendons.pulls import Pulls
from unibody.newton.state import Contacts, Control, State

_HELD = (JointType.FIXED, JointType.PRISMATIC, JointType.REVOLUTE, JointType.D6)
_ALIGNED = 1e-4  # rad: frames of float32 that differ by less are the same


class JointsOfBodies(NamedTuple):
    """Joints of each body, by the names of 1.x.

    Attributes:
        body_adj_joints_offsets: Where each body's joints begin, and the number of all, (b + 1,).
        body_adj_joints: Joints of all bodies, one body after another.
    """

    body_adj_joints_offsets: Any
    body_adj_joints: Any


class RigidBlockDescent:
    """Moves rigid bodies, one after another within a colour, to where their energy is least.

    Args:
        model: The model; the bodies of its builder were colored.
        options: Options.
        friction_epsilon: Speed below which friction grows with it [m/s].
        cables: The model's tendons; None: it has none.

    Raises:
        ValueError: If the bodies were not colored, or not so that tendons part them.
        NotSupportedError: If there is a joint of a kind that is not solved for.
    """

    def __init__(
        self,
        model: Model,
        options: RigidOptions,
        friction_epsilon: float,
        cables: Cables | None = None,
    ) -> None:
        from unibody.newton.solvers.rigid_vbd_block_kernels import Bodies, Loads
        from unibody.newton.solvers.rigid_vbd_joint_kernels import Joints

        if not len(model.body_color_groups):
            raise ValueError(
                "the rigid bodies have no colors: call ModelBuilder.color() before finalize()"
            )
        kinds = model.joint_type.numpy() if model.joint_count else np.zeros(0, np.int32)
        if (kinds == JointType.DISTANCE).any():
            raise NotSupportedError("SolverVBD with distance joints", "SolverXPBD has them")
        check_materials(model, options)
        self.model: Model = model
        self.options: RigidOptions = options
        self.friction_epsilon: float = friction_epsilon
        device = model.device
        self.bodies: Any = Bodies()
        self.bodies.com, self.bodies.inertia = model.body_com, model.body_inertia
        self.bodies.mass, self.bodies.inv_mass = model.body_mass, model.body_inv_mass
        self.bodies.inv_inertia = model.body_inv_inertia
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
        self._keep_rows()
        self.hysteresis: Hysteresis = Hysteresis(model, self.joints)
        self._begins, self._numbers = _joints_of_bodies(model, kinds)
        self.rods: RodRounds | None = rounds_of(model, self.joints, self._begins, self._numbers)
        self.adjacency: JointsOfBodies = JointsOfBodies(self._begins, self._numbers)
        self._add_shapes(rows)
        self.loads: Any = Loads()
        self.pulls: Pulls = Pulls(model, cables)
        self._heads = wp.zeros(model.body_count, dtype=int, device=device)
        self._following: wp.array[Any] | None = None
        self._earlier = wp.clone(model.body_qd)

    def _add_shapes(self, rows: dict[str, np.ndarray]) -> None:
        """Have materials of shapes, and what contacts and joints keep over steps."""
        from unibody.newton.solvers.rigid_vbd_contact_kernels import Materials

        model, options = self.model, self.options
        self.shapes: Any = Materials()
        self.shapes.body, self.shapes.mu = model.shape_body, model.shape_material_mu
        self.shapes.ke, self.shapes.kd = model.shape_material_ke, model.shape_material_kd
        self.shapes.shared = in_use() == "0.2"
        self.shapes.scheme = options.contact_scheme
        self.slots: JointSlots = JointSlots(model, rows | {"hard": self.joints.hard.numpy()})
        self.shapes.structure = self.slots.structure
        self.held_contacts: HeldContacts = HeldContacts(model, self.shapes, options)

    def step(
        self,
        solver: Any,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        update_history: bool = True,
        *,
        detection: Callable[[int], bool] | None = None,
    ) -> None:
        """Move the bodies by a time step; see `rounds`."""
        for _ in self.rounds(
            *(solver, state_in, state_out, control, contacts, dt, update_history),
            detection=detection,
        ):
            pass

    def rounds(
        self,
        solver: Any,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        update_history: bool = True,
        *,
        detection: Callable[[int], bool] | None = None,
    ) -> Iterator[None]:
        """Move the bodies by a time step, whose rounds others may come between.

        Args:
            solver: Whose `integrate_bodies` and `iterations` are used.
            state_in: Poses, velocities and forces.
            state_out: Its poses and velocities are written.
            control: Forces and targets of joints; None: those of the model.
            contacts: Contacts that were found; None: there are none.
            dt: Time step [s].
            update_history: Whether joints lose stiffness before the step.
            detection: Looks for contacts before an iteration, -1 after the first guess, and says
                whether it did.

        Yields:
            Before each round.
        """
        from unibody.newton.solvers import rigid_vbd_kernels as kernels

        model, options = self.model, self.options
        control = model.control(clone_variables=False) if control is None else control
        self.bodies.inv_mass, _ = inverse_masses(model, self._has_held)
        self.pulls.load(state_in)
        self._predict(solver, state_in, state_out, control, dt)
        axes = self._axes(control)
        self._begin_rows(axes, dt, update_history=update_history)
        self.hysteresis.begin(self.bodies, axes)
        self.pulls.begin(self.bodies.before)
        tables = [self.bodies, self.joints, axes, self._begins, self._numbers]
        points, *more = self._contacts(contacts, fresh=update_history)
        self.held_contacts.begin(
            *(self.bodies, points, contacts, dt),
            fresh=update_history,
            inside=detection is not None,
        )
        found = [points, *more, self.friction_epsilon, dt, self.loads, self.pulls.loads]
        room = 0 if contacts is None or not more[0].body else contacts.rigid_contact_max
        if self.rods is not None and not room and self._is_alone(detection):
            self.rods.run(solver, self.bodies, axes, self._law(dt), solver.iterations)
            self._finish(axes, points, contacts, state_out, dt)
            return
        growing = room if more[0].shared and options.scheme == GROWING else 0
        for iteration in range(-1, solver.iterations):
            if detection is not None and detection(iteration):
                points, *more = self._contacts(contacts, fresh=True)
                self.held_contacts.go_on(self.bodies, points, contacts, dt, guessed=iteration < 0)
                found[:4] = [points, *more]
            if iteration < 0:
                continue
            yield
            for group in model.body_color_groups:
                self.pulls.pull(self.bodies, dt)
                self._launch(kernels.solve_bodies, len(group), [group, *tables, *found])
            self._end_round(axes, points, more[0], growing, dt)
            self.held_contacts.update(self.bodies, points, room, dt)
        self._finish(axes, points, contacts, state_out, dt)

    def _is_alone(self, detection: Any) -> bool:
        """Whether bodies have joints without friction, and nothing comes between their rounds."""
        free = detection is None and not self.loads.force and self.pulls.cables is None
        return free and not self.hysteresis.is_in_use

    def _law(self, dt: float) -> Law:
        """How joints hold in a step."""
        options, scheme = self.options, self.options.scheme
        growth = (float(options.rigid_avbd_linear_beta), float(options.rigid_avbd_angular_beta))
        if scheme == COMPLIANT:
            growth = (0.0, 0.0)
        return Law(scheme, float(self.joints.left), growth, float(dt))

    def _finish(
        self, axes: Any, points: Any, contacts: Contacts | None, state_out: State, dt: float
    ) -> None:
        """Note what lasts over steps, and write velocities."""
        self.held_contacts.end(points, contacts)
        self.hysteresis.end(self.bodies, axes)
        self.write_velocities(state_out, dt)
        self.pulls.end(state_out, dt)

    def write_velocities(self, state_out: State, dt: float) -> None:
        """Write velocities by what poses have become.

        Args:
            state_out: Gets them.
            dt: Time step [s].
        """
        from unibody.newton.solvers.rigid_vbd_kernels import velocities

        self._launch(velocities, self.model.body_count, [self.bodies, dt, state_out.body_qd])

    def _end_round(self, axes: Any, points: Any, shapes: Any, growing: int, dt: float) -> None:
        """Let joints and so many contacts hold harder after a round."""
        from unibody.newton.solvers import rigid_vbd_contact_kernels as contact_kernels
        from unibody.newton.solvers import rigid_vbd_joint_kernels as joint_kernels

        count, options = self.model.joint_count, self.options
        growth = wp.vec2(options.rigid_avbd_linear_beta, options.rigid_avbd_angular_beta)
        if count and options.scheme != GROWING:
            rows = [self.bodies, self.joints, axes, dt]
            self._launch(joint_kernels.hold_joints, count, rows)
        if count and options.scheme != COMPLIANT and growth != wp.vec2():
            self._launch(
                joint_kernels.stiffen_joints,
                count,
                [self.bodies, self.joints, axes, growth],
            )
        if growing:
            self._launch(
                contact_kernels.stiffen_contacts,
                growing,
                [self.bodies, points, shapes, options.rigid_avbd_linear_beta],
            )

    def notify(self, flags: int) -> None:
        """Take over what has changed in the model.

        Args:
            flags: Bits of `ModelFlags`.
        """
        if flags & ModelFlags.BODY_PROPERTIES:
            self.note_held()
        gains = ModelFlags.JOINT_DOF_PROPERTIES | ModelFlags.JOINT_DOF_FORCE_PROPERTIES
        if flags & gains:
            check_materials(self.model, self.options)
            self.slots.refresh()
        if flags & (gains | ModelFlags.JOINT_PROPERTIES):
            self.slots.refresh_structure()
        if flags & (ModelFlags.JOINT_DOF_PROPERTIES | ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES):
            rest = self.joints.rest.numpy()
            kinds = self.model.joint_type.numpy() if len(rest) else rest
            rods = np.flatnonzero(kinds == JointType.ROD) if len(rest) else []
            if len(rods):
                rest[rods] = _rods_at_rest(self.model, rods)
                self.joints.rest.assign(rest)
                self.slots.refresh_rest(rest)

    def note_held(self) -> None:
        """Take over which bodies are kinematic."""
        self._has_held = bool(kinematic_bodies(self.model).any())

    def _keep_rows(self) -> None:
        """Make what joints keep over steps: multipliers, their metrics, and angles of hinges."""
        model, options, joints = self.model, self.options, self.joints
        device, dofs = model.device, model.joint_dof_count
        joints.scheme = options.scheme
        joints.left = options.alpha(options.rigid_avbd_joint_alpha)
        kinds = model.joint_type.numpy() if model.joint_count else np.zeros(0, np.int32)
        soft = np.isin(kinds, (int(JointType.CABLE), int(JointType.ROD)))
        authored = getattr(getattr(model, "vbd", None), "joint_is_hard", None)
        if authored is not None:
            soft |= authored.numpy() == 0
        joints.hard = wp.array(~soft, dtype=bool, device=device)
        joints.metric = wp.zeros(len(kinds), dtype=wp.vec2, device=device)
        joints.hold = wp.zeros(len(kinds), dtype=wp.vec3, device=device)
        joints.hold_turn = wp.zeros(len(kinds), dtype=wp.vec3, device=device)
        joints.gap_before = wp.zeros(len(kinds), dtype=wp.vec3, device=device)
        joints.turn_before = wp.zeros(len(kinds), dtype=wp.quat, device=device)
        joints.bend_before = wp.zeros(len(kinds), dtype=wp.vec3, device=device)
        self.drive_metric: wp.array[Any] = wp.zeros(dofs, dtype=float, device=device)
        self.drive_hold: wp.array[Any] = wp.zeros(dofs, dtype=float, device=device)
        self.limit_hold: wp.array[Any] = wp.zeros(dofs, dtype=float, device=device)
        self._first_angles = _hinge_angles(model, kinds)
        self._angles = wp.array(self._first_angles, dtype=float, device=device)

    def _begin_rows(self, axes: Any, dt: float, *, update_history: bool) -> None:
        """Begin a step of the joints: what is left of their stiffness or multipliers."""
        from unibody.newton.solvers import rigid_vbd_joint_kernels as kernels

        count, options = self.model.joint_count, self.options
        if not count:
            return
        self._launch(kernels.note_joints, count, [self.bodies, self.joints, axes])
        if update_history and options.scheme != COMPLIANT:
            relaxed = [self.joints, self._least, options.rigid_avbd_gamma]
            self._launch(kernels.relax_joints, count, relaxed)
        if options.scheme != GROWING:
            keep = options.rigid_avbd_gamma
            if options.scheme != COMPLIANT:
                keep = keep * self.joints.left
            self._launch(kernels.begin_joints, count, [self.bodies, self.joints, axes, keep, dt])

    def forget(self, worlds: Any) -> None:
        """Clear what rows keep, in some worlds.

        Args:
            worlds: Which worlds, and at last what belongs to all, as bools.
        """
        model = self.model
        if model.joint_count:
            of_joint = worlds[model.joint_world.numpy()]
            self.hysteresis.forget(of_joint)
            of_dof = np.repeat(
                of_joint, np.diff(_ends(model.joint_qd_start, model.joint_dof_count))
            )
            for array, chosen, first in (
                *((array, of_joint, 0.0) for array in (self.joints.hold, self.joints.hold_turn)),
                *((array, of_dof, 0.0) for array in (self.drive_hold, self.limit_hold)),
                (self._angles, of_dof, self._first_angles),
            ):
                values = array.numpy()
                wide = chosen[:, None] if values.ndim == 2 else chosen
                array.assign(np.where(wide, first, values))
        self.held_contacts.forget()

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
        if self.options.scheme != GROWING:
            return
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
        from unibody.newton.solvers.rigid_vbd_joint_kernels import Axes

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
        found.metric, found.angle = self.drive_metric, self._angles
        found.drive_hold, found.limit_hold = self.drive_hold, self.limit_hold
        return found

    def _contacts(self, contacts: Contacts | None, *, fresh: bool) -> list[Any]:
        """Contacts, shapes, and the contacts of each body as a list."""
        from unibody.newton.solvers import rigid_vbd_contact_kernels as kernels

        if contacts is None or not contacts.rigid_contact_max or not self.model.shape_count:
            return [kernels.Points(), kernels.Materials(), None, None]
        points, room = forces.points(contacts), contacts.rigid_contact_max
        if self._following is None or len(self._following) < 2 * room:
            self._following = wp.zeros(2 * room, dtype=int, device=self.model.device)
        self._heads.fill_(-1)
        lists = [self._heads, self._following]
        self._launch(kernels.list_contacts, room, [points, self.shapes, *lists])
        if self.shapes.shared and self.options.scheme == GROWING:
            present: wp.array[Any] | None = self.shapes.present
            if present is None or len(present) < room:
                self.shapes.present = wp.zeros(room, dtype=float, device=self.model.device)
                fresh = True
            if fresh:
                start = [points, self.shapes, self.options.rigid_contact_k_start]
                self._launch(kernels.begin_contacts, room, start)
        return [points, self.shapes, *lists]


def _ends(starts: wp.array[Any], count: int) -> np.ndarray:
    """Where rows begin, with the end of the last."""
    found = starts.numpy()
    return found if len(found) and found[-1] == count else np.append(found, count)


def _hinge_angles(model: Model, kinds: np.ndarray) -> np.ndarray:
    """Angles of joints that turn about one axis, with whole turns, as the model has them."""
    found = np.zeros(model.joint_dof_count, np.float32)
    if not len(kinds):
        return found
    dims = model.joint_dof_dim.numpy()
    hinges = np.flatnonzero((dims[:, 1] == 1) & (kinds != JointType.CABLE))
    along = dims[hinges, 0]
    coordinates = model.joint_q_start.numpy()[hinges] + along
    found[model.joint_qd_start.numpy()[hinges] + along] = model.joint_q.numpy()[coordinates]
    return found


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
        rest[rods] = _rods_at_rest(model, rods)
    if is_after_first_of_1():
        held = np.flatnonzero(np.isin(kinds, _HELD) & (model.joint_dof_dim.numpy()[:, 1] < 2))
        rest[held] = _held_turns(model, held)
    growing = options.scheme != COMPLIANT
    start = (
        options.rigid_joint_linear_k_start
        if growing and options.rigid_avbd_linear_beta
        else np.inf,
        options.rigid_joint_angular_k_start
        if growing and options.rigid_avbd_angular_beta
        else np.inf,
    )
    least = np.minimum(np.tile(start, (count, 1)), most)
    return {"most": most, "damping": damping_of(shares, most), "least": least, "rest": rest}


def _rods_at_rest(model: Model, rods: Any) -> np.ndarray:
    """From the parent's anchor frame to the child's, where rods are at rest."""
    turns = model.joint_q_start.numpy()[rods][:, None] + np.arange(3, 7)
    return model.joint_rest_q.numpy()[turns]


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


def _held_turns(model: Model, joints: np.ndarray) -> np.ndarray:
    """What is between frames of joints that hold them, beyond a turn about their own axis.

    Bodies stay turned to one another as the model has them, though frames of joints differ.
    """
    found = _rest_turns(model, joints)
    axes, dims = model.joint_axis.numpy(), model.joint_dof_dim.numpy()
    starts = model.joint_qd_start.numpy()
    for row, j in enumerate(joints):
        turn = found[row]
        if dims[j, 1]:
            axis = axes[starts[j] + dims[j, 0]]
            about = np.append(axis * (turn[:3] @ axis), turn[3])
            size = float(np.linalg.norm(about))
            if size > _ALIGNED:
                own = wp.quat_inverse(wp.quat(*(about / size).tolist()))
                turn = np.array(own * wp.quat(*turn.tolist()))
        found[row] = turn if np.linalg.norm(turn[:3]) > _ALIGNED else (0.0, 0.0, 0.0, 1.0)
    return found


def _joints_of_bodies(model: Model, kinds: np.ndarray) -> tuple[wp.array[Any], wp.array[Any]]:
    """Where each body's joints begin in a list of joints, and that list."""
    lists: list[list[int]] = [[] for _ in range(model.body_count)]
    if model.joint_count:
        ends = zip(model.joint_parent.numpy(), model.joint_child.numpy(), strict=True)
        for j, pair in enumerate(ends):
            for body in pair:
                if body >= 0 and kinds[j] != JointType.FREE:
                    lists[body].append(j)
    begins = np.cumsum([0, *(len(row) for row in lists)])
    numbers = [j for row in lists for j in row]
    device = model.device
    return (
        wp.array(begins, dtype=int, device=device),
        wp.array(np.array(numbers, np.int32), dtype=int, device=device),
    )
