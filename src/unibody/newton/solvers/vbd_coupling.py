"""Particles and rigid bodies of SolverVBD that move one another: in turn, round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.deform.contacts import COLUMNS, NORMAL
from unibody.core.deform.state import State as ParticleState
from unibody.core.deform.vbd.solver import VertexBlockDescent
from unibody.newton.solvers.attachments import Attachments
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.particle_rows import (
    Seen,
    TouchedShapes,
    motion_of,
    placed,
    touched_shapes,
)
from unibody.newton.solvers.rigid_vbd import RigidBlockDescent
from unibody.newton.solvers.vbd_inside import Inside


class Coupling:
    """Moves particles and bodies by a time step; contacts and attachments act on both.

    Args:
        model: The model.
        particles: Moves its particles.
        bodies: Moves its bodies.
        friction_epsilon: Speed below which friction grows with it [m/s].
        keep: Share of multipliers of attachments that lasts into the next step.
        told: Gets the stiffness of contacts of particles, as a Warp array [N/m].
    """

    integrate_bodies = SolverBase.integrate_bodies

    def __init__(
        self,
        model: Any,
        particles: VertexBlockDescent,
        bodies: RigidBlockDescent,
        friction_epsilon: float,
        keep: float,
        told: Any = None,
    ) -> None:
        self.model: Any = model
        self._particles = particles
        self._bodies = bodies
        self._friction_epsilon, self._told = friction_epsilon, told
        self.attachments: Attachments | None = None
        if model.attachment_particle_body_count:
            stiffness = particles.stiffness(model.particle_q.numpy())
            self.attachments = Attachments(model, stiffness, keep)
        with wp.ScopedDevice(model.device):
            for name in ("force", "torque"):
                setattr(bodies.loads, name, wp.zeros(model.body_count, dtype=wp.vec3))
            for name in ("ll", "al", "aa"):
                setattr(bodies.loads, name, wp.zeros(model.body_count, dtype=wp.mat33))

    @property
    def iterations(self) -> int:
        """Rounds in a step."""
        return self._particles.iterations

    def step(
        self,
        moved: ParticleState,
        drive: Any,
        state_in: Any,
        state_out: Any,
        control: Any,
        contacts: Any,
        dt: float,
        update_history: bool,
        inside: Inside,
    ) -> None:
        """Move all.

        Args:
            moved: Particles, changed in place.
            drive: Their accelerations by gravity and forces, (p, 3) [m/s^2].
            state_in: Poses, velocities and forces of bodies.
            state_out: Its bodies are written.
            control: Forces and targets of joints; None: those of the model.
            contacts: That were found; None: there are none.
            dt: Time step [s].
            update_history: Whether joints lose stiffness before the step.
            inside: What happens while the step goes on.
        """
        look = inside.looking(state_in, state_out, moved, contacts)
        rounds = self._bodies.rounds(
            *(self, state_in, state_out, control, contacts, dt, update_history), detection=look
        )
        now = state_out.body_q.numpy()
        bounds = inside.bounds
        if bounds is not None:
            found = self._touched(contacts, dt)
            bounds.begin(moved.positions, state_in.body_q.numpy(), found)
        met: _Meeting | None = None

        def hold() -> None:
            if self.attachments is not None:
                self.attachments.hold(moved.positions, now)

        def bound() -> None:
            if bounds is not None:
                bounds.hold(moved.positions, now)

        def again() -> _Meeting:
            before = self._bodies.bodies.before.numpy()
            touched = self._touched(contacts, dt)
            if inside.take_fresh() and bounds is not None:
                bounds.begin(moved.positions, now, touched)
            made = _Meeting(self.model.particle_count, touched, self.attachments, now, before)
            made.place()
            return made

        def meet() -> Any:
            nonlocal met
            first = met is None
            if first:
                next(rounds, None)
                if self.attachments is not None:
                    inverse = self._bodies.bodies.inv_mass.numpy()
                    before = self._bodies.bodies.before.numpy()
                    self.attachments.begin(self._particles.before, inverse, before, dt)
                bound()
                met = again()
            else:
                hold()
            assert met is not None
            met.place()
            met.react(moved.positions, self._particles.before, dt)
            self._load(met)
            next(rounds, None)
            bound()
            if inside.is_fresh:
                met, first = again(), True
            met.place()
            return (met.seen.contacts, met.seen.features) if first else None

        # Bodies come first in each round: a step ends with forces that particles bear.
        self._particles.step(moved, dt, accelerations=drive, between=meet, after=bound)
        hold()
        for _ in rounds:
            pass
        if bounds is not None:
            self._bodies.write_velocities(state_out, dt)

    def _touched(self, contacts: Any, dt: float) -> TouchedShapes | None:
        return touched_shapes(
            self.model, contacts, self._friction_epsilon, dt, mixed=True, told=self._told
        )

    def _load(self, met: _Meeting) -> None:
        """Write what particles do to bodies: the opposite of what is done to them."""
        loads = self._bodies.loads
        arrays = [getattr(loads, name).numpy() for name in ("force", "torque", "ll", "al", "aa")]
        for array in arrays:
            array[:] = 0.0
        acts = np.flatnonzero((met.bodies >= 0) & (met.stiffness[:, 0] > 0.0))
        if not len(acts):
            return
        on, pushed = met.bodies[acts], -met.forces[acts]
        arms = met.points[acts] - placed(met.now[on], self.model.body_com.numpy()[on])
        along, across = met.stiffness[acts].T
        normals = met.rows[acts, NORMAL : NORMAL + 3]
        outer = np.einsum("ni,nj->nij", normals, normals)
        stiff = (along - across)[:, None, None] * outer + across[:, None, None] * np.eye(3)
        turn = np.zeros((len(acts), 3, 3))
        turn[:, 0, 1], turn[:, 0, 2], turn[:, 1, 2] = -arms[:, 2], arms[:, 1], -arms[:, 0]
        turn -= turn.transpose(0, 2, 1)
        both = turn @ stiff
        parts = (pushed, np.cross(arms, pushed), stiff, both, both @ turn.transpose(0, 2, 1))
        for array, part in zip(arrays, parts, strict=True):
            np.add.at(array, on, part)


class _Meeting:
    """Contacts and attachments of a step, whose rows go with the bodies.

    Args:
        count: Of all particles.
        touched: Contacts; None: there are none.
        attached: Attachments; None: there are none.
        now: Poses of bodies, which change, (b, 7).
        before: Those at the start of the step, (b, 7).
    """

    def __init__(
        self,
        count: int,
        touched: TouchedShapes | None,
        attached: Attachments | None,
        now: Any,
        before: Any,
    ) -> None:
        self._touched, self._attached = touched, attached
        self.now, self._before = now, before
        self._tables = [table for table in (touched, attached) if table is not None]
        nothing = np.zeros(0, np.int64)
        self.particles = np.concatenate([nothing, *(t.particles for t in self._tables)])
        self.corners, self.weights = _corners(self.particles, touched)
        self.bodies = np.concatenate([nothing, *(t.bodies for t in self._tables)])
        self.rows = np.zeros((len(self.particles), COLUMNS), dtype=np.float32)
        self.seen = Seen.of(count, self)
        self.forces, self.stiffness = np.zeros((len(self.rows), 3)), np.zeros((len(self.rows), 2))
        self.points = np.zeros((len(self.rows), 3))

    def place(self) -> None:
        """Write rows where the bodies are."""
        if not self._tables:
            return
        points: list[Any] = []
        if self._touched is not None:
            points.append(motion_of(self._touched, self.now, self._before))
        if self._attached is not None:
            points.append(self._attached.place(self.now))
        self.points = np.concatenate(points)
        self.rows[:] = np.concatenate([table.rows for table in self._tables])
        self.seen.write(self.rows)

    def react(self, x: Any, before: Any, dt: float) -> None:
        """Find forces on particles.

        Args:
            x: Where they are, (p, 3) [m].
            before: The same at the start of the step.
            dt: Time step [s].
        """
        self.forces, self.stiffness = self.seen.react(
            x, before, self.particles, self.rows, 1.0 / dt
        )


def _corners(particles: Any, touched: TouchedShapes | None) -> tuple[Any, Any]:
    """Corners and weights of contacts, and of attachments after them, which are of one particle."""
    corners = np.full((len(particles), 3), -1, dtype=np.int64)
    weights = np.zeros((len(particles), 3), dtype=np.float32)
    corners[:, 0], weights[:, 0] = particles, 1.0
    if touched is not None:
        corners[: len(touched.corners)] = touched.corners
        weights[: len(touched.weights)] = touched.weights
    return corners, weights
