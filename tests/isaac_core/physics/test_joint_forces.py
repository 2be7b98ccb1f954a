"""Forces inside of joints, efforts that stay, and forces that the stage states."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade

from tests.isaac_core.physics.stages import (
    CART,
    HALF_POLE,
    POLE,
    add_body,
    add_cartpole,
    add_cube,
    add_environments,
    metric_stage,
)
from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors
from unibody.isaac_core.schemas import physx_schema

G = 9.81
STEP = 0.001


@pytest.fixture(autouse=True)
def _let_go() -> None:
    physics.detach()


def _cartpoles(
    stage: Usd.Stage, count: int
) -> tuple[tensors.SimulationView, tensors.ArticulationView]:
    add_environments(stage, count)
    add_cartpole(stage, "/World/envs/env_0/Robot")
    sim = tensors.create_simulation_view("numpy")
    return sim, sim.create_articulation_view("/World/envs/*/Robot")


def test_joints_carry_the_weight_of_what_is_above_them() -> None:
    sim, view = _cartpoles(metric_stage(), 2)
    assert not view.get_link_incoming_joint_force().any()  # before the first step
    sim.step(STEP)
    found = view.get_link_incoming_joint_force()
    expected = np.zeros((2, 3, 6))
    expected[:, 1, 2] = (CART + POLE) * G
    expected[:, 2, 2] = POLE * G
    np.testing.assert_allclose(found, expected, atol=1e-4)  # float32 of 15 N


def test_a_joint_whose_second_body_is_above_tells_the_force_on_that_one() -> None:
    stage = metric_stage()
    add_cartpole(stage, "/World/Robot")
    hinge = UsdPhysics.Joint(stage.GetPrimAtPath("/World/Robot/poleJoint"))
    hinge.GetBody0Rel().SetTargets(["/World/Robot/pole"])
    hinge.GetBody1Rel().SetTargets(["/World/Robot/cart"])
    hinge.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, -HALF_POLE))
    turned = Gf.Rotation(Gf.Vec3d(1.0, 0.0, 0.0), 90.0).GetQuat()  # its y is the world's z
    hinge.CreateLocalRot0Attr(Gf.Quatf(turned))
    hinge.CreateLocalRot1Attr(Gf.Quatf(turned))
    hinge.GetLocalPos1Attr().Set(Gf.Vec3f(0.0, 0.0, 0.2))
    stage.GetPrimAtPath("/World/Robot/pole").GetAttribute("xformOp:translate").Set(
        Gf.Vec3d(0.0, 0.0, HALF_POLE + 0.2)
    )
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/World/Robot")
    sim.step(STEP)
    force = view.get_link_incoming_joint_force()[0, 2]
    np.testing.assert_allclose(force, [0.0, -POLE * G, 0.0, 0.0, 0.0, 0.0], atol=1e-4)


def test_efforts_act_until_others_are_set_and_are_measured() -> None:
    stage = metric_stage()
    sim, view = _cartpoles(stage, 2)
    view.set_dof_dampings(np.zeros((2, 2)), np.arange(2))
    efforts = np.array([[2.0, 0.0], [0.0, 0.5]], np.float32)
    view.set_dof_actuation_forces(efforts, np.arange(2))
    for _ in range(3):
        sim.step(STEP)
        np.testing.assert_allclose(view.get_dof_projected_joint_forces(), efforts, atol=1e-5)
    np.testing.assert_array_equal(view.get_dof_actuation_forces(), efforts)
    view.set_dof_actuation_forces(np.zeros((2, 2)), np.arange(2))
    sim.step(STEP)
    assert not view.get_dof_projected_joint_forces().any()


@pytest.mark.parametrize("in_world", [False, True])
def test_a_force_of_the_stage_acts_in_each_step(in_world: bool) -> None:
    stage = metric_stage()
    prim = add_cube(stage, "/World/cube", (0.0, 0.0, 5.0), mass=2.0)
    UsdGeom.Xformable(prim).AddOrientOp().Set(Gf.Quatf(0.0, 1.0, 0.0, 0.0))  # upside down
    api = physx_schema.PhysxForceAPI.Apply(prim)
    api.CreateForceAttr().Set(Gf.Vec3f(0.0, 0.0, 3.0 * G if in_world else -3.0 * G))
    api.CreateModeAttr().Set("force" if in_world else "acceleration")
    api.CreateWorldFrameEnabledAttr().Set(in_world)
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/cube")
    for _ in range(4):
        sim.step(STEP)
    net = (1.5 if in_world else 3.0) * G - G  # of 3 g N on 2 kg, or of 3 g
    np.testing.assert_allclose(view.get_velocities()[0, 2], 4.0 * STEP * net, rtol=1e-5)
    np.testing.assert_allclose(view.get_accelerations()[0, 2], net, rtol=1e-5)


def test_negative_gravity_is_taken_as_it_is() -> None:
    stage = metric_stage()
    scene = UsdPhysics.Scene.Define(stage, "/physicsScene")
    scene.CreateGravityDirectionAttr(Gf.Vec3f(0.0, 0.0, 1.0))
    scene.CreateGravityMagnitudeAttr(-2.0)
    add_body(stage, "/World/body", (0.0, 0.0, 1.0), 1.0)
    sim = tensors.create_simulation_view("numpy")
    gravity = sim.get_gravity()
    assert (gravity.x, gravity.y, gravity.z) == (0.0, 0.0, -2.0)


def test_materials_outside_of_environments_hold_within_them() -> None:
    stage = metric_stage()
    material = UsdShade.Material.Define(stage, "/World/smooth")
    surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    surface.CreateDynamicFrictionAttr(0.125)
    surface.CreateStaticFrictionAttr(0.125)
    add_environments(stage, 2)
    prim = add_cube(stage, "/World/envs/env_0/cube", (0.0, 0.0, 1.0))
    binding = UsdShade.MaterialBindingAPI.Apply(prim)
    binding.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/envs/*/cube")
    np.testing.assert_allclose(view.get_material_properties()[..., 1], 0.125)


def _arm_on_a_post(stage: Usd.Stage) -> None:
    """An arm along x, on a hinge about y, whose end lies on a post that does not move."""
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, "/World/Arm").GetPrim())
    add_body(stage, "/World/Arm/base", (0.0, 0.0, 0.0), 1.0)
    hold = UsdPhysics.FixedJoint.Define(stage, "/World/Arm/hold")
    hold.CreateBody1Rel().SetTargets(["/World/Arm/base"])
    for path, height in (("/World/Arm/ball", 0.0), ("/World/post", -0.2)):
        ball = UsdGeom.Sphere.Define(stage, path)
        ball.CreateRadiusAttr(0.1)
        ball.AddTranslateOp().Set(Gf.Vec3d(1.0, 0.0, height))
        UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
        body = UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
        body.CreateKinematicEnabledAttr(path == "/World/post")
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/World/Arm/hinge")
    hinge.CreateAxisAttr("Y")
    hinge.CreateBody0Rel().SetTargets(["/World/Arm/base"])
    hinge.CreateBody1Rel().SetTargets(["/World/Arm/ball"])
    hinge.CreateLocalPos1Attr(Gf.Vec3f(-1.0, 0.0, 0.0))


def test_a_link_that_moves_towards_a_body_stops_at_its_surface() -> None:
    stage = metric_stage()
    _arm_on_a_post(stage)
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/World/Arm")
    sim.step(STEP)
    # It would fall with g dt = 9.8e-3 rad/s; a contact is a little soft (1e-5 of its mobility).
    assert abs(view.get_dof_velocities()[0, 0]) < 1e-4


def test_joints_come_back_to_their_limits_beside_contacts_that_cannot_slide_one_way(
    capfd: pytest.CaptureFixture[str],
) -> None:
    stage = metric_stage()
    _arm_on_a_post(stage)  # its end cannot move along y
    add_body(stage, "/World/Arm/cart", (0.0, 0.0, 0.0), 1.0)
    slide = UsdPhysics.PrismaticJoint.Define(stage, "/World/Arm/slide")
    slide.CreateAxisAttr("Y")
    slide.CreateBody0Rel().SetTargets(["/World/Arm/base"])
    slide.CreateBody1Rel().SetTargets(["/World/Arm/cart"])
    slide.CreateLowerLimitAttr(-4.0)
    slide.CreateUpperLimitAttr(4.0)
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/World/Arm")
    assert view.shared_metatype is not None
    place = view.shared_metatype.dof_names.index("slide")
    positions = np.zeros((1, 2))
    positions[0, place] = 4.5
    view.set_dof_positions(positions, np.arange(1))
    for _ in range(60):
        sim.step(1.0 / 60.0)
    assert view.get_dof_positions()[0, place] < 4.01
    assert "ZeroDivisionError" not in capfd.readouterr().err


def test_a_root_that_is_placed_as_a_body_takes_its_articulation_along() -> None:
    stage = metric_stage()
    add_cartpole(stage, "/World/Robot")
    stage.RemovePrim("/World/Robot/rootJoint")
    sim = tensors.create_simulation_view("numpy")
    rails = sim.create_rigid_body_view("/World/Robot/rail|pole")
    pole = sim.create_rigid_body_view("/World/Robot/pole")
    paths = rails.prim_paths
    assert sorted(paths) == ["/World/Robot/pole", "/World/Robot/rail"]
    rail = np.array([paths.index("/World/Robot/rail")])
    poses = rails.get_transforms()
    poses[:, 2] += 1.0
    rails.set_transforms(poses, rail)
    np.testing.assert_allclose(pole.get_transforms()[0, 2], HALF_POLE + 1.0, atol=1e-6)


def test_matrices_of_joints_are_without_the_base_of_each_that_has_one() -> None:
    stage = metric_stage()
    for name in ("free", "held"):
        add_cartpole(stage, f"/World/{name}")
    stage.RemovePrim("/World/free/rootJoint")
    sim = tensors.create_simulation_view("numpy")
    both = sim.create_articulation_view("/World/free|held")
    for row, path in enumerate(both.prim_paths):
        alone = sim.create_articulation_view(path)
        np.testing.assert_array_equal(both.get_mass_matrices()[row], alone.get_mass_matrices()[0])
        assert both.get_mass_matrices()[row].any()
        np.testing.assert_array_equal(
            both.get_generalized_gravity_forces()[row], alone.get_generalized_gravity_forces()[0]
        )
