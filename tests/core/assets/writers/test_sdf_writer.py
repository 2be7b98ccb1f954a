"""What is written as SDF is read back as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.assets.writers.sameness import assert_same
from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.sdf_writer import write_sdf

SOLID = Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))


def again(assets: list[Asset], tmp_path: Path) -> tuple[list[Asset], list[str]]:
    """Written and read, and what was lost."""
    losses = write_sdf(assets, OutputFolder(str(tmp_path / "out.sdf")))
    return load_assets(tmp_path / "out.sdf", SearchPath()), losses.lines()


def arm(name: str, **rest) -> Asset:
    joint = Joint("a", JointType.REVOLUTE, Pose((0.5, 0.0, 0.0)), lower=-1.0, upper=2.0)
    joint.stiffness, joint.spring_reference, joint.damping = 4.0, 0.5, 0.1
    return Asset(name, [Link("base", inertial=SOLID), Link("arm", 0, joint, SOLID)], **rest)


@pytest.mark.parametrize("fixed", [True, False])
def test_springs_limits_and_the_pose_of_the_base_survive(fixed, tmp_path):
    before = arm("arm", fixed_base=fixed, pose=Pose((0.0, 0.0, 2.0)))
    (after,), lines = again([before], tmp_path)
    assert_same(before, after)
    joint = after.links[1].joint
    assert (joint.stiffness, joint.spring_reference, joint.damping) == (4.0, 0.5, 0.1)
    assert after.pose.pos == (0.0, 0.0, 2.0)
    assert lines == []


def test_several_models_stand_in_one_world(tmp_path):
    after, _ = again([arm("one"), arm("two")], tmp_path)
    assert [asset.name for asset in after] == ["one", "two"]


def test_what_an_sdf_cannot_say_is_listed(tmp_path):
    robot = arm("arm")
    robot.links[1].joint = Joint("a", JointType.SPHERICAL, upper=1.0, armature=0.2)
    _, lines = again([robot], tmp_path)
    for word in ("armature", "limits of a ball joint"):
        assert any(word in line and "'a'" in line for line in lines), word


def test_a_joint_with_the_name_of_a_link_gets_another(tmp_path):
    robot = arm("arm")
    robot.links[1].joint.name = "arm"
    (after,), lines = again([robot], tmp_path)
    assert after.links[1].joint.name == "arm_joint"
    assert lines == ["a link has the name, 'arm_joint' is written: joint 'arm'"]
