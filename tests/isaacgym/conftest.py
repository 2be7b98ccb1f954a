"""A simulation, and a stage on each device of the engine that a machine without a GPU has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.isaacgym.scenes import DEVICES, Stage, open_stage
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE


@pytest.fixture
def gym() -> Any:
    return gymapi.acquire_gym()


@pytest.fixture
def sim(gym: Any) -> Iterator[Any]:
    """A simulation without gravity on the processor."""
    params = gymapi.SimParams()
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, 0.0)
    params.use_gpu_pipeline = False
    found = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
    yield found
    gym.destroy_sim(found)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(DEVICE_VARIABLE, request.param)
    return str(request.param)


@pytest.fixture
def stage(device: str, tmp_path: Path) -> Iterator[Any]:
    """Returns a function that opens stages; see ``open_stage``."""
    stages: list[Stage] = []

    def make(count: int = 1, **options: Any) -> Stage:
        stages.append(open_stage(tmp_path, count, **options))
        return stages[-1]

    yield make
    for made in stages:
        made.gym.destroy_sim(made.sim)
