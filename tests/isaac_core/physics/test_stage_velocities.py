"""Velocities that a stage states are those its bodies begin with."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from tests.isaac_core.physics.stages import add_cartpole, add_cube, metric_stage
from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors

DT = 1.0 / 240.0


@pytest.fixture(autouse=True)
def _let_go() -> None:
    physics.detach()


def test_a_body_begins_with_the_velocity_that_its_prim_states_in_its_parents_frame() -> None:
    stage = metric_stage()
    parent = UsdGeom.Xform.Define(stage, "/World/turned")
    parent.AddRotateZOp().Set(90.0)  # x is the world's y
    api = UsdPhysics.RigidBodyAPI(add_cube(stage, "/World/turned/cube", at=(0.0, 0.0, 5.0)))
    api.CreateVelocityAttr(Gf.Vec3f(2.0, 0.0, 1.0))
    api.CreateAngularVelocityAttr(Gf.Vec3f(90.0, 0.0, 0.0))  # degrees a second
    view = tensors.create_simulation_view("numpy").create_rigid_body_view("/World/turned/cube")
    expected = [0.0, 2.0, 1.0, 0.0, np.pi / 2.0, 0.0]
    np.testing.assert_allclose(view.get_velocities()[0], expected, atol=1e-6)  # float32


def test_a_stage_that_was_saved_in_motion_begins_where_it_was() -> None:
    stage = metric_stage()
    add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    add_cartpole(stage, "/World/Robot")
    sim = tensors.create_simulation_view("numpy")
    robot = sim.create_articulation_view("/World/Robot")
    cube = sim.create_rigid_body_view("/World/cube")
    robot.set_dof_positions(np.array([[0.3, 0.4]], np.float32), np.arange(1))
    robot.set_dof_velocities(np.array([[-0.5, 2.0]], np.float32), np.arange(1))
    cube.set_velocities(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], np.float32), np.arange(1))
    for _ in range(10):
        sim.step(DT)
    before = [robot.get_dof_positions(), robot.get_dof_velocities(), cube.get_transforms()]
    before.append(cube.get_velocities())
    scene = physics.current()
    assert scene is not None
    scene.flush_to_stage()
    text = stage.GetRootLayer().ExportToString()
    physics.detach()
    saved = Usd.Stage.CreateInMemory()
    saved.GetRootLayer().ImportFromString(text)
    physics.attach(saved)
    sim = tensors.create_simulation_view("numpy")
    robot = sim.create_articulation_view("/World/Robot")
    cube = sim.create_rigid_body_view("/World/cube")
    after = [robot.get_dof_positions(), robot.get_dof_velocities(), cube.get_transforms()]
    after.append(cube.get_velocities())
    for ours, theirs in zip(after, before, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-6)  # float32 of numbers near 6


def test_a_body_that_turned_by_less_than_half_a_milliradian_is_written_as_turned() -> None:
    stage = metric_stage()
    add_cube(stage, "/World/cube", at=(0.0, 0.0, 5.0))
    view = tensors.create_simulation_view("numpy").create_rigid_body_view("/World/cube")
    half = 2e-5  # rad; cos(half) is 1 in float32
    pose = np.array([[0.0, 0.0, 5.0, half, 0.0, 0.0, 1.0]], np.float32)
    view.set_transforms(pose, np.arange(1))
    scene = physics.current()
    assert scene is not None
    scene.flush_to_stage()
    turn = stage.GetPrimAtPath("/World/cube").GetAttribute("xformOp:orient").Get()
    np.testing.assert_allclose(
        turn.GetImaginary(), [half, 0.0, 0.0], atol=1e-9
    )  # arccos(1 - half^2)
