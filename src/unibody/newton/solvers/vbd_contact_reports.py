"""Forces of contacts of a step of SolverVBD, as observables tell them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unibody.core.deform.vbd.solver import VertexBlockDescent
from unibody.newton.poses import rotate
from unibody.newton.solvers import host_steps, rigid_vbd_reports
from unibody.newton.solvers.particle_rows import follow, motion_of, placed, touched_shapes
from unibody.newton.solvers.rigid_vbd import RigidBlockDescent


@dataclass(frozen=True, slots=True)
class ContactForces:
    """Tells wrenches of contacts: on the body of the first shape, or of the shape of a particle.

    Torques are about its centre of mass, or about the world's origin where it does not move.

    Attributes:
        model: The model.
        particles: What has moved particles.
        bodies: What has moved rigid bodies; None: nothing, or another solver.
        friction_epsilon: Speed below which friction grows with it [m/s].
        coupled: Whether particles and bodies have moved one another.
        external: Whether another solver has moved the bodies, from the first state to the second.
    """

    model: Any
    particles: VertexBlockDescent
    bodies: RigidBlockDescent | None
    friction_epsilon: float
    coupled: bool
    external: bool

    def tell(
        self, owner: Any, found: Any, states: tuple[Any, Any], contacts: Any, dt: float
    ) -> None:
        """Write the forces of a step, in its recorded graph, too.

        Args:
            owner: The solver.
            found: What is written, a row a contact: those between shapes, then those of particles.
            states: Before and after the step.
            contacts: Those of the step.
            dt: Its length [s].
        """
        before = states[0].body_q if self.bodies is None else self.bodies.bodies.before
        rigid = rigid_vbd_reports.contact_forces(
            self.bodies, self.model, states[1].body_q, before, contacts, dt
        )
        host_steps.run(owner, partial(self._write, found, states, contacts, dt, rigid))

    def _write(
        self, found: Any, states: tuple[Any, Any], contacts: Any, dt: float, rigid: Any
    ) -> None:
        rows = found.numpy()
        rows[:] = 0.0
        room = contacts.rigid_contact_max
        first, _, at_first, _, forces, counts = (array.numpy() for array in rigid)
        count = min(int(counts[0]), room) if len(counts) else 0
        if count:
            poses = states[1].body_q
            self._write_wrenches(rows, poses, first[:count], at_first[:count], -forces[:count])
        if self.model.particle_count:
            self._write_soft(rows[room:], states, contacts, dt)

    def _write_soft(self, rows: Any, states: tuple[Any, Any], contacts: Any, dt: float) -> None:
        touched = touched_shapes(
            self.model, contacts, self.friction_epsilon, dt, mixed=self.coupled
        )
        if touched is None:
            return
        poses = states[1].body_q
        if self.coupled and self.bodies is not None:
            points = motion_of(touched, poses.numpy(), self.bodies.bodies.before.numpy())
        elif self.external:
            points = motion_of(touched, poses.numpy(), states[0].body_q.numpy())
        else:
            follow(touched, self.model, states[0], dt)
            poses, points = states[0].body_q, touched.points.copy()
            held = touched.bodies >= 0
            if held.any():
                points[held] = placed(poses.numpy()[touched.bodies[held]], points[held])
        now, before = states[1].particle_q.numpy(), self.particles.before
        seen = touched.seen(self.model.particle_count)
        forces, _ = seen.react(now, before, touched.particles, touched.rows, 1.0 / dt)
        self._write_wrenches(rows, poses, touched.bodies, points, -forces)

    def _write_wrenches(self, rows: Any, poses: Any, bodies: Any, points: Any, forces: Any) -> None:
        """Write forces on bodies at points of the world, and their torques."""
        arms = points.copy()
        moving = np.flatnonzero(bodies >= 0)
        if len(moving):
            own = bodies[moving]
            frames, middles = poses.numpy()[own], self.model.body_com.numpy()[own]
            arms[moving] -= frames[:, :3] + rotate(frames[:, 3:], middles)
        rows[: len(forces), :3] = forces
        rows[: len(forces), 3:] = np.cross(arms, forces)
