"""Particles that are held at points of bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.builder import custom
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import AttributeFrequency

_LARGEST = float(np.finfo(np.float32).max)


def add_attachment_particle_body(
    self: Tables,
    particle: int,
    body: int,
    *,
    body_point: Any = None,
    stiffness: float = 1.0e4,
    damping: float = 0.0,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Hold a particle at a point of a body, which feels the same force (in `SolverVBD`).

    Args:
        self: The builder.
        particle: The particle.
        body: The body.
        body_point: The point in the body's frame [m]; None: its origin.
        stiffness: N/m; infinite: the particle has no way to go.
        damping: Of the motion between the two [N s/m]; infinite stiffness has none.
        enabled: Whether it holds.
        custom_attributes: Key -> value, of frequency ATTACHMENT_PARTICLE_BODY.

    Returns:
        Its index.

    Raises:
        IndexError: There is no such particle or body.
        ValueError: A number is not allowed, or the two are of different worlds.
    """
    for name, index, count in (
        ("body", body, self.body_count),
        ("particle", particle, self.particle_count),
    ):
        if not 0 <= index < count:
            raise IndexError(f"{name}={index} refers to none of {count}")
    if not (0.0 <= stiffness <= _LARGEST or stiffness == math.inf):
        raise ValueError(f"stiffness={stiffness}: expected a number of 0 or more, or infinity")
    if not 0.0 <= damping <= _LARGEST:
        raise ValueError(f"damping={damping}: expected a finite number of 0 or more")
    point = wp.vec3() if body_point is None else wp.vec3(*(float(v) for v in body_point))
    if not all(math.isfinite(v) for v in point):
        raise ValueError(f"body_point={tuple(point)}: expected three finite numbers")
    worlds = self.body_world[body], self.particle_world[particle]
    if min(worlds) >= 0 and worlds[0] != worlds[1]:
        raise ValueError(
            "the ends of an attachment belong to different worlds:"
            f" {self.label_of('body', body)} to world {worlds[0]},"
            f" particle {particle} to world {worlds[1]}"
        )
    number = self.attachment_particle_body_count
    self.attachment_particle_body_body.append(int(body))
    self.attachment_particle_body_particle.append(int(particle))
    self.attachment_particle_body_body_point.append(point)
    self.attachment_particle_body_stiffness.append(float(stiffness))
    self.attachment_particle_body_damping.append(float(damping))
    self.attachment_particle_body_enabled.append(bool(enabled))
    self.attachment_particle_body_world.append(max(worlds))
    custom.set_values(self, number, custom_attributes, AttributeFrequency.ATTACHMENT_PARTICLE_BODY)
    return number
