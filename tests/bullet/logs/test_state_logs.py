"""Logs of robots and contacts in PyBullet's format, next to those PyBullet writes."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unibody.bullet as p
from tests.bullet.paired import both
from tests.support.process import run_python
from tests.support.tolerances import FIFTY_SWEEPS, SOLVED
from unibody.bullet.logs.records import MARK, Records, read_records
from unibody.errors import AssetError

DATA = pybullet_data.getDataPath()
# What is left of the fall of a resting box after 500 sweeps of PyBullet's solver [m, share].
RESTING = 2e-5
FORCE_SHARE = 0.02


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    yield number
    p.disconnect(number)


def lab(side: Any) -> tuple[int, int, int]:
    """Plane, arm and box."""
    side.setAdditionalSearchPath(DATA)
    side.setGravity(0, 0, -10)
    plane = side.loadURDF("plane.urdf")
    arm = side.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    return plane, arm, side.loadURDF("cube_small.urdf", [1, 0, 0.025])


def logged(side: Any, folder: Path, kind: str, steps: int, **arguments: Any) -> Records:
    """What a log holds after some steps."""
    path = str(folder / f"{side.__name__}.bin")
    log = side.startStateLogging(getattr(side, kind), path, **arguments)
    for _ in range(steps):
        side.stepSimulation()
    side.stopStateLogging(log)
    side.stepSimulation()
    return read_records(path)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"maxLogDof": 7, "logFlags": 3}, {"logFlags": 1, "objectUniqueIds": [1]},
     {"objectUniqueIds": [2, 1], "maxLogDof": 9, "logFlags": 2}],
)  # fmt: skip
def test_a_log_of_robots_is_the_one_pybullet_writes(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    def play(side: Any) -> Records:
        _, arm, box = lab(side)
        side.resetBasePositionAndOrientation(box, [1, 0, 1], [0.1, 0.2, 0.3, 0.9])
        side.resetBaseVelocity(box, [1, 0, 0.5], [1, 2, 3])
        side.setPhysicsEngineParameter(numSolverIterations=500)
        for joint, target in enumerate((0.1, -0.1, 0.1, 0.2, 0, 0.2, 0.1)):
            side.setJointMotorControl2(arm, joint, side.POSITION_CONTROL, target, force=2000)
        # the damping of this joint is too stiff for Bullet's scheme; ours makes a row of it
        side.changeDynamics(arm, 6, jointDamping=0)
        side.setJointMotorControl2(arm, 2, side.VELOCITY_CONTROL, force=0)
        side.setJointMotorControl2(arm, 2, side.TORQUE_CONTROL, force=1.5)
        return logged(side, tmp_path, "STATE_LOGGING_GENERIC_ROBOT", 20, **arguments)

    theirs, ours = both(play)
    assert (ours.names, ours.types) == (theirs.names, theirs.types)
    a, b = np.array(ours.rows), np.array(theirs.rows)
    torques = np.array([name.startswith("t") and name != "timeStamp" for name in ours.names])
    speeds = np.array([name[0] == "u" or name[:3] in ("vel", "ome") for name in ours.names])
    rest = ~torques & ~speeds
    np.testing.assert_allclose(a[:, rest], b[:, rest], rtol=1e-6, atol=10 * SOLVED)
    np.testing.assert_allclose(a[:, speeds], b[:, speeds], atol=FIFTY_SWEEPS)
    # Nm: the force of a motor is what holds 10 kg at up to 1 m, to a fraction of a percent
    np.testing.assert_allclose(a[:, torques], b[:, torques], rtol=0.01, atol=0.05)


def test_a_record_is_written_for_every_substep(tmp_path: Path) -> None:
    def play(side: Any) -> list[Any]:
        lab(side)
        side.setPhysicsEngineParameter(numSubSteps=3)
        records = logged(side, tmp_path, "STATE_LOGGING_GENERIC_ROBOT", 2)
        return [row[:3] for row in records.rows]

    theirs, ours = both(play)
    assert len(ours) == 18
    assert ours == theirs


@pytest.mark.parametrize(
    "arguments",
    [{}, {"bodyUniqueIdA": 2}, {"bodyUniqueIdB": 2, "bodyUniqueIdA": 0}, {"bodyUniqueIdA": 1},
     {"linkIndexA": -1}, {"linkIndexB": 3}],
)  # fmt: skip
def test_a_log_of_contacts_is_the_one_pybullet_writes(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    def play(side: Any) -> Records:
        lab(side)
        side.setPhysicsEngineParameter(numSolverIterations=500)
        for _ in range(120):
            side.stepSimulation()
        return logged(side, tmp_path, "STATE_LOGGING_CONTACT_POINTS", 2, **arguments)

    theirs, ours = both(play)
    assert (ours.names, ours.types) == (theirs.names, theirs.types)
    assert len(ours.rows) == len(theirs.rows)
    key = lambda row: (row[0], *np.round(row[7:9], 2))  # noqa: E731 - corners come in any order
    a, b = (np.array(sorted(side.rows, key=key)) for side in (ours, theirs))
    np.testing.assert_allclose(a[..., :17], b[..., :17], atol=RESTING, rtol=1e-6)
    for step in range(2 if len(a) else 0):
        totals = [side[side[:, 0] == step, 17].sum() for side in (a, b)]
        assert totals[0] == pytest.approx(totals[1], rel=FORCE_SHARE)


def test_a_log_of_a_minitaur_is_the_one_pybullet_writes(tmp_path: Path) -> None:
    def play(side: Any) -> list[Any]:
        side.setAdditionalSearchPath(DATA)
        side.setPhysicsEngineParameter(numSolverIterations=500)
        path = str(tmp_path / f"{side.__name__}.bin")
        kind = side.STATE_LOGGING_MINITAUR
        robot = side.loadURDF("quadruped/minitaur.urdf", [0, 0, 1], [0.1, 0.2, 0.3, 0.9])
        refused = [side.startStateLogging(kind, path)]
        refused.append(side.startStateLogging(kind, path, [side.loadURDF("plane.urdf")]))
        for joint in range(side.getNumJoints(robot)):
            if side.getJointInfo(robot, joint)[1].startswith(b"motor_"):
                side.setJointMotorControl2(
                    robot, joint, side.VELOCITY_CONTROL, targetVelocity=1, force=2
                )
        records = logged(side, tmp_path, "STATE_LOGGING_MINITAUR", 10, objectUniqueIds=[robot])
        return [refused, records]

    (refused, theirs), (ours_refused, ours) = both(play)
    assert refused == ours_refused == [None, None]
    assert (ours.names, ours.types) == (theirs.names, theirs.types)
    assert len(ours.rows) == 10
    # after ten steps; the last column but one is a speed, columns 12 to 20 motor torques
    np.testing.assert_allclose(np.array(ours.rows), np.array(theirs.rows), rtol=0.02, atol=0.01)


def test_a_log_of_controllers_is_the_one_pybullet_writes(tmp_path: Path) -> None:
    def play(side: Any) -> bytes:
        path = tmp_path / f"{side.__name__}.bin"
        side.startStateLogging(side.STATE_LOGGING_VR_CONTROLLERS, str(path), deviceTypeFilter=1)
        side.stepSimulation()
        return path.read_bytes()

    theirs, ours = both(play)
    assert ours == theirs


def test_ids_are_given_out_as_pybullet_gives_them(tmp_path: Path) -> None:
    def play(side: Any) -> list[Any]:
        path = str(tmp_path / side.__name__)
        return [
            side.startStateLogging(kind, f"{path}{number}")
            for number, kind in enumerate([1, 5, 99, 4, 9, 7, 7, 6, 6, 2, 1])
        ]

    theirs, ours = both(play)
    assert ours == theirs == [0, 1, None, None, None, 2, None, 3, None, 4, 5]


def test_a_reset_ends_logs_of_states(tmp_path: Path) -> None:
    def play(side: Any) -> int:
        path = str(tmp_path / side.__name__)
        lab(side)
        side.startStateLogging(side.STATE_LOGGING_GENERIC_ROBOT, path)
        side.stepSimulation()
        side.resetSimulation()
        lab(side)
        side.stepSimulation()
        return len(read_records(path).rows)

    theirs, ours = both(play)
    assert ours == theirs == 3


def test_pybullets_way_of_reading_a_log_finds_all_records(client: int, tmp_path: Path) -> None:
    lab(p)
    records = logged(p, tmp_path, "STATE_LOGGING_GENERIC_ROBOT", 5)
    _, types, body = (tmp_path / "unibody.bullet.bin").read_bytes().split(b"\n", 2)
    size = struct.calcsize(types.decode())  # with native alignment, as PyBullet's readers ask
    chunks = [chunk for chunk in body.split(MARK) if len(chunk) == size]
    assert [struct.unpack(types.decode(), chunk) for chunk in chunks] == records.rows


def test_a_body_with_more_joints_than_a_log_has_room_for_is_logged_with_the_first(
    client: int, tmp_path: Path
) -> None:
    _, arm, _ = lab(p)
    p.resetJointState(arm, 1, 0.5)
    bodies = {"objectUniqueIds": [arm]}
    records = logged(p, tmp_path, "STATE_LOGGING_GENERIC_ROBOT", 3, maxLogDof=2, **bodies)
    assert len(records.rows) == 3
    assert records.rows[0][16] == 7
    assert records.rows[0][18] == pytest.approx(0.5, abs=1e-3)


def test_more_joints_than_a_file_can_have_are_refused(client: int, tmp_path: Path) -> None:
    with pytest.raises(p.error, match=r"maxLogDof=2000.*at most 1024"):
        p.startStateLogging(p.STATE_LOGGING_GENERIC_ROBOT, str(tmp_path / "x"), maxLogDof=2000)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_killed_leaves_all_records_but_the_last(tmp_path: Path) -> None:
    script = f"""
import os
import unibody.bullet as p
p.connect(p.DIRECT)
p.loadURDF({os.path.join(DATA, "plane.urdf")!r})
p.startStateLogging(p.STATE_LOGGING_GENERIC_ROBOT, "robots.bin")
p.startStateLogging(p.STATE_LOGGING_ALL_COMMANDS, "commands.txt")
for _ in range(50):
    p.stepSimulation()
os.kill(os.getpid(), 9)
"""
    assert run_python(["-c", script], cwd=tmp_path).returncode == -9
    assert [row[0] for row in read_records(tmp_path / "robots.bin").rows] == list(range(50))
    client = p.connect(p.DIRECT)
    try:
        p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, str(tmp_path / "commands.txt"))
    finally:
        p.disconnect(client)


def test_a_record_that_was_cut_off_is_left_out(client: int, tmp_path: Path) -> None:
    lab(p)
    whole = logged(p, tmp_path, "STATE_LOGGING_GENERIC_ROBOT", 2)
    path = tmp_path / "unibody.bullet.bin"
    for lost in (1, 50, 165):
        path.write_bytes(path.read_bytes()[:-lost])
        rows = read_records(path).rows
        assert rows == whole.rows[: len(rows)]
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "two lines"), (b"a,b\nif", "two lines"), (b"a,b\nfff\n", "2 names for 3"),
     (b"a\nd\n", "types of its fields"), (b"a\n" + b"f" * 5000 + b"\n", "types of its fields"),
     (b"x" * 100_000, "two lines"), (b"a\n\xff\xfe\n", "types of its fields")],
)  # fmt: skip
def test_a_file_that_is_no_log_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(AssetError, match=message):
        read_records(path)


def test_a_log_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\nf\n" + b"\xaa\xbb0000" * 100)
    with pytest.raises(AssetError, match="larger than the 99 bytes"):
        read_records(path, max_bytes=99)


@given(st.binary(max_size=200))
def test_whatever_follows_the_head_of_a_log_is_read_or_skipped(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.bin"
    path.write_bytes(b"a,b\nIf\n" + body)
    assert len(read_records(path).rows) <= len(body) // 10
