"""What is written as MJCF is the same robot, for plain MuJoCo and for our reader."""

from __future__ import annotations

import copy
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tests.core.assets.writers.sameness import assert_same
from unibody import sample_assets
from unibody.core.assets.description import (
    Asset,
    ContactParameters,
    Drive,
    Inertial,
    Joint,
    JointType,
    Link,
    LoopJoint,
    MeshSource,
    Mimic,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.mjcf_writer import write_mjcf

SAMPLES = Path(sample_assets.getDataPath())
OPEN = SearchPath((), confined=False)
SOLID = Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
UPWARD = (0.0, 0.0, 1.0)


def arm(*joints: Joint, **rest) -> Asset:
    """A fixed base with one link for each joint, one after the other."""
    links = [Link("base", inertial=SOLID)]
    links += [Link(f"l{i}", i, joint, SOLID) for i, joint in enumerate(joints)]
    return Asset("arm", links, fixed_base=True, **rest)


def written(assets: list[Asset], tmp_path: Path) -> tuple[mujoco.MjModel, list[str]]:
    """The file in plain MuJoCo, and what was lost."""
    file = tmp_path / "out.xml"
    losses = write_mjcf(assets, OutputFolder(str(file)))
    return mujoco.MjModel.from_xml_path(str(file)), losses.lines()


@pytest.mark.parametrize("name", ["cartpole.urdf", "r2d2.urdf", "racecar/racecar.urdf"])
def test_a_robot_moves_as_it_did_before_it_was_written(name, tmp_path):
    before = load_assets(SAMPLES / name, OPEN)
    written(before, tmp_path)
    (after,) = load_assets(tmp_path / "out.xml", SearchPath())
    assert_same(before[0], after)


def test_drives_become_actuators_with_their_gains(tmp_path):
    drive = Drive(stiffness=50.0, damping=3.0, max_force=7.0)
    model, lines = written([arm(Joint("a", JointType.CONTINUOUS, drives=(drive,)))], tmp_path)
    assert model.actuator_gainprm[0, 0] == 50.0
    assert model.actuator_biasprm[0, :3].tolist() == [0.0, -50.0, -3.0]
    assert model.actuator_forcerange[0].tolist() == [-7.0, 7.0]
    assert lines == []


def test_a_mimicking_joint_follows_in_plain_mujoco(tmp_path):
    follower = Joint("b", JointType.CONTINUOUS, axis=UPWARD, mimic=Mimic("a", -2.0, 0.5))
    model, _ = written([arm(Joint("a", JointType.CONTINUOUS, axis=UPWARD), follower)], tmp_path)
    assert model.neq == 1
    assert model.eq_data[0, :2].tolist() == [0.5, -2.0]
    assert mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, model.eq_obj1id[0]) == "b"


def test_a_joint_that_mimics_none_is_listed(tmp_path):
    model, lines = written([arm(Joint("b", JointType.CONTINUOUS, mimic=Mimic("gone")))], tmp_path)
    assert model.neq == 0
    assert lines == ["mimics 'gone', which is not there, left out: joint 'b'"]


@pytest.mark.parametrize(
    ("kind", "equalities"),
    [(JointType.FIXED, 1), (JointType.SPHERICAL, 1), (JointType.CONTINUOUS, 2)],
)
def test_a_loop_becomes_constraints(kind, equalities, tmp_path):
    frame = Pose((1.0, 0.0, 0.0))
    loop = LoopJoint(Joint("close", kind, axis=UPWARD), "l0", frame, "base", frame)
    model, lines = written([arm(Joint("a", JointType.CONTINUOUS), loops=[loop])], tmp_path)
    assert model.neq == equalities
    assert lines == []


def test_a_loop_that_slides_is_listed(tmp_path):
    loop = LoopJoint(Joint("close", JointType.PRISMATIC), "l0", Pose(), "base", Pose())
    model, lines = written([arm(Joint("a", JointType.CONTINUOUS), loops=[loop])], tmp_path)
    assert model.neq == 0
    assert any("prismatic" in line and "'close'" in line for line in lines)


def test_a_locked_joint_keeps_a_range_too_small_to_see(tmp_path):
    locked = Joint("a", JointType.REVOLUTE, lower=0.25, upper=0.25)
    model, _ = written([arm(locked)], tmp_path)
    low, high = model.jnt_range[0]
    assert low == 0.25
    assert 0.0 < high - low < 1e-8


def test_frames_with_one_child_become_joints_of_one_body(tmp_path):
    links = [
        Link("base", inertial=SOLID),
        Link("turn", 0, Joint("turn", JointType.CONTINUOUS, axis=UPWARD), Inertial(stated=False)),
        Link("arm", 1, Joint("slide", JointType.PRISMATIC, axis=(1.0, 0.0, 0.0)), SOLID),
    ]
    model, lines = written([Asset("two", links, fixed_base=True)], tmp_path)
    assert (model.nbody, model.njnt) == (3, 2)
    assert any("'turn'" in line for line in lines)


def test_a_planar_joint_moves_in_its_plane_in_plain_mujoco(tmp_path):
    model, _ = written([arm(Joint("a", JointType.PLANAR, axis=UPWARD))], tmp_path)
    data = mujoco.MjData(model)
    data.qpos[:] = (0.3, -0.4, 0.5)
    mujoco.mj_kinematics(model, data)
    assert np.hypot(*data.xpos[-1][:2]) == pytest.approx(0.5)
    assert data.xpos[-1][2] == pytest.approx(0.0, abs=1e-12)


def test_what_is_drawn_does_not_collide_and_what_collides_is_drawn_once(tmp_path):
    ball = Shape(ShapeKind.SPHERE, (0.1,))
    link = Link("a", inertial=SOLID, visuals=[ball], collisions=[ball])
    model, _ = written([Asset("a", [link], fixed_base=False)], tmp_path)
    assert model.geom_contype.tolist() == [0, 1]
    assert model.geom_group.tolist() == [2, 3]
    (after,) = load_assets(tmp_path / "out.xml", SearchPath())
    assert (len(after.links[0].visuals), len(after.links[0].collisions)) == (1, 1)


def test_what_mjcf_cannot_say_is_listed(tmp_path):
    plane = Shape(ShapeKind.PLANE)
    base = Link("floor", inertial=SOLID, collisions=[plane])
    base.contact = ContactParameters(restitution=0.5, stiffness=10.0)
    child = Link("b", 0, Joint("a", JointType.CONTINUOUS, velocity=3.0, axis_length=2.0), SOLID)
    _, lines = written([Asset("a", [base, child])], tmp_path)
    for word in ("plane", "restitution", "stiffness", "largest speed", "length of an axis"):
        assert any(word in line for line in lines), word


def test_moments_that_no_body_has_are_raised_and_listed(tmp_path):
    link = Link("a", inertial=Inertial(1.0, inertia=(1.0, 1.0, 5.0, 0.0, 0.0, 0.0)))
    model, lines = written([Asset("a", [link])], tmp_path)
    small, middle, large = sorted(model.body_inertia[1])
    assert small + middle >= large
    assert any("raised" in line and "'a'" in line for line in lines)


def test_several_models_stand_in_one_file_with_names_of_their_own(tmp_path):
    robots = [arm(Joint("a", JointType.CONTINUOUS)) for _ in range(2)]
    model, lines = written(robots, tmp_path)
    assert (model.nbody, model.njnt) == (5, 2)
    assert any("name is taken" in line for line in lines)


def test_a_copy_of_an_asset_shares_its_meshes() -> None:
    mesh = MeshSource(name="a", vertices=((0.0, 0.0, 0.0),), faces=((0, 0, 0),))
    assert copy.deepcopy([mesh])[0] is mesh
