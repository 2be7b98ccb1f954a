"""Finding the files a description refers to, and refusing those it may not reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unibody.core.assets.paths import SearchPath, strip_scheme
from unibody.errors import AssetError


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory next to ``deep/ws/src/pkg/urdf/robot.urdf``."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    _touch(tmp_path / "deep/ws/src/pkg/urdf/robot.urdf")
    return tmp_path / "deep/ws/src"


@pytest.mark.parametrize(
    ("reference", "plain"),
    [
        ("package://pkg/a.stl", "pkg/a.stl"),
        ("model://pkg/a.stl", "pkg/a.stl"),
        ("file:///abs/a.stl", "/abs/a.stl"),
        ("a.stl", "a.stl"),
    ],
)
def test_schemes_are_removed(reference: str, plain: str) -> None:
    assert strip_scheme(reference) == plain


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("a.stl", "pkg/urdf/a.stl"),
        ("meshes/a.stl", "pkg/meshes/a.stl"),
        ("package://pkg/meshes/a.stl", "pkg/meshes/a.stl"),
        ("package://other/a.stl", "other/a.stl"),
        ("model://pkg/a.stl", "pkg/a.stl"),
        ("../meshes/a.stl", "pkg/meshes/a.stl"),
        ("..\\meshes\\a.stl", "pkg/meshes/a.stl"),
        ("../../other/a.stl", "other/a.stl"),
    ],
)
def test_references_are_found_relative_to_the_file_and_its_parents(
    workspace: Path, reference: str, target: str
) -> None:
    expected = _touch(workspace / target)
    robot = workspace / "pkg/urdf/robot.urdf"
    assert SearchPath().resolve(reference, referrer=robot) == str(expected)


def test_the_directory_nearest_to_the_file_wins(workspace: Path) -> None:
    _touch(workspace / "pkg/a.stl")
    nearest = _touch(workspace / "pkg/urdf/a.stl")
    robot = workspace / "pkg/urdf/robot.urdf"
    assert SearchPath().resolve("a.stl", referrer=robot) == str(nearest)


def test_the_working_directory_wins_over_the_file_as_in_pybullet(workspace: Path) -> None:
    _touch(workspace / "pkg/urdf/a.stl")
    ours = _touch(Path.cwd() / "a.stl")
    robot = workspace / "pkg/urdf/robot.urdf"
    assert SearchPath().resolve("a.stl", referrer=robot) == str(ours)


def test_the_search_path_is_tried_last_and_in_order(workspace: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    _touch(second / "pkg2/a.stl")
    path = SearchPath((str(first), str(second)))
    robot = workspace / "pkg/urdf/robot.urdf"
    assert path.resolve("package://pkg2/a.stl", referrer=robot) == str(second / "pkg2/a.stl")
    _touch(first / "pkg2/a.stl")
    assert path.resolve("package://pkg2/a.stl", referrer=robot) == str(first / "pkg2/a.stl")


def test_a_missing_file_is_none(workspace: Path) -> None:
    robot = workspace / "pkg/urdf/robot.urdf"
    assert SearchPath().resolve("none.stl", referrer=robot) is None
    assert SearchPath().resolve("", referrer=robot) is None
    assert SearchPath().resolve("nul\x00.stl", referrer=robot) is None


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_an_absolute_reference_outside_every_root_is_refused(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory, scheme: str
) -> None:
    secret = _touch(tmp_path_factory.mktemp("elsewhere") / "deep/down/here/secret.stl")
    robot = workspace / "pkg/urdf/robot.urdf"
    with pytest.raises(AssetError, match="outside the directories this file may refer"):
        SearchPath().resolve(f"{scheme}{secret}", referrer=robot, element="<mesh>")
    assert SearchPath((str(secret.parent),)).resolve(str(secret), referrer=robot) == str(secret)
    assert SearchPath(confined=False).resolve(str(secret), referrer=robot) == str(secret)


def test_climbing_out_of_the_workspace_is_refused(workspace: Path, tmp_path: Path) -> None:
    robot = workspace / "a/b/c/d/robot.urdf"
    _touch(robot)
    _touch(tmp_path / "deep/secret.stl")
    with pytest.raises(AssetError, match=r"secret\.stl"):
        SearchPath().resolve("../../../../../../secret.stl", referrer=robot)


def test_a_symbolic_link_out_of_the_workspace_is_refused(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = _touch(tmp_path_factory.mktemp("elsewhere") / "deep/down/here/secret.stl")
    (workspace / "pkg/urdf/innocent.stl").symlink_to(secret)
    with pytest.raises(AssetError, match=r"innocent\.stl.*secret\.stl"):
        SearchPath().resolve("innocent.stl", referrer=workspace / "pkg/urdf/robot.urdf")


def test_a_package_may_be_left_for_its_neighbours_however_deep_the_file_is(
    workspace: Path,
) -> None:
    _touch(workspace / "pkg/package.xml")
    robot = _touch(workspace / "pkg/a/b/c/d/robot.urdf")
    mesh = _touch(workspace / "other/meshes/a.stl")
    found = SearchPath().resolve("../../../../../other/meshes/a.stl", referrer=robot)
    assert found is not None
    assert os.path.samefile(found, mesh)


def test_locating_prefers_the_working_directory_then_its_data_then_the_search_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = SearchPath((str(tmp_path / "assets"),))
    assert path.locate("plane.urdf") is None
    for expected in ("assets/plane.urdf", "data/plane.urdf", "plane.urdf"):
        _touch(tmp_path / expected)
        assert path.locate("plane.urdf") == str(tmp_path / expected)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.lists(st.sampled_from(["..", ".", "", "pkg", "secret.stl", "/", "file://", "~"])))
def test_no_reference_leads_out_of_the_allowed_directories(
    workspace: Path, parts: list[str]
) -> None:
    robot = _touch(workspace / "a/b/c/d/robot.urdf")
    _touch(workspace.parent / "secret.stl")
    _touch(workspace / "a/secret.stl")
    try:
        found = SearchPath().resolve("/".join(parts), referrer=robot)
    except AssetError:
        return
    if found is not None:
        assert os.path.realpath(found).startswith(os.path.realpath(workspace / "a") + os.sep)


def test_a_name_that_begins_with_a_slash_is_also_found_below_the_working_directory(
    workspace: Path,
) -> None:
    _touch(workspace.parents[2] / "cwd/model/rod.urdf")
    assert SearchPath().locate("/model/rod.urdf") == str(Path.cwd() / "model/rod.urdf")


def test_pybullet_finds_a_name_that_begins_with_a_slash_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pybullet = pytest.importorskip("pybullet")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    (tmp_path / "model/rod.urdf").write_text('<robot name="rod"><link name="rod"/></robot>')
    client = pybullet.connect(pybullet.DIRECT)
    try:
        assert pybullet.loadURDF("/model/rod.urdf", physicsClientId=client) == 0
    finally:
        pybullet.disconnect(client)
