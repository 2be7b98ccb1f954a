"""The benchmarks of many worlds do the same work on both sides, and say what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import gpu
from benchmarks.isaacgym import ant, batch, plain
from benchmarks.isaacgym.main import main
from benchmarks.isaacgym.scenes import ROBOTS, Scene
from benchmarks.run import main as bench
from unibody.core.engine.library.devices import why_no_gpu

pytest.importorskip("torch")
pytest.importorskip("pybullet_data")
_BY_NAME = {robot.name: robot for robot in ROBOTS}


@pytest.mark.parametrize("name", _BY_NAME)
def test_the_engine_alone_ends_in_the_same_states_as_the_tensor_api(name: str) -> None:
    found = batch.compare(_BY_NAME[name], 3, seconds=1e-4, rounds=1)
    assert found.same
    assert found.ours > 0.0
    assert found.raw > 0.0
    assert found.memory > 0.0


@pytest.mark.parametrize("name", ["ant", "humanoid", "quadruped"])
def test_legged_robots_stand_on_the_ground_when_they_are_measured(name: str) -> None:
    assert batch.compare(_BY_NAME[name], 2, seconds=1e-4, rounds=1).contacts >= 2.0


def test_ants_of_the_same_file_are_on_the_ground_on_all_sides() -> None:
    found = plain.compare(16, 15.0, seconds=1e-4, rounds=1)
    assert min(found.contacts) > 0.5  # efforts make them hop
    assert min(*found.rates, found.to_batch, found.to_plain, found.cpu) > 0.0


def test_plain_mujoco_takes_the_steps_and_the_joints_of_the_task() -> None:
    task = ant.AntTask(1)
    try:
        (group,) = task.sim.groups
        ours, theirs = group.worlds.model, plain.plain_model()
        assert theirs.opt.timestep == pytest.approx(ours.opt.timestep, rel=1e-6)  # of float32
        assert (theirs.nv, theirs.ngeom) == (ours.nv, ours.ngeom)
        assert theirs.body_mass.sum() == pytest.approx(ours.body_mass.sum(), rel=1e-6)
    finally:
        task.close()


def test_every_frame_moves_the_joints_towards_other_targets() -> None:
    scene = Scene(_BY_NAME["franka"], 2)
    try:
        dofs = scene.acquired[1]
        scene.run(1)
        before = dofs[:, 0].clone()
        scene.run(2)
        assert (dofs[:, 0] - before).abs().max() > 1e-3
        assert not scene.targets[0].equal(scene.targets[1])
    finally:
        scene.close()


def test_a_difference_of_the_states_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(batch.np, "array_equal", lambda *_: False)
    arguments = ["--robots", "cartpole", "--worlds", "2", "--seconds", "1e-4", "--no-ant"]
    assert main([*arguments, "--quick"]) == 1
    assert "DIFFERENT" in capsys.readouterr().out


def test_the_table_has_a_row_for_every_count(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["isaacgym", "--robots", "cartpole", "--worlds", "1", "2", "--seconds", "1e-4"]
    assert bench([*arguments, "--no-ant", "--quick"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split()[:2] == ["robot", "worlds"]
    assert [row.split()[1] for row in rows[1:]] == ["1", "2"]


def test_wrong_counts_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--worlds", "0"])
    assert "--worlds 0: expected 1 or more" in capsys.readouterr().err


def test_an_ant_that_fell_starts_anew_and_the_others_go_on() -> None:
    task = ant.AntTask(2)
    try:
        still = task.actions[0] * 0.0
        task.step(still)
        task.roots[0, 2] = 5.0
        task.gym.set_actor_root_state_tensor(task.sim, task._unwrap(task.roots))
        observations, rewards, done = task.step(still)
        assert done.tolist() == [True, False]
        assert task.ages.tolist() == [0, 2]
        assert task.roots[0, 2] == pytest.approx(0.75)
        assert observations.shape[0] == rewards.shape[0] == 2
    finally:
        task.close()


def test_a_library_that_is_not_there_is_named_and_the_rest_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def found(name: str, *_: object) -> float | str:
        return "not installed" if name == "envpool" else 10.0

    monkeypatch.setattr(ant, "others_rate", found)
    rows = ant.lines(2, seconds=0.01, rounds=1)
    assert "env-steps/s" in rows[0]
    assert "ours is" in rows[1]
    assert rows[-1].endswith("not installed")


def test_why_another_library_has_no_figure_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    absent = tmp_path / "gymnasium.py"
    absent.write_text("raise ModuleNotFoundError('gymnasium')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv(ant.VARIABLE, sys.executable)
    assert ant.others_rate("gymnasium", 2, 1, 0.01) == "not installed"
    absent.write_text("raise RuntimeError('is broken')")
    assert ant.others_rate("gymnasium", 2, 1, 0.01) == "RuntimeError: is broken"
    monkeypatch.setenv(ant.VARIABLE, str(tmp_path / "python"))
    assert "No such file" in str(ant.others_rate("gymnasium", 2, 1, 0.01))


def test_the_gpu_table_is_printed_on_warps_cpu_device(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mujoco_warp")
    arguments = ["--device", "warp-cpu", "--robots", "cartpole", "--worlds", "2"]
    assert gpu.main([*arguments, "--seconds", "1e-3", "--rounds", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[-1].split()[:2] == ["cartpole", "2"]


@pytest.mark.skipif(not why_no_gpu(), reason="there is a GPU")
def test_the_gpu_table_is_that_of_recorded_steps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU: Warp records and replays graphs on its CPU device, too."""
    warp = pytest.importorskip("unibody.core.engine.worlds.warp")
    original, runs = warp.WarpWorlds.__init__, []

    def recording(self: object, *arguments: object) -> None:
        original(self, *arguments)
        self._records = True

    monkeypatch.setattr(warp.WarpWorlds, "__init__", recording)
    launch = warp.wp.capture_launch
    monkeypatch.setattr(warp.wp, "capture_launch", lambda graph: (runs.append(1), launch(graph)))
    assert gpu.main(["--device", "warp-cpu", "--robots", "quadruped", "--worlds", "2"]) == 0
    row = capsys.readouterr().out.splitlines()[-1].split()
    assert row[0] == "quadruped"
    assert all(float(number) > 0.0 for number in row[1:])
    assert len(runs) > 60  # the frames until it stands, and what was measured


def test_without_a_gpu_one_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main([]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"benchmarks.gpu: {why_no_gpu()}")
    assert error.count("\n") == 1
