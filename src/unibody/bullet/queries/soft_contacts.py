"""Contacts of soft bodies with rigid ones, as PyBullet tells them: the particle's place is on A.

PyBullet tells how deep a particle is as a positive distance, and a point on B that is this much
below the particle; here the distance is negative where surfaces overlap, as for all other contacts,
and the point is on the rigid surface.
"""

from __future__ import annotations

import numpy as np

from unibody.bullet.clients.client import Client
from unibody.core.engine.contacts.arrays import Contacts
from unibody.core.engine.soft.bodies import SoftBody

_SLIDES = 1e-9  # N: friction below it has no direction


def with_soft_contacts(client: Client, contacts: Contacts) -> Contacts:
    """Add contacts of soft bodies to those of rigid ones, where the world is deformable."""
    soft = client.soft_bodies
    if soft is None or not client.deformable_world:
        return contacts
    touches = soft.world.touches()
    if not len(touches.particles):
        return contacts
    world = client.scene.world
    ranges = sorted(
        (each.soft.start, each.body_id)
        for each in soft.records.values()
        if isinstance(each.soft, SoftBody)
    )
    starts, owners = np.array(ranges, dtype=np.int64).T
    owner = owners[np.searchsorted(starts, touches.particles, side="right") - 1]
    count, base = len(owner), np.full(len(owner), -1, dtype=np.int64)
    other, link = world.owner_body[touches.bodies], world.owner_link[touches.bodies]
    normals, pushes = touches.normals, touches.pushes
    across = touches.forces - pushes[:, None] * normals
    friction = np.linalg.norm(across, axis=1)
    first = np.where(friction[:, None] > _SLIDES, across, _perpendicular(normals))
    first /= np.linalg.norm(first, axis=1)[:, None]
    numbers = [
        touches.points, touches.surface_points, normals,
        touches.gaps[:, None], pushes[:, None], friction[:, None], np.zeros((count, 1)),
        first, np.cross(normals, first),
    ]  # fmt: skip
    ids = np.stack([owner, other, base, link])
    return Contacts.of(
        np.concatenate([contacts.ids, ids], axis=1),
        np.concatenate([contacts.numbers, np.concatenate(numbers, axis=1).T], axis=1),
    )


def _perpendicular(normals: np.ndarray) -> np.ndarray:
    """A direction across each normal."""
    axis = np.eye(3)[np.abs(normals).argmin(axis=1)]
    return np.cross(normals, axis)
