"""`unibody fleet` runs scenario files, and `unibody run` scripts of the original."""

from __future__ import annotations

import csv
import gc
import io
import itertools
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.support.full_disk import full_disk
from unibody import bullet
from unibody.cli import main
from unibody.fleet.command_line import fleet_command
from unibody.fleet.recording.event_reader import EventLog

SCENARIO = """\
simulation: {timestep: 0.05, physics: false, duration: 4, gui: true}
entities:
  - name: walker
    urdf_path: mobile_robot
    controller:
      - {type: omni, max_linear_vel: 1.5}
      - {type: random_walk}
    grid: {count: 9, columns: 3, spacing: [1.5, 1.5, 0], offset: [0, 0, 0.1]}
"""

COMMAND = "import sys; from unibody.cli import main; sys.exit(main())"


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    return path


def figures(text):
    rows = (line.split() for line in text.splitlines() if line and line[0] != "[")
    return {row[0]: float(row[1]) for row in rows if len(row) == 2 and row[1][0].isdigit()}


def test_a_scenario_runs_from_its_file_alone(scenario, capsys):
    assert main(["fleet", "run", str(scenario)]) == 0
    out = capsys.readouterr().out
    assert "80/80 steps" in out
    found = figures(out.replace("\r", "\n"))
    assert (found["agents"], found["simulated_s"]) == (9.0, 4.0)
    assert 9.0 < found["distance_m"] <= 9 * 4.0 * 1.5
    assert not bullet.isConnected(0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("out", "bars"), [(io.StringIO, 1), (Terminal, 80)])
def test_a_terminal_sees_the_bar_grow_and_a_file_has_its_end_alone(
    scenario, monkeypatch, out, bars
):
    seconds = itertools.count()  # one between two looks at the clock
    monkeypatch.setattr(fleet_command.time, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(sys, "stdout", out())
    assert main(["fleet", "run", str(scenario)]) == 0
    lines = re.findall(r"\r\[(#*) *\] (\d+)/80 steps", sys.stdout.getvalue())
    assert len(lines) == bars
    full, last = lines[-1]
    assert (len(full), last) == (fleet_command._BAR, "80")


def test_the_same_seed_gives_the_same_run_and_another_one_another(scenario, tmp_path):
    ends = []
    for number, seed in enumerate((3, 3, 4)):
        log = tmp_path / f"{number}.log"
        command = ["fleet", "run", str(scenario), "--seed", str(seed), "--log", str(log)]
        assert main([*command, "--quiet"]) == 0
        ends.append(EventLog(str(log)).state(-1).positions)
    np.testing.assert_array_equal(ends[0], ends[1])
    assert np.abs(ends[0] - ends[2]).max() > 0.1


def test_a_report_is_one_page_and_a_table(scenario, tmp_path, capsys):
    page = tmp_path / "out" / "report.html"
    assert main(["fleet", "run", str(scenario), "--report", str(page), "--quiet"]) == 0
    text = page.read_text()
    assert text.count("<svg") == 7  # one for each column but the time
    assert "throughput_per_min" in text
    assert text.count("data:image/png;base64,") == 1
    assert "http" not in text
    tables = [file for file in page.parent.iterdir() if file.suffix in (".csv", ".parquet")]
    assert len(tables) == 1
    if tables[0].suffix == ".csv":
        with tables[0].open() as file:
            rows = list(csv.reader(file))
        assert len(rows) == 81
        assert rows[0][:3] == ["time", "moving", "mean_speed"]


def test_a_batch_prints_a_table_over_its_seeds(scenario, capsys):
    assert main(["fleet", "batch", str(scenario), "--seeds", "3", "--duration", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["mean", "deviation", "least", "most"]
    distance = next(line.split() for line in lines if line.startswith("distance_m"))
    mean, deviation, least, most = map(float, distance[1:])
    assert least < mean < most
    assert deviation > 0.0


def test_a_recorded_run_is_replayed(scenario, tmp_path, capsys):
    log, table, film = (tmp_path / name for name in ("run.log", "poses.csv", "run.gif"))
    assert main(["fleet", "run", str(scenario), "--log", str(log), "--quiet"]) == 0
    capsys.readouterr()
    command = ["fleet", "replay", str(log), "--csv", str(table), "--film", str(film)]
    assert main([*command, "--step", "40"]) == 0
    out = capsys.readouterr().out
    assert "80 steps, 4 s, 9 objects" in out
    assert "step 40, 2.05 s" in out
    assert out.count("walker_") == 9
    with table.open() as file:
        assert len(list(csv.reader(file))) == 1 + 80 * 9
    image = pytest.importorskip("PIL.Image").open(film)
    assert image.n_frames == 40
    image.seek(20)
    assert len(np.unique(np.asarray(image.convert("RGB")).reshape(-1, 3), axis=0)) > 3


@pytest.mark.parametrize(("option", "name"), [("--csv", "poses.csv"), ("--film", "run.gif")])
def test_a_replay_on_a_full_disk_leaves_the_file_before(scenario, tmp_path, capsys, option, name):
    log, file = tmp_path / "run.log", tmp_path / name
    assert main(["fleet", "run", str(scenario), "--log", str(log), "--quiet"]) == 0
    file.write_text("before")
    kept = set(tmp_path.iterdir())
    with full_disk(5000):
        assert main(["fleet", "replay", str(log), option, str(file)]) == 1
    assert "File too large" in capsys.readouterr().err
    assert file.read_text() == "before"
    assert set(tmp_path.iterdir()) == kept


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "missing.yaml"], "missing.yaml"),
        (["run", "{scenario}", "--duration", "-1"], "--duration -1.0 is not allowed"),
        (["run", "{scenario}", "--near", "nan"], "--near nan is not allowed"),
        (["batch", "{scenario}", "--seeds", "0"], "--seeds 0 is not allowed"),
        (["replay", "{scenario}"], "is no event log"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(scenario, capsys, arguments, said):
    command = [part.format(scenario=scenario) for part in arguments]
    assert main(["fleet", *command]) == 1
    error = capsys.readouterr().err
    assert error.startswith("unibody fleet: ")
    assert said in error
    assert len(error.splitlines()) == 1


def test_bundled_examples_are_listed_and_run(capsys):
    assert main(["fleet", "examples", "--list"]) == 0
    assert "path_following_demo.py" in capsys.readouterr().out
    for name, said in [
        ("path_following_demo", "omnidirectional: back at (0.000, 0.000) m"),
        ("events_demo", "collide: left and right"),
        ("pick_and_drop_demo", "the box is at (0.000, 0.600, 0.050) m"),
    ]:
        assert main(["fleet", "examples", "--run", name]) == 0
        assert said in capsys.readouterr().out
    gc.collect()  # closes simulations that nobody holds, and not between the two calls below
    for client in filter(bullet.isConnected, range(8)):  # they leave that to the end of the process
        bullet.disconnect(client)


def test_scripts_of_the_original_run_unchanged(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import pybullet as p\n"
        "from pybullet_fleet import Agent, AgentSpawnParams, MultiRobotSimulationCore, Pose\n"
        "from pybullet_fleet.geometry import Path\n"
        "import pybullet_fleet.action\n"
        "sim = MultiRobotSimulationCore.from_dict(\n"
        "    {'gui': False, 'monitor': False, 'physics': False, 'target_rtf': 0}\n"
        ")\n"
        "params = AgentSpawnParams(urdf_path='mobile_robot', mass=0.0)\n"
        "robot = Agent.from_params(params, sim_core=sim)\n"
        "robot.set_goal_pose(Pose.from_xyz(0.5, 0.0, 0.0))\n"
        "while robot.is_moving:\n"
        "    sim.step_once()\n"
        "position, _ = p.getBasePositionAndOrientation(robot.body_id, sim.client)\n"
        "print('at', round(position[0], 3), sim.__class__.__module__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "run", str(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "at 0.5 unibody.fleet.simulation.core" in done.stdout, done.stderr


def test_a_scenario_that_is_not_there_is_told_with_those_that_are(capsys):
    assert main(["fleet", "run", "warehose"]) == 1
    told = capsys.readouterr().err
    assert "warehose" in told and "hospital" in told
    assert told.endswith("did you mean warehouse?\n")
