"""A disk that is full: nothing that was saved is lost, and worlds go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import unibody.bullet as p
from tests.support.full_disk import full_disk
from unibody.bullet.logs.records import read_records
from unibody.bullet.pybullet_utils.urdfEditor import UrdfEditor
from unibody.core.assets.whole_file import whole_file, write_whole_text


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    p.createMultiBody(1.0, p.createCollisionShape(p.GEOM_SPHERE), physicsClientId=number)
    yield number
    p.disconnect(number)


def save_urdf(name: str, client: int) -> None:
    editor = UrdfEditor()
    editor.initializeFromBulletBody(0, client)
    editor.saveUrdf(name)


WRITERS: dict[str, Callable[[str, int], object]] = {
    "saveBullet": lambda name, client: p.saveBullet(name, physicsClientId=client),
    "saveWorld": lambda name, client: p.saveWorld(name, physicsClientId=client),
    "saveUrdf": save_urdf,
    "states": lambda name, client: p.startStateLogging(
        p.STATE_LOGGING_GENERIC_ROBOT, name, physicsClientId=client
    ),
    "commands": lambda name, client: p.startStateLogging(
        p.STATE_LOGGING_ALL_COMMANDS, name, physicsClientId=client
    ),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_what_was_saved_before_stays_where_the_disk_is_full(
    client: int, tmp_path: Path, writer: str
) -> None:
    file = tmp_path / "saved"
    WRITERS[writer](str(file), client)
    if writer in {"states", "commands"}:
        p.stepSimulation(client)
        p.stopStateLogging(0, client)
    before = file.read_bytes()
    assert before
    file.chmod(0o640)
    with full_disk(10), pytest.raises((p.error, OSError)):
        WRITERS[writer](str(file), client)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]
    WRITERS[writer](str(file), client)
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("kind", [p.STATE_LOGGING_GENERIC_ROBOT, p.STATE_LOGGING_ALL_COMMANDS])
def test_a_log_on_a_full_disk_ends_with_one_line_and_steps_go_on(
    client: int, tmp_path: Path, kind: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log"
    p.setGravity(0, 0, -10, physicsClientId=client)
    log = p.startStateLogging(kind, str(file), physicsClientId=client)
    with full_disk(file.stat().st_size + 700):
        for _ in range(100):
            p.stepSimulation(client)
    (told,) = [line for line in capsys.readouterr().err.splitlines() if str(file) in line]
    assert "ends here" in told
    # from 0 by the sum of 1 + 2 + ... + 100 steps of g dt^2, with Bullet's damping of 0.04 /s
    # over 100/240 s at most 2 % less
    height = p.getBasePositionAndOrientation(0, client)[0][2]
    assert height == pytest.approx(-10 / 240**2 * 5050, rel=0.02)
    p.stopStateLogging(log, client)
    if kind == p.STATE_LOGGING_GENERIC_ROBOT:
        assert [row[0] for row in read_records(file).rows] == list(
            range(len(read_records(file).rows))
        )
        assert len(read_records(file).rows) > 0
    else:
        assert file.read_text().endswith("\n")


def test_a_trace_on_a_full_disk_is_still_json(client: int, tmp_path: Path) -> None:
    log = p.startStateLogging(
        p.STATE_LOGGING_PROFILE_TIMINGS, str(tmp_path / "trace"), physicsClientId=client
    )
    (file,) = tmp_path.iterdir()
    with full_disk(2000):
        for _ in range(5000):
            p.stepSimulation(client)
    p.stopStateLogging(log, client)
    assert "traceEvents" in json.loads(file.read_text())


def test_a_file_is_written_through_a_link_and_devices_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    (tmp_path / "link").symlink_to("file")
    write_whole_text(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "after"
    write_whole_text("/dev/null", "nothing")
    assert not Path("/dev/null").is_file()


def test_a_stream_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with (
        full_disk(100),
        pytest.raises(OSError, match="File too large"),
        whole_file(tmp_path / "file") as stream,
    ):
        np.savez(stream, numbers=np.arange(1000))
    assert not list(tmp_path.iterdir())
