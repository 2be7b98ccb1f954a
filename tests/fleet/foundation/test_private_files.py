"""What is made from files of models lies where nobody else could have put something."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import types
from pathlib import Path

import pytest

from unibody.fleet.foundation import private_files
from unibody.fleet.models import ros_models, sdf_text
from unibody.fleet.monitoring import data_monitor

URDF = '<robot name="r"><link name="l"><!-- package://robots/mesh.stl --></link></robot>'
PLANTED = "planted"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A ROS package with a model."""
    folder = tmp_path / "robots"
    folder.mkdir()
    (folder / "r.urdf").write_text(URDF)
    (folder / "mesh.obj").write_text("mtllib a.mtl\nv 0 0 0\n")
    packages = types.ModuleType("ament_index_python.packages")
    packages.get_package_share_directory = lambda name: str(folder)
    monkeypatch.setitem(sys.modules, "ament_index_python", types.ModuleType("ament_index_python"))
    monkeypatch.setitem(sys.modules, "ament_index_python.packages", packages)
    return folder


def makers(package):
    return (
        lambda: ros_models.resolve_ros("r", "robots/r.urdf", "", ""),
        lambda: sdf_text.without_materials(str(package / "mesh.obj")),
    )


def open_to_all(folder, elsewhere):
    folder.mkdir()
    folder.chmod(0o777)


def linked(folder, elsewhere):
    elsewhere.mkdir()
    elsewhere.chmod(0o700)
    folder.symlink_to(elsewhere)


def a_file(folder, elsewhere):
    folder.write_text("")


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("plant", [open_to_all, linked, a_file])
def test_a_folder_that_others_can_write_to_is_not_used(temporary, package, plant, number):
    make = makers(package)[number]
    place = Path(make())
    assert place.parent.parent == temporary
    for file in place.parent.iterdir():
        file.unlink()
    place.parent.rmdir()
    private_files._private_folder.cache_clear()
    plant(place.parent, temporary / "elsewhere")
    if place.parent.is_dir():
        place.write_text(PLANTED)
        later = package.stat().st_mtime + 1e6
        os.utime(place, (later, later))
    made = Path(make())
    assert made.parent != place.parent
    assert made.read_text() != PLANTED
    found = made.parent.lstat()
    assert stat.S_ISDIR(found.st_mode)
    assert found.st_uid == os.getuid()
    assert not found.st_mode & 0o077


def test_a_folder_of_the_user_alone_is_used_again(temporary, package):
    make = makers(package)[0]
    first = make()
    private_files._private_folder.cache_clear()
    assert make() == first
    assert str(package / "mesh.stl") in Path(first).read_text()


def test_figures_of_a_run_are_not_written_through_a_link(temporary):
    victim = temporary / "victim"
    victim.write_text("mine")
    monitor = data_monitor.DataMonitor(enable_gui=False)
    Path(monitor.data_file).symlink_to(victim)
    Path(f"{monitor.data_file}.{os.getpid()}.tmp").symlink_to(victim)
    monitor.write_data({"steps": 3})
    assert victim.read_text() == "mine"
    assert '"steps": 3' in Path(monitor.data_file).read_text()
