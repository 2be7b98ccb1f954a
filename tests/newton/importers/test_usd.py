"""USD stages into builders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unibody import newton
from unibody.errors import NotSupportedError

pytest.importorskip("pxr")

STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Cube "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI",
                                            "PhysicsMassAPI"]) {
        double size = 0.2
        float physics:mass = 2
    }
    def Cube "tip" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI",
                                           "PhysicsMassAPI"]) {
        double size = 0.1
        float physics:mass = 1
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsFixedJoint "hold" {
        rel physics:body1 = </arm/base>
    }
    def PhysicsRevoluteJoint "bend" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
        rel physics:body0 = </arm/base>
        rel physics:body1 = </arm/tip>
        uniform token physics:axis = "Y"
        point3f physics:localPos0 = (0, 0, 0.5)
        point3f physics:localPos1 = (0, 0, -0.5)
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:stiffness = 2
        float drive:angular:physics:damping = 0.1
    }
}
"""


@pytest.fixture
def stage(tmp_path: Path) -> str:
    file = tmp_path / "arm.usda"
    file.write_text(STAGE)
    return str(file)


def test_bodies_joints_and_drives_of_a_stage_are_added(stage: str) -> None:
    builder = newton.ModelBuilder()
    found = builder.add_usd(stage)
    assert builder.body_key == ["/arm/base", "/arm/tip"]
    assert found["path_body_map"] == {"/arm/base": 0, "/arm/tip": 1}
    assert builder.body_mass == pytest.approx([2.0, 1.0])
    assert [int(t) for t in builder.joint_type] == [3, 1]
    assert builder.joint_limit_upper == pytest.approx([np.pi / 4])
    # a stage counts per degree
    assert builder.joint_target_ke == pytest.approx([2.0 * 180.0 / np.pi])
    assert int(builder.joint_act_mode[0]) == newton.ActuatorMode.POSITION
    assert tuple(builder.joint_X_p[1])[:3] == pytest.approx((0.0, 0.0, 0.5))
    assert tuple(builder.joint_X_c[1])[:3] == pytest.approx((0.0, 0.0, -0.5))
    model = builder.finalize()
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    np.testing.assert_allclose(state.body_q.numpy()[1, :3], [0.0, 0.0, 1.0], atol=1e-6)


def test_gains_of_a_stage_are_scaled(stage: str) -> None:
    builder = newton.ModelBuilder()
    builder.add_usd(stage, joint_drive_gains_scaling=3.0)
    assert builder.joint_target_kd == pytest.approx([0.3 * 180.0 / np.pi])


def test_arguments_that_are_not_supported_are_refused_by_name(stage: str) -> None:
    with pytest.raises(NotSupportedError, match="schema_resolvers"):
        newton.ModelBuilder().add_usd(stage, schema_resolvers=[object()])


EXTRAS = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def PhysicsScene "scene" {
    uniform token mjc:option:integrator = "rk4"
    double mjc:option:viscosity = 0.25
    int newton:timeStepsPerSecond = 500
}
def Xform "hand" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]) {
    float mjc:gravcomp = 0.5
    def Cube "palm" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double size = 0.2
        int mjc:priority = 3
    }
    def Sphere "grip" (prepend apiSchemas = ["MjcSiteAPI"]) {
        double radius = 0.01
        uniform token purpose = "guide"
    }
}
def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Sphere "skin" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double radius = 0.1
    }
}
def PhysicsJoint "plane" (prepend apiSchemas = ["PhysicsLimitAPI:rotX", "PhysicsLimitAPI:rotY"]) {
    rel physics:body0 = </hand>
    rel physics:body1 = </ball>
    point3f physics:localPos0 = (0, 0, 1)
    float limit:transX:physics:low = 1
    float limit:transX:physics:high = -1
    float limit:rotX:physics:low = -90
    float limit:rotX:physics:high = 90
    float limit:rotY:physics:low = -30
    float limit:rotY:physics:high = 30
}
"""


@pytest.fixture
def extras(tmp_path: Path) -> str:
    file = tmp_path / "extras.usda"
    file.write_text(EXTRAS)
    return str(file)


def test_sites_of_a_stage_are_read_unless_they_are_not_wanted(extras: str) -> None:
    builder = newton.ModelBuilder()
    found = builder.add_usd(extras)
    site = found["path_shape_map"]["/hand/grip"]
    assert builder.shape_flags[site] & newton.ShapeFlags.SITE
    assert builder.shape_key == ["/hand/palm", "/hand/grip", "/ball/skin"]
    without = newton.ModelBuilder()
    without.add_usd(extras, load_sites=False)
    assert without.shape_key == ["/hand/palm", "/ball/skin"]


def test_attributes_and_options_of_mujoco_are_read_from_a_stage(extras: str) -> None:
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    assert builder.add_usd(extras)["physics_dt"] == pytest.approx(1.0 / 500.0)
    model = builder.finalize(device="cpu")
    assert model.mujoco.geom_priority.numpy().tolist() == [3, 0, 0]
    assert model.mujoco.gravcomp.numpy().tolist() == [0.5, 0.0]
    assert model.mujoco.integrator.numpy().tolist() == [1]
    assert model.mujoco.viscosity.numpy().tolist() == [0.25]
    plain = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(plain)
    plain.add_usd(extras, parse_mujoco_options=False)
    assert plain.finalize(device="cpu").mujoco.viscosity.numpy().tolist() == [0.0]


def test_a_joint_of_several_axes_is_a_d6_joint_and_has_no_body_of_its_own(extras: str) -> None:
    builder = newton.ModelBuilder()
    found = builder.add_usd(extras)
    assert builder.body_key == ["/hand", "/ball"]
    joint = found["path_joint_map"]["/plane"]
    assert builder.joint_type[joint] == newton.JointType.D6
    # as in the original, only axes that state a limit move
    assert builder.joint_dof_dim[joint] == (0, 2)
    assert builder.joint_limit_upper[-2:] == pytest.approx([np.pi / 2, np.pi / 6])
    model = builder.finalize(device="cpu")
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    np.testing.assert_allclose(state.body_q.numpy()[1, :3], [0.0, 0.0, 1.0], atol=1e-6)


def test_prims_whose_paths_are_ignored_are_left_out(extras: str) -> None:
    builder = newton.ModelBuilder()
    builder.add_usd(extras, ignore_paths=["/plane", "/hand/p.*"])
    assert builder.joint_count == 2
    assert builder.shape_key == ["/hand/grip", "/ball/skin"]


def test_a_stage_is_read_with_lines_when_they_are_asked_for(
    extras: str, capsys: pytest.CaptureFixture[str]
) -> None:
    newton.ModelBuilder().add_usd(extras)
    assert capsys.readouterr().out == ""
    newton.ModelBuilder().add_usd(extras, verbose=True)
    assert "Added body 1: /ball" in capsys.readouterr().out


def test_cones_of_stages_are_cones_along_their_axes(tmp_path: Path) -> None:
    file = tmp_path / "cone.usda"
    file.write_text("""#usda 1.0
        def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
            def Cone "cone" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
                uniform token axis = "X"
                double radius = 0.5
                double height = 2
            }
        }""")
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.density = 12.0 / np.pi  # so that it weighs 2 kg
    builder.add_usd(str(file))
    assert builder.shape_type == [newton.GeoType.CONE]
    np.testing.assert_allclose(builder.shape_scale[0], [0.5, 1.0, 0.0], rtol=1e-6)
    assert builder.body_mass[0] == pytest.approx(2.0, rel=1e-6)
    np.testing.assert_allclose(builder.body_com[0], [-0.5, 0.0, 0.0], atol=1e-6)
    # 3/10 m r^2 about the axis, 3/20 m r^2 + 3/80 m h^2 across
    inertia = np.array(builder.body_inertia[0]).reshape(3, 3)
    np.testing.assert_allclose(inertia, np.diag([0.15, 0.375, 0.375]), atol=1e-6)
