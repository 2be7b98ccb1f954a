"""USD files as assets."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import open_stage
from unibody.errors import AssetError
from unibody.isaacgym import gymapi
from unibody.isaacgym.models.loading import load_model

pytest.importorskip("pxr", reason="needs usd-core")

# A drive of 10 Nm/degree on an arm whose mass centre is 0.3 m above the hinge.
ROBOT = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot" ( prepend apiSchemas = ["PhysicsArticulationRootAPI"] )
{
    def Cube "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]
    )
    {
        double size = 0.2
        float physics:mass = 3
    }
    def Cube "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]
    )
    {
        double size = 0.1
        float physics:mass = 1
        double3 xformOp:translate = (0, 0, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsRevoluteJoint "hinge" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] )
    {
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/arm>
        uniform token physics:axis = "Y"
        point3f physics:localPos0 = (0, 0, 0.2)
        point3f physics:localPos1 = (0, 0, -0.3)
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:stiffness = 10
        float drive:angular:physics:damping = 1
        float drive:angular:physics:maxForce = 50
    }
}
"""
STIFFNESS = 10.0 * 180.0 / math.pi  # Nm/rad
GRAVITY = 9.81


def load(folder: Path, **values: Any) -> Any:
    (folder / "robot.usda").write_text(ROBOT)
    chosen = gymapi.AssetOptions()
    for name, value in values.items():
        setattr(chosen, name, value)
    return load_model(str(folder), "robot.usda", chosen)


def test_a_stage_has_bodies_joints_limits_and_drives(tmp_path: Path) -> None:
    model = load(tmp_path)
    assert model.body_names == ["base", "arm"]
    assert [joint.name for joint in model.joints] == ["hinge"]
    (record,) = model.dof_properties
    assert record["lower"] == pytest.approx(-math.pi / 2)
    assert record["upper"] == pytest.approx(math.pi / 4)
    assert record["driveMode"] == gymapi.DOF_MODE_POS
    assert record["stiffness"] == pytest.approx(STIFFNESS)
    assert record["effort"] == pytest.approx(50.0)
    assert [shape.body for shape in model.shapes] == [0, 1]
    assert not model.fixed


def test_a_base_of_a_stage_is_fixed_where_the_option_says_so(tmp_path: Path) -> None:
    assert load(tmp_path, fix_base_link=True).fixed


def test_a_drive_of_a_stage_holds_its_arm_against_gravity(tmp_path: Path) -> None:
    (tmp_path / "robot.usda").write_text(ROBOT)
    s = open_stage(tmp_path, 1, gravity=GRAVITY)
    chosen = gymapi.AssetOptions()
    chosen.fix_base_link = True
    (actor,) = s.actors(s.gym.load_asset(s.sim, str(tmp_path), "robot.usda", chosen), z=1.0)
    s.gym.set_actor_dof_position_targets(s.envs[0], actor, np.array([0.5], np.float32))
    s.step(200)
    q = float(s.gym.get_actor_dof_states(s.envs[0], actor, gymapi.STATE_POS)["pos"][0])
    # 1 kg at 0.3 m: the spring gives way until its torque is that of the weight. float32.
    assert q - 0.5 == pytest.approx(GRAVITY * 0.3 * math.sin(q) / STIFFNESS, abs=1e-5)
    s.gym.destroy_sim(s.sim)


def test_a_missing_stage_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"no\.usda"):
        load_model(str(tmp_path), "no.usda", None)
