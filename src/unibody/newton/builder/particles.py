"""Particles, grids of them, and springs between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.newton import convert, handles
from unibody.newton.builder import custom
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import AttributeFrequency, ParticleFlags

_SEED = 42  # the original's, so that a grid with jitter is the same one


def add_particle(
    self: Tables,
    pos: Any,
    vel: Any,
    mass: float,
    radius: float | None = None,
    flags: int = ParticleFlags.ACTIVE,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a particle; one without mass is moved by hand.

    Args:
        self: The builder.
        pos: m.
        vel: m/s.
        mass: kg.
        radius: m; None: `default_particle_radius`.
        flags: `ParticleFlags`.
        custom_attributes: Key -> value, of frequency PARTICLE.

    Returns:
        The index of the particle.
    """
    number = self.particle_count
    place, velocity = convert.vec3("pos", pos), convert.vec3("vel", vel)
    self.particle_q.append(place)
    self.particle_qd.append(velocity)
    self.particle_mass.append(mass)
    self.particle_radius.append(self.default_particle_radius if radius is None else radius)
    self.particle_flags.append(flags)
    self.particle_world.append(self.current_world)
    custom.set_values(self, number, custom_attributes, AttributeFrequency.PARTICLE)
    return number


def add_particles(
    self: Tables,
    pos: list[Any],
    vel: list[Any],
    mass: list[float],
    radius: list[float] | None = None,
    flags: list[int] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Add particles.

    Args:
        self: The builder.
        pos: One a particle [m].
        vel: One a particle [m/s].
        mass: One a particle [kg].
        radius: One a particle [m]; None: `default_particle_radius`.
        flags: One a particle; None: active.
        custom_attributes: Key -> one value for each, or one for all.
    """
    start, count = self.particle_count, len(pos)
    rows = {
        "vel": vel,
        "mass": mass,
        "radius": [self.default_particle_radius] * count if radius is None else radius,
        "flags": [ParticleFlags.ACTIVE] * count if flags is None else flags,
    }
    for name, row in rows.items():
        found = None if row is None else len(row)
        if found != count:
            raise InvalidArgumentError(f"values of {name} for {count} particles", found, f"{count}")
    self.particle_q.extend(pos)
    self.particle_qd.extend(vel)
    self.particle_mass.extend(mass)
    self.particle_radius.extend(rows["radius"])
    self.particle_flags.extend(rows["flags"])
    self.particle_world.extend([self.current_world] * count)
    where = range(start, start + count)
    if count:
        custom.set_values(self, where, custom_attributes, AttributeFrequency.PARTICLE)


def add_particle_grid(
    self: Tables,
    pos: Any,
    rot: Any,
    vel: Any,
    dim_x: int,
    dim_y: int,
    dim_z: int,
    cell_x: float,
    cell_y: float,
    cell_z: float,
    mass: float,
    jitter: float,
    radius_mean: float | None = None,
    radius_std: float = 0.0,
    flags: list[int] | int | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Add a lattice of particles.

    Args:
        self: The builder.
        pos: Of its first particle [m].
        rot: (x, y, z, w).
        vel: Of all particles [m/s].
        dim_x: Particles along x.
        dim_y: Particles along y.
        dim_z: Particles along z.
        cell_x: m between them.
        cell_y: m between them.
        cell_z: m between them.
        mass: Of each [kg].
        jitter: Width of the random offset along each axis [m].
        radius_mean: m; None: `default_particle_radius`.
        radius_std: Spread of the radii [m].
        flags: Of each, or of all.
        custom_attributes: Key -> one value for each, or one for all.
    """
    sides = ((dim_x, cell_x), (dim_y, cell_y), (dim_z, cell_z))
    steps = [np.arange(count) * float(cell) for count, cell in sides]
    points = np.stack(np.meshgrid(*steps)).reshape(3, -1).T
    points = points @ convert.rotation(rot).T + np.array([float(v) for v in pos])
    count = len(points)
    rng = np.random.default_rng(_SEED + self.particle_count)
    points = points + (rng.random(points.shape) - 0.5) * jitter
    radii = np.full(count, self.default_particle_radius if radius_mean is None else radius_mean)
    if radius_std > 0.0:
        radii = radii + rng.standard_normal(count) * radius_std
    every = (
        list(flags) if isinstance(flags, Sequence) else None if flags is None else [flags] * count
    )
    for key, value in (custom_attributes or {}).items():
        several = isinstance(value, list | tuple | np.ndarray)
        if several and len(value) != count:
            raise ValueError(
                f"Custom attribute {key!r} has {len(value)} values but {count} particles in grid"
            )
    add_particles(
        self,
        points.tolist(),
        [tuple(float(v) for v in vel)] * count,
        [mass] * count,
        radii.tolist(),
        every,
        custom_attributes,
    )


def add_spring(
    self: Tables,
    i: int,
    j: int,
    ke: float,
    kd: float,
    control: float,
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Add a spring between two particles that are at its rest length now.

    Args:
        self: The builder.
        i: Particle.
        j: Particle.
        ke: Stiffness [N/m].
        kd: Damping [N s/m].
        control: Activation.
        custom_attributes: Key -> value, of frequency SPRING.
    """
    for name, particle in (("i", i), ("j", j)):
        handles.check(name, particle, self.particle_count, "particles")
    number = self.spring_count
    ends = np.array([[float(v) for v in self.particle_q[p]] for p in (i, j)])
    self.spring_indices.extend((i, j))
    self.spring_stiffness.append(ke)
    self.spring_damping.append(kd)
    self.spring_control.append(control)
    self.spring_rest_length.append(float(np.linalg.norm(ends[1] - ends[0])))
    custom.set_values(self, number, custom_attributes, AttributeFrequency.SPRING)


def positions(self: Tables, indices: Any) -> np.ndarray:
    """Positions of particles, shape (n, 3)."""
    index = np.asarray(indices, dtype=int).reshape(-1)
    count = self.particle_count
    wrong = index[(index < 0) | (index >= count)]
    if len(wrong):
        handles.check("particle", int(wrong[0]), count, "particles")
    if len(index) > count:  # each is asked for several times
        return np.array(self.particle_q, dtype=float).reshape(-1, 3)[index]
    found = [[float(v) for v in self.particle_q[i]] for i in index.tolist()]
    return np.array(found, dtype=float).reshape(-1, 3)
