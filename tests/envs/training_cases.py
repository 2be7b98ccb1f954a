"""Training of policies, and what the commands say."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("stable_baselines3")
pytest.importorskip("tensorboard")

from unibody.cli import main
from unibody.envs import training, training_settings
from unibody.envs.playing import Player
from unibody.envs.stable_baselines_learner import make_worlds_of
from unibody.errors import InvalidArgumentError, NotSupportedError

CARTPOLE = "unibody/CartPole-v0"


def _training(folder: Path, steps: int = 2048, **stated: object) -> training.Training:
    settings = training_settings.settings_of(CARTPOLE, num_envs=16, steps=steps, **stated)
    return training.Training(settings, folder)


def test_the_worlds_of_stable_baselines_tell_of_episodes_that_ended() -> None:
    worlds = make_worlds_of(CARTPOLE, 3)
    worlds.seed(5)
    first = worlds.reset()
    assert np.array_equal(first, worlds.vector.reset(seed=5)[0])
    ended = 0
    for _ in range(60):
        observations, rewards, done, infos = worlds.step(np.ones(3, np.int64))
        assert rewards.dtype == np.float32
        for world in np.flatnonzero(done):
            ended += 1
            info = infos[world]
            assert info["episode"]["r"] == info["episode"]["l"]  # a point a step
            assert not info["TimeLimit.truncated"]
            assert abs(info["terminal_observation"][2]) > np.radians(12.0)
            assert abs(observations[world][2]) <= 0.05
    assert ended >= 9
    assert worlds.take_terms() == {"upright": 1.0}
    with pytest.raises(NotSupportedError):
        worlds.env_method("reset")


def test_a_task_is_trained_with_the_library_that_suits_it_unless_another_is_stated() -> None:
    settings = training_settings.settings_of
    assert settings(CARTPOLE).library == "stable-baselines3"
    for task in ("QuadrupedFlat", "QuadrupedRough", "Push", "PickAndPlace"):
        assert settings(f"unibody/{task}-v0", library=None).library == "rsl-rl"
        stated = settings(f"unibody/{task}-v0", library="stable-baselines3")
        assert stated.library == "stable-baselines3"


@pytest.mark.slow
def test_ppo_learns_to_keep_the_pole_up(tmp_path: Path) -> None:
    settings = training_settings.settings_of(CARTPOLE, steps=60_000)
    made = training.Training(settings, tmp_path)
    assert made.run(every=10**9)
    made.learner.worlds.close()
    found = Player(CARTPOLE, tmp_path, 8).episodes(8)
    # an untrained policy falls after some 20 steps; 60 000 steps are a third of a whole training
    assert np.mean([episode["return"] for episode in found]) > 150.0


def test_a_training_writes_checkpoints_settings_and_curves_and_goes_on(tmp_path: Path) -> None:
    made = _training(tmp_path)
    assert made.run(every=1024, say=lambda line: None)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"last.zip", "last.scales.pkl", "training.json", "step_1024.zip"} <= names
    assert json.loads((tmp_path / "training.json").read_text())["num_envs"] == 16
    assert list(tmp_path.rglob("events.out.tfevents*"))
    settings = training_settings.settings_of(CARTPOLE, num_envs=16, steps=3072)
    again = training.Training(settings, tmp_path, tmp_path)
    assert again.learner.steps == 2048
    mean = again.learner.scaled.obs_rms.mean
    assert np.array_equal(mean, made.learner.scaled.obs_rms.mean)
    assert again.run(every=10**9, say=lambda line: None)
    assert again.learner.steps == 3072


def test_an_interrupted_training_leaves_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _training(tmp_path)
    count = 0

    def interrupt(self: object, steps: int, mean: float | None) -> None:
        nonlocal count
        count += 1
        if count == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(training._Progress, "__call__", interrupt)
    said: list[str] = []
    assert not made.run(every=10**9, say=said.append)
    assert (tmp_path / "last.zip").is_file()
    assert "saved" in said[0]


def test_the_same_seed_trains_the_same_policy(tmp_path: Path) -> None:
    kept = []
    for name in ("a", "b"):
        made = _training(tmp_path / name, steps=1024, seed=3)
        made.learner.worlds.seed(3)
        made.run(every=10**9, say=lambda line: None)
        kept.append(
            [value.numpy().copy() for value in made.learner.model.policy.state_dict().values()]
        )
    assert all(np.array_equal(*pair) for pair in zip(*kept, strict=True))


def test_the_commands_train_and_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", "CartPole", "--num-envs", "8", "--steps", "512"]) == 0
    assert "unibody play unibody/CartPole-v0 runs/CartPole-v0" in capsys.readouterr().out
    assert main(["play", "CartPole", "runs/CartPole-v0", "--episodes", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["episode 0", "episode 1"]
    assert os.listdir("runs") == ["CartPole-v0"]


def test_a_trained_policy_is_shown_on_a_page_and_in_a_video(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("viser")
    av = pytest.importorskip("av")
    from unibody.cli import play

    shown = []
    monkeypatch.setattr(play._Page, "show", lambda page: shown.append(page._sim.xpos[0].copy()))
    assert _training(tmp_path, steps=512).run(say=lambda line: None)
    video = tmp_path / "play.mp4"
    words = ["play", "CartPole", str(tmp_path), "--episodes", "1", "--view", "--port", "0"]
    assert main([*words, "--video", str(video)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("http://127.0.0.1:")
    steps = int(lines[1].split(", ")[1].split()[0])
    assert len(shown) == steps
    with av.open(str(video)) as container:
        assert sum(1 for _ in container.decode(video=0)) == steps


def test_an_episode_that_is_collected_is_played_by_the_checkpoint(tmp_path: Path) -> None:
    from unibody.scale.collect import play

    _training(tmp_path, steps=512).run(say=lambda line: None)
    act = training.policy_of_checkpoint(tmp_path)
    episode = play(CARTPOLE, str(tmp_path), 3)
    assert episode.actions[:, 0].tolist() == [int(act(seen)) for seen in episode.states]
    with pytest.raises(InvalidArgumentError, match=r"of shape \(3,\), not \(4,\)"):
        play("unibody/Pendulum-v0", str(tmp_path), 3)


def test_a_task_or_checkpoint_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "CartPoll", "--out", str(tmp_path)]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert main(["play", "CartPole", str(tmp_path / "no.zip")]) == 2
    assert "a .zip of unibody train" in capsys.readouterr().err
    with pytest.raises(InvalidArgumentError, match="algo"):
        training_settings.settings_of(CARTPOLE, algo="magic")


def test_without_the_extra_a_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from unibody.extras import install_command

    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    for name in ("unibody.envs.stable_baselines_learner", "unibody.envs.stable_baselines"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["train", "CartPole"]) == 2
    assert capsys.readouterr().err == (
        f"unibody train: stable_baselines3 is not installed: {install_command('train')}\n"
    )
