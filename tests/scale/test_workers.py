"""Vector environments and episodes on workers of Ray, which are killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ray = pytest.importorskip("ray")
gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pyarrow")

import unibody.envs  # noqa: E402, F401 - Gymnasium knows the tasks then
from tests.scale.crowd import crowd, same_fleet  # noqa: E402
from tests.support.process import ROOT  # noqa: E402
from unibody.errors import InvalidArgumentError  # noqa: E402
from unibody.fleet.bodies.physics_world import close_physics_world  # noqa: E402
from unibody.scale.cluster import start_ray  # noqa: E402
from unibody.scale.collect import Collection, collect, in_order, play  # noqa: E402
from unibody.scale.shard_workers import RayShards  # noqa: E402
from unibody.scale.sharded_fleet import ShardedFleet  # noqa: E402
from unibody.scale.shared_channel import SharedChannel  # noqa: E402
from unibody.scale.vector_env import RayVectorEnv, merged  # noqa: E402

TASK = "unibody/CartPole-v0"


LEANING = """\
import os, pathlib, signal

def act(observation):
    kill = pathlib.Path(__file__).parent / "kill"
    if kill.exists():
        kill.rename(kill.with_name("killed"))
        os.kill(os.getpid(), signal.SIGKILL)
    return int(observation[2] > 0)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One instance of Ray for all tests of this file; its workers find modules in a folder."""
    patch, folder = pytest.MonkeyPatch(), tmp_path_factory.mktemp("policies")
    (folder / "leaning.py").write_text(LEANING)
    patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(folder)]))
    patch.syspath_prepend(folder)
    start_ray(2, None)
    yield folder
    ray.shutdown()
    patch.undo()


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            same(found[name], expected[name])
    elif expected.dtype == object:
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_worlds_on_workers_give_the_bits_of_one_process_also_if_one_is_killed(
    cluster: Path, mode: str
) -> None:
    options = {"autoreset_mode": gymnasium.vector.AutoresetMode(mode), "max_episode_steps": 15}
    local = gymnasium.make_vec(TASK, num_envs=5, **options)
    spread = RayVectorEnv(TASK, 5, workers=2, **options)
    local.action_space.seed(0)
    try:
        for found, expected in zip(spread.reset(seed=3), local.reset(seed=3), strict=True):
            same(found, expected)
        for step in range(40):
            if step == 20:
                kill(spread, 1)
            actions = local.action_space.sample()
            told = zip(spread.step(actions), local.step(actions), strict=True)
            for found, expected in told:
                same(found, expected)
    finally:
        spread.close()


@pytest.mark.slow
def test_pictures_from_workers_are_those_of_one_process_also_if_one_is_killed(
    cluster: Path,
) -> None:
    options = {
        "autoreset_mode": "SameStep", "max_episode_steps": 3, "observation": ["state", "camera"],
        "render_mode": "rgb_array",
    }  # fmt: skip
    local = gymnasium.make_vec(
        TASK, num_envs=3, **{**options, "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}
    )
    spread = RayVectorEnv(TASK, 3, workers=2, **options)
    try:
        same(spread.reset(seed=1)[0], local.reset(seed=1)[0])
        for step in range(8):
            if step == 5:
                kill(spread, 0)
            found, expected = spread.step(np.ones(3, np.int64)), local.step(np.ones(3, np.int64))
            same(found[0], expected[0])
            last, wanted = found[4].pop("final_obs", None), expected[4].pop("final_obs", None)
            assert (last is None) == (wanted is None) == (step % 3 != 2)
            for one, other in zip(listed(last), listed(wanted), strict=True):
                same(one, other)
            same(found[4], expected[4])
        kill(spread, 1)
        for one, other in zip(spread.render() or (), local.render() or (), strict=True):
            np.testing.assert_array_equal(one, other)
    finally:
        spread.close()


def listed(found: Any) -> list[Any]:
    """Observations of worlds, none where there are none."""
    return [] if found is None else [each for each in found if each is not None]


def kill(spread: RayVectorEnv, number: int) -> None:
    """End a worker, as a machine does that runs out of memory."""
    pid = ray.get(spread._pool.actors[number].__ray_call__.remote(lambda _: os.getpid()))
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_what_a_step_gave_stays_as_it_was_and_so_do_worlds_if_who_waits_breaks_off(
    cluster: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = gymnasium.make_vec(TASK, num_envs=4)
    spread = RayVectorEnv(TASK, 4, workers=2)
    assert None not in spread._pool.channels
    given = [np.array([0, 1, 1, 0]), np.array([1, 1, 0, 0]), np.array([0, 0, 1, 1])]
    try:
        local.reset(seed=3)
        spread.reset(seed=3)
        first = spread.step(given[0])
        same(first[0], local.step(given[0])[0])
        kept = first[0].copy()

        def interrupted(self: Any) -> Any:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(SharedChannel, "receive", interrupted)
            spread.step(given[1])
        local.step(given[1])
        same(spread.step(given[2])[0], local.step(given[2])[0])
        np.testing.assert_array_equal(first[0], kept)
    finally:
        spread.close()


@pytest.mark.slow
def test_a_worker_that_fails_says_how_and_goes_on(cluster: Path) -> None:
    spread = RayVectorEnv("unibody/Pendulum-v0", 2, workers=2)
    try:
        begun = spread.reset(seed=1)[0]
        with pytest.raises(InvalidArgumentError, match="actions"):
            spread.step(np.array([[0.0], [np.nan]]))
        with pytest.raises(InvalidArgumentError, match="actions") as found:
            spread._pool.ask("step", [(np.full((1, 1), np.inf),)] * 2)
        assert "in a worker" in found.value.__notes__[0]
        np.testing.assert_array_equal(
            spread._pool.ask("reset", [(None, np.zeros(1, bool))] * 2)[1][0], begun[1:]
        )
    finally:
        spread.close()


@pytest.mark.slow
def test_stable_baselines_steps_worlds_on_workers(cluster: Path) -> None:
    pytest.importorskip("stable_baselines3")
    from unibody.envs.stable_baselines import StableBaselinesEnv

    vector = RayVectorEnv(TASK, 4, workers=2, autoreset_mode="SameStep", max_episode_steps=3)
    worlds = StableBaselinesEnv(vector)  # type: ignore[arg-type] - it has what is used
    try:
        assert worlds.reset().shape == (4, 4)
        for _ in range(3):
            _, _, done, infos = worlds.step(np.zeros(4, np.int64))
        assert done.all() and all(info["TimeLimit.truncated"] for info in infos)
    finally:
        worlds.close()


@pytest.mark.slow
def test_rsl_rl_steps_worlds_on_workers_with_the_bits_of_one_process(cluster: Path) -> None:
    pytest.importorskip("rsl_rl")
    import torch

    from unibody.envs.rsl_rl import RslRlEnv
    from unibody.errors import NotSupportedError

    given = {"autoreset_mode": "SameStep", "max_episode_steps": 3}
    spread = RslRlEnv(RayVectorEnv("unibody/Pendulum-v0", 4, workers=2, **given), 3)
    local = RslRlEnv(gymnasium.make_vec("unibody/Pendulum-v0", num_envs=4, **given), 3)
    try:
        assert torch.equal(spread.reset(5)["policy"], local.reset(5)["policy"])
        for step in range(1, 6):
            actions = torch.full((4, 1), 0.3 * step)
            seen, rewards, done, extras = spread.step(actions)
            expected = local.step(actions)
            assert torch.equal(seen["policy"], expected[0]["policy"])
            assert torch.equal(rewards, expected[1])
            assert torch.equal(done, expected[2])
            assert torch.equal(extras["time_outs"], expected[3]["time_outs"])
            assert done.tolist() == [int(step == 3)] * 4
        with pytest.raises(NotSupportedError, match="init_at_random_ep_len"):
            spread.episode_length_buf = torch.zeros(4, dtype=torch.long)
    finally:
        spread.vector.close()


@pytest.mark.slow
def test_episodes_on_workers_are_those_of_their_seeds_though_one_is_killed_and_all_stop(
    cluster: Path, tmp_path: Path
) -> None:
    from pyarrow.parquet import read_table

    seen: list[int] = []
    (cluster / "kill").touch()
    for episodes in (2, 4):
        wanted = Collection(TASK, "leaning:act", episodes, 7, tmp_path)
        collect(wanted, 2, None, lambda number, _: seen.append(number))
    assert seen == [0, 1, 2, 3]
    assert (cluster / "killed").exists()
    info = json.loads((tmp_path / "meta" / "info.json").read_text())
    assert info["total_episodes"] == 4
    for number in seen:
        expected = play(TASK, "leaning:act", 7 + number)
        table = read_table(tmp_path / "data" / "chunk-000" / f"file-{number:03d}.parquet")
        found = table.to_pydict()
        np.testing.assert_array_equal(np.float32(found["observation.state"]), expected.states)
        np.testing.assert_array_equal(np.float32(found["action"]), expected.actions[:, 0])
        assert found["next.done"] == [False] * (len(expected.rewards) - 1) + [expected.ended]


@pytest.mark.slow
def test_a_policy_that_is_not_there_is_named_though_a_worker_found_out(
    cluster: Path, tmp_path: Path
) -> None:
    from unibody.errors import InvalidArgumentError

    for policy, error in (("nobody", InvalidArgumentError), ("nowhere:act", ImportError)):
        with pytest.raises(error, match=policy.partition(":")[0]) as found:
            collect(Collection(TASK, policy, 1, 0, tmp_path / policy[:6]), 1, None, print)
        assert type(found.value).__module__ != "ray.exceptions"


def test_random_episodes_depend_on_their_seeds_alone() -> None:
    first, other, again = (play(TASK, "random", seed) for seed in (1, 2, 1))
    np.testing.assert_array_equal(first.states, again.states)
    np.testing.assert_array_equal(first.actions, again.actions)
    assert not np.array_equal(first.states[0], other.states[0])


def test_work_runs_ahead_of_who_takes_it_by_so_much_and_no_more() -> None:
    begun: list[int] = []

    def submit(number: int) -> int:
        begun.append(number)
        return number

    ahead: list[int] = []
    for taken, number in enumerate(in_order(range(9), submit, lambda each: each, 4)):
        assert number == taken
        ahead.append(len(begun) - taken)
    assert ahead == [4, 4, 4, 4, 4, 4, 3, 2, 1]


def test_infos_that_some_workers_lack_are_empty_for_their_worlds() -> None:
    mine = {"a": np.array([1.0, 2.0]), "last": np.array([None, np.ones(2)], object)}
    found = merged([mine, {"inner": {"b": np.array([True])}}], [2, 1])
    np.testing.assert_array_equal(found["a"], [1.0, 2.0, 0.0])
    np.testing.assert_array_equal(found["inner"]["b"], [False, False, True])
    assert found["last"][0] is None and found["last"][2] is None


def test_more_workers_than_worlds_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="workers"):
        RayVectorEnv(TASK, 2, workers=3)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("linked", [True, False], ids=["linked", "through_ray"])
def test_a_fleet_in_workers_one_of_which_is_killed_is_that_of_one_process(
    linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not linked:  # as of workers on several machines
        monkeypatch.setattr(RayShards, "_link", lambda _: False)
    core = crowd()
    with ShardedFleet(crowd, 2) as sharded:
        assert sharded._shards.linked == linked  # type: ignore[union-attr]
        for step in range(40):
            core.step_once()
            if step == 30:
                ray.kill(sharded._shards.actors[1])  # type: ignore[union-attr]
            sharded.step()
            if step == 35:
                same_fleet(sharded, core)
        same_fleet(sharded, core)
        assert sharded.handed_over > 10
    close_physics_world(core._physics_world)
