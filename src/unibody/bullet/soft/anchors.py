"""createSoftBodyAnchor: particles that the world or a rigid body holds."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np

from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.core.deform.modal import ModalBody
from unibody.core.engine.soft.bodies import Anchor
from unibody.errors import NotSupportedError

_FAILED = "createSoftBodyAnchor failed."


def createSoftBodyAnchor(
    softBodyBodyUniqueId: int,
    nodeIndex: int,
    bodyUniqueId: int = -1,
    linkIndex: int = -1,
    bodyFramePosition: Sequence[float] = (0.0, 0.0, 0.0),
    physicsClientId: int = 0,
) -> int:
    """Hold a particle of a soft body where it is, in the world or on a link.

    Args:
        softBodyBodyUniqueId: The soft body.
        nodeIndex: Its particle.
        bodyUniqueId: The rigid body that holds it; -1: the world does.
        linkIndex: Its link; -1: the base.
        bodyFramePosition: Without effect, as in PyBullet's world of soft bodies: the particle is
            held where it is.
        physicsClientId: The client.

    Returns:
        Id of the anchor, for removeConstraint.

    Raises:
        error: There is no such soft body, particle, body or link.
        NotSupportedError: The body is one of a few modes of deformation.
    """
    client = get_client(physicsClientId)
    soft_bodies = client.soft_bodies
    record = None if soft_bodies is None else soft_bodies.records.get(index(softBodyBodyUniqueId))
    if soft_bodies is None or record is None:
        raise error(f"{_FAILED} Body {softBodyBodyUniqueId} is not a soft body.")
    if isinstance(record.soft, ModalBody):
        raise NotSupportedError(
            f"an anchor of the reduced deformable body {record.body_id}",
            "a body of <deformable>, whose particles can be held",
        )
    del bodyFramePosition
    count, particle = len(record.rest), index(nodeIndex)
    if not 0 <= particle < count:
        raise error(f"{_FAILED} nodeIndex={nodeIndex} is not 0 to {count - 1}.")
    soft_bodies.follow_base(client, record)
    holder, anchor = None, None
    if index(bodyUniqueId) >= 0:
        body, link = client.bodies.get(index(bodyUniqueId)), index(linkIndex)
        if body is None or body.id in soft_bodies.records or link >= body.joint_count:
            raise error(f"{_FAILED} There is no link {linkIndex} of a rigid body {bodyUniqueId}.")
        holder = (body.id, max(link, -1))
        world = client.world
        world.kinematics()
        number = body.record.body + holder[1] + 1
        turn = world.data.xmat[number].reshape(3, 3)
        place = record.soft.state.positions[particle].astype(np.float64)
        anchor = Anchor(record.soft, particle, number, turn.T @ (place - world.data.xpos[number]))
        soft_bodies.world.attach(anchor)
    else:
        soft_bodies.world.hold(record.soft, particle)
    made = client.constraint_ids.take()
    soft_bodies.anchors[made] = (record, particle, holder, anchor)
    return made
