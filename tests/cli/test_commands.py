"""The other commands: doctor, bench, version and help."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import unibody
from tests.support.process import ROOT, run_python
from unibody import extras
from unibody.cli import COMMANDS, bench, doctor, main


def test_doctor_reports_versions_surfaces_and_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = doctor.Part("no-such-thing", "no_such_thing_at_all", "gpu", "tests")
    monkeypatch.setattr(doctor, "PARTS", (*doctor.PARTS, absent))
    assert doctor.main() == 0
    text = capsys.readouterr().out
    assert f"unibody           {unibody.__version__}" in text
    assert "mujoco            3." in text
    assert "unibody.newton" in text
    assert "no-such-thing" in text
    assert f"tests: {extras.install_command('gpu')}" in text


def test_doctor_fails_when_a_part_that_is_always_needed_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = doctor.Part("no-such-thing", "no_such_thing_at_all", "", "tests")
    monkeypatch.setattr(doctor, "PARTS", (*doctor.PARTS, absent))
    assert doctor.main() == 1
    assert 'pip install "no-such-thing"' in capsys.readouterr().out


def test_doctor_says_what_a_surface_needs_that_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = {"newton": ("newton", {"no_such_thing_at_all": "no-such-thing"})}
    monkeypatch.setattr(doctor, "NEEDED", needed)
    doctor.main()
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert lines["unibody.newton"].endswith(
        f"needs no-such-thing: {extras.install_command('newton')}"
    )
    assert lines["unibody.bullet"].endswith("available")


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


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        ("vieww", "view"),
        ("doktor", "doctor"),
        ("run --max-stepz 3 script.py", "--max-steps"),
        ("fleet runn x.yaml", "run"),
        ("fleet run x.yaml --durationn=3", "--duration"),
        ("alias instal", "install"),
        ("serve --tcp localhost:1 --realtime", "--real-time"),
        ("convert a.urdf b.xml --serch x", "--search"),
        ("view a.urdf --browsr", "--browser"),
    ],
)
def test_a_word_that_is_not_known_gets_the_nearest_one(
    words: str, nearest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words.split())
    assert end.value.code == 2
    assert f"did you mean {nearest}?" in capsys.readouterr().err


def test_a_command_of_several_lists_them_where_none_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["fleet"])
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert all(name in told for name in ("batch", "replay", "examples"))
    assert told.splitlines()[-1].endswith("the following arguments are required: COMMAND")


@pytest.mark.parametrize(("command", "extra"), [("train", "train"), ("doctor", "isaacgym")])
def test_a_missing_package_is_told_with_the_extra_that_the_command_needs(
    command: str,
    extra: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends(_: Sequence[str]) -> int:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(f"unibody.cli.{command}.main", ends)
    assert main([command]) == 2
    assert f"torch is not installed: {extras.install_command(extra)}" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="pipes end in another way")
def test_a_command_whose_reader_has_enough_ends_without_a_traceback() -> None:
    program = f"{sys.executable} -m unibody doctor | :"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ended = subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, check=False, env=environment
    )
    assert ended.stderr == ""


def test_a_word_that_is_like_none_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"bench"}))
def test_every_command_has_a_help_of_its_own(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([command, "--help"], ["help", command]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0
        text = capsys.readouterr().out
        assert text.startswith(f"usage: unibody {command}")
        assert "COMMAND --help" not in text


def test_every_extra_that_a_message_names_brings_the_package() -> None:
    import tomllib

    root = Path(__file__).resolve().parents[2]
    wanted = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    distributions = {
        "mujoco_warp": "mujoco-warp", "warp": "warp-lang",
        "newton_usd_schemas": "newton-usd-schemas",
        "pxr": "usd-core", "isaacsim": "usd-core", "omni": "usd-core",
        "zmq": "pyzmq", "rsl_rl": "rsl-rl-lib",
        "stable_baselines3": "stable-baselines3",
    }  # fmt: skip
    for module, extra in extras.EXTRAS.items():
        lines = wanted["optional-dependencies"][extra]
        assert any(line.startswith(distributions.get(module, module)) for line in lines), module


def test_a_script_without_a_package_it_needs_ends_with_the_line_that_installs_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    (tmp_path / "script.py").write_text("from isaacgym.torch_utils import quat_mul\n")
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(unibody.__file__).parents[1]}"}
    ran = subprocess.run(
        [sys.executable, "-m", "unibody", "run", "script.py"],
        cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    last = ran.stderr.strip().splitlines()[-1]
    line = extras.install_command("isaacgym")
    assert last == f"unibody run: torch is not installed: {line}"
    assert "torch_utils.py" not in ran.stderr  # where we asked for it is nobody's business


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ({}, 'pip install "unibody[viewer]"'),
        ({"url": "file:///a%20b/unibody", "dir_info": {}}, 'pip install "/a b/unibody[viewer]"'),
        (
            {"url": "file:///src/unibody", "dir_info": {"editable": True}},
            'pip install -e "/src/unibody[viewer]"',
        ),
        (
            {
                "url": "https://host/unibody.git",
                "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "0" * 40},
            },
            'pip install "unibody[viewer] @ git+https://host/unibody.git@v1"',
        ),
        (
            {"url": "file:///tmp/unibody-0.1-py3-none-any.whl", "archive_info": {}},
            'pip install "unibody[viewer] @ file:///tmp/unibody-0.1-py3-none-any.whl"',
        ),
    ],
    ids=["index", "folder", "editable", "repository", "wheel"],
)
def test_extras_are_added_from_where_unibody_was_installed(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, object], expected: str
) -> None:
    monkeypatch.setattr(extras, "_direct_url", lambda: origin)
    assert extras.install_command("viewer") == expected


def test_a_command_without_a_package_it_needs_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from unibody.cli import convert

    def lacks(_argv: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'pxr'", name="pxr")

    monkeypatch.setattr(convert, "main", lacks)
    assert main(["convert", "a.usd", "b.urdf"]) == 2
    assert capsys.readouterr().err == (
        f"unibody convert: pxr is not installed: {extras.install_command('isaac-core')}\n"
    )


def test_a_module_that_an_installed_package_lacks_is_not_told_as_a_missing_package(
    tmp_path: Path,
) -> None:
    (tmp_path / "warp").mkdir()
    (tmp_path / "warp" / "__init__.py").write_text("")
    (tmp_path / "script.py").write_text("from warp.no_such_module import to_torch\n")
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(unibody.__file__).parents[1]}"}
    ran = subprocess.run(
        [sys.executable, "-m", "unibody", "run", "script.py"],
        cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "No module named 'warp.no_such_module'" in ran.stderr
    assert "is not installed" not in ran.stderr


def test_a_sweep_without_ray_says_in_one_line_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["sweep", "script.py"]) == 2
    line = f"unibody sweep: ray is not installed: {extras.install_command('scale')}\n"
    assert capsys.readouterr().err == line


def test_a_sweep_that_cannot_begin_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("ray")
    monkeypatch.chdir(tmp_path)
    for words, why in (
        (["script.py"], "script.py"),
        (["script.py", "--seeds", "0"], "--seeds=0 is not allowed"),
        (["script.py", "--set", "height"], "expected NAME=A,B,C"),
    ):
        assert main(["sweep", *words]) == 2
        assert why in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
