"""Rays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.soft_records import has_soft_bodies, is_soft
from unibody.core.engine.queries.rays import Hit, Hits, ray_caster

FloatArray = NDArray[np.float64]

MAX_RAYS = 16 * 1024
_ITEMS = "Items in the from/to positions need to be an [x,y,z] list of 3 floats/doubles"


def rayTest(
    rayFromPosition: Sequence[float],
    rayToPosition: Sequence[float],
    collisionFilterMask: int = -1,
    reportHitNumber: int = -1,
    physicsClientId: int = 0,
) -> tuple[Hit, ...]:
    """The first shape that one ray enters; see rayTestBatch.

    Raises:
        error: Not connected, or a position that is not 3 numbers.
    """
    client = get_client(physicsClientId)
    if reportHitNumber < 0 and not has_soft_bodies(client):
        caster, world = client.caster, client.scene.running
        if caster is None or world is None or not caster.serves(client.scene, collisionFilterMask):
            caster = client.caster = ray_caster(client.scene, collisionFilterMask)
            world = client.world
        hit = caster.cast_one(world, rayFromPosition, rayToPosition)
        if hit is not None:
            if client.window is not None:
                client.window.rays.take([rayFromPosition], [rayToPosition], (hit,))
            return (hit,)
    start = vector(rayFromPosition, 3, "rayFromPosition needs 3 numbers")
    end = vector(rayToPosition, 3, "rayToPosition needs 3 numbers")
    starts, ends = np.array([start]), np.array([end])
    found = _results(_cast(client, starts, ends, reportHitNumber, collisionFilterMask))
    if client.window is not None:
        client.window.rays.take([start], [end], found)
    return found


def rayTestBatch(
    rayFromPositions: Sequence[Sequence[float]],
    rayToPositions: Sequence[Sequence[float]],
    numThreads: int = 1,
    parentObjectUniqueId: int = -1,
    parentLinkIndex: int = -1,
    reportHitNumber: int = -1,
    collisionFilterMask: int = -1,
    fractionEpsilon: float = -1.0,
    physicsClientId: int = 0,
) -> tuple[Hit, ...]:
    """The first shape that each ray enters.

    A ray that starts in a ball or a capsule hits at once where it comes nearer to the centre or the
    axis, and so does one that starts within 1 mm of the surface of another convex shape and goes
    in. Else a ray does not see a shape that it starts in. Planes, height fields and concave meshes
    are hit from both sides, and the normal is on the side the ray comes from. So are soft bodies,
    once each, where their surface is now.

    Args:
        rayFromPositions: (N, 3), at most 16384 [m].
        rayToPositions: (N, 3) [m].
        numThreads: Accepted; all rays of a batch are cast in one pass, which does not depend on it.
        parentObjectUniqueId: Positions are in the inertial frame of this body's link.
        parentLinkIndex: That link; -1 is the base.
        reportHitNumber: -1 reports the first hit, n the n-th counted from 0. They are counted in
            order of distance, one for each shape; PyBullet counts them in no certain order.
        collisionFilterMask: Only shapes whose collision group has a bit of this mask, and whose
            own mask has group 1.
        fractionEpsilon: With ``reportHitNumber``: hits of one link whose fractions differ by no
            more than this count once.
        physicsClientId: The client.

    Returns:
        For each ray (body id, link index, fraction of the way, position [m], unit normal), and
        (-1, -1, 1.0, (0, 0, 0), (0, 0, 0)) for a miss.

    Raises:
        error: Not connected, too many rays, or positions that are not 3 numbers each.
    """
    client = get_client(physicsClientId)
    starts, ends = _positions(rayFromPositions), _positions(rayToPositions)
    if len(starts) != len(ends):
        raise error("Size of from_positions need to be equal to size of to_positions.")
    if len(starts) > MAX_RAYS:
        raise error("Number of rays exceed the maximum batch size.")
    if parentObjectUniqueId >= 0:
        starts, ends = _to_world(client, parentObjectUniqueId, parentLinkIndex, starts, ends)
    epsilon = max(fractionEpsilon, 0.0)
    found = _results(_cast(client, starts, ends, reportHitNumber, collisionFilterMask, epsilon))
    if client.window is not None:
        client.window.rays.take(starts, ends, found)
    return found


def _cast(
    client: Client, starts: FloatArray, ends: FloatArray, number: int, mask: int,
    epsilon: float = 0.0,
) -> Hits:  # fmt: skip
    """What rays hit of rigid and of soft bodies; see `RayCaster.cast`."""
    caster, world = ray_caster(client.scene, mask), client.world

    def cast(which: int) -> Hits:
        return caster.cast(world, starts, ends, which, epsilon)

    if not has_soft_bodies(client):
        return cast(number)
    from unibody.bullet.queries.soft_rays import with_soft_hits

    return with_soft_hits(client, starts, ends, number, mask, cast)


def _positions(values: Any) -> FloatArray:
    """Positions as a C-contiguous array (N, 3)."""
    if values is None:
        raise error("rayFromPositions and rayToPositions must be not None.")
    if isinstance(values, np.ndarray):
        try:
            array = np.ascontiguousarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise error(_ITEMS) from None
        if array.ndim == 1 and len(array) == 3:
            array = array.reshape(1, 3)
    else:
        array = _from_sequence(values)
    if array.ndim != 2 or (array.shape[1] != 3 and len(array)):
        raise error(_ITEMS)
    return array


def _from_sequence(values: Any) -> FloatArray:
    try:
        count = len(values)
        # fromiter is twice as fast as array for a list of tuples, but does not see the rows
        if not count or set(map(len, values)) == {3}:
            flat = np.fromiter(chain.from_iterable(values), np.float64, 3 * count)
            return flat.reshape(count, 3)
    except (TypeError, ValueError):
        pass
    raise error(_ITEMS)


def _to_world(
    client: Client, body_id: int, link: int, starts: FloatArray, ends: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Positions in the inertial frame of a link as world positions.

    As in PyBullet, a body or link that does not exist and a soft body leave them as they are.
    """
    body = client.bodies.get(body_id)
    if body is None or not -1 <= link < body.joint_count or is_soft(client, body):
        return starts, ends
    world = client.world
    world.kinematics()
    index = body.record.links[link + 1].body
    origin, rotation = world.data.xipos[index], world.data.ximat[index].reshape(3, 3)
    return starts @ rotation.T + origin, ends @ rotation.T + origin


def _results(hits: Hits) -> tuple[Hit, ...]:
    ids, numbers = hits
    bodies, links = ids.tolist()
    fraction, x, y, z, nx, ny, nz = numbers.tolist()
    return tuple(
        zip(
            bodies,
            links,
            fraction,
            zip(x, y, z, strict=True),
            zip(nx, ny, nz, strict=True),
            strict=True,
        )
    )
