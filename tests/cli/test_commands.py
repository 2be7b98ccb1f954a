"""The other commands: doctor, bench, version and help."""

from __future__ import annotations

from pathlib import Path

import pytest

import unibody
from tests.support.process import run_python
from unibody.cli import bench, doctor, main


def test_doctor_reports_versions_surfaces_and_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = doctor.Part("no-such-thing", "no_such_thing_at_all", "gpu", "tests")
    monkeypatch.setattr(doctor, "PARTS", (*doctor.PARTS, absent))
    assert doctor.main() == 0
    text = capsys.readouterr().out
    assert f"unibody      {unibody.__version__}" in text
    assert "mujoco       3." in text
    assert "unibody.newton" in text
    assert "no-such-thing" in text
    assert "pip install 'unibody[gpu]'" in text


def test_doctor_fails_when_a_part_that_is_always_needed_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = doctor.Part("no-such-thing", "no_such_thing_at_all", "", "tests")
    monkeypatch.setattr(doctor, "PARTS", (*doctor.PARTS, absent))
    assert doctor.main() == 1
    assert "pip install 'no-such-thing'" in capsys.readouterr().out


def test_doctor_fails_when_the_engine_is_not_as_expected(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from unibody.core.engine.library import layout
    from unibody.errors import EngineError

    def broken() -> str:
        raise EngineError("offsets differ")

    monkeypatch.setattr(layout, "compare_offsets", broken)
    assert doctor.main() == 1
    assert "FAULT: offsets differ" in capsys.readouterr().out


def test_the_extras_doctor_names_exist() -> None:
    import tomllib

    root = Path(__file__).resolve().parents[2]
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    for part in doctor.PARTS:
        wanted = (
            extras["optional-dependencies"][part.extra] if part.extra else extras["dependencies"]
        )
        assert any(line.startswith(part.distribution) for line in wanted), part


def test_bench_without_a_checkout_says_where_the_benchmarks_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main([], checkout=tmp_path) == 2
    assert "make bench" in capsys.readouterr().err


def test_bench_runs_the_benchmarks_of_a_checkout_with_their_arguments(tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    program = "import sys, pathlib; pathlib.Path('seen').write_text(' '.join(sys.argv[1:]))\n"
    (tmp_path / "benchmarks" / "__main__.py").write_text(program + "sys.exit(7)\n")
    assert bench.main(["--only", "kuka"], checkout=tmp_path) == 7
    assert (tmp_path / "seen").read_text() == "--only kuka"


def test_version_and_help_are_printed() -> None:
    assert run_python(["-m", "unibody", "--version"]).stdout == f"unibody {unibody.__version__}\n"
    text = run_python(["-m", "unibody", "--help"]).stdout
    assert all(command in text for command in ("unibody run", "unibody doctor", "unibody bench"))
    assert "--max-steps" in run_python(["-m", "unibody", "run", "--help"]).stdout


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["fly"])
    assert end.value.code == 2
    assert "fly" in capsys.readouterr().err
