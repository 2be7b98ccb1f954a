"""The line that tells how far a recording is."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from unibody.cli import progress
from unibody.cli.progress import Progress
from unibody.core.engine.world import step_observers


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_told_of_the_frames_while_steps_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = _Terminal()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    recording = SimpleNamespace(frames=7)
    line = Progress("film.mp4", recording)
    step_observers.notify_step(0.01, None)
    recording.frames = 8
    step_observers.notify_step(0.01, None)
    line.close()
    step_observers.notify_step(0.01, None)
    seven, eight, rest = out.getvalue().split("\r")
    assert seven.startswith("unibody run: recording film.mp4: 7 frames")
    assert eight.startswith("unibody run: recording film.mp4: 8 frames")
    assert rest == "\x1b[K"


def test_a_recording_of_less_than_half_a_second_leaves_the_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, now = _Terminal(), [100.0]
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    line = Progress("film.mp4", SimpleNamespace(frames=7))
    now[0] = 100.4
    step_observers.notify_step(0.01, None)
    line.close()
    assert not out.getvalue()


def test_the_line_is_written_twice_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    out, now = _Terminal(), [0.0]
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    line = Progress("film.mp4", SimpleNamespace(frames=7))
    for _ in range(40):
        now[0] += 0.0625
        step_observers.notify_step(0.01, None)
    line.close()
    assert out.getvalue().count("7 frames") == 5  # in 2.5 s


def test_a_file_is_not_told_of_the_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    line = Progress("film.mp4", SimpleNamespace(frames=7))
    step_observers.notify_step(0.01, None)
    line.close()
    assert not out.getvalue()
