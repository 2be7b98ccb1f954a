"""Built-in plugins next to PyBullet's, and plugins in Python."""

from __future__ import annotations

import importlib.metadata
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pybullet_data
import pytest

import unibody.bullet as p
from tests.bullet.paired import both
from unibody.bullet.plugins import files as plugin_files
from unibody.bullet.plugins import loading as plugins
from unibody.errors import InvalidArgumentError

DATA = Path(pybullet_data.getDataPath())
ADD, REMOVE, ZIP, POSIX = p.AddFileIOAction, p.RemoveFileIOAction, p.ZipFileIO, p.PosixFileIO


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    yield number
    if p.isConnected(number):
        p.disconnect(number)


@pytest.fixture
def archive(tmp_path: Path) -> str:
    path = tmp_path / "models.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.write(DATA / "plane.urdf", "flat/plane_in_zip.urdf")
        file.write(DATA / "plane100.obj", "flat/plane100.obj")
        file.write(DATA / "plane.mtl", "flat/plane.mtl")
        file.write(DATA / "checker_blue.png", "flat/checker_blue.png")
    return str(path)


def unpacked(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("unibody-zip-*")]


def test_the_built_in_plugins_have_pybullets_ids(capfd: pytest.CaptureFixture[str]) -> None:
    names = ["fileIOPlugin", "pdControlPlugin", "collisionFilterPlugin", "tinyRendererPlugin",
             "nonsense", "/nowhere/plugin.so", "fileIOPlugin"]  # fmt: skip

    def play(side: Any) -> list[int]:
        return [side.loadPlugin(name) for name in names]

    theirs, ours = both(play)
    assert ours == theirs == [3, 0, 1, 2, -1, -1, 3]


def test_commands_return_what_pybullets_plugins_return(tmp_path: Path, archive: str) -> None:
    def play(side: Any) -> list[Any]:
        files, pd, pairs = (
            side.loadPlugin(f"{name}Plugin") for name in ("fileIO", "pdControl", "collisionFilter")
        )
        seen = [
            side.executePluginCommand(files, archive, [ADD, ZIP]),
            side.executePluginCommand(files, archive, [ADD, ZIP]),
            side.executePluginCommand(files, str(tmp_path), [ADD, POSIX]),
            side.executePluginCommand(files, archive, [REMOVE, 1]),
            side.executePluginCommand(files, str(DATA), [ADD, POSIX]),
            side.executePluginCommand(files, archive, [2]),
            side.executePluginCommand(files, archive),
            side.executePluginCommand(files, archive, [ADD, p.CNSFileIO]),
            side.executePluginCommand(files, archive, [77, ZIP]),
            side.executePluginCommand(pairs, "", [1, 2]),
            side.executePluginCommand(pd, "", [1, 0]),
            side.executePluginCommand(pd, "", [1, 0, 0], [1, 2]),
            side.executePluginCommand(17, "", [1]),
        ]
        seen += [side.unloadPlugin(files), side.unloadPlugin(files), side.unloadPlugin(55)]
        return [*seen, side.executePluginCommand(files, archive, [ADD, ZIP])]

    theirs, ours = both(play)
    assert ours == theirs


def test_models_are_loaded_out_of_an_archive_as_in_pybullet(archive: str) -> None:
    def play(side: Any) -> list[Any]:
        plugin = side.loadPlugin("fileIOPlugin")
        side.executePluginCommand(plugin, archive, [ADD, ZIP])
        body = side.loadURDF("flat/plane_in_zip.urdf")
        seen = [side.getBodyInfo(body), len(side.getVisualShapeData(body))]
        side.unloadPlugin(plugin)
        with pytest.raises(side.error):
            side.loadURDF("flat/plane_in_zip.urdf")
        return seen

    theirs, ours = both(play)
    assert ours == theirs


def test_an_archive_inside_an_archive_can_be_added(client: int, archive: str) -> None:
    outer = str(Path(archive).with_name("outer.zip"))
    with zipfile.ZipFile(outer, "w") as file:
        file.write(archive, "inner.zip")
    plugin = p.loadPlugin("fileIOPlugin", physicsClientId=client)
    for name in (outer, "inner.zip"):
        assert p.executePluginCommand(plugin, name, [ADD, ZIP], physicsClientId=client) > 0
    p.setAdditionalSearchPath("/nowhere", client)  # is added to, not put in the place of
    assert p.loadURDF("flat/plane_in_zip.urdf", physicsClientId=client) == 0


def test_what_was_unpacked_goes_with_the_client(
    client: int, archive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    plugin = p.loadPlugin("fileIOPlugin", physicsClientId=client)
    p.executePluginCommand(plugin, archive, [ADD, ZIP], physicsClientId=client)
    assert len(unpacked(tmp_path)) == 1
    p.disconnect(client)
    assert unpacked(tmp_path) == []


@pytest.mark.parametrize("name", ["../outside.txt", "/outside.txt", "..\\outside.txt", "a/../../b"])
def test_an_archive_that_leads_outside_is_refused(
    client: int, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = str(tmp_path / "bad.zip")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(name, "x")
    plugin = p.loadPlugin("fileIOPlugin", physicsClientId=client)
    with pytest.raises(p.error, match="leads out of the archive"):
        p.executePluginCommand(plugin, path, [ADD, ZIP], physicsClientId=client)
    assert sorted(os.listdir(tmp_path)) == ["bad.zip"]


def test_a_link_in_an_archive_is_refused(client: int, tmp_path: Path) -> None:
    path = str(tmp_path / "bad.zip")
    with zipfile.ZipFile(path, "w") as file:
        entry = zipfile.ZipInfo("link")
        entry.external_attr = 0o120777 << 16
        file.writestr(entry, "/etc/passwd")
    with pytest.raises(p.error, match="leads out of the archive"):
        plugin_files.unpack(path, tmp_path / "out")


def test_an_archive_that_is_larger_than_it_says_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_files, "MAX_BYTES", 1000)
    monkeypatch.setattr(plugin_files, "MAX_FILES", 3)
    bomb, many = str(tmp_path / "bomb.zip"), str(tmp_path / "many.zip")
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", b"0" * 600)
        file.writestr("b", b"0" * 600)
    with zipfile.ZipFile(many, "w") as file:
        for number in range(4):
            file.writestr(str(number), "")
    with pytest.raises(p.error, match="more than 1000 bytes"):
        plugin_files.unpack(bomb, tmp_path / "out")
    with pytest.raises(p.error, match="4 files are not allowed: at most 3"):
        plugin_files.unpack(many, tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nonsense", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_archive_is_refused(client: int, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(content)
    plugin = p.loadPlugin("fileIOPlugin", physicsClientId=client)
    with pytest.raises(p.error, match="no archive that can be read"):
        p.executePluginCommand(plugin, str(path), [ADD, ZIP], physicsClientId=client)
    with pytest.raises(p.error, match="there is no file"):
        p.executePluginCommand(plugin, "nowhere.zip", [ADD, ZIP], physicsClientId=client)
    with pytest.raises(p.error, match="is no folder"):
        p.executePluginCommand(plugin, str(path), [ADD, POSIX], physicsClientId=client)


def test_a_joint_is_controlled_through_the_plugin_as_through_the_function(client: int) -> None:
    def angle(drive: Any) -> float:
        p.resetSimulation(client)
        arm = p.loadURDF(str(DATA / "kuka_iiwa/model.urdf"), physicsClientId=client)
        p.setJointMotorControl2(arm, 3, p.VELOCITY_CONTROL, force=0, physicsClientId=client)
        drive(arm)
        for _ in range(60):
            p.stepSimulation(client)
        return p.getJointState(arm, 3, client)[0]

    pd = p.loadPlugin("pdControlPlugin", physicsClientId=client)

    def through_plugin(arm: int) -> None:
        command = [1, arm, 3], [0.5, 0.0, 20.0, 200.0, 80.0]
        assert p.executePluginCommand(pd, "", *command, physicsClientId=client) == 42

    def through_function(arm: int) -> None:
        p.setJointMotorControl2(
            arm, 3, p.PD_CONTROL, 0.5, 0.0, force=80.0, positionGain=200.0, velocityGain=20.0,
            physicsClientId=client,
        )  # fmt: skip

    def not_any_more(arm: int) -> None:
        through_plugin(arm)
        p.executePluginCommand(pd, "", [2, arm, 3], physicsClientId=client)

    free = angle(lambda _: None)
    assert angle(through_plugin) == angle(through_function) != free
    assert angle(not_any_more) == free


def test_pybullets_egl_renderer_is_accepted_by_name_and_by_file(client: int) -> None:
    by_name = p.loadPlugin("eglRendererPlugin", physicsClientId=client)
    by_file = p.loadPlugin("/x/eglRenderer.cpython-311.so", "_eglRendererPlugin", client)
    assert by_name == by_file >= 0
    p.unloadPlugin(by_name, client)


def test_a_library_for_another_engine_is_not_loaded_and_that_is_said(
    client: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert p.loadPlugin("/lib/libm.so.6", physicsClientId=client) == -1
    assert "a library for Bullet's engine" in capsys.readouterr().err


class Meter(plugins.Plugin):
    """Counts steps and answers."""

    log: list[Any]

    def __init__(self, client_id: int) -> None:
        super().__init__(client_id)
        self.log = Meter.log = []

    def execute(self, text: str, ints: tuple[int, ...], floats: tuple[float, ...]) -> Any:
        if text == "bytes":
            return 7, b"\x01\x02"
        if text == "fail":
            raise p.error("as asked")
        return len(text) + sum(ints) + int(sum(floats))

    def before_step(self, time_step: float) -> None:
        self.log.append(("before", time_step))

    def after_step(self, time_step: float) -> None:
        self.log.append(("after", p.getNumBodies(self.client_id)))

    def close(self) -> None:
        self.log.append("closed")


def test_a_plugin_in_python_takes_part_in_steps_and_answers(client: int) -> None:
    plugins.register("meter", Meter)
    meter = p.loadPlugin("meter", physicsClientId=client)
    assert meter == p.loadPlugin("meter", physicsClientId=client) >= 5
    assert p.executePluginCommand(meter, "ab", [3, 4], [1.5], client) == 10
    assert p.executePluginCommand(meter, "bytes", physicsClientId=client) == (7, 1, (1, 2))
    with pytest.raises(p.error, match="as asked"):
        p.executePluginCommand(meter, "fail", physicsClientId=client)
    p.setPhysicsEngineParameter(numSubSteps=2, fixedTimeStep=0.01, physicsClientId=client)
    p.stepSimulation(client)
    assert Meter.log == [("before", 0.005), ("after", 0)] * 2
    p.unloadPlugin(meter, client)
    p.stepSimulation(client)
    assert Meter.log[4:] == ["closed"]
    assert p.executePluginCommand(meter, "ab", physicsClientId=client) == -1


def test_a_client_that_leaves_ends_its_plugins(client: int) -> None:
    plugins.register("meter", Meter)
    p.loadPlugin("meter", physicsClientId=client)
    p.disconnect(client)
    assert Meter.log == ["closed"]


def test_an_installed_package_can_bring_a_plugin(
    client: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = importlib.metadata.EntryPoint(
        "installed", f"{Meter.__module__}:Meter", plugins.ENTRY_POINTS
    )
    asked: list[Any] = []

    def entry_points(**which: str) -> list[Any]:
        asked.append(which)
        return [entry] if which["name"] == "installed" else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    monkeypatch.setattr(type(entry), "load", lambda _: Meter)
    assert p.loadPlugin("installed", physicsClientId=client) >= 5
    assert asked == [{"group": "unibody.bullet.plugins", "name": "installed"}]


@pytest.mark.parametrize("name", ["", "fileIOPlugin"])
def test_a_name_that_is_taken_cannot_be_registered(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="a name that no built-in plugin has"):
        plugins.register(name, Meter)
