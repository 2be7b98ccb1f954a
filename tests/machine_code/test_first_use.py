"""Who waits for what is compiled is told while it lasts."""

from __future__ import annotations

import time

import pytest

from unibody.machine_code import ahead, first_use

MESSAGE = "unibody: compiling what is used for the first time on this machine"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has compiled nothing, and whose user is told after a moment."""
    monkeypatch.setattr(first_use, "_row", first_use._Row())
    monkeypatch.setattr(first_use, "_PATIENCE", 0.1)


def _wait() -> None:
    watch = first_use._row.watch
    if watch is not None:
        watch.join(10.0)


def test_a_row_of_short_functions_is_told_of_once_while_it_lasts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(6):
        first_use.begun()
        time.sleep(0.05)
        first_use.ended()
    _wait()
    first_use.begun()
    _wait()
    told = capsys.readouterr().err
    assert told.startswith(MESSAGE)
    assert len(told.splitlines()) == 1


def test_one_short_function_is_not_told_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_use, "_PAUSE", 0.0)
    first_use.begun()
    first_use.ended()
    _wait()
    assert capsys.readouterr().err == ""


def test_nothing_is_added_where_the_wait_was_foretold(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "is_telling", lambda: True)
    first_use.begun()
    assert first_use._row.watch is None
    assert capsys.readouterr().err == ""
