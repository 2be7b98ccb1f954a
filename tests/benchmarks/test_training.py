"""The page of trainings: curves and lines of its table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("tensorboard")

from benchmarks.training_page import Curve, Seed, curve_of, row_of


def _log(folder: Path, points: list[tuple[int, float]], start: float) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(folder), filename_suffix=f".{start:.0f}")
    writer.add_event(Event(wall_time=start))
    for number, (step, value) in enumerate(points, 1):
        summary = Summary(value=[Summary.Value(tag="rollout/ep_rew_mean", simple_value=value)])
        writer.add_event(Event(wall_time=start + 30.0 * number, step=step, summary=summary))
    writer.close()


def test_the_curve_of_a_training_that_went_on_has_all_of_its_steps(tmp_path: Path) -> None:
    now = 4e9  # after the time that the writer itself notes first
    _log(tmp_path / "ppo_1", [(100, 1.0), (200, 2.0)], now)
    _log(tmp_path / "ppo_2", [(300, 4.0)], now + 1e6)
    curve = curve_of(tmp_path)
    assert curve.steps.tolist() == [100, 200, 300]
    assert curve.returns.tolist() == [1.0, 2.0, 4.0]


def test_a_line_says_which_steps_are_missing(tmp_path: Path) -> None:
    result = {"returns": 33.0, "length": 75.0, "metres": 0.0, "success": 1.0}
    chance = {"returns": -30.0, "length": 75.0, "metres": 0.0, "success": 0.0}

    def seed(steps: float) -> Seed:
        return Seed(Curve(np.array([steps]), np.array([1.0]), 90.0), result, tmp_path)

    whole = row_of("Reach", [seed(600_064)] * 2, chance, 2)
    assert whole == (
        "| `Reach-v0` | stable-baselines3 | 2: 600 064, 600 064 | 1.5, 1.5 | 33, 33 | -30 |  |  |"
        " 100%, 100% | 0% |"
    )
    assert "1: 300 000; planned 2 x 600 000" in row_of("Reach", [seed(300_000)], chance, 2)
    assert "none; planned 2 x 600 000" in row_of("Reach", [], chance, 2)
