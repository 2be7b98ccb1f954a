"""The event log: complete steps survive a killed process, and a damaged file does no harm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from tests.support.full_disk import full_disk
from unibody import bullet
from unibody.errors import AssetError, InvalidArgumentError
from unibody.fleet.recording.event_log import MAGIC
from unibody.fleet.recording.event_reader import EventLog

RUN = """
import sys
from unibody import fleet


def build():
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=0.05, physics=False)
    )
    arm = fleet.Agent.from_urdf(
        "arm_robot", pose=fleet.Pose.from_xyz(0, -3, 0), use_fixed_base=True, sim_core=core
    )
    arm.set_all_joints_targets([0.5] * arm.get_num_joints())
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2])
    for row in range(20):
        robot = fleet.Agent.from_params(
            fleet.AgentSpawnParams(
                visual_shape=box,
                collision_shape=box,
                initial_pose=fleet.Pose.from_xyz(0.0, 0.3 * row, 0.2),
                mass=0.0,
                name=f"robot{row}",
            ),
            sim_core=core,
        )
        robot.set_goal_pose(fleet.Pose.from_xyz(200.0, 0.5 * row, 0.2))
    return core
"""


@pytest.fixture(scope="module")
def build():
    scope: dict = {}
    exec(RUN, scope)
    return scope["build"]


def poses(core):
    return core.get_poses([obj.object_id for obj in core.sim_objects])


def test_a_killed_run_replays_exactly_up_to_its_last_complete_step(tmp_path, build):
    path = tmp_path / "run.log"
    script = RUN + textwrap.dedent(
        f"""
        core = build()
        core.start_event_log({str(path)!r})
        while True:
            core.step_once()
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", script], env=environment)
    give_up = time.monotonic() + 60.0
    while not (path.exists() and path.stat().st_size > 300_000):
        assert process.poll() is None
        assert time.monotonic() < give_up
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    log = EventLog(str(path))
    assert len(log) > 100
    core = build()
    for state in log.states():
        core.step_once()
        positions, orientations = poses(core)
        np.testing.assert_array_equal(state.positions, positions)
        np.testing.assert_array_equal(state.orientations, orientations)
        arm = core.agents[0]
        turned = [arm.get_joint_state(i)[0] for i in range(arm.get_num_joints())]
        assert state.joints[arm.object_id] == turned
    assert state.step == len(log) - 1
    bullet.disconnect(core.client)


@pytest.fixture
def recorded(tmp_path, build):
    path = tmp_path / "short.log"
    core = build()
    core.start_event_log(str(path))
    held = []
    for step in range(600):
        core.step_once()
        if step == 300:
            core.remove_object(core.agents[5])
        held.append(poses(core)[0])
    core.stop_event_log()
    bullet.disconnect(core.client)
    return path, held


def test_any_step_can_be_read_by_itself(recorded):
    path, held = recorded
    log = EventLog(str(path))
    assert (len(log), log.lost_bytes) == (600, 0)
    assert log.objects[3].name == "robot2"
    np.testing.assert_allclose(log.times, 0.05 * np.arange(1, 601))
    for step in (0, 1, 255, 256, 257, 302, 599):
        np.testing.assert_array_equal(log.state(step).positions, held[step])
    assert len(log.state(299).ids) == len(log.state(302).ids) + 1
    np.testing.assert_array_equal(log.state(-1).positions, held[-1])
    with pytest.raises(InvalidArgumentError, match="step"):
        log.state(600)


def test_collisions_are_among_the_events(recorded):
    events = [event for state in EventLog(str(recorded[0])).states() for event in state.events]
    started = [event["ids"] for event in events if event["event"] == "collision_started"]
    assert [1, 2] in started or [2, 1] in started


def test_whatever_is_cut_off_the_end_only_that_is_lost(recorded, tmp_path):
    data = recorded[0].read_bytes()
    whole = len(EventLog(str(recorded[0])))
    random = np.random.default_rng(0)
    for cut in [1, 5, *random.integers(0, len(data) // 2, 20).tolist()]:
        path = tmp_path / "cut.log"
        path.write_bytes(data[: len(data) - cut])
        log = EventLog(str(path))
        assert len(log) < whole
        assert len(list(log.states())) == len(log)


def test_a_damaged_file_ends_before_the_damage(recorded, tmp_path):
    data = bytearray(recorded[0].read_bytes())
    random = np.random.default_rng(1)
    for place in random.integers(len(MAGIC), len(data), 40).tolist():
        harmed = bytearray(data)
        harmed[place] ^= 0xFF
        path = tmp_path / "harmed.log"
        path.write_bytes(harmed)
        log = EventLog(str(path))
        assert len(log) < 600
        assert len(list(log.states())) == len(log)


@pytest.mark.parametrize("data", [b"", b"UB", b"something else altogether"])
def test_another_file_is_refused(tmp_path, data):
    path = tmp_path / "other.log"
    path.write_bytes(data)
    with pytest.raises(AssetError, match="is no event log"):
        EventLog(str(path))
    with pytest.raises(AssetError, match="cannot be read"):
        EventLog(str(tmp_path / "missing.log"))


def test_writing_a_log_changes_nothing(recorded, build):
    core = build()
    for step in range(600):
        core.step_once()
        if step == 300:
            core.remove_object(core.agents[5])
    np.testing.assert_array_equal(poses(core)[0], recorded[1][-1])
    bullet.disconnect(core.client)


def test_a_log_on_a_full_disk_ends_with_a_whole_step_and_the_simulation_goes_on(
    tmp_path, build, capsys
):
    path, core, other = tmp_path / "run.log", build(), build()
    core.start_event_log(str(path))
    core.step_once()
    with full_disk(path.stat().st_size + 20_000):
        for _ in range(100):
            core.step_once()
    core.stop_event_log()
    (told,) = [line for line in capsys.readouterr().err.splitlines() if str(path) in line]
    assert "ends here: File too large" in told
    for _ in range(101):
        other.step_once()
    np.testing.assert_array_equal(poses(core)[0], poses(other)[0])
    log = EventLog(str(path))
    assert 1 < len(log) < 100
    assert log.lost_bytes == 0
    bullet.disconnect(core.client)
    bullet.disconnect(other.client)


def test_a_log_that_cannot_begin_leaves_the_one_before(recorded, build):
    path, _ = recorded
    before, core = path.read_bytes(), build()
    with full_disk(10), pytest.raises(OSError, match="File too large"):
        core.start_event_log(str(path))
    assert path.read_bytes() == before
    core.step_once()
    bullet.disconnect(core.client)
