"""The originals' names in an environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody import extras
from unibody.cli import alias, main
from unibody.cli.alias import AliasError, install, remove
from unibody.cli.alias_stubs import stubs

SCRIPT = """
import importlib.metadata, pybullet, unibody.bullet, pybullet_utils.bullet_client, pybullet_data
from pybullet_utils import bullet_client
assert pybullet is unibody.bullet
client = bullet_client.BulletClient(pybullet.DIRECT)
client.setAdditionalSearchPath(pybullet_data.getDataPath())
client.loadURDF("plane.urdf")
assert client.getNumBodies() == 1
print(importlib.metadata.version("pybullet"))
"""


def run(folder: Path, program: str = SCRIPT) -> str:
    """What a program prints that finds the packages of a folder first."""
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    result = run_python(["-c", program], environment={"PYTHONPATH": f"{path}:{sources()}"})
    assert result.returncode == 0, result.stderr
    return result.stdout


def sources() -> str:
    import unibody

    return str(Path(unibody.__file__).parents[1])


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_programs_find_unibody_under_the_originals_names(tmp_path: Path) -> None:
    assert main(["alias", "install", "--into", str(tmp_path)]) == 0
    assert run(tmp_path) == "3.2.7\n"


def test_what_is_installed_can_be_taken_away_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__init__.py").write_text("", "utf-8")
    before = contents(tmp_path)
    install(tmp_path)
    run(tmp_path)  # leaves compiled files behind
    assert contents(tmp_path) != before
    assert main(["alias", "remove", "--into", str(tmp_path)]) == 0
    assert contents(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]


def test_installing_twice_is_installing_once(tmp_path: Path) -> None:
    install(tmp_path)
    once = contents(tmp_path)
    install(tmp_path)
    assert contents(tmp_path) == once


def test_pip_knows_every_file(tmp_path: Path) -> None:
    install(tmp_path)
    listed = {
        line.split(",")[0]
        for record in tmp_path.glob("*.dist-info/RECORD")
        for line in record.read_text("utf-8").splitlines()
    }
    assert listed == set(contents(tmp_path))


def test_only_what_this_version_has_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(alias.ALIASES, "newton", "unibody.no_such_surface")
    lines = install(tmp_path)
    assert not (tmp_path / "newton").exists()
    assert lines[0] == "pybullet 3.2.7: pybullet, pybullet_data, pybullet_utils"
    for info in tmp_path.glob("*.dist-info"):
        for module in (info / "RECORD").read_text("utf-8").split():
            assert "newton" not in module


def test_nothing_to_remove_is_said(tmp_path: Path) -> None:
    assert remove(tmp_path) == ["there was nothing to remove"]


def original(folder: Path) -> None:
    """Something like an installed PyBullet."""
    (folder / "pybullet.py").write_text("import pybullet_utils\noriginal = True\n", "utf-8")
    (folder / "pybullet_utils").mkdir()
    (folder / "pybullet_utils" / "__init__.py").write_text("", "utf-8")
    (folder / "pybullet_utils" / "bullet_client.py").write_text("original = True\n", "utf-8")
    info = folder / "pybullet-3.2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pybullet\nVersion: 3.2.5\n")


def test_an_original_is_not_pushed_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(AliasError, match=r"pybullet: the original is installed.*--force"):
        install(tmp_path)
    assert main(["alias", "install", "--into", str(tmp_path)]) == 1
    assert "pip uninstall pybullet" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_a_module_alone_counts_as_an_original(tmp_path: Path) -> None:
    (tmp_path / "pybullet.cpython-311-x86_64-linux-gnu.so").write_bytes(b"")
    with pytest.raises(AliasError, match="pybullet: the original is installed"):
        install(tmp_path)


def test_with_force_imports_go_past_an_original_that_stays(tmp_path: Path) -> None:
    original(tmp_path)
    before = contents(tmp_path)
    install(tmp_path, force=True)
    program = f"""
import site
site.addsitedir({str(tmp_path)!r})
import pybullet, unibody.bullet
from pybullet_utils import bullet_client
assert pybullet is unibody.bullet
assert bullet_client.BulletClient
print(pybullet.__name__)
"""
    assert run(tmp_path, program) == "unibody.bullet\n"
    remove(tmp_path)
    left = {name: text for name, text in contents(tmp_path).items() if "__pycache__" not in name}
    assert left == before


def test_a_record_that_points_outside_takes_nothing_away(tmp_path: Path) -> None:
    outside = tmp_path / "precious.txt"
    outside.write_text("here", "utf-8")
    folder = tmp_path / "site"
    info = folder / "x-1.dist-info"
    info.mkdir(parents=True)
    (info / "INSTALLER").write_text("unibody alias\n", "utf-8")
    (info / "RECORD").write_text("../precious.txt,,\n", "utf-8")
    remove(folder)
    assert outside.read_text("utf-8") == "here"


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert main(["alias", "install", "--into", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []


def test_modules_of_an_alias_are_ours_and_not_copies(tmp_path: Path) -> None:
    install(tmp_path)
    text = (
        "import isaacgym.gymapi, unibody.isaacgym.gymapi\n"
        "import pybullet_fleet.agent, unibody.fleet.agents.agent\n"
        "print(isaacgym.gymapi is unibody.isaacgym.gymapi,\n"
        "    pybullet_fleet.agent.Agent is unibody.fleet.agents.agent.Agent)\n"
    )
    assert run(tmp_path, text) == "True True\n"


def test_an_original_whose_packages_are_missing_is_left_out_and_the_others_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_warp(package: str) -> dict[str, str]:
        if package == "newton":
            raise ModuleNotFoundError("No module named 'warp'", name="warp")
        return stubs(package)

    monkeypatch.setattr(alias, "stubs", without_warp)
    done = install(tmp_path)
    assert f"newton is left out: {extras.advice('warp')}" in done
    assert not (tmp_path / "newton").exists()
    assert run(tmp_path) == "3.2.7\n"


def test_what_fails_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(package: str) -> dict[str, str]:
        raise ModuleNotFoundError("No module named 'ours'", name="ours")

    monkeypatch.setattr(alias, "stubs", broken)
    with pytest.raises(ModuleNotFoundError):
        install(tmp_path)
    assert list(tmp_path.iterdir()) == []
