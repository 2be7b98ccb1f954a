"""What is left of a simulation that was destroyed, and of its assets: nothing."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from pathlib import Path
from typing import Any

import pytest

from tests.isaacgym.scenes import ROBOT, Stage, open_stage
from unibody.core.assets.bounded_cache import BoundedCache
from unibody.core.engine.spec import asset_checks

WARM, CYCLES = 40, 150
REMEMBERED = (
    8  # assets that passed the checks of the engine; 256 as a rule, which takes long to fill
)
# A hundredth of a process of 400 MB (750 MB with torch), spread over 10 000 cycles, is 400 bytes a
# cycle. Measured are under 100, most of them from tables of the interpreter, which grow and shrink.
MOST = 400.0


def made(folder: Path) -> tuple[Stage, Any]:
    s = open_stage(folder, 2)
    s.ground()
    (folder / "robot.urdf").write_text(ROBOT)
    asset = s.gym.load_asset(s.sim, str(folder), "robot.urdf", None)
    s.actors(asset, z=1.0)
    s.step(2)
    s.refreshed("dof_state")
    return s, asset


def make_and_destroy(folder: Path) -> None:
    s, _ = made(folder)
    s.gym.destroy_sim(s.sim)


def test_a_simulation_that_was_destroyed_and_its_asset_are_gone(tmp_path: Path) -> None:
    s, asset = made(tmp_path)
    s.gym.destroy_sim(s.sim)
    parts = [weakref.ref(part) for part in (s.sim, s.envs[0], asset)]
    del s, asset
    gc.collect()
    assert [part() for part in parts] == [None, None, None]


def test_simulations_that_are_made_and_destroyed_take_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_passed", "_contents"):
        monkeypatch.setattr(asset_checks, name, BoundedCache(REMEMBERED, 1 << 20))
    tracemalloc.start()
    try:
        for _ in range(WARM):
            make_and_destroy(tmp_path)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(CYCLES):
            make_and_destroy(tmp_path)
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert (after - before) / CYCLES < MOST
