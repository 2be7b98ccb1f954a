"""The benchmark of Newton's API measures both sides by the same scenes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.newton import main


def test_a_missing_peer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--quick", "--peer", "/no/python"]) == 2
    assert "make bench-newton" in capsys.readouterr().err


def test_a_scene_is_measured_and_compared(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The peer is not installed beside us: ours stands for both sides.
    measure = main._measure
    monkeypatch.setattr(
        main, "_measure", lambda line: measure([*line[:2], "unibody.newton", *line[3:]])
    )
    arguments = ["--quick", "--seconds", "0.05", "--scenes", "ant-1", "--peer", sys.executable]
    assert main.main(arguments) == 0
    told = capsys.readouterr().out
    for line in ("eager", "captured", "fastest", "memory a world", "build and finalize"):
        assert line in told
    assert told.count("x)\n") >= 4


def test_a_side_that_fails_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    worker = str(Path(main.__file__).with_name("worker.py"))
    command = [sys.executable, worker, "no_such_module", "ant-1", "-", "build", "0.0", "cpu"]
    assert main._measure(command) is None
    assert "no_such_module" in capsys.readouterr().out
