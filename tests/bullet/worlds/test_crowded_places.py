"""Many bodies in one place have room for their contacts, or are refused in words."""

from __future__ import annotations

import pytest

import unibody.bullet as p
from unibody.core.engine.world import contact_memory
from unibody.sample_assets import getDataPath

CROWD = 200  # robots, whose 20 000 pairs do not fit into what is reserved for them


def _world(crowd: int) -> tuple[int, int]:
    """A client with a box far from a crowd in one place; the client and the box."""
    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, -10, client)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3, physicsClientId=client)
    box = p.createMultiBody(1, shape, basePosition=(50, 0, 5), physicsClientId=client)
    for _ in range(crowd):
        p.loadURDF(f"{getDataPath()}/cartpole.urdf", physicsClientId=client)
    return client, box


def _state_after_a_push(client: int, box: int) -> object:
    p.resetBaseVelocity(box, [1, 2, 3], [1, 0, 0], client)
    p.applyExternalForce(box, -1, [5, 0, 0], [0, 0, 0], p.LINK_FRAME, client)
    p.stepSimulation(client)
    return p.getBasePositionAndOrientation(box, client), p.getBaseVelocity(box, client)


def test_more_overlapping_robots_than_fit_into_the_memory_reserved_take_more() -> None:
    (crowded, box), (empty, other) = _world(CROWD), _world(0)
    reserved = _narena(crowded)
    assert _state_after_a_push(crowded, box) == _state_after_a_push(empty, other)
    assert _narena(crowded) > reserved
    assert len(p.getContactPoints(physicsClientId=crowded)) > CROWD
    p.disconnect(crowded)
    p.disconnect(empty)


def test_a_search_for_contacts_takes_more_memory_too() -> None:
    client, _ = _world(CROWD)
    p.performCollisionDetection(client)
    assert len(p.getContactPoints(physicsClientId=client)) > CROWD
    p.disconnect(client)


def test_what_does_not_fit_into_a_world_is_refused_and_steps_once_it_is_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contact_memory, "_MOST", 1 << 20)
    client, box = _world(CROWD)
    (alone, other) = _world(0)
    for call in (p.stepSimulation, p.performCollisionDetection):
        with pytest.raises(p.error, match="more pairs of shapes touch at once than fit into 1 MiB"):
            call(client)
    for body in range(1, CROWD + 1):
        p.resetBasePositionAndOrientation(body, (0, 10 * body, 0), (0, 0, 0, 1), client)
    assert _state_after_a_push(client, box) == _state_after_a_push(alone, other)
    p.disconnect(client)
    p.disconnect(alone)


def _narena(client: int) -> int:
    from unibody.bullet.clients.registry import get_client

    return int(get_client(client).scene.world.model.narena)
