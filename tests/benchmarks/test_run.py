"""The benchmark harness measures, reports and fails as it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import report, run
from benchmarks.bullet import WORKS
from benchmarks.report import Row, performance_page, row_text
from benchmarks.run import compare, main


def _row(name: str, reference: tuple[float, ...], ours: tuple[float, ...]) -> Row:
    return Row(WORKS[name], reference, ours, None, None, "")


def test_a_module_compared_with_itself_has_a_ratio_near_one() -> None:
    row = compare(WORKS["getJointState"], ("pybullet", "pybullet"), reps=2, seconds=0.05)
    assert row.error == ""
    assert len(row.reference) == len(row.ours) == 2
    assert row.ratio is not None
    # A busy machine makes single processes several times slower; this is about orders of magnitude.
    assert 0.1 < row.ratio < 10.0


def test_contacts_are_counted_where_there_are_any() -> None:
    row = compare(WORKS["getContactPoints"], ("pybullet", "pybullet"), reps=1, seconds=0.01)
    assert row.reference_contacts == row.our_contacts == 120  # four for each of thirty boxes


def test_a_ratio_above_one_means_faster_for_rates_and_for_durations() -> None:
    assert _row("kuka", (10.0, 20.0, 30.0), (40.0,)).ratio == 2.0
    assert _row("getJointState", (1.0,), (0.5,)).ratio == 2.0
    assert _row("kuka", (), (1.0,)).ratio is None


def test_a_module_that_fails_is_reported_with_its_last_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = main(["--modules", "pybullet", "no_such_module", "--only", "getAABB", "--quick"])
    assert status == 1
    assert "No module named 'no_such_module'" in capsys.readouterr().out


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "no_such_work"]) == 2
    assert "no work is called no_such_work" in capsys.readouterr().err


def test_only_a_complete_run_writes_the_page_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "PAGE", tmp_path / "docs" / "performance.md")
    monkeypatch.setattr(run, "compare", lambda work, *_: _row(work.name, (1.0,), (2.0,)))
    for partial in (["--quick"], ["--only", "kuka"], ["--no-write"]):
        assert main(partial) == 0
        assert not run.PAGE.exists()
    assert main([]) == 0
    assert all(work.title in run.PAGE.read_text("utf-8") for work in WORKS.values())


def test_the_page_names_the_machine_the_spread_and_what_failed() -> None:
    rows = [
        _row("kuka", (90.0, 100.0, 120.0), (200.0, 200.0, 200.0)),
        Row(WORKS["r2d2"], (1234.0,), (), 15, None, "ValueError: no"),
    ]
    page = performance_page(rows, ("pybullet", "unibody.bullet"), reps=3, seconds=1.0)
    assert "| 100 steps/s ±20 % | 200 steps/s ±0 % | 2.00x |  |" in page
    assert "| 1 234 steps/s | failed: ValueError: no | - | 15 / - |" in page
    assert report._processor() in page
    assert "mujoco 3." in page
    assert row_text(rows[1]).endswith("contacts 15 / -  ValueError: no")
