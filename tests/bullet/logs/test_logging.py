"""Profile traces: the file and the spans in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unibody.bullet as p
from tests.bullet.paired import both

TIMINGS = p.STATE_LOGGING_PROFILE_TIMINGS


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    yield number
    p.disconnect(number)


def events(folder: Path) -> list[dict[str, Any]]:
    (file,) = folder.glob("*.json")
    return json.loads(file.read_text("utf-8"))["traceEvents"]


def test_a_trace_holds_a_span_for_each_step_and_each_submitted_timing(
    client: int, tmp_path: Path
) -> None:
    log = p.startStateLogging(TIMINGS, str(tmp_path / "trace"), physicsClientId=client)
    for _ in range(3):
        p.submitProfileTiming('outer "one"', client)
        p.stepSimulation(client)
        p.submitProfileTiming(physicsClientId=client)
    p.stopStateLogging(log, physicsClientId=client)
    p.stepSimulation(client)
    found = Counter((event["name"], event["ph"]) for event in events(tmp_path))
    assert found == {
        ('outer "one"', "B"): 3,
        ('outer "one"', "E"): 3,
        ("stepSimulation", "B"): 3,
        ("stepSimulation", "E"): 3,
    }


def test_a_span_lies_inside_the_one_that_was_begun_before_it(client: int, tmp_path: Path) -> None:
    log = p.startStateLogging(TIMINGS, str(tmp_path / "trace"), physicsClientId=client)
    for name in ("outer", "inner", None, None, None):  # the last one ends nothing
        p.submitProfileTiming(name, client)
    p.stopStateLogging(log, physicsClientId=client)
    at = {(event["name"], event["ph"]): event["ts"] for event in events(tmp_path)}
    order = [("outer", "B"), ("inner", "B"), ("inner", "E"), ("outer", "E")]
    assert sorted(at, key=lambda key: at[key]) == order


def test_the_file_has_one_event_a_line_as_pybullets_has(tmp_path: Path) -> None:
    def play(side: Any) -> list[str]:
        folder = tmp_path / side.__name__
        folder.mkdir()
        log = side.startStateLogging(TIMINGS, str(folder / "trace"))
        side.stepSimulation()
        side.stopStateLogging(log)
        (file,) = folder.glob("trace_*.json")
        lines = file.read_text("utf-8").splitlines()
        first = json.loads(lines[1].rstrip(","))
        assert '"pid":1' in lines[1]
        return [lines[0], lines[-2], lines[-1], *first]

    theirs, ours = both(play)
    assert ours == theirs


def test_a_second_log_of_a_client_is_refused_as_in_pybullet(tmp_path: Path) -> None:
    def play(side: Any) -> list[int | None]:
        name = str(tmp_path / side.__name__)
        first = side.startStateLogging(TIMINGS, name)
        second = side.startStateLogging(TIMINGS, name)
        side.stopStateLogging(17)
        side.stopStateLogging(first)
        third = side.startStateLogging(TIMINGS, name)
        side.stopStateLogging(third)
        return [first, second, third]

    theirs, ours = both(play)
    assert ours == theirs == [0, None, 1]


def test_disconnecting_completes_the_log(tmp_path: Path) -> None:
    client = p.connect(p.DIRECT)
    p.startStateLogging(TIMINGS, str(tmp_path / "trace"), physicsClientId=client)
    p.stepSimulation(client)
    p.disconnect(client)
    assert len(events(tmp_path)) == 2


@pytest.mark.parametrize(
    "ending", ["os._exit(1)", "os.kill(os.getpid(), 9)", "raise SystemExit(1)", "1 / 0"]
)
def test_a_log_that_is_cut_off_can_be_read(tmp_path: Path, ending: str) -> None:
    script = f"""
import os, time
import unibody.bullet as p
p.connect(p.DIRECT)
p.startStateLogging(p.STATE_LOGGING_PROFILE_TIMINGS, "trace")
p.stepSimulation()
time.sleep(0.6)
p.stepSimulation()
p.stepSimulation()
{ending}
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True,
        check=False,
    )  # fmt: skip
    # a process that is killed cannot write the last half second; one that ends by itself does
    complete = ending in ("raise SystemExit(1)", "1 / 0")
    assert len(events(tmp_path)) == (6 if complete else 4)


def test_a_log_that_cannot_be_written_is_refused(client: int, tmp_path: Path) -> None:
    name = str(tmp_path / "no such folder" / "trace")
    with pytest.raises(p.error, match="No such file or directory"):
        p.startStateLogging(TIMINGS, name, physicsClientId=client)


def test_timings_without_a_log_go_nowhere(client: int) -> None:
    assert p.submitProfileTiming("span", client) is None
    assert p.submitProfileTiming(physicsClientId=client) is None
