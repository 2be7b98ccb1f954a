"""A cluster of two nodes: those that are elsewhere are called through Ray."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

ray = pytest.importorskip("ray")
gymnasium = pytest.importorskip("gymnasium")

import unibody.envs  # noqa: E402, F401 - Gymnasium knows the tasks then
from tests.scale.crowd import crowd, same_fleet  # noqa: E402
from tests.support.process import ROOT  # noqa: E402
from unibody.fleet.bodies.physics_world import close_physics_world  # noqa: E402
from unibody.scale.sharded_fleet import ShardedFleet  # noqa: E402
from unibody.scale.shared_meeting import problem  # noqa: E402
from unibody.scale.vector_env import RayVectorEnv  # noqa: E402

pytestmark = pytest.mark.slow
TASK = "unibody/CartPole-v0"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a cluster whose nodes have one CPU each."""
    from ray.cluster_utils import Cluster

    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{ROOT}")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    yield cluster.address
    cluster.shutdown()
    patch.undo()


def test_worlds_on_two_nodes_give_the_bits_of_one_process(address: str) -> None:
    local = gymnasium.make_vec(TASK, num_envs=5)
    spread = RayVectorEnv(TASK, 5, workers=2, address=address)
    local.action_space.seed(0)
    try:
        shared = [channel is not None for channel in spread._pool.channels]
        assert sorted(shared) == [False, not problem()]
        np.testing.assert_array_equal(spread.reset(seed=3)[0], local.reset(seed=3)[0])
        for _ in range(30):
            actions = local.action_space.sample()
            found: Any = spread.step(actions)
            for one, other in zip(found[:4], local.step(actions)[:4], strict=True):
                np.testing.assert_array_equal(one, other)
    finally:
        spread.close()


def test_a_fleet_on_two_nodes_is_that_of_one_process(address: str) -> None:
    core = crowd()
    with ShardedFleet(crowd, 2, address=address) as sharded:
        assert not sharded._shards.linked  # type: ignore[union-attr]
        for _ in range(30):
            core.step_once()
            sharded.step()
        same_fleet(sharded, core)
    close_physics_world(core._physics_world)
