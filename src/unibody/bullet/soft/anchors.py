"""createSoftBodyAnchor: particles that the world or a rigid body holds."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.substeps.soft_bodies import HeldParticle, is_maximal
from unibody.core.deform.modal import ModalBody
from unibody.core.engine.soft.bodies import Anchor, SoftBody
from unibody.errors import NotSupportedError
from unibody.notices import tell_once

_NO_HOLDER = (
    "createSoftBodyAnchor holds nothing, as in PyBullet: there is no rigid body {} with a link {}"
)
_NOBODY = (-1, -1)

FloatArray = NDArray[np.float64]

_FAILED = "createSoftBodyAnchor failed."
_NOT_HELD = (
    "createSoftBodyAnchor holds nothing: as in PyBullet, bodies hold particles in the deformable "
    "world (resetSimulation(RESET_USE_DEFORMABLE_WORLD)) or with useMaximalCoordinates"
)


def createSoftBodyAnchor(
    softBodyBodyUniqueId: int,
    nodeIndex: int,
    bodyUniqueId: int = -1,
    linkIndex: int = -1,
    bodyFramePosition: Sequence[float] = (0.0, 0.0, 0.0),
    physicsClientId: int = 0,
) -> int:
    """Hold a particle of a soft body, in the world or on a link.

    As in PyBullet, where the world is not deformable only bodies of ``useMaximalCoordinates`` hold
    particles, and do not touch the soft body any more; a line on stderr says so for others. An
    anchor at a body or link that does not exist, or at a soft body, holds nothing either.

    Args:
        softBodyBodyUniqueId: The soft body.
        nodeIndex: Its particle.
        bodyUniqueId: The rigid body that holds it; -1: the world does.
        linkIndex: Its link; -1: the base.
        bodyFramePosition: Where the body holds the particle, from its mass centre [m]; without
            effect in the deformable world, as in PyBullet: there it is held where it is.
        physicsClientId: The client.

    Returns:
        Id of the anchor, for removeConstraint.

    Raises:
        error: There is no such soft body or particle.
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
    count, particle = len(record.rest), index(nodeIndex)
    if not 0 <= particle < count:
        raise error(f"{_FAILED} nodeIndex={nodeIndex} is not 0 to {count - 1}.")
    soft_bodies.follow_base(client, record)
    holder, anchor = None, None
    if index(bodyUniqueId) >= 0:
        body, link = client.bodies.get(index(bodyUniqueId)), index(linkIndex)
        if body is None or body.id in soft_bodies.records or not -1 <= link < body.joint_count:
            tell_once(_NO_HOLDER.format(bodyUniqueId, linkIndex))
            return _number(client, (record, particle, _NOBODY, None))
        holder = (body.id, link)
        pivot = None
        if not client.deformable_world:
            pivot = np.array(vector(bodyFramePosition, 3, "Cannot convert bodyFramePosition."))
        if pivot is None or is_maximal(body):
            anchor = _anchor(client, record.soft, particle, body.record.body + holder[1] + 1, pivot)
            soft_bodies.world.attach(anchor)
        else:
            tell_once(_NOT_HELD)
    else:
        soft_bodies.world.hold(record.soft, particle)
    return _number(client, (record, particle, holder, anchor))


def _number(client: Client, held: HeldParticle) -> int:
    """Give an anchor its id."""
    assert client.soft_bodies is not None
    made = client.constraint_ids.take()
    client.soft_bodies.anchors[made] = held
    return made


def _anchor(
    client: Client, soft: SoftBody, particle: int, number: int, pivot: FloatArray | None
) -> Anchor:
    """An anchor at a body of the compiled model, where the particle is or at a given point.

    Args:
        client: The client.
        soft: The soft body.
        particle: Its particle.
        number: Of the rigid body.
        pivot: From its mass centre, in its frame, (3,) [m]; None: where the particle is.
    """
    world = client.world
    world.kinematics()
    data = world.data
    turn = data.xmat[number].reshape(3, 3)
    if pivot is None:
        place = soft.state.positions[particle].astype(np.float64)
    else:
        place = data.xipos[number] + turn @ pivot
    return Anchor(soft, particle, number, turn.T @ (place - data.xpos[number]))
