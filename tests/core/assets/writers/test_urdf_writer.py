"""What is written as URDF is read back as it was."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.assets.writers.sameness import assert_same
from unibody import sample_assets
from unibody.core.assets.description import (
    Actuator,
    ActuatorKind,
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.load import load_assets
from unibody.core.assets.mass.properties import rotation
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import quat_from_rpy, quat_normalize
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.numbers import rpy_of
from unibody.core.assets.writers.urdf_writer import write_urdf
from unibody.errors import AssetError, InvalidArgumentError

SAMPLES = Path(sample_assets.getDataPath())
OPEN = SearchPath((), confined=False)
CUBE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def again(assets: list[Asset], tmp_path: Path) -> tuple[Asset, list[str]]:
    """Written and read, and what was lost."""
    file = tmp_path / "out.urdf"
    losses = write_urdf(assets, OutputFolder(str(file)))
    (asset,) = load_assets(file, SearchPath())
    return asset, losses.lines()


@pytest.mark.parametrize("name", ["cartpole.urdf", "r2d2.urdf", "kuka_iiwa/model.urdf"])
def test_a_robot_moves_as_it_did_before_it_was_written(name, tmp_path):
    before = load_assets(SAMPLES / name, OPEN)
    after, _ = again(before, tmp_path)
    assert_same(before[0], after)


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=4, max_size=4))
def test_angles_of_any_quaternion_give_the_same_rotation(numbers):
    quat = quat_normalize(tuple(numbers))
    # Rounding of products of numbers up to 1, a few times.
    assert np.allclose(rotation(quat_from_rpy(*rpy_of(quat))), rotation(quat), atol=1e-12)


def test_angles_are_right_where_the_pitch_is_a_right_angle():
    for roll in (0.0, 0.3, -2.0):
        quat = quat_from_rpy(roll, math.pi / 2, 0.7)
        assert np.allclose(rotation(quat_from_rpy(*rpy_of(quat))), rotation(quat), atol=1e-12)


def test_a_fixed_base_with_mass_hangs_from_the_world(tmp_path):
    base = Link("base", inertial=Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)))
    after, lines = again(
        [Asset("a", [base], fixed_base=True, pose=Pose((0.0, 0.0, 2.0)))], tmp_path
    )
    assert [link.name for link in after.links] == ["world", "base"]
    assert after.fixed_base and after.links[1].joint.origin.pos == (0.0, 0.0, 2.0)
    assert lines == []


def test_what_a_urdf_cannot_say_is_listed(tmp_path):
    links = [Link("base"), Link("arm", 0, Joint("elbow", JointType.REVOLUTE, armature=0.5))]
    links[1].joint.stiffness = 3.0
    motor = Actuator("pull", "elbow", ActuatorKind.MOTOR)
    _, lines = again([Asset("a", links, actuators=[motor], self_collision=True)], tmp_path)
    for word in ("armature", "springs", "actuators", "'pull'", "'elbow'", "with itself"):
        assert any(word in line for line in lines), word


def test_meshes_lie_beside_the_file_with_relative_paths(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "part.obj").write_text(CUBE)
    text = '<robot name="r"><link name="a"><collision><geometry>'
    text += '<mesh filename="part.obj" scale="2 2 2"/></geometry></collision></link></robot>'
    (tmp_path / "in" / "robot.urdf").write_text(text)
    before = load_assets(tmp_path / "in" / "robot.urdf", OPEN)
    (tmp_path / "to").mkdir()
    after, _ = again(before, tmp_path / "to")
    mesh = after.links[0].collisions[0].mesh
    assert mesh.name == "out_files/part.obj"
    assert mesh.scale == (2.0, 2.0, 2.0)
    assert sorted(os.listdir(tmp_path / "to" / "out_files")) == ["part.obj"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "to").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "to" / "out_files")
    ball = Shape(ShapeKind.ELLIPSOID, (1.0, 2.0, 3.0))
    with pytest.raises(AssetError, match="leads out of the folder"):
        again([Asset("a", [Link("base", visuals=[ball])])], tmp_path / "to")
    assert os.listdir(tmp_path / "elsewhere") == []


def test_one_of_several_robots_has_to_be_named(tmp_path):
    robots = [Asset(name, [Link("base")]) for name in ("one", "two")]
    with pytest.raises(InvalidArgumentError, match="'one', 'two'"):
        again(robots, tmp_path)
    losses = write_urdf(robots, OutputFolder(str(tmp_path / "x.urdf")), "two")
    assert "'one'" in losses.lines()[0]
    (asset,) = load_assets(tmp_path / "x.urdf", OPEN)
    assert asset.name == "two"


def test_a_joint_beside_its_links_origin_gets_a_link_of_its_own(tmp_path):
    solid = Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    joint = Joint("hinge", JointType.CONTINUOUS, anchor=(0.5, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    before = Asset("a", [Link("base"), Link("arm", 0, joint, solid)], fixed_base=True)
    after, _ = again([before], tmp_path)
    assert [link.name for link in after.links] == ["base", "arm/hinge", "arm"]
    assert_same(replace(before), after)
