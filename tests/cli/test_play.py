"""`unibody play` on a page: what is shown."""

from __future__ import annotations

import threading
import time
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("viser")

import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then
from unibody.cli import main
from unibody.cli.play import _Page
from unibody.core.assets.description import ShapeKind


def test_the_page_keeps_a_robot_that_walks_away_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    from unibody.viewer.viewer import Viewer

    shown: list[Any] = []
    placed: list[Any] = []
    monkeypatch.setattr(Viewer, "show", lambda self, parts: shown.extend(parts))
    monkeypatch.setattr(Viewer, "place", lambda self, at, quats: placed.append(at))
    vector: Any = gymnasium.make_vec("unibody/Ant-v0", num_envs=1)
    vector.reset(seed=0)
    vector.sim.qpos[0, :2] = 150.0, -3.0
    vector.sim.worlds.kinematics()
    before = vector.sim.xpos[0].copy()
    page = _Page(vector, 0)
    try:
        page.show()
    finally:
        page.viewer.close()
        vector.close()
    trunk = vector.sim.link("trunk")
    assert np.array_equal(placed[0][trunk], (0.0, 0.0, before[trunk, 2]))
    ways = placed[0] - placed[0][trunk] - (before - before[trunk])
    np.testing.assert_allclose(ways, 0.0, atol=1e-9)
    assert shown and all(part.shape.kind is not ShapeKind.PLANE for part in shown)


def test_pause_on_the_page_holds_the_policy_and_step_lets_it_make_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vector: Any = gymnasium.make_vec("unibody/Ant-v0", num_envs=1)
    vector.reset(seed=0)
    page = _Page(vector, 0)
    controls = page.viewer.controls
    try:
        controls.press("Pause")
        page.show()  # nobody watches: it goes on
        monkeypatch.setattr(type(page.viewer), "watched", True)
        threading.Timer(0.3, controls.press, ["Step"]).start()
        begun = time.monotonic()
        page.show()
        assert time.monotonic() - begun > 0.25
        assert controls.paused
    finally:
        page.viewer.close()
        vector.close()


@pytest.mark.parametrize(
    "words", ["train Reech", "play Reech runs", "collect Reech out --episodes 1"]
)
def test_a_task_that_is_misspelt_gets_the_nearest_name(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray")
    assert main(words.split()) == 2
    assert "did you mean Reach?" in capsys.readouterr().err


def test_a_checkpoint_that_is_not_there_is_told_as_such(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["play", "Reach", "no/such/place"]) == 2
    assert "of unibody train --library stable-baselines3 that is there" in capsys.readouterr().err
