"""What particles of SolverVBD touch, as rows that its search reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody import notices
from unibody.core.deform.contacts import (
    COLUMNS,
    DAMPING,
    FRICTION,
    GROWTH,
    HEIGHT,
    MOTION,
    NORMAL,
    STIFFNESS,
    Contacts,
)
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.vbd.feature_touch import write_feature_reactions
from unibody.core.deform.vbd.touch import write_reactions
from unibody.newton.dialect import damping_of, is_after_first_of_1
from unibody.newton.poses import rotate


class TouchedShapes(NamedTuple):
    """Contacts of particles, edges and triangles with shapes.

    Attributes:
        particles: Of each contact, or -1 for edges and triangles, (n,).
        corners: Particles of what touches, -1 where there is none, (n, 3).
        weights: Of the corners, (n, 3).
        shapes: What is touched, (n,).
        triangles: Which indices of its mesh are the corners of what is touched, or -1, (n, 3).
        bodies: Of its shape, or -1, (n,).
        points: What is touched, in the frame of its body or of the world, (n, 3) [m].
        ways: How far its surface moves by itself in the step, in the same frame, (n, 3) [m].
        radii: How far from the point the particle is where they begin to touch, (n,) [m].
        rows: What the search reads, (n, COLUMNS).
    """

    particles: Any
    corners: Any
    weights: Any
    shapes: Any
    triangles: Any
    bodies: Any
    points: Any
    ways: Any
    radii: Any
    rows: Any

    def place(self, points: Any, ways: Any) -> None:
        """Write where the surfaces are.

        Args:
            points: What is touched, in the world, (n, 3) [m].
            ways: How far it moves in the step, (n, 3) [m].
        """
        normals = self.rows[:, NORMAL : NORMAL + 3]
        self.rows[:, HEIGHT] = np.einsum("ni,ni->n", normals, points) + self.radii
        self.rows[:, MOTION:] = ways

    def seen(self, count: int) -> Seen:
        """The contacts as a search reads them.

        Args:
            count: Of all particles.
        """
        return Seen.of(count, self)


class Seen(NamedTuple):
    """Contacts in the tables of a search.

    Attributes:
        single: Which of the contacts are of a particle, (s,).
        shared: Which of them are of an edge or triangle, (f,).
        contacts: Those of particles.
        features: The others.
    """

    single: Any
    shared: Any
    contacts: Contacts
    features: FeatureContacts

    @classmethod
    def of(cls, count: int, touched: Any) -> Seen:
        """Tables of contacts.

        Args:
            count: Of all particles.
            touched: Has particles, corners, weights and rows, as `TouchedShapes`.
        """
        single, shared = (np.flatnonzero(is_one) for is_one in _kinds(touched.particles))
        return cls(
            single,
            shared,
            Contacts.of(count, touched.particles[single], touched.rows[single]),
            FeatureContacts.at(
                count, touched.corners[shared], touched.weights[shared], touched.rows[shared]
            ),
        )

    def write(self, rows: Any) -> None:
        """Take other rows of the same contacts, (n, COLUMNS)."""
        self.contacts.rows[:] = rows[self.single][self.contacts.order]
        self.features.rows[:] = rows[self.shared]

    def react(self, x: Any, before: Any, particles: Any, rows: Any, rate: float) -> tuple[Any, Any]:
        """Forces on what touches, and their stiffness along the normals and across them.

        Args:
            x: Places of all particles, (p, 3) [m].
            before: The same at the start of the step.
            particles: Of each contact, (n,).
            rows: See `COLUMNS`, (n, COLUMNS).
            rate: One over the time step [1/s].

        Returns:
            (n, 3) [N] and (n, 2) [N/m].
        """
        forces, stiffness = np.zeros((len(rows), 3)), np.zeros((len(rows), 2))
        flat = x.reshape(-1), before.reshape(-1)
        if not len(self.shared):
            write_reactions(*flat, particles, rows, rate, forces, stiffness)
            return forces, stiffness
        for chosen in (self.single, self.shared):
            found = np.zeros((len(chosen), 3)), np.zeros((len(chosen), 2))
            if chosen is self.single:
                write_reactions(*flat, particles[chosen], rows[chosen], rate, *found)
            else:
                table = self.features._replace(rows=rows[chosen])
                write_feature_reactions(*flat, table, rate, *found)
            forces[chosen], stiffness[chosen] = found
        return forces, stiffness


def _kinds(particles: Any) -> tuple[Any, Any]:
    return particles >= 0, particles < 0


def touched_shapes(
    model: Any,
    contacts: Any,
    friction_epsilon: float,
    dt: float,
    *,
    mixed: bool = False,
    told: Any = None,
) -> TouchedShapes | None:
    """Contacts that were found, with the materials of both sides; None: there are none.

    Args:
        model: The model.
        contacts: As `Model.collide` found them; None: there are none.
        friction_epsilon: Speed below which friction grows with it [m/s].
        dt: Time step [s].
        mixed: Whether stiffness and damping are the means of both sides before 1.x after 1.0, too.
        told: Gets the stiffness of as many contacts as it has room for, as a Warp array [N/m].
    """
    if contacts is None:
        return None
    found = int(contacts.soft_contact_count.numpy()[0])
    count = min(found, contacts.soft_contact_max)
    if found > count:
        notices.tell(f"SolverVBD: {found - count} contacts of particles beyond {count} are lost")
    if not count:
        return None
    particles = contacts.soft_contact_particle.numpy()[:count]
    shapes = contacts.soft_contact_shape.numpy()[:count]
    corners = contacts.soft_contact_indices.numpy()[:count]
    sizes = model.particle_radius.numpy()[corners]
    radii = np.where(corners >= 0, sizes, 0.0).max(axis=1)
    ke = np.full(count, model.soft_contact_ke)
    kd = np.full(count, model.soft_contact_kd)
    if is_after_first_of_1() or mixed:
        ke = 0.5 * (ke + model.shape_material_ke.numpy()[shapes])
        kd = 0.5 * (kd + model.shape_material_kd.numpy()[shapes])
    if is_after_first_of_1():
        radii = radii + model.shape_thickness.numpy()[shapes]
    rows = np.zeros((count, COLUMNS), dtype=np.float32)
    rows[:, NORMAL : NORMAL + 3] = contacts.soft_contact_normal.numpy()[:count]
    rows[:, STIFFNESS] = ke
    rows[:, DAMPING] = damping_of(kd, ke)
    if told is not None:
        told.numpy()[:count] = ke[: len(told)]
    rows[:, FRICTION] = np.sqrt(model.soft_contact_mu * model.shape_material_mu.numpy()[shapes])
    rows[:, GROWTH] = friction_epsilon * dt
    points = contacts.soft_contact_body_pos.numpy()[:count].copy()
    ways = contacts.soft_contact_body_vel.numpy()[:count] * dt
    bodies = model.shape_body.numpy()[shapes]
    weights = contacts.soft_contact_barycentric.numpy()[:count]
    triangles = contacts.soft_contact_rigid_indices.numpy()[:count]
    features = particles, corners, weights
    return TouchedShapes(*features, shapes, triangles, bodies, points, ways, radii, rows)


def follow(touched: TouchedShapes, model: Any, state: Any, dt: float) -> None:
    """Place surfaces where a state has the bodies, which move with its velocities.

    Args:
        touched: Its rows are written.
        model: The model.
        state: Poses and velocities of bodies.
        dt: Time step [s].
    """
    points, ways = touched.points.copy(), touched.ways.copy()
    moving = np.flatnonzero(touched.bodies >= 0)
    if len(moving):
        bodies = touched.bodies[moving]
        poses, twists = state.body_q.numpy()[bodies], state.body_qd.numpy()[bodies]
        arms = rotate(poses[:, 3:], points[moving] - model.body_com.numpy()[bodies])
        speeds = twists[:, :3] + np.cross(twists[:, 3:], arms)
        ways[moving] = speeds * dt + rotate(poses[:, 3:], ways[moving])
        points[moving] = rotate(poses[:, 3:], points[moving]) + poses[:, :3]
    touched.place(points, ways)


def motion_of(touched: TouchedShapes, now: Any, before: Any) -> Any:
    """Place surfaces where poses of bodies have them.

    Args:
        touched: Its rows are written.
        now: Poses of bodies, (b, 7).
        before: Those at the start of the step.

    Returns:
        Where what is touched is, (n, 3) [m].
    """
    points, ways = touched.points.copy(), touched.ways.copy()
    moving = np.flatnonzero(touched.bodies >= 0)
    if len(moving):
        bodies, own = touched.bodies[moving], touched.points[moving]
        points[moving] = placed(now[bodies], own)
        ways[moving] = rotate(now[bodies, 3:], ways[moving])
        ways[moving] += points[moving] - placed(before[bodies], own)
    touched.place(points, ways)
    return points


def placed(poses: Any, points: Any) -> Any:
    """Points of frames in the world, (n, 3) [m]."""
    return rotate(poses[:, 3:], points) + poses[:, :3]
