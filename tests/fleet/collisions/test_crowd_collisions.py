"""All collisions of a crowd of ten thousand turned boxes, against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.collisions.near_pairs import closer_than, find_pairs

COUNT = 10_000
MARGIN = 0.02  # m
BLOCK = 500


def turned(quats):
    """Rotation matrices (n, 3, 3) of (x, y, z, w)."""
    x, y, z, w = quats.T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
            np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
            np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1),
        ],
        -2,
    )


def gaps(centers, axes, halves, pairs):
    """Largest separation along the fifteen axes of each pair of boxes (negative: they overlap)."""
    a, b = pairs.T
    between = centers[b] - centers[a]
    candidates = [axes[a][:, :, k] for k in range(3)] + [axes[b][:, :, k] for k in range(3)]
    candidates += [np.cross(axes[a][:, :, i], axes[b][:, :, j]) for i in range(3) for j in range(3)]
    worst = np.full(len(pairs), -np.inf)
    for direction in candidates:
        length = np.linalg.norm(direction, axis=1)
        axis = direction / np.where(length > 1e-9, length, 1.0)[:, None]
        reach = sum(
            (np.abs(np.einsum("nk,nkj->nj", axis, axes[side])) * halves[side]).sum(axis=1)
            for side in (a, b)
        )
        gap = np.abs(np.einsum("nk,nk->n", axis, between)) - reach
        worst = np.maximum(worst, np.where(length > 1e-9, gap, -np.inf))
    return worst


def overlapping(low, high, margin):
    """Pairs of boxes along the axes that are no farther apart than a margin, by brute force."""
    found = []
    for begin in range(0, len(low), BLOCK):
        block = slice(begin, begin + BLOCK)
        near = np.all(
            (low[None] <= high[block, None] + margin) & (high[None] >= low[block, None] - margin),
            axis=2,
        )
        a, b = np.nonzero(near)
        pairs = np.stack([a + begin, b], axis=1)
        found.append(pairs[pairs[:, 0] < pairs[:, 1]])
    return np.concatenate(found)


@pytest.fixture(scope="module")
def boxes():
    random = np.random.default_rng(7)
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, physics=False, collision_margin=MARGIN, enable_floor=False
        )
    )
    shapes = [
        fleet.ShapeParams(shape_type="box", half_extents=random.uniform(0.05, 0.6, 3).tolist())
        for _ in range(40)
    ]
    kinds = random.integers(0, len(shapes), COUNT)
    quats = random.normal(size=(COUNT, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    centers = random.uniform(0.0, 28.0, (COUNT, 3))
    with core.batch_spawn():
        for kind, center, quat in zip(kinds, centers, quats, strict=True):
            fleet.SimObject.from_params(
                fleet.SimObjectSpawnParams(
                    collision_shape=shapes[kind],
                    initial_pose=fleet.Pose(center.tolist(), quat.tolist()),
                    mass=0.0,
                ),
                sim_core=core,
            )
    halves = np.array([shape.half_extents for shape in shapes])[kinds]
    yield core, centers, turned(quats), halves
    bullet.disconnect(core.client)


@pytest.fixture(scope="module")
def near_pairs(boxes):
    _, centers, axes, halves = boxes
    reach = np.einsum("nkj,nj->nk", np.abs(axes), halves)
    return overlapping(centers - reach, centers + reach, MARGIN)


def test_bounding_boxes_are_those_of_the_turned_boxes(boxes):
    core, centers, axes, halves = boxes
    reach = np.einsum("nkj,nj->nk", np.abs(axes), halves)
    found = np.array(core.get_aabbs())
    np.testing.assert_allclose(found[:, 0], centers - reach, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], centers + reach, atol=1e-12)


@pytest.mark.parametrize("cell", [0.4, 1.3, 9.0, None])
def test_pairs_of_bounding_boxes_are_those_of_brute_force(boxes, near_pairs, cell):
    core = boxes[0]
    rows = core._collisions.rows
    bounding_boxes.renew_bounds(core._tables, rows)
    core._tables.bodies.data["moved"][rows] = 1
    wanted = near_pairs
    found = find_pairs(core._tables, rows, cell or core._collisions.find_cell(), MARGIN, False)
    assert len(wanted) > 10_000
    assert {*map(tuple, found.tolist())} == {*map(tuple, wanted.tolist())}
    assert len(found) == len(wanted)


def test_pairs_that_collide_are_those_of_brute_force(boxes, near_pairs):
    core, centers, axes, halves = boxes
    candidates = near_pairs
    gap = gaps(centers, axes, halves, candidates)
    # of boxes that do not overlap the separating axes only bound the distance from below
    sure = {*map(tuple, candidates[gap < 0.0].tolist())}
    possible = {*map(tuple, candidates[gap <= MARGIN + 1e-9].tolist())}
    found = {*core.check_collisions(ignore_static=False)[0]}
    assert len(sure) > 5000
    assert sure <= found <= possible
    overlap = closer_than(core._tables, candidates, core._collisions.rows, 0.0)
    assert {*map(tuple, candidates[overlap].tolist())} == sure
