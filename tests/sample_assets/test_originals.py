"""The models of `pybullet_data`, fetched without PyBullet, and robots by name."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

import unibody.bullet as p
from unibody import sample_assets
from unibody.bullet.clients import client
from unibody.cli import main
from unibody.errors import AssetError
from unibody.sample_assets import names, originals

PANDA = "franka_panda/panda.urdf"
LINK = '<robot name="a"><link name="base"/></robot>'


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither PyBullet's models nor fetched ones."""
    monkeypatch.setenv(originals.FOLDER, str(tmp_path / "data"))
    monkeypatch.setattr(originals, "installed", lambda: None)
    monkeypatch.setattr(client, "_search_folders", [])  # they are of the process, as in PyBullet
    return tmp_path / "data"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pip that gives a wheel like PyBullet's."""

    def download(command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        folder = Path(command[command.index("-d") + 1])
        with zipfile.ZipFile(folder / "pybullet.whl", "w") as wheel:
            wheel.writestr("pybullet.so", "code")
            wheel.writestr("pybullet_data/__init__.py", "code")
            wheel.writestr(f"pybullet_data/{PANDA}", LINK)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", download)


@pytest.mark.usefixtures("index")
def test_installing_data_takes_the_models_out_of_the_wheel_and_no_code(nothing_here: Path) -> None:
    assert main(["data", "install"]) == 0
    files = [path for path in nothing_here.rglob("*") if path.is_file()]
    assert files == [nothing_here / "pybullet_data" / PANDA]
    assert sample_assets.getDataPath() == str(nothing_here / "pybullet_data")
    assert names.file_of("panda") == str(nothing_here / "pybullet_data" / PANDA)
    assert main(["data", "remove"]) == 0
    assert sample_assets.getDataPath() == sample_assets.stand_ins()


@pytest.mark.usefixtures("nothing_here")
def test_data_that_cannot_be_fetched_leave_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(subprocess, "run", lambda *_command, **_options: failed)
    assert main(["data", "install"]) == 1
    assert "pip did not get" in capsys.readouterr().err


@pytest.mark.usefixtures("nothing_here")
def test_an_environment_without_pip_uses_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pip" else found(name)
    )
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    assert originals._pip() == ["/bin/pip3"]
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(originals.DownloadError, match="ensurepip"):
        originals._pip()


def test_the_list_says_what_is_where_and_what_to_do(
    nothing_here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data"]) == 0
    text = capsys.readouterr().out
    assert sample_assets.stand_ins() in text
    assert "unibody data install" in text
    (nothing_here / "pybullet_data" / "franka_panda").mkdir(parents=True)
    (nothing_here / "pybullet_data" / PANDA).write_text(LINK)
    assert main(["data"]) == 0
    text = capsys.readouterr().out
    assert str(nothing_here / "pybullet_data") in text
    assert "panda" in text


@pytest.mark.usefixtures("nothing_here")
def test_every_stand_in_that_is_loaded_gets_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sample_assets, "_told", set())
    folder = Path(sample_assets.stand_ins())
    for name in ("plane.urdf", "kuka_iiwa/model.urdf", "plane.urdf"):
        sample_assets.tell_of_stand_in(str(folder / name))
    sample_assets.tell_of_stand_in("/somewhere/else.urdf")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "kuka_iiwa" in lines[1]
    assert all("unibody data install" in line for line in lines)


@pytest.mark.usefixtures("nothing_here")
@pytest.mark.parametrize("load", ["loadURDF", "loadSDF", "loadMJCF"])
def test_a_model_of_pybullet_that_is_missing_gets_a_hint(load: str) -> None:
    number = p.connect(p.DIRECT)
    name = {"loadURDF": PANDA, "loadSDF": "stadium.sdf", "loadMJCF": "mjcf/ant.xml"}[load]
    try:
        with pytest.raises(p.error, match=r"no such file.*unibody data install"):
            getattr(p, load)(name)
        with pytest.raises(p.error) as plain:
            getattr(p, load)("my_robot.urdf")
    finally:
        p.disconnect(number)
    assert "unibody data install" not in str(plain.value)
    assert "no search path is set: setAdditionalSearchPath(" in str(plain.value)


@pytest.mark.usefixtures("nothing_here")
def test_a_missing_model_names_the_folders_that_were_searched(tmp_path: Path) -> None:
    number = p.connect(p.DIRECT)
    p.setAdditionalSearchPath(str(tmp_path))
    try:
        with pytest.raises(p.error) as plain:
            p.loadURDF("my_robot.urdf")
    finally:
        p.disconnect(number)
    assert str(plain.value).endswith(f"no such file, nor below the search path {tmp_path}")


@pytest.mark.usefixtures("nothing_here")
def test_a_stand_in_that_is_not_on_the_search_path_gets_the_line_that_finds_it() -> None:
    assert originals.hint("plane.urdf").endswith(
        "setAdditionalSearchPath(pybullet_data.getDataPath()) makes it found"
    )
    shown = originals.hint("cube.urdf", "unibody view").rpartition("unibody view ")[2]
    assert Path(shown).is_file()


def test_a_model_that_is_there_but_not_on_the_search_path_gets_a_hint(nothing_here: Path) -> None:
    (nothing_here / "pybullet_data" / "franka_panda").mkdir(parents=True)
    (nothing_here / "pybullet_data" / PANDA).write_text(LINK)
    assert "setAdditionalSearchPath" in originals.hint(PANDA)


@pytest.mark.usefixtures("nothing_here")
def test_a_robot_can_be_loaded_by_its_name() -> None:
    number = p.connect(p.DIRECT)
    try:
        assert p.getNumJoints(p.loadURDF("kuka_iiwa")) == 7
        with pytest.raises(p.error, match="unibody data install"):
            p.loadURDF("panda")
    finally:
        p.disconnect(number)


@pytest.mark.usefixtures("nothing_here")
def test_a_name_that_is_none_gets_the_nearest_one() -> None:
    with pytest.raises(AssetError, match="did you mean laikago"):
        names.file_of("laikgo")
    assert names.file_of("folder/robot.urdf") == "folder/robot.urdf"


def test_robots_of_robot_descriptions_are_found_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").touch()
    (tmp_path / "robot.urdf").write_text(LINK)
    path = str(tmp_path / "robot.urdf")
    (package / "walker_description.py").write_text(f"URDF_PATH = {path!r}\n")
    (package / "lost_description.py").write_text("raise OSError('no network')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert names.file_of("walker") == path
    assert names.described() == ["lost", "walker"]
    with pytest.raises(AssetError, match="cannot fetch it: no network"):
        names.file_of("lost")
