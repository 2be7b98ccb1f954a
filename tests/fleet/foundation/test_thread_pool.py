"""Threads share the passes over a fleet, and its results do not know how many there were."""

from __future__ import annotations

import os

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.collisions import near_pairs
from unibody.fleet.foundation import thread_pool
from unibody.fleet.motion import advance

COUNT = 6_000


@pytest.fixture
def small_shares(monkeypatch):
    for module in (advance, bounding_boxes, near_pairs):
        monkeypatch.setattr(module, "_SHARE", 500)
    monkeypatch.setattr(near_pairs, "_PAIR_SHARE", 50)


def crowded():
    """A crowd of turned boxes, balls and cylinders in a room, in the air, and a slab."""
    random = np.random.default_rng(5)
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=False, enable_floor=False)
    )
    shapes = [
        fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.2, 0.3]),
        fleet.ShapeParams(shape_type="sphere", radius=0.25),
        fleet.ShapeParams(shape_type="cylinder", radius=0.2, height=0.5),
    ]
    with core.batch_spawn():
        for number in range(COUNT):
            quat = random.normal(size=4)
            fleet.Agent.from_mesh(
                collision_shape=shapes[number % 3],
                pose=fleet.Pose(
                    random.uniform(0.0, 12.0, 3).tolist(), (quat / np.linalg.norm(quat)).tolist()
                ),
                controller={"type": "omni", "max_linear_vel": 2.0},
                sim_core=core,
            )
        fleet.SimObject.from_mesh(
            collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[20, 20, 0.1]),
            sim_core=core,
        )
    for agent in core.agents[::2]:
        agent.set_goal_pose(fleet.Pose.from_xyz(*random.uniform(0.0, 12.0, 3).tolist()))
    return core


def history(core, steps=4):
    """Pairs, boxes and poses of some steps."""
    found = []
    for _ in range(steps):
        core.step_once()
        bodies = core._tables.bodies.data[core._collisions.rows]
        found.append((core.get_active_collision_pairs(), bodies["low"], bodies["pos"]))
    return found


@pytest.mark.slow
def test_steps_are_the_same_to_the_bit_for_any_number_of_threads(monkeypatch, small_shares):
    runs = []
    for threads in (1, 2, 5):
        monkeypatch.setenv(thread_pool.VARIABLE, str(threads))
        core = crowded()
        runs.append(history(core))
        bullet.disconnect(core.client)
    alone = runs[0]
    assert len(alone[0][0]) > 1000
    for run in runs[1:]:
        for (pairs, low, pos), (pairs_alone, low_alone, pos_alone) in zip(run, alone, strict=True):
            assert pairs == pairs_alone
            np.testing.assert_array_equal(low, low_alone)
            np.testing.assert_array_equal(pos, pos_alone)


@pytest.mark.thorough
def test_candidates_come_in_the_same_order_for_any_number_of_threads(monkeypatch, small_shares):
    core = crowded()
    rows = core._collisions.rows
    found = []
    for threads in (1, 2, 7):
        monkeypatch.setenv(thread_pool.VARIABLE, str(threads))
        core._tables.bodies.data["moved"][rows] = 1
        bounding_boxes.renew_bounds(core._tables, rows)
        found.append(near_pairs.find_pairs(core._tables, rows, 0.7, 0.02, False))
    bullet.disconnect(core.client)
    assert len(found[0]) > 1000
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_an_error_in_a_range_comes_back_and_the_next_pass_works(monkeypatch):
    monkeypatch.setenv(thread_pool.VARIABLE, "3")
    parts = thread_pool.ranges(9, 1)
    assert [last for _, last in parts][-1] == 9

    def fails(first, last):
        raise OverflowError(f"{first} to {last}")

    with pytest.raises(OverflowError):
        thread_pool.run(parts, fails)
    assert thread_pool.run(parts, lambda first, last: (first, last)) == parts


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_shares_with_threads_of_its_own(monkeypatch):
    monkeypatch.setenv(thread_pool.VARIABLE, "3")
    parts = thread_pool.ranges(9, 1)
    thread_pool.run(parts, lambda first, last: last - first)
    child = os.fork()
    if child == 0:
        total = sum(thread_pool.run(parts, lambda first, last: last - first))
        os._exit(0 if total == 9 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("stated", ["0", "-1", "many", "1e3"])
def test_a_number_of_threads_that_is_none_is_named(monkeypatch, stated):
    monkeypatch.setenv(thread_pool.VARIABLE, stated)
    with pytest.raises(ValueError, match=r"UNIBODY_FLEET_THREADS=.*expected 1 to 64"):
        thread_pool.ranges(100_000, 10)
