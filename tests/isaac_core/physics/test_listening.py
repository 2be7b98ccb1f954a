"""What is written to the stage while it is in motion."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Sdf, UsdGeom, UsdPhysics

from tests.isaac_core.physics.stages import add_cartpole, add_cube, metric_stage
from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors

DT = 1.0 / 60.0


@pytest.fixture(autouse=True)
def _let_go() -> None:
    physics.detach()


def test_translation_and_velocity_written_in_motion_move_the_body() -> None:
    stage = metric_stage()
    add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    sim = tensors.create_simulation_view("numpy")
    sim.set_gravity((0.0, 0.0, 0.0))
    view = sim.create_rigid_body_view("/World/cube")
    sim.step(DT)
    prim = stage.GetPrimAtPath("/World/cube")
    prim.GetAttribute("xformOp:translate").Set(Gf.Vec3d(1.0, 2.0, 3.0))
    UsdPhysics.RigidBodyAPI(prim).CreateVelocityAttr().Set(Gf.Vec3f(6.0, 0.0, 0.0))
    sim.step(DT)
    # Nothing acts on it: it goes 6 m/s for a step; float32 of the tensors.
    np.testing.assert_allclose(view.get_transforms()[0, :3], (1.0 + 6.0 * DT, 2.0, 3.0), rtol=1e-5)
    np.testing.assert_allclose(view.get_velocities()[0, :3], (6.0, 0.0, 0.0), atol=1e-5)


def test_gravity_and_mass_written_in_motion_act_in_the_next_step() -> None:
    stage = metric_stage()
    add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    UsdPhysics.Scene.Define(stage, "/World/physics")
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/cube")
    UsdPhysics.Scene(stage.GetPrimAtPath("/World/physics")).CreateGravityMagnitudeAttr().Set(2.0)
    UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/World/cube")).CreateMassAttr().Set(7.0)
    sim.step(DT)
    np.testing.assert_allclose(view.get_velocities()[0, 2], -2.0 * DT, rtol=1e-4)
    np.testing.assert_allclose(view.get_masses(), 7.0, rtol=1e-6)


def test_drive_written_in_motion_is_that_of_the_joint() -> None:
    stage = metric_stage()
    add_cartpole(stage, "/World/Robot")
    drive = UsdPhysics.DriveAPI.Apply(stage.GetPrimAtPath("/World/Robot/cartJoint"), "linear")
    drive.CreateStiffnessAttr(10.0)
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/World/Robot")
    drive.CreateTargetPositionAttr().Set(0.5)
    drive.CreateStiffnessAttr().Set(80.0)
    sim.step(DT)
    np.testing.assert_allclose(view.get_dof_position_targets()[0, 0], 0.5)
    np.testing.assert_allclose(view.get_dof_stiffnesses()[0, 0], 80.0)


def test_flush_and_restore_are_not_taken_for_writing_and_a_step_without_it_looks_at_nothing() -> (
    None
):
    stage = metric_stage()
    add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    scene = physics.attach(stage)
    for _ in range(5):
        scene.step(DT)
        scene.flush_to_stage()
    scene.restore_stage()
    scene.step(DT)
    assert scene.listener.applied == 0
    stage.GetPrimAtPath("/World/cube").GetAttribute("xformOp:translate").Set(Gf.Vec3d(1.0))
    scene.step(DT)
    assert scene.listener.applied == 1


def test_body_added_in_motion_to_an_environment_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = metric_stage()
    add_cube(stage, "/World/envs/env_0/cube", at=(0.0, 0.0, 5.0))
    scene = physics.attach(stage)
    add_cube(stage, "/World/envs/env_0/late_cube", at=(0.0, 3.0, 5.0))
    scene.step(DT)
    stage.GetPrimAtPath("/World/envs/env_0/late_cube").SetMetadata("comment", "again")
    scene.step(DT)
    assert capsys.readouterr().err.count("/World/envs/env_0/late_cube") == 1


def test_body_added_in_motion_moves_from_the_next_step_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = metric_stage()
    add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    scene = physics.attach(stage)
    scene.step(DT)
    add_cube(stage, "/World/late_cube", at=(0.0, 3.0, 5.0))
    for _ in range(10):
        scene.step(DT)
    assert "/World/late_cube" not in capsys.readouterr().err
    fallen = 5.0 - scene.body_transform("/World/late_cube").ExtractTranslation()[2]
    assert fallen == pytest.approx(9.81 * DT**2 * 10 * 11 / 2, rel=1e-4)


def test_current_stage_has_where_bodies_are() -> None:
    from unibody.isaac_core.functions.stage import get_current_stage

    stage = metric_stage()
    cube = add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    scene = physics.attach(stage)
    scene.step(DT)
    get_current_stage()
    # One semi-implicit step of free fall; the tensors are of float32.
    height = cube.GetAttribute("xformOp:translate").Get()[2]
    np.testing.assert_allclose(height, 5.0 - 9.81 * DT * DT, rtol=1e-6)


@pytest.mark.parametrize("name", ["rigidBodyEnabled", "kinematicEnabled"])
def test_a_body_that_is_held_in_motion_stays_and_carries_others_until_it_is_let_go(
    name: str,
) -> None:
    stage = metric_stage()
    prim = add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    add_cube(stage, "/World/other", at=(0.0, 0.0, 6.0))
    sim = tensors.create_simulation_view("numpy")
    held = sim.create_rigid_body_view("/World/cube")
    carried = sim.create_rigid_body_view("/World/other")
    sim.step(DT)
    begun = held.get_transforms()[0, 2]
    stated = UsdPhysics.RigidBodyAPI(prim).GetPrim().CreateAttribute
    stated(f"physics:{name}", Sdf.ValueTypeNames.Bool).Set(name == "kinematicEnabled")
    for _ in range(60):
        sim.step(DT)
    np.testing.assert_allclose(held.get_transforms()[0, 2], begun, atol=1e-6)
    # It lies on the other within a slop of contacts of millimetres.
    np.testing.assert_allclose(carried.get_transforms()[0, 2], begun + 1.0, atol=5e-3)
    prim.GetAttribute(f"physics:{name}").Set(name != "kinematicEnabled")
    sim.step(DT)
    np.testing.assert_allclose(held.get_velocities()[0, 2], -9.81 * DT, atol=0.01)


def test_a_prim_above_bodies_that_is_moved_in_motion_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = metric_stage()
    add_cartpole(stage, "/World/Robot")
    moved = UsdGeom.Xformable(stage.GetPrimAtPath("/World/Robot")).AddTranslateOp()
    scene = physics.attach(stage)
    scene.step(DT)
    scene.flush_to_stage()
    assert "/World/Robot" not in capsys.readouterr().err
    moved.Set(Gf.Vec3d(3.0, 0.0, 0.0))
    scene.step(DT)
    assert "the pose of /World/Robot" in capsys.readouterr().err
