"""Plain shapes are what they were stated with, whether or not a body was made of them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pybullet
import pytest

import unibody.bullet
from unibody.bullet.clients.registry import get_client

SIDES: tuple[Any, Any] = (pybullet, unibody.bullet)


@pytest.fixture(autouse=True)
def _connected() -> Iterator[None]:
    for p in SIDES:
        assert p.connect(p.DIRECT) == 0, "another test left its world behind"
    yield
    for p in SIDES:
        p.disconnect()


def _made_twice(p: Any, collision: int, look: int) -> list[Any]:
    bodies = [p.createMultiBody(1.0, collision, look) for _ in range(2)]
    return [[p.getDynamicsInfo(body, -1)[:4], p.getVisualShapeData(body)[0][1:]] for body in bodies]


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("GEOM_BOX", {"halfExtents": [1, 0.5, 0.25]}),
        ("GEOM_SPHERE", {"radius": 2}),
        ("GEOM_CYLINDER", {"radius": 0.25}),
        ("GEOM_CAPSULE", {"radius": 0.25}),
    ],
)
def test_bodies_of_a_plain_shape_are_alike_and_as_in_pybullet(
    kind: str, size: dict[str, Any]
) -> None:
    seen = []
    for p in SIDES:
        collision = p.createCollisionShape(getattr(p, kind), **size)
        look = p.createVisualShape(getattr(p, kind), rgbaColor=[1, 0.5, 0, 1], **size)
        seen.append(_made_twice(p, collision, look))
    expected, got = seen
    assert got[0] == got[1]
    for a, b in zip(got[0], expected[0], strict=True):
        assert a[0] == pytest.approx(b[0])
        assert a[2] == pytest.approx(b[2], abs=1e-9)
        assert a[3] == pytest.approx(b[3])


def test_ids_of_removed_shapes_are_given_out_again_as_in_pybullet() -> None:
    ids = []
    for p in SIDES:
        made = [p.createCollisionShape(p.GEOM_SPHERE, radius=0.1) for _ in range(4)]
        p.removeCollisionShape(made[1])
        p.createMultiBody(1.0, made[2])
        p.removeCollisionShape(made[2])
        ids.append([*made, *(p.createCollisionShape(p.GEOM_PLANE) for _ in range(3))])
    assert ids[0] == ids[1]


def test_the_garbage_collector_does_not_look_at_shapes_that_nothing_is_made_of() -> None:
    p = unibody.bullet
    for _ in range(3):
        p.createVisualShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1], rgbaColor=[1, 0, 0, 1])
    for _ in range(2):  # tuples in tuples take one more pass
        gc.collect()
    stated = get_client(0).visual_shapes.stated.values()
    assert len(stated) == 3
    assert not any(gc.is_tracked(numbers) for numbers in stated)
