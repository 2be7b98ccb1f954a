"""The examples for Isaac Gym do what their first lines say."""

from __future__ import annotations

import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "isaacgym"


def run(folder: Path, name: str, *arguments: str) -> str:
    command = [sys.executable, "-m", "unibody", "run", str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        # What an action may earn at least and at most; a state that is not finite earns nan.
        ("cartpole", 0.5, 1.0),
        ("ant", -1.0, 2.0),
        ("humanoid", 0.0, 4.0),
        ("franka_stack", 0.0, 1.0),
        ("quadruped_terrain", -0.5, 0.03),
    ],
)
@pytest.mark.thorough
def test_a_task_runs_with_random_actions(
    tmp_path: Path, name: str, low: float, high: float
) -> None:
    options = "--num_envs", "4", "--steps", "20", "--headless", "--sim_device", "cpu"
    said = run(tmp_path, f"{name}.py", *options)
    found = re.search(r"mean reward (\S+) under random actions", said)
    assert found is not None, said
    assert low <= float(found[1]) <= high


@pytest.mark.thorough
def test_a_gripper_squeezes_and_lifts_soft_blocks(tmp_path: Path) -> None:
    said = run(tmp_path, "soft_squeeze.py", "--steps", "200")
    found = re.findall(r"squeezed to (\S+) mm by (\S+) N, lifted (\S+) mm", said)
    widths, forces, heights = zip(*(map(float, one) for one in found), strict=True)
    # a drive of 2000 N/m is 28 mm in, less what the finger lacks: forces are given to 0.01 N,
    # widths to 0.1 mm, which is 0.1 N
    drives = [2000.0 * (0.028 - (0.1 - 1e-3 * width) / 2.0) for width in widths]
    assert forces == pytest.approx(drives, abs=0.15)
    assert widths[0] < widths[1] < widths[2]
    assert min(heights) > 70.0


@pytest.mark.skipif(importlib.util.find_spec("rsl_rl") is None, reason="needs rsl-rl-lib")
def test_a_training_writes_checkpoints_and_goes_on_from_one(tmp_path: Path) -> None:
    options = "cartpole", "--num_envs", "4", "--iterations", "2"
    run(tmp_path, "train_ppo.py", *options)
    checkpoint = tmp_path / "runs" / "cartpole" / "model_1.pt"
    assert checkpoint.is_file()
    run(tmp_path, "train_ppo.py", *options, "--resume", str(checkpoint))
    assert (tmp_path / "runs" / "cartpole" / "model_2.pt").is_file()


def test_ctrl_c_in_a_training_leaves_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = ("isaacgym", "torch", "rsl_rl", "rsl_rl.runners", "tensordict", "tqdm")
    tasks = ("ant", "cartpole", "franka_stack", "humanoid", "quadruped_terrain")
    for name in (*absent, *tasks):
        monkeypatch.setitem(sys.modules, name, mock.MagicMock())
    module = runpy.run_path(str(EXAMPLES / "train_ppo.py"), run_name="train_ppo")
    runner = mock.MagicMock(current_learning_iteration=7)
    runner.learn.side_effect = KeyboardInterrupt
    module["train"](mock.MagicMock(num_envs=4), runner, 10, 24, tmp_path)
    runner.save.assert_called_once_with(str(tmp_path / "model_7.pt"))
    assert "--resume" in capsys.readouterr().out
