"""Closest points, against PyBullet and closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as ub
from tests.bullet.paired import add, both, connected

TURN = (0.1, 0.2, 0.3, 0.9273618495495704)
DUCK = pybullet_data.getDataPath() + "/duck.obj"
MARGIN = 2e-3  # m: Bullet's meshes carry a margin of 1 mm each


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(ub) as module:
        yield module


@pytest.mark.parametrize("gap", [2.0, 0.1, 0.0, -0.1])
def test_two_balls_have_the_closed_forms_points(p: Any, gap: float) -> None:
    a = add(p, p.GEOM_SPHERE, (0, 0, 0), 1, radius=0.5)
    b = add(p, p.GEOM_SPHERE, (0, 0.7 + gap, 0), 0, radius=0.2)
    (row,) = p.getClosestPoints(a, b, 5.0)
    assert row[:5] == (0, a, b, -1, -1)
    assert row[5] == pytest.approx((0, 0.5, 0), abs=1e-12)
    assert row[6] == pytest.approx((0, 0.5 + gap, 0), abs=1e-12)
    assert row[7] == pytest.approx((0, -1, 0), abs=1e-12)
    assert row[8] == pytest.approx(gap, abs=1e-12)
    assert row[9:] == (0.0, 0.0, (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0))


@pytest.mark.parametrize("gap", [1.0, 0.01, -0.01, -0.3])
def test_two_aligned_boxes_have_the_closed_forms_distance(p: Any, gap: float) -> None:
    a = add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
    b = add(p, p.GEOM_BOX, (0.1, 0.2, 1.0 + gap), 1, halfExtents=(0.5, 0.5, 0.5))
    (row,) = p.getClosestPoints(a, b, 5.0)
    assert row[8] == pytest.approx(gap, abs=1e-9)
    assert row[7] == pytest.approx((0, 0, -1), abs=1e-9)
    assert row[5][2] == pytest.approx(0.5, abs=1e-9)
    assert row[6][2] == pytest.approx(0.5 + gap, abs=1e-9)


def test_touching_boxes_have_a_normal(p: Any) -> None:
    ground = add(p, p.GEOM_BOX, (0, 0, -5), 0, halfExtents=(100, 100, 5))
    box = add(p, p.GEOM_BOX, (30, 0, 0.5), 1, halfExtents=(0.5, 0.5, 0.5))
    (row,) = p.getClosestPoints(box, ground, 0.1)
    assert row[8] == pytest.approx(0.0, abs=1e-9)
    assert row[7] == pytest.approx((0, 0, 1), abs=1e-3)  # of a gap of 0.1 mm


SHAPES: dict[str, dict[str, Any]] = {
    "box": {"kind": ub.GEOM_BOX, "halfExtents": (0.3, 0.2, 0.1)},
    "ball": {"kind": ub.GEOM_SPHERE, "radius": 0.3},
    "cylinder": {"kind": ub.GEOM_CYLINDER, "radius": 0.2, "height": 0.5},
    "capsule": {"kind": ub.GEOM_CAPSULE, "radius": 0.2, "height": 0.5},
    "mesh": {"kind": ub.GEOM_MESH, "fileName": DUCK, "meshScale": (0.3, 0.3, 0.3)},
    "plane": {"kind": ub.GEOM_PLANE},
}


PAIRS = [
    (first, second)
    for first in SHAPES
    for second in SHAPES
    if first != "plane" or second == "plane"  # a tilted plane above a body: see it turned round
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("height", [1.5, 0.2])
def test_every_pair_of_shapes_is_as_far_apart_as_in_pybullet(
    first: str, second: str, height: float
) -> None:
    def play(p: Any) -> Any:
        a = add(p, pos=(0.1, 0.2, height), quat=TURN, **SHAPES[first])
        b = add(p, pos=(0, 0, 0), **SHAPES[second])
        return p.getClosestPoints(a, b, 10.0)

    theirs, ours = both(play)
    assert [row[:5] for row in ours] == [row[:5] for row in theirs]
    for their_row, our_row in zip(theirs, ours, strict=True):
        # where shapes overlap, Bullet's search for the depth stops at 1 % of it
        close = max(MARGIN, 0.02 * abs(their_row[8]))
        assert our_row[8] == pytest.approx(their_row[8], abs=close)
        span = np.dot(np.subtract(our_row[5], our_row[6]), our_row[7])
        assert span == pytest.approx(our_row[8], abs=1e-6)
        if their_row[8] > 0.0:
            assert our_row[7] == pytest.approx(their_row[7], abs=0.02)  # of margins


@pytest.mark.parametrize("limit", [0.5, 0.2, 0.19, 0.0, -0.1])
def test_only_points_up_to_the_limit_are_reported(limit: float) -> None:
    def play(p: Any) -> Any:
        a = add(p, p.GEOM_SPHERE, (0, 0, 0), 1, radius=0.5)
        b = add(p, p.GEOM_SPHERE, (1.125, 0, 0), 1, radius=0.5)
        c = add(p, p.GEOM_SPHERE, (0, 0.75, 0), 1, radius=0.5)
        return [len(p.getClosestPoints(a, other, limit)) for other in (b, c)]

    theirs, ours = both(play)
    assert ours == theirs


def test_the_pairs_of_links_are_those_of_pybullet() -> None:
    def play(p: Any) -> Any:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        table = p.loadURDF("table/table.urdf", (1, 0, 0))
        return [
            [(row[1:5], row[8]) for row in p.getClosestPoints(arm, *query)]
            for query in ((table, 0.5), (arm, 0.02), (arm, 0.02, 3), (arm, 0.02, 3, 2))
        ]

    for theirs, ours in zip(*both(play), strict=True):
        assert sorted(row[0] for row in ours) == sorted(row[0] for row in theirs)
        distances = {names: distance for names, distance in theirs}
        for names, distance in ours:
            if len(distances) == len(theirs) and names[2:] != (-1, -1):
                assert distance == pytest.approx(distances[names], abs=2 * MARGIN)


def test_shapes_that_belong_to_no_body_can_take_either_side() -> None:
    def play(p: Any) -> Any:
        box = add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.25)
        rod = p.createCollisionShape(p.GEOM_CAPSULE, radius=0.1, height=1.0)
        away = (0, 3, 0)
        lying = p.getQuaternionFromEuler((np.pi / 2, 0, 0))
        return (
            *p.getClosestPoints(-1, box, 9, collisionShapeA=ball, collisionShapePositionA=away),
            *p.getClosestPoints(box, -1, 9, collisionShapeB=ball, collisionShapePositionB=away),
            *p.getClosestPoints(
                -1, -1, 9, collisionShapeA=ball, collisionShapeB=rod,
                collisionShapePositionB=(0, 2, 0), collisionShapeOrientationB=lying,
            ),
        )  # fmt: skip

    theirs, ours = both(play)
    assert len(ours) == len(theirs) == 3
    for their_row, our_row in zip(theirs, ours, strict=True):
        assert our_row[:5] == their_row[:5]
        for field in (5, 6, 7, 8):
            assert our_row[field] == pytest.approx(their_row[field], abs=1e-6)


def test_shapes_meet_bodies_where_they_are_now(p: Any) -> None:
    box = add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
    ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.25)
    for y in (3.0, 4.0):
        p.resetBasePositionAndOrientation(box, (0, -y, 0), (0, 0, 0, 1))
        (row,) = p.getClosestPoints(-1, box, 9, collisionShapeA=ball)
        assert row[8] == pytest.approx(y - 0.75, abs=1e-9)


def test_a_body_or_shape_that_does_not_exist_has_no_points() -> None:
    def play(p: Any) -> Any:
        box = add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
        return [
            p.getClosestPoints(77, box, 5),
            p.getClosestPoints(-1, box, 5),
            p.getClosestPoints(box, box, 5, 3),
            p.getClosestPoints(-1, box, 5, collisionShapeA=99),
        ]

    assert both(play) == ([()] * 4, [()] * 4)


def test_a_box_that_is_no_body_is_as_far_away_as_one_that_is(p: Any) -> None:
    body = add(p, p.GEOM_BOX, (4.0, -0.1, 6.0), 1, TURN, halfExtents=(0.3, 0.2, 0.1))
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.2, 0.1, 0.3))
    (loose,) = p.getClosestPoints(
        body, -1, 100.0, collisionShapeB=shape, collisionShapePositionB=(0.0, 1.0, 11.0)
    )
    other = p.createMultiBody(1, shape, -1, (0.0, 1.0, 11.0))
    (row,) = p.getClosestPoints(body, other, 100.0)
    assert loose[8] == pytest.approx(row[8], abs=1e-9)
    assert loose[5] == pytest.approx(row[5], abs=1e-6)
    assert loose[7] == pytest.approx(row[7], abs=1e-6)
