"""Rays that meet soft bodies: the first triangle of each surface on their way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.clients.client import Client
from unibody.bullet.substeps.soft_bodies import SOFT_GROUP
from unibody.core.deform.surface_contact.rays import first_hits
from unibody.core.engine.queries.rays import Hits

_BASE = -1


def with_soft_hits(
    client: Client,
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    number: int,
    mask: int,
    cast: Callable[[int], Hits],
) -> Hits:
    """What rays hit among rigid and soft bodies.

    As in PyBullet a ray meets each soft body once, at the triangle that it comes to first, from
    either side, and the normal is on the side that the ray comes from.

    Args:
        client: The client; it has soft bodies.
        starts: (N, 3) [m].
        ends: (N, 3) [m].
        number: -1: the first hit; n: the n-th, counted from 0 in order of distance.
        mask: Collision groups that rays hit.
        cast: What rays hit of rigid bodies, by such a number.

    Returns:
        See `RayCaster.cast`.
    """
    if not mask & SOFT_GROUP:
        return cast(number)
    soft = _soft_hits(client, starts, ends)
    # Soft hits come first where both are equally far: a stable order of all that there are.
    found = [*soft, *(cast(n) for n in (range(number + 1) if number >= 0 else (-1,)))]
    ids = np.stack([hit[0] for hit in found])
    numbers = np.stack([hit[1] for hit in found])
    missed = ids[:, 0] < 0
    order = np.argsort(np.where(missed, np.inf, numbers[:, 0]), axis=0, kind="stable")
    chosen, rays = order[max(number, 0)], np.arange(len(starts))
    return ids[chosen, :, rays].T, numbers[chosen, :, rays].T


def _soft_hits(
    client: Client, starts: NDArray[np.float64], ends: NDArray[np.float64]
) -> list[Hits]:
    """What rays hit of each soft body, in the form of `RayCaster.cast`."""
    soft_bodies, hits = client.soft_bodies, list[Hits]()
    assert soft_bodies is not None
    for body_id, record in soft_bodies.records.items():
        soft_bodies.follow_base(client, record)
        fractions, normals = first_hits(record.soft.state.positions, record.faces, starts, ends)
        hit = np.isfinite(fractions)
        ids = np.where(hit, np.array([[body_id], [_BASE]]), -1)
        places = starts + np.where(hit, fractions, 0.0)[:, None] * (ends - starts)
        rows = np.concatenate([np.where(hit, fractions, 1.0)[None], places.T, normals.T])
        rows[1:, ~hit] = 0.0
        hits.append((ids, rows))
    return hits
