"""A fleet in shards of space is the fleet in one process, bit for bit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.scale.crowd import crowd, empty_core, params_of, same_fleet
from unibody import fleet
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.scale.sharded_fleet import ShardedFleet

STEPS = 500


@pytest.fixture
def core() -> Iterator[fleet.MultiRobotSimulationCore]:
    """The crowd in one process."""
    made = crowd()
    yield made
    close_physics_world(made._physics_world)


@pytest.mark.parametrize("shards", [1, 2, 4])
def test_robots_that_cross_borders_with_their_actions_are_those_of_one_process(
    core: fleet.MultiRobotSimulationCore, shards: int
) -> None:
    with ShardedFleet(crowd, shards, processes=False) as sharded:
        for step in range(STEPS):
            core.step_once()
            sharded.step()
            if step < 100 or step % 25 == 0 or step == STEPS - 1:
                same_fleet(sharded, core)
        assert sharded.collision_count > 100
        assert (sharded.handed_over > 100) == (shards > 1)


def test_collisions_that_are_checked_now_and_then_are_those_of_one_process() -> None:
    def sparse() -> fleet.MultiRobotSimulationCore:
        return crowd(collision_check_frequency=3.0, ignore_static_collision=True)

    core = sparse()
    with ShardedFleet(sparse, 3, processes=False) as sharded:
        for _ in range(60):
            core.step_once()
            sharded.step()
            same_fleet(sharded, core)
        assert sharded.collision_count > 10
    close_physics_world(core._physics_world)


def physical() -> fleet.MultiRobotSimulationCore:
    return empty_core(physics=True)


def called() -> fleet.MultiRobotSimulationCore:
    core = empty_core()
    core.register_callback(lambda *_: None)
    return core


def undecided() -> fleet.MultiRobotSimulationCore:
    core = empty_core()
    fleet.Agent.from_params(
        params_of(0, 0, [{"type": "omni"}, {"type": "random_walk", "radius": 1.0}]), sim_core=core
    )
    return core


@pytest.mark.parametrize(
    ("build", "named"),
    [(physical, "physics=True"), (called, "a callback"), (undecided, "RandomWalkController")],
)
def test_what_shards_cannot_do_is_named(build: Callable[[], Any], named: str) -> None:
    with pytest.raises(NotSupportedError, match=named):
        ShardedFleet(build, 2, processes=False)


def test_a_function_that_makes_another_simulation_each_time_is_refused() -> None:
    draw = random.Random(0)

    def drawn() -> fleet.MultiRobotSimulationCore:
        core = empty_core()
        fleet.Agent.from_params(params_of(draw.random(), 0, "omni"), sim_core=core)
        return core

    with pytest.raises(InvalidArgumentError, match="build"):
        ShardedFleet(drawn, 2, processes=False)
    with pytest.raises(InvalidArgumentError, match="shards"):
        ShardedFleet(crowd, 0, processes=False)
