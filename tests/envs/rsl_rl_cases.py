"""Training of policies with rsl-rl; run by ``test_training`` in a process of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("rsl_rl")
pytest.importorskip("tensorboard")

import torch

import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then
from unibody.cli import main
from unibody.envs import training, training_settings
from unibody.envs.playing import Player
from unibody.envs.rsl_rl import RslRlEnv
from unibody.errors import InvalidArgumentError, NotSupportedError

PENDULUM = "unibody/Pendulum-v0"


def _training(folder: Path, steps: int, resumed: Path | None = None) -> training.Training:
    settings = training_settings.settings_of(
        PENDULUM, library="rsl-rl", num_envs=4, rollout=16, steps=steps
    )
    return training.Training(settings, folder, resumed)


def _worlds(task: str = PENDULUM, count: int = 3) -> RslRlEnv:
    vector = gymnasium.make_vec(task, num_envs=count, autoreset_mode="SameStep")
    return RslRlEnv(vector, 200)


def test_the_worlds_of_rsl_rl_tell_of_time_that_ran_out() -> None:
    worlds = _worlds()
    beside = gymnasium.make_vec(PENDULUM, num_envs=3, autoreset_mode="SameStep")
    first = worlds.reset(7)
    assert np.array_equal(first["policy"].numpy(), beside.reset(seed=7)[0])
    paid = np.zeros(3)
    for step in range(1, 201):
        actions = np.full((3, 1), 3.0, np.float32)  # beyond their space
        seen, rewards, done, extras = worlds.step(torch.from_numpy(actions))
        expected, reward, _, _, _ = beside.step(np.clip(actions, -2.0, 2.0))
        paid += reward
        assert np.array_equal(seen["policy"].numpy(), expected)
        assert rewards.dtype == torch.float32
        assert done.tolist() == extras["time_outs"].tolist() == [float(step == 200)] * 3
        assert worlds.episode_length_buf.tolist() == [step % 200] * 3
        terms = [value for name, value in extras["log"].items() if name.startswith("reward/")]
        assert sum(terms) == pytest.approx(reward.mean(), rel=1e-9)
    assert list(worlds.returns) == pytest.approx(paid.tolist(), rel=1e-12)


def test_episodes_of_rsl_rl_begin_at_lengths_that_are_set() -> None:
    worlds = _worlds()
    worlds.reset(0)
    worlds.episode_length_buf = torch.tensor([198, 0, 100])
    done = [worlds.step(torch.zeros(3, 1))[2].tolist() for _ in range(2)]
    assert done == [[0, 0, 0], [1, 0, 0]]


def test_rsl_rl_refuses_what_it_has_no_policy_for() -> None:
    with pytest.raises(NotSupportedError, match="Discrete"):
        _worlds("unibody/CartPole-v0")
    with pytest.raises(InvalidArgumentError, match="autoreset_mode"):
        RslRlEnv(gymnasium.make_vec(PENDULUM, num_envs=2), 200)


def test_a_training_with_rsl_rl_writes_checkpoints_and_curves_and_goes_on(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    made = _training(tmp_path, 1024)
    assert made.run(every=512, say=lambda line: None)
    kept = {path.name for path in tmp_path.iterdir() if path.suffix in (".pt", ".json", ".zip")}
    assert kept == {"training.json", "step_512.pt", "step_1024.pt", "last.pt"}
    again = _training(tmp_path, 2048, tmp_path)
    assert again.learner.steps == 1024
    before = made.learner.runner.alg.get_policy().state_dict()
    after = again.learner.runner.alg.get_policy().state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert again.learner.worlds.spread.count == made.learner.worlds.spread.count
    assert again.run(every=10**9, say=lambda line: None)
    assert again.learner.steps == 2048
    # Files of one second are not read in their order, which TensorBoard takes for a crash.
    curves = EventAccumulator(str(tmp_path), purge_orphaned_data=False).Reload()
    assert max(each.step for each in curves.Scalars("rollout/ep_rew_mean")) == 2048
    assert "reward/angle" in curves.Tags()["scalars"]


def test_an_interrupted_training_with_rsl_rl_leaves_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _training(tmp_path, 1024)
    step = made.learner.worlds.step
    left = [40]

    def interrupted(actions: object) -> object:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return step(actions)

    monkeypatch.setattr(made.learner.worlds, "step", interrupted)
    said: list[str] = []
    assert not made.run(say=said.append)
    assert said == [f"saved {tmp_path / 'last.pt'} after 128 steps"]  # whole iterations
    assert _training(tmp_path, 1024, tmp_path).learner.steps == 128


def test_the_commands_train_resume_and_play_with_rsl_rl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["train", "Pendulum", "--num-envs", "4", "--no-video", "--out", "out"]
    assert main([*words, "--library", "rsl-rl", "--steps", "128"]) == 0
    assert main([*words, "--resume", "out", "--steps", "256"]) == 0
    assert "saved out/last.pt after 256 steps" in capsys.readouterr().out
    assert main(["play", "Pendulum", "out", "--episodes", "1"]) == 0
    assert capsys.readouterr().out.startswith("episode 0: return -")
    assert main(["train", "CartPole", "--library", "rsl-rl", "--out", "no"]) == 2
    assert "Discrete" in capsys.readouterr().err
    assert main([*words, "--library", "stable-baselines3", "--resume", "out"]) == 2
    assert "--library stable-baselines3" in capsys.readouterr().err


def test_a_policy_of_rsl_rl_acts_for_one_world_and_for_many(tmp_path: Path) -> None:
    made = _training(tmp_path, 128)
    made.run(say=lambda line: None)
    act = training.policy_of_checkpoint(tmp_path / "last.pt")
    seen = np.random.default_rng(0).normal(0.0, 2.0, (5, 3)).astype(np.float32)
    many = act(seen)
    assert many.shape == (5, 1)
    assert np.abs(many).max() <= 2.0
    for row, expected in zip(seen, many, strict=True):
        np.testing.assert_allclose(act(row), expected, rtol=1e-5, atol=1e-6)
    found = Player(PENDULUM, tmp_path, 2).episodes(2)
    assert [each["length"] for each in found] == [200, 200]


def test_without_rsl_rl_a_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from unibody.extras import install_command

    monkeypatch.setitem(sys.modules, "rsl_rl", None)
    monkeypatch.setitem(sys.modules, "rsl_rl.env", None)
    for name in ("unibody.envs.rsl_rl_learner", "unibody.envs.rsl_rl"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["train", "Pendulum", "--library", "rsl-rl"]) == 2
    assert capsys.readouterr().err == (
        f"unibody train: rsl_rl is not installed: {install_command('train')}\n"
    )


def test_the_page_hands_worlds_to_both_libraries() -> None:
    pytest.importorskip("stable_baselines3")
    page = Path(__file__).resolve().parents[2] / "docs" / "envs.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    (found,) = (block for block in blocks if "RslRlEnv" in block)
    exec(compile(found, str(page), "exec"), names)
    assert names["worlds"].get_observations()["policy"].shape == (8, 24)
