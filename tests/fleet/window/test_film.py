"""Recordings of scripts that simulate a fleet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.viewer.videos import frames_of
from unibody import bullet, fleet
from unibody.cli import main
from unibody.cli.record import Record

pytest.importorskip("viser")
AT = fleet.Pose.from_xyz


def recorded(file):
    """The file of a script that steps 20 robots without physics four times."""
    record = Record(str(file))
    record.start()
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, timestep=0.1, physics=False)
    )
    for number in range(20):
        at = AT(1.0 * (number % 5), 1.0 * (number // 5), 0.05)
        spawned = fleet.AgentSpawnParams(urdf_path="robots/simple_cube.urdf", initial_pose=at)
        fleet.Agent.from_params(spawned, sim_core=core).set_goal_pose(AT(9.0, 9.0, 0.05))
    for _ in range(4):
        core.step_once()
    bullet.disconnect(core.client)
    record.stop()
    return file


def test_run_records_a_film_of_a_fleet_whose_robots_drive(tmp_path, capsys):
    file = tmp_path / "fleet.mp4"
    pictures, rate, _ = frames_of(recorded(file))
    assert f"recorded {file}" in capsys.readouterr().err
    assert (len(pictures), rate) == (12, 30.0)  # 4 steps of 0.1 s
    first, last = pictures[0].astype(int), pictures[-1].astype(int)
    assert (np.abs(first - last).max(axis=-1) > 30).mean() > 1e-3


def test_run_records_a_page_of_a_fleet_that_needs_no_server(tmp_path):
    assert "__VISER_EMBED_DATA__" in recorded(tmp_path / "fleet.html").read_text()


SCENARIO = """\
simulation: {timestep: 0.1, physics: false, duration: 0.2, monitor: false}
entities:
  - {name: robot, urdf_path: robots/simple_cube.urdf, pose: [0, 0, 1]}
"""


def test_a_scenario_is_recorded_and_another_kind_of_file_is_refused(tmp_path, capsys):
    (tmp_path / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    file = tmp_path / "one.html"
    command = ["fleet", "run", str(tmp_path / "one.yaml"), "--quiet", "--record"]
    assert main([*command, str(file)]) == 0
    assert "__VISER_EMBED_DATA__" in file.read_text()
    assert main([*command, "one.gif"]) == 1
    assert "--record one.gif is not allowed" in capsys.readouterr().err
