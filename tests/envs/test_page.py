"""The page about environments: its code runs as it stands."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from unibody.envs import registry

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "envs.md"
_BLOCKS = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)


def _block(says: str) -> str:
    """The one block that says something."""
    (found,) = (block for block in _BLOCKS if says in block)
    return found


def _run(code: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    module = ModuleType("written_task")
    monkeypatch.setitem(sys.modules, "written_task", module)
    exec(compile(code, "docs/envs.md", "exec"), vars(module))
    return vars(module)


def test_the_first_lines_step_many_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    names = _run(_block("env = gymnasium.make("), monkeypatch)
    assert names["observations"].shape == (64, 27)


def test_a_crowd_runs_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pettingzoo")
    names = _run(_block("crowd.parallel_env"), monkeypatch)
    assert all(names["truncations"].values()) and not names["env"].agents


def test_cameras_see_worlds_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _run(_block("observation=kinds"), monkeypatch)["observations"]
    assert seen["camera"].shape == (8, 64, 64, 3) and seen["depth"].shape == (8, 64, 64)


def test_parameters_of_worlds_are_drawn_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    names = _run(_block("heavier = Randomization("), monkeypatch)
    masses = names["many"].sim.worlds.parameter("body_mass")
    assert len(np.unique(masses[:, names["many"].sim.link("pole")])) == 64


def test_worlds_begin_on_the_lowest_level(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(_block("GROWING"), monkeypatch)["infos"]["level"].tolist() == [0] * 16


def test_a_task_of_60_lines_keeps_balls_on_their_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    code = _block("class BallOnBeam")
    own = code[code.index("BEAM =") : code.index("register(")]
    assert len([line for line in own.splitlines() if line.strip()]) <= 60
    names = _run(code, monkeypatch)
    assert not names["ends"].any()
    # all began up to 20 cm from the middle
    assert np.abs(names["observations"][:, 0]).max() < 0.1


def test_every_task_is_in_the_table() -> None:
    text = _PAGE.read_text(encoding="utf-8")
    assert [name for name in registry.TASKS if f"`{name}`" not in text] == []
