"""Rays, against PyBullet and closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as ub
from tests.bullet.paired import add, both, connected

MISS = (-1, -1, 1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
DUCK = pybullet_data.getDataPath() + "/duck.obj"
TURN = (0.1, 0.2, 0.3, 0.9273618495495704)
SHAPES: dict[str, dict[str, Any]] = {
    "box": {"kind": ub.GEOM_BOX, "halfExtents": (0.3, 0.2, 0.1)},
    "ball": {"kind": ub.GEOM_SPHERE, "radius": 0.3},
    "cylinder": {"kind": ub.GEOM_CYLINDER, "radius": 0.2, "height": 0.5},
    "capsule": {"kind": ub.GEOM_CAPSULE, "radius": 0.2, "height": 0.5},
    "mesh": {"kind": ub.GEOM_MESH, "fileName": DUCK, "meshScale": (0.3, 0.3, 0.3)},
}
TWO_BALLS = """
<robot name="two"><link name="base">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision>
  <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>
</link></robot>
"""


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(ub) as module:
        yield module


@pytest.mark.parametrize("name", SHAPES)
def test_rays_enter_a_shape_where_they_do_in_pybullet(name: str) -> None:
    rng = np.random.default_rng(5)
    starts = rng.normal(size=(300, 3))
    starts *= 2.0 / np.linalg.norm(starts, axis=1, keepdims=True)
    ends = rng.uniform(-0.3, 0.3, (300, 3))
    ends += ends - starts

    def play(p: Any) -> Any:
        body = add(p, pos=(0, 0, 0), quat=TURN, **SHAPES[name])
        return body, p.rayTestBatch(starts.tolist(), ends.tolist())

    (_, theirs), (body, ours) = both(play)
    agree = [ours[i][:2] == theirs[i][:2] for i in range(300)]
    # Bullet's iterative cast misses some hits, and sees the margin of 1 mm of a mesh
    assert np.mean(agree) > 0.95
    hits = [i for i in range(300) if agree[i] and ours[i][0] == body]
    assert len(hits) > 50
    length = np.linalg.norm(ends - starts, axis=1)
    off = [abs(ours[i][2] - theirs[i][2]) * length[i] for i in hits]
    # at grazing incidence the margin shifts a hit by more than its own size
    assert np.median(off) < 1.5e-3
    assert np.percentile(off, 90) < 0.01
    turn = [float(np.dot(ours[i][4], theirs[i][4])) for i in hits]
    assert np.median(turn) > 0.999


@pytest.mark.parametrize("name", SHAPES)
def test_a_hit_lies_on_the_ray_and_its_normal_faces_the_start(p: Any, name: str) -> None:
    rng = np.random.default_rng(6)
    add(p, pos=(0, 0, 0), quat=TURN, **SHAPES[name])
    starts = rng.normal(size=(200, 3)) * 2.0
    ends = rng.uniform(-0.2, 0.2, (200, 3))
    hits = 0
    for start, end, row in zip(starts, ends, p.rayTestBatch(starts, ends), strict=True):
        if row != MISS:
            hits += 1
            assert row[3] == pytest.approx(start + row[2] * (end - start), abs=1e-12)
            assert np.linalg.norm(row[4]) == pytest.approx(1.0)
            assert np.dot(row[4], end - start) < 0.0
    assert hits > 50


@pytest.mark.parametrize("name", SHAPES)
def test_a_ray_does_not_see_the_shape_it_starts_in(name: str) -> None:
    inside = (-0.05, 0.25, 0.0) if name == "mesh" else (0.0, 0.0, 0.05)

    def play(p: Any) -> Any:
        add(p, pos=(0, 0, 0), **SHAPES[name])
        wall = add(p, p.GEOM_BOX, (5, 0, 0), halfExtents=(0.5, 5, 5))
        return wall, p.rayTest(inside, (0, 0, 9))[0], p.rayTest(inside, (9, 0, 0.05))[0][0]

    for wall, up, along in both(play):
        assert up == MISS
        assert along == wall


def test_a_ball_is_hit_at_the_closed_forms_fraction(p: Any) -> None:
    ball = add(p, p.GEOM_SPHERE, (0, 0, 1), 1, radius=0.5)
    (row,) = p.rayTest((0.3, 0, 3), (0.3, 0, 0))
    assert row[:2] == (ball, -1)
    assert row[2] == pytest.approx((3 - 1.4) / 3)
    assert row[3] == pytest.approx((0.3, 0, 1.4))
    assert row[4] == pytest.approx((0.6, 0, 0.8))


EDGE_CASES = {
    "miss": ((0, 2, 9), (0, 3, 9)),
    "plane from below": ((20, 0, -9), (20, 0, 5)),
    "along a face": ((-2, 0.5, 0), (2, 0.5, 0)),
    "a point": ((0, 0, 0), (0, 0, 0)),
    "from the surface inwards": ((0, 0, 0.5), (0, 0, -5)),
    "from the surface outwards": ((0, 0, 0.5), (0, 0, 3)),
    "up to the surface": ((0, 0, 2), (0, 0, 0.5)),
}


@pytest.mark.parametrize("case", EDGE_CASES)
def test_edge_cases_are_as_in_pybullet(case: str) -> None:
    def play(p: Any) -> Any:
        add(p, p.GEOM_BOX, (0, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
        add(p, p.GEOM_PLANE, (0, 0, -3))
        return p.rayTest(*EDGE_CASES[case])[0]

    theirs, ours = both(play)
    assert ours[:2] == theirs[:2]
    for field in (2, 3, 4):
        assert ours[field] == pytest.approx(theirs[field], abs=1e-6)


def test_a_height_field_is_hit_from_both_sides_where_pybullet_has_it() -> None:
    heights = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]

    def play(p: Any) -> Any:
        add(
            p, p.GEOM_HEIGHTFIELD, (0, 0, 0), meshScale=(1, 1, 1), heightfieldData=heights,
            numHeightfieldRows=3, numHeightfieldColumns=3,
        )  # fmt: skip
        # on the grid lines, where the surface does not depend on how cells are split
        rays = [((0.3, 0, 5), (0.3, 0, -5)), ((0, -0.6, -5), (0, -0.6, 5)), ((0, 0, 5), (0, 0, -5))]
        return [p.rayTest(*ray)[0] for ray in rays], p.rayTest((1.5, 0, 5), (1.5, 0, -5))[0]

    (theirs, their_miss), (ours, our_miss) = both(play)
    assert our_miss == their_miss == MISS
    for their_row, our_row in zip(theirs, ours, strict=True):
        assert our_row[3] == pytest.approx(their_row[3], abs=1e-5)
        assert np.sign(our_row[4][2]) == np.sign(their_row[4][2])


@pytest.mark.parametrize("group", [0, 1, 2, 4])
@pytest.mark.parametrize("own_mask", [0, 1, 2, -1])
def test_collision_masks_select_as_in_pybullet(group: int, own_mask: int) -> None:
    def play(p: Any) -> Any:
        ball = add(p, p.GEOM_SPHERE, (0, 0, 0), 1, radius=0.5)
        add(p, p.GEOM_PLANE, (0, 0, -3))
        p.setCollisionFilterGroupMask(ball, -1, group, own_mask)
        return [p.rayTest((0, 0, 4), (0, 0, -9), mask)[0][0] for mask in (-1, 0, 1, 2, 3, 4, 6)]

    theirs, ours = both(play)
    assert ours == theirs


def test_a_changed_mask_holds_from_the_next_ray_on(p: Any) -> None:
    ball = add(p, p.GEOM_SPHERE, (0, 0, 0), 1, radius=0.5)
    ray = ((0, 0, 4), (0, 0, -9))
    assert p.rayTest(*ray)[0][0] == ball
    p.setCollisionFilterGroupMask(ball, -1, 0, 0)
    assert p.rayTest(*ray)[0] == MISS
    p.setCollisionFilterGroupMask(ball, -1, 1, 1)
    assert p.rayTest(*ray)[0][0] == ball


def test_the_nth_hit_is_counted_in_order_of_distance(p: Any) -> None:
    boxes = [
        add(p, p.GEOM_BOX, (0, 0, z), 1, halfExtents=(0.5, 0.5, 0.5)) for z in (4.0, 0.0, 6.0, 2.0)
    ]
    ray = ((0, 0, 20), (0, 0, -2))
    found = [p.rayTest(*ray, reportHitNumber=number)[0][0] for number in range(5)]
    assert found == [boxes[2], boxes[0], boxes[3], boxes[1], -1]


def test_the_nth_hits_are_the_same_set_as_in_pybullet(tmp_path: Path) -> None:
    urdf = tmp_path / "two.urdf"
    urdf.write_text(TWO_BALLS, encoding="utf-8")

    def play(p: Any) -> Any:
        p.loadURDF(str(urdf))
        add(p, p.GEOM_BOX, (4, 0, 0), 1, halfExtents=(0.5, 0.5, 0.5))
        sets = []
        for epsilon in (-1, 0, 0.05, 0.2):
            rows = [
                p.rayTestBatch(
                    [(-5, 0, 0)], [(5, 0, 0)], reportHitNumber=n, fractionEpsilon=epsilon
                )
                for n in range(4)
            ]
            sets.append((len({row[0] for row in rows}), {row[0][0] for row in rows}))
        return sets

    theirs, ours = both(play)
    assert ours == theirs


def test_rays_in_the_frame_of_a_link_are_as_in_pybullet() -> None:
    def play(p: Any) -> Any:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        robot = p.loadURDF("r2d2.urdf", (5, 0, 0.5), p.getQuaternionFromEuler((0, 0, 1)))
        ends = [(0, 0, -3)]
        return [
            p.rayTestBatch([(0, 0, 3)], ends, parentObjectUniqueId=body, parentLinkIndex=link)[0]
            for body, link in ((robot, -1), (robot, 2), (robot, 13), (robot, 222), (99, 2))
        ]

    for theirs, ours in zip(*both(play), strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[3] == pytest.approx(theirs[3], abs=2.5e-3)  # a mesh's margins in Bullet


def test_rays_see_poses_at_once(p: Any) -> None:
    ball = add(p, p.GEOM_SPHERE, (0, 0, 0), 1, radius=0.5)
    for x in (0.0, 3.0):
        p.resetBasePositionAndOrientation(ball, (x, 0, 0), (0, 0, 0, 1))
        assert p.rayTest((x, 0, 4), (x, 0, -4))[0][0] == ball
    p.removeBody(ball)
    assert p.rayTest((3, 0, 4), (3, 0, -4))[0] == MISS


@pytest.mark.parametrize("count", [0, 1, 20, 200])
def test_a_batch_gives_what_single_rays_give(p: Any, count: int) -> None:
    rng = np.random.default_rng(7)
    kinds = list(SHAPES.values())
    for number in range(count):
        add(p, pos=rng.uniform(-4, 4, 3).tolist(), quat=TURN, **kinds[number % len(kinds)])
    add(p, p.GEOM_PLANE, (0, 0, -2))
    starts, ends = rng.uniform(-6, 6, (2, 400, 3))
    batch = p.rayTestBatch(starts, ends)
    assert batch == p.rayTestBatch(starts.tolist(), [tuple(end) for end in ends])
    # before a tree over the shapes is made, each of them is tried
    p.resetBasePositionAndOrientation(count, (0, 0, -2), (0, 0, 0, 1))
    assert batch == tuple(p.rayTest(*ray)[0] for ray in zip(starts, ends, strict=True))
    first = p.rayTestBatch(starts, ends, reportHitNumber=0)
    assert [row[:3] for row in first] == [row[:3] for row in batch]
    assert count < 20 or sum(row[0] not in (-1, count) for row in batch) > count // 4


def test_rays_through_a_thousand_boxes_hit_what_the_closed_form_says(p: Any) -> None:
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.4, 0.4, 0.4))
    for number in range(1000):
        p.createMultiBody(0, shape, -1, (number % 10, number // 10 % 10, number // 100))
    cells = np.stack(np.meshgrid(np.arange(10), np.arange(10)), axis=-1).reshape(-1, 2)
    starts = np.column_stack([cells, np.full(100, 20.0)])
    ends = np.column_stack([cells, np.full(100, -20.0)])
    for (x, y), row in zip(cells, p.rayTestBatch(starts, ends), strict=True):
        assert row[0] == 900 + 10 * y + x
        assert row[2] == pytest.approx((20.0 - 9.4) / 40.0)


def test_one_numpy_position_is_one_ray() -> None:
    def play(p: Any) -> Any:
        add(p, p.GEOM_SPHERE, (0, 0, 0), 1, radius=0.5)
        return p.rayTestBatch(np.array([0, 0, 2.0]), np.array([0, 0, -2.0])), p.rayTestBatch([], [])

    (theirs, their_none), (ours, our_none) = both(play)
    assert their_none == our_none == ()
    assert len(ours) == len(theirs) == 1
    assert ours[0][2] == pytest.approx(theirs[0][2])


@pytest.mark.parametrize(
    ("starts", "ends", "message"),
    [
        ([(0, 0, 1)], [], "Size of from_positions need to be equal"),
        ([(0, 0)], [(0, 0, 1)], "Items in the from/to positions"),
        ([0, 0, 1], [0, 0, 2], "Items in the from/to positions"),
        ([(0, 0, 1)] * 16385, [(0, 0, 1)] * 16385, "Number of rays exceed"),
    ],
)
def test_a_bad_batch_is_refused_in_pybullets_words(starts: Any, ends: Any, message: str) -> None:
    def play(p: Any) -> Any:
        with pytest.raises(p.error, match=message):
            p.rayTestBatch(starts, ends)

    both(play)


def test_a_missing_or_short_position_is_refused(p: Any) -> None:
    with pytest.raises(p.error, match="must be not None"):
        p.rayTestBatch(None, None)
    with pytest.raises(p.error, match="rayToPosition needs 3 numbers"):
        p.rayTest((0, 0, 0), (0, 1))


def test_an_array_of_texts_is_no_array_of_positions() -> None:
    with connected(ub), pytest.raises(ub.error, match="3 floats"):
        ub.rayTestBatch(np.array(["a"]), [[0, 0, 1]])
