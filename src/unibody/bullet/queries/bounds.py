"""Axis-aligned boxes of links, and which of them overlap a box."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np

from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_body, get_client
from unibody.bullet.errors import error
from unibody.bullet.handles.soft_records import has_soft_bodies
from unibody.core.assets.description import Vec3
from unibody.core.engine.queries.bounds import BoxSearch

_OVERLAP_MARGIN = 0.02  # m: Bullet's broad phase widens every box by its contact threshold


def getAABB(bodyUniqueId: int, linkIndex: int = -1, physicsClientId: int = 0) -> tuple[Vec3, Vec3]:
    """The axis-aligned box around the shapes of a link.

    As in PyBullet it is the box of the shapes in the link's inertial frame, turned into the
    world, wider by 1 to 4 mm around meshes, compounds and cylinders from files: the collision
    margins of Bullet.

    Args:
        bodyUniqueId: The body.
        linkIndex: The link, -1 is the base.
        physicsClientId: The client.

    Returns:
        Smallest and largest corner, world frame [m]. A plane's are at -1e30 and 1e30; those of a
        link without shapes are at its centre of mass, or 1 mm around it if a file describes it.
        Of a soft body: around its particles, wider by its margin. As in PyBullet it is made
        within a step, before particles are put right: in the deformable world it is a step behind.
        One that was just loaded has a margin of 0.25 m there.

    Raises:
        error: No such body or link.
    """
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        if index(bodyUniqueId) < 0:
            get_client(physicsClientId)
            raise error("getAABB failed; invalid bodyUniqueId") from None
        body = get_body(bodyUniqueId, physicsClientId, "getAABB failed.")
    if linkIndex < -1:
        raise error("getAABB failed; invalid linkIndex")
    if linkIndex >= body.joint_count:
        raise error("getAABB failed.")
    soft = body.client.soft_bodies
    if soft is not None and body.id in soft.records:
        low, high = soft.box(body.client, soft.records[body.id])
        return tuple(low.tolist()), tuple(high.tolist())
    return body.box(linkIndex)


def getOverlappingObjects(
    aabbMin: Sequence[float], aabbMax: Sequence[float], physicsClientId: int = 0
) -> tuple[tuple[int, int], ...] | None:
    """The links whose boxes, widened by 0.02 m, overlap a box.

    PyBullet widens the boxes at every step; before a body's first step it does not.

    Args:
        aabbMin: Smallest corner [m].
        aabbMax: Largest corner [m].
        physicsClientId: The client.

    Returns:
        (body id, link index) of each, in order of their ids, or None if there are none.

    Raises:
        error: Not connected, or a corner that is not 3 numbers.
    """
    client = clients.get(physicsClientId) or get_client(physicsClientId)
    search = client.box_search
    if search is None:
        search = client.box_search = BoxSearch(client.scene, _OVERLAP_MARGIN)
    try:
        found = search.links(aabbMin, aabbMax)
        if has_soft_bodies(client):
            found = _with_soft_bodies(client, found, aabbMin, aabbMax)
        return found or None
    except (TypeError, ValueError):
        vector(aabbMin, 3, "aabbMin needs 3 numbers")
        vector(aabbMax, 3, "aabbMax needs 3 numbers")
        raise


def _with_soft_bodies(
    client: Client, found: tuple[tuple[int, int], ...], low: Sequence[float], high: Sequence[float]
) -> tuple[tuple[int, int], ...]:
    """Say of soft bodies whether their own boxes overlap, not those of their bases."""
    soft = client.soft_bodies
    assert soft is not None
    links = [link for link in found if link[0] not in soft.records]
    for number, record in soft.records.items():
        box = soft.box(client, record)
        below, above = box[0] - _OVERLAP_MARGIN, box[1] + _OVERLAP_MARGIN
        if bool((below <= np.array(high)).all() and (above >= np.array(low)).all()):
            links.append((number, -1))
    return tuple(sorted(links))
