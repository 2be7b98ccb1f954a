"""Files go from one format to another and back, and stay the same robots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.assets.writers.sameness import assert_same, assert_same_joints, assert_same_masses
from unibody import sample_assets
from unibody.core.assets.convert import convert
from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import quat_normalize
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.urdf_writer import write_urdf
from unibody.errors import InvalidArgumentError, NotSupportedError

SAMPLES = Path(sample_assets.getDataPath())
OPEN = SearchPath((), confined=False)
FEW = ["kuka_iiwa/model.urdf", "franka_panda/panda.urdf", "a1/a1.urdf", "humanoid/humanoid.urdf"]
# Another part of such a set holds a thousand heaps of triangles; they have no joints.
_NOT_ROBOTS = ("random_urdfs", "lego", "_deform", "cloth_", "torus")
# Files that they name are not in the package.
_BROKEN = ("kuka_iiwa/model_for_sdf.urdf", "toys/concave_box.urdf")


def data() -> Path:
    return Path(pytest.importorskip("pybullet_data").getDataPath())


def round_trip(file: Path, folder: Path, *suffixes: str) -> None:
    """Converts a file step by step, and compares each with the first."""
    before = [asset for asset in load_assets(file, OPEN) if not asset.static]
    here = file
    for number, suffix in enumerate(suffixes):
        there = folder / f"step{number}{suffix}"
        convert(here, there, search_path=OPEN)
        here = there
        after = [asset for asset in load_assets(here, SearchPath()) if not asset.static]
        assert_same(before[0], after[0])


def main_robots() -> list[str]:
    """Robots of ``pybullet_data`` that are no heaps of triangles."""
    files = sorted(path for depth in ("", "*/", "*/*/") for path in data().glob(f"{depth}*.urdf"))
    names = [str(path.relative_to(data())) for path in files]
    return [n for n in names if not any(w in n for w in _NOT_ROBOTS) and n not in _BROKEN]


def failures(names: list[str], folder: Path, *suffixes: str) -> dict[str, str]:
    """What differs of those that do not survive."""
    failed = {}
    for number, name in enumerate(names):
        inner = folder / str(number)
        inner.mkdir()
        try:
            round_trip(data() / name, inner, *suffixes)
        except AssertionError as problem:
            failed[name] = str(problem)[:200]
    return failed


@pytest.mark.parametrize("name", FEW)
def test_a_robot_survives_the_way_to_mjcf_and_back(name, tmp_path):
    round_trip(data() / name, tmp_path, ".xml", ".urdf")


@pytest.mark.parametrize("name", ["kuka_iiwa/model.urdf", "a1/a1.urdf"])
def test_a_robot_survives_the_way_over_sdf_and_mjcf(name, tmp_path):
    round_trip(data() / name, tmp_path, ".sdf", ".xml", ".sdf", ".urdf")


@pytest.mark.parametrize("suffix", [".usd", ".usda", ".usdz"])
@pytest.mark.parametrize("name", ["kuka_iiwa/model.urdf", "humanoid/humanoid.urdf"])
def test_a_robot_survives_the_way_over_usd_and_mjcf(name, suffix, tmp_path):
    pytest.importorskip("pxr")
    round_trip(data() / name, tmp_path, suffix, ".xml", ".urdf", suffix)


@pytest.mark.slow
def test_every_robot_of_the_main_folders_survives_the_way_over_usd(tmp_path):
    pytest.importorskip("pxr")
    chosen = main_robots()
    assert len(chosen) > 80
    assert failures(chosen, tmp_path, ".usd", ".xml", ".urdf") == {}


@pytest.mark.slow
def test_every_robot_of_the_main_folders_survives(tmp_path):
    chosen = main_robots()
    assert len(chosen) > 80
    assert failures(chosen, tmp_path, ".xml", ".urdf") == {}


def test_our_own_robots_survive_the_way_to_mjcf_and_back(tmp_path):
    files = sorted(SAMPLES.rglob("*.urdf"))
    assert len(files) > 5
    for number, file in enumerate(files):
        folder = tmp_path / str(number)
        folder.mkdir()
        convert(file, folder / "a.xml", search_path=OPEN)
        convert(folder / "a.xml", folder / "b.urdf", search_path=OPEN)
        (before,), (after,) = load_assets(file, OPEN), load_assets(folder / "b.urdf", OPEN)
        assert_same_masses(before, after)
        assert_same_joints(before, after)


NUMBER = st.floats(-2.0, 2.0, allow_subnormal=False)
POSITIVE = st.floats(0.01, 10.0)
TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED)


@st.composite
def poses(draw: st.DrawFn) -> Pose:
    quat = draw(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER))
    return Pose(draw(st.tuples(NUMBER, NUMBER, NUMBER)), quat_normalize(quat))


@st.composite
def trees(draw: st.DrawFn) -> Asset:
    """A tree of solid links with joints of one axis, or none."""
    links = []
    for number in range(draw(st.integers(1, 6))):
        sides = [draw(POSITIVE) ** 2 for _ in range(3)]
        mass = draw(POSITIVE)
        moments = tuple(mass * (sum(sides) - side) / 12.0 for side in sides)
        inertial = Inertial(mass, draw(poses()), (*moments, 0.0, 0.0, 0.0))
        kind = draw(st.sampled_from(TURNING))
        joint = Joint(f"j{number}", kind, draw(poses()))
        joint.axis = draw(st.sampled_from([(1.0, 0.0, 0.0), (0.0, 0.6, 0.8), (0.0, 0.0, -1.0)]))
        joint.damping, joint.friction = draw(POSITIVE), draw(POSITIVE)
        if kind in (JointType.REVOLUTE, JointType.PRISMATIC):
            joint.lower, joint.upper = sorted((draw(NUMBER), draw(NUMBER)))
            joint.effort = draw(POSITIVE)
        links.append(Link(f"l{number}", draw(st.integers(0, number)) - 1 if number else -1))
        links[-1].parent = min(max(links[-1].parent, 0), number - 1) if number else -1
        links[-1].joint, links[-1].inertial = joint, inertial
    return Asset("tree", links, fixed_base=draw(st.booleans()) or None)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_any_tree_keeps_its_masses_and_joints(tmp_path_factory, tree):
    folder = tmp_path_factory.mktemp("tree")
    write_urdf([tree], OutputFolder(str(folder / "a.urdf")))
    convert(folder / "a.urdf", folder / "b.xml", search_path=OPEN)
    convert(folder / "b.xml", folder / "c.sdf", search_path=OPEN)
    convert(folder / "c.sdf", folder / "d.urdf", search_path=OPEN)
    for name in ("a.urdf", "b.xml", "c.sdf", "d.urdf"):
        (after,) = load_assets(folder / name, SearchPath())
        assert_same_masses(tree, after)
        assert_same_joints(tree, after)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "out.xml"
    target.write_text("what was there")

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        convert(SAMPLES / "cartpole.urdf", target, search_path=OPEN)
    assert target.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["out.xml"]


def test_a_base_is_held_where_that_is_asked_for(tmp_path):
    convert(SAMPLES / "r2d2.urdf", tmp_path / "a.xml", search_path=OPEN, fixed_base=True)
    convert(SAMPLES / "r2d2.urdf", tmp_path / "b.xml", search_path=OPEN)
    held, free = (load_assets(tmp_path / name, OPEN)[0] for name in ("a.xml", "b.xml"))
    assert (held.fixed_base, free.fixed_base) == (True, False)


def test_what_cannot_be_converted_is_refused_by_name(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\n")
    with pytest.raises(NotSupportedError, match=r"out\.doc"):
        convert(SAMPLES / "r2d2.urdf", tmp_path / "out.doc", search_path=OPEN)
    with pytest.raises(NotSupportedError, match=r"a\.obj"):
        convert(tmp_path / "a.obj", tmp_path / "a.urdf", search_path=OPEN)
    with pytest.raises(InvalidArgumentError, match="another file"):
        convert(SAMPLES / "r2d2.urdf", SAMPLES / "r2d2.urdf", search_path=OPEN)
