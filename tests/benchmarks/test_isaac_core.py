"""The benchmark of Isaac core does the same work on both sides."""

from __future__ import annotations

import pytest

pytest.importorskip("pxr")
pytest.importorskip("pybullet_data")

from benchmarks.isaac_core import calls, steps
from benchmarks.isaac_core.main import main
from benchmarks.isaac_core.scenes import ROBOTS, Scene

_BY_NAME = {robot.name: robot for robot in ROBOTS}


@pytest.mark.parametrize("name", ["cartpole", "ant"])
def test_the_engine_alone_ends_in_the_same_states_as_the_surface(name: str) -> None:
    found = steps.compare(_BY_NAME[name], 3, seconds=1e-4, rounds=1)
    assert found.same
    assert min(*found.rates, found.to_batch, found.cpu, found.to_plain, found.begun) > 0.0
    assert (found.contacts[0] >= 2.0) == (name == "ant")


def test_calls_of_an_arm_are_timed_one_by_one() -> None:
    scene = Scene(_BY_NAME["franka"], 2)
    lines = list(calls.lines(scene, 0.0))
    scene.close()
    assert len(lines) >= 20


def test_the_table_has_a_row_for_each_robot(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--quick", "--worlds", "2", "--robots", "cartpole", "--seconds", "0.001"]
    assert main([*arguments, "--no-calls"]) == 0
    assert "cartpole" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--worlds", "0"])
