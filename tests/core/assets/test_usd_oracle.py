"""Stages against Newton's own reader, where that package is installed."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pxr")
pytest.importorskip("newton")
pytest.importorskip("newton_usd_schemas")

from tests.core.assets import usd_texts as t
from unibody.core.assets.description import JointType, Pose
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply
from unibody.core.assets.usd import load_usd
from unibody.core.assets.usd.geometry import matrix_of

# Newton keeps everything in float32.
SINGLE = 3e-6

TURNED = """    double size = 1
    double xformOp:rotateZ = 30
    double3 xformOp:scale = (0.2, 0.4, 0.6)
    double3 xformOp:translate = (0.5, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]"""
STAGES = {
    "robot": t.ROBOT,
    "turned box": t.header() + t.body("a", t.shape("Cube", inner=TURNED), at="(1, 2, 3)"),
    "two shapes": t.header()
    + t.body("a", t.shape("Sphere") + t.shape("Cylinder", "other", "    double height = 4")),
    "y up": t.header(up="Y") + t.body("a", t.shape("Capsule"), at="(1, 2, 3)"),
    "mesh": t.header() + t.body("a", t.shape("Mesh", inner=t.TETRAHEDRON)),
    "child first": t.header()
    + t.body("a", t.shape("Cube"))
    + t.body("b", t.shape("Cube"), at="(0, 0, 3)")
    + t.joint("FixedJoint", "w", "", "/a")
    + t.joint("RevoluteJoint", "j", "/a", "/b", "    point3f physics:localPos0 = (0, 0, 3)"),
}


@pytest.fixture(params=STAGES)
def both(request, tmp_path):
    path = tmp_path / "stage.usda"
    path.write_text(STAGES[request.param])
    import newton

    builder = newton.ModelBuilder()
    builder.add_usd(str(path))
    ours = {}
    for asset in load_usd(path, search_path=SearchPath()):
        poses: list[Pose] = []
        for index, link in enumerate(asset.links):
            above = poses[link.parent] if index else asset.pose
            pose = pose_multiply(above, link.joint.origin) if index else asset.pose
            poses.append(pose)
            path_of = dict(link.notes).get("prim_path")
            if path_of:
                ours[path_of] = (link, pose)
    return ours, builder


def test_masses_and_inertias_are_those_of_newton(both):
    ours, builder = both
    for number, label in enumerate(builder.body_label):
        link, _ = ours[label]
        inertial = link.inertial
        assert np.isclose(inertial.mass, builder.body_mass[number], rtol=SINGLE)
        assert np.allclose(inertial.pose.pos, np.array(builder.body_com[number]), atol=SINGLE)
        axes = matrix_of(inertial.pose)[:3, :3]
        matrix = axes @ np.diag(inertial.inertia[:3]) @ axes.T
        theirs = np.array(builder.body_inertia[number]).reshape(3, 3)
        assert np.allclose(matrix, theirs, rtol=1e-4, atol=1e-4 * inertial.mass)


def test_joints_have_newtons_limits_gains_and_frames(both):
    ours, builder = both
    joints = {link.joint.name: (link.joint, pose) for link, pose in ours.values()}
    compared = 0
    for number, label in enumerate(builder.joint_label):
        name = label.rsplit("/", maxsplit=1)[-1]
        if name not in joints or joints[name][0].type is JointType.FIXED:
            continue
        joint, _ = joints[name]
        dof = builder.joint_qd_start[number]
        if joint.lower <= joint.upper:
            assert np.isclose(joint.lower, builder.joint_limit_lower[dof], rtol=SINGLE)
            assert np.isclose(joint.upper, builder.joint_limit_upper[dof], rtol=SINGLE)
        for drive in joint.drives:
            assert np.isclose(drive.stiffness, builder.joint_target_ke[dof], rtol=SINGLE)
            assert np.isclose(drive.damping, builder.joint_target_kd[dof], rtol=SINGLE)
        compared += 1
    assert compared == sum(link.joint.type is not JointType.FIXED for link, _ in ours.values())
