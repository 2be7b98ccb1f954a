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
    with pytest.raises(NotSupportedError, match="ignore_paths"):
        newton.ModelBuilder().add_usd(stage, ignore_paths=["/arm/tip"])
