"""Views of articulations and bodies of a stage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pxr import UsdPhysics

from tests.isaac_core.physics.stages import (
    CART,
    HALF_POLE,
    POLE,
    RAIL,
    add_cartpole,
    add_cube,
    add_environments,
    add_ground,
    metric_stage,
)
from unibody.isaac_core import physics
from unibody.isaac_core.kit import context
from unibody.isaac_core.physics import tensors


@pytest.fixture(autouse=True)
def _let_go() -> None:
    physics.detach()


def _cartpoles(count: int) -> tensors.SimulationView:
    stage = metric_stage()
    add_environments(stage, count)
    add_cartpole(stage, "/World/envs/env_0/Robot")
    return tensors.create_simulation_view("numpy")


def test_articulation_view_knows_names_paths_and_limits_of_all_clones() -> None:
    view = _cartpoles(3).create_articulation_view("/World/envs/*/Robot")
    shared = view.shared_metatype
    assert shared is not None
    assert view.prim_paths == [f"/World/envs/env_{n}/Robot" for n in range(3)]
    assert view.link_paths[1] == [f"/World/envs/env_1/Robot/{n}" for n in ("rail", "cart", "pole")]
    assert view.dof_paths[2] == [f"/World/envs/env_2/Robot/{n}Joint" for n in ("cart", "pole")]
    assert shared.dof_names == ["cartJoint", "poleJoint"]
    assert shared.link_parents == ["", "rail", "cart"]
    assert shared.fixed_base
    limits = view.get_dof_limits()
    np.testing.assert_allclose(limits[:, 0], [[-4.0, 4.0]] * 3)
    assert (np.abs(limits[:, 1]) > 1e38).all()
    np.testing.assert_allclose(view.get_masses(), [[RAIL, CART, POLE]] * 3)


def test_what_is_set_on_some_rows_comes_back_and_leaves_the_others() -> None:
    view = _cartpoles(3).create_articulation_view("/World/envs/*/Robot")
    values = np.arange(6, dtype=np.float32).reshape(3, 2) / 10.0
    view.set_dof_positions(values, np.array([0, 2]))
    expected = values.copy()
    expected[1] = 0.0
    np.testing.assert_allclose(view.get_dof_positions(), expected)
    links = view.get_link_transforms()
    # The cart slides along y, the pole's mass centre is above the hinge by cos(angle).
    np.testing.assert_allclose(links[2, 1, 1], values[2, 0], atol=1e-6)
    np.testing.assert_allclose(links[2, 2, 2], HALF_POLE * math.cos(values[2, 1]), atol=1e-6)
    np.testing.assert_allclose(links[:, 0, 0], [0.0, 3.0, 6.0])


def test_effort_on_the_cart_gives_the_acceleration_of_newton() -> None:
    sim = _cartpoles(2)
    view = sim.create_articulation_view("/World/envs/*/Robot")
    sim.set_gravity((0.0, 0.0, 0.0))
    view.set_dof_dampings(np.zeros((2, 2)), np.arange(2))
    force = 3.0
    view.set_dof_actuation_forces(np.array([[force, 0.0], [0.0, 0.0]]), np.arange(2))
    sim.step(0.001)
    # Pole hinged at the cart: (M + m) a + m l w' = F and (I + m l^2) w' + m l a = 0.
    inertia = POLE * 0.01 / 6.0 + POLE * HALF_POLE**2
    moment = POLE * HALF_POLE
    expected = force / (CART + POLE - moment**2 / inertia)
    speeds = view.get_dof_velocities()
    np.testing.assert_allclose(speeds[0, 0], expected * 0.001, rtol=1e-3)  # float32 and one step
    np.testing.assert_allclose(speeds[1], 0.0, atol=1e-7)


def test_rigid_bodies_fall_and_come_to_rest_on_the_ground_of_all_environments() -> None:
    stage = metric_stage()
    add_ground(stage)
    add_environments(stage, 3)
    add_cube(stage, "/World/envs/env_0/Cube", (0.0, 0.0, 1.0))
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/envs/*/Cube")
    sim.step(1.0 / 60.0)
    np.testing.assert_allclose(view.get_velocities()[:, 2], -9.81 / 60.0, rtol=1e-3)
    for _ in range(120):
        sim.step(1.0 / 60.0)
    poses = view.get_transforms()
    np.testing.assert_allclose(poses[:, 0], [0.0, 3.0, 6.0], atol=1e-3)
    np.testing.assert_allclose(poses[:, 2], 0.5, atol=2e-3)  # a contact is a little soft
    poses[:, 2] = 4.0
    view.set_transforms(poses, np.array([1]))
    np.testing.assert_allclose(view.get_transforms()[:, 2], [0.5, 4.0, 0.5], atol=2e-3)


def test_a_stage_that_was_closed_takes_its_physics_along() -> None:
    stage = metric_stage()
    add_cube(stage, "/World/Cube", (0.0, 0.0, 1.0))
    scene = physics.attach(stage)
    assert physics.current() is scene
    context.get_context().new_stage()
    del stage
    assert physics.current() is None
    assert not scene.valid


def test_subspace_roots_make_positions_relative_to_their_environment() -> None:
    sim = _cartpoles(3)
    sim.set_subspace_roots("/World/envs/*")
    view = sim.create_articulation_view("/World/envs/*/Robot")
    np.testing.assert_allclose(view.get_root_transforms()[:, :3], 0.0, atol=1e-6)


@pytest.mark.parametrize("name", ["torch", "warp"])
def test_frontends_give_and_take_the_same_numbers_as_numpy(name: str) -> None:
    pytest.importorskip(name)
    plain = _cartpoles(2)
    other = tensors.create_simulation_view(name)
    one = plain.create_articulation_view("/World/envs/*/Robot")
    two = other.create_articulation_view("/World/envs/*/Robot")
    one.set_dof_positions(np.full((2, 2), 0.25), np.arange(2))
    found = two.get_dof_positions()
    np.testing.assert_array_equal(found.numpy(), one.get_dof_positions())
    two.set_dof_velocities(found, None)
    np.testing.assert_array_equal(one.get_dof_velocities(), 0.25)


def test_flush_writes_poses_that_usd_composes_and_restore_takes_them_back() -> None:
    from pxr import UsdGeom

    sim = _cartpoles(2)
    view = sim.create_articulation_view("/World/envs/*/Robot")
    view.set_dof_positions(np.array([[0.5, 1.0], [0.0, 0.0]]), np.arange(2))
    scene = physics.current()
    assert scene is not None
    pole = scene.stage.GetPrimAtPath("/World/envs/env_0/Robot/pole")
    before = UsdGeom.Xformable(pole).ComputeLocalToWorldTransform(0)
    scene.flush_to_stage()
    after = UsdGeom.Xformable(pole).ComputeLocalToWorldTransform(0).ExtractTranslation()
    np.testing.assert_allclose(after, view.get_link_transforms()[0, 2, :3], atol=1e-6)
    scene.restore_stage()
    assert UsdGeom.Xformable(pole).ComputeLocalToWorldTransform(0) == before


def test_invalid_view_and_unknown_frontend_are_refused() -> None:
    sim = _cartpoles(1)
    view = sim.create_articulation_view("/World/envs/*/Robot")
    sim.invalidate()
    with pytest.raises(RuntimeError, match="not valid"):
        view.get_dof_positions()
    with pytest.raises(ValueError, match="frontend_name"):
        tensors.create_simulation_view("jax")
    with pytest.raises(NotImplementedError, match="tensorflow"):
        tensors.create_simulation_view("tensorflow")


def test_contacts_of_stacked_cubes_carry_the_weight_above_them() -> None:
    stage = metric_stage()
    add_ground(stage)
    add_environments(stage, 2, 5.0)
    for number in range(2):
        add_cube(stage, f"/World/envs/env_0/Cube_{number}", (0.0, 0.0, 0.5 + number), mass=2.0)
    sim = tensors.create_simulation_view("numpy")
    filters = ["/World/envs/*/Cube_1", "/World/ground"]
    view = sim.create_rigid_contact_view("/World/envs/*/Cube_0", filters, 20)
    for _ in range(200):
        sim.step(1.0 / 60.0)
    weight = 2.0 * 9.81
    assert (view.sensor_count, view.filter_count) == (2, 2)
    assert view.filter_paths[1] == ["/World/envs/env_1/Cube_1", "/World/ground"]
    # At rest: the cube above pushes down with its weight, the ground up with both.
    matrix = view.get_contact_force_matrix(1.0 / 60.0)
    np.testing.assert_allclose(matrix[:, :, 2], [[-weight, 2.0 * weight]] * 2, rtol=1e-2)
    np.testing.assert_allclose(matrix[:, :, :2], 0.0, atol=1e-2)
    np.testing.assert_allclose(view.get_net_contact_forces(1.0)[:, 2], weight / 60.0, rtol=1e-2)
    forces, points, normals, distances, counts, starts = view.get_contact_data(1.0 / 60.0)
    np.testing.assert_array_equal(counts, 4)
    np.testing.assert_array_equal(starts.ravel(), [0, 4, 8, 12])
    np.testing.assert_allclose(forces[4:8].sum(), 2.0 * weight, rtol=1e-2)
    np.testing.assert_allclose(np.abs(points[8:16, 0] - 5.0), 0.5, atol=1e-2)
    np.testing.assert_allclose(normals[4:8], [[0.0, 0.0, 1.0]] * 4, atol=1e-3)
    assert (np.abs(distances[:16]) < 1e-2).all()
    with pytest.raises(ValueError, match="it fits 0"):
        sim.create_rigid_contact_view("/World/envs/*/Cube_0", ["/World/nothing"])


def test_coriolis_forces_of_a_pole_on_a_cart_are_those_of_the_textbook() -> None:
    view = _cartpoles(2).create_articulation_view("/World/envs/*/Robot")
    angle, rate = 0.7, 1.3
    view.set_dof_positions(np.array([[0.0, angle], [0.0, 0.0]]), None)
    view.set_dof_velocities(np.array([[0.0, rate], [0.0, 0.0]]), None)
    forces = view.get_coriolis_and_centrifugal_compensation_forces()
    # The pole turns from z to -y: its centripetal acceleration pulls the cart by m l w^2 sin.
    expected = POLE * HALF_POLE * rate**2 * math.sin(angle)
    np.testing.assert_allclose(forces, [[expected, 0.0], [0.0, 0.0]], atol=1e-5)
    gravity = view.get_gravity_compensation_forces()
    np.testing.assert_allclose(
        gravity[0], [0.0, -POLE * 9.81 * HALF_POLE * math.sin(angle)], atol=1e-4
    )


def test_one_body_that_is_held_under_an_xform_is_an_articulation_without_joints() -> None:
    from pxr import UsdGeom, UsdPhysics

    stage = metric_stage()
    add_environments(stage, 3)
    path = "/World/envs/env_0/Robot"
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, path).GetPrim())
    add_cube(stage, f"{path}/Root", (0.0, 0.0, 1.0))
    joint = UsdPhysics.FixedJoint.Define(stage, f"{path}/Root/Joint")
    joint.CreateBody1Rel().SetTargets([f"{path}/Root"])
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/World/envs/*/Robot")
    assert (view.count, view.max_links, view.max_dofs) == (3, 1, 0)
    assert view.prim_paths[2] == "/World/envs/env_2/Robot"
    view.set_dof_stiffnesses(np.ones((3, 0)), None)
    assert view.get_dof_stiffnesses().shape == (3, 0)
    sim.step(0.01)
    np.testing.assert_allclose(view.get_root_transforms()[:, 2], 1.0)


def test_one_free_body_that_is_marked_is_an_articulation_without_joints() -> None:
    stage = metric_stage()
    ball = add_cube(stage, "/World/marked", (0.0, 0.0, 5.0), mass=2.0)
    UsdPhysics.ArticulationRootAPI.Apply(ball)
    add_cube(stage, "/World/plain", (3.0, 0.0, 5.0))
    simulation = tensors.create_simulation_view("numpy")
    view = simulation.create_articulation_view("/World/*")
    assert view.prim_paths == ["/World/marked"]
    assert (view.max_links, view.max_dofs) == (1, 0)
    np.testing.assert_allclose(view.get_masses(), [[2.0]])
    view.set_root_velocities(np.array([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], np.float32), np.arange(1))
    simulation.step(0.01)
    np.testing.assert_allclose(view.get_root_transforms()[0, 0], 0.01, rtol=1e-5)


def test_bodies_that_are_disabled_stay_and_touch_nothing_until_they_are_enabled() -> None:
    stage = metric_stage()
    add_environments(stage, 2, 5.0)
    add_cube(stage, "/World/envs/env_0/Cube", (0.0, 0.0, 3.0))
    add_cube(stage, "/World/envs/env_0/Ball", (0.0, 0.0, 6.0))
    sim = tensors.create_simulation_view("numpy")
    cubes = sim.create_rigid_body_view("/World/envs/*/Cube")
    balls = sim.create_rigid_body_view("/World/envs/*/Ball")
    for _ in range(10):
        sim.step(0.01)
    before = cubes.get_transforms()[:, 2].copy()
    assert (before < 2.96).all()
    cubes.set_disable_simulations(np.array([[1], [0]]), np.arange(2))
    np.testing.assert_array_equal(cubes.get_disable_simulations(), [[1], [0]])
    for _ in range(90):
        sim.step(0.01)
    fallen = 9.81 * 1.0**2 / 2.0  # in 1 s; half a step's speed more at each step's end
    heights = cubes.get_transforms()[:, 2]
    np.testing.assert_allclose(heights, [before[0], 3.0 - fallen], atol=0.06)
    np.testing.assert_allclose(heights[0], before[0], atol=1e-6)
    # The ball fell through the cube that is out of the simulation.
    np.testing.assert_allclose(balls.get_transforms()[:, 2], 6.0 - fallen, atol=0.06)
    cubes.set_disable_simulations(np.zeros((2, 1)), np.arange(2))
    sim.step(0.01)
    assert cubes.get_transforms()[0, 2] < before[0]
    robot = "/World/envs/env_0/Cube"
    assert sim.get_object_type(robot) is tensors.ObjectType.RigidBody


def test_a_flush_writes_only_bodies_that_have_moved_since_the_last_one() -> None:
    from pxr import Gf, UsdGeom

    stage = metric_stage()
    add_environments(stage, 3, 5.0)
    add_cube(stage, "/World/envs/env_0/Cube", (0.0, 0.0, 5.0))
    place = UsdGeom.Xform.Define(stage, "/World/still")
    place.AddTranslateOp().Set(Gf.Vec3d(1.0, 2.0, 3.0))
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/envs/*/Cube")
    scene = physics.current()
    assert scene is not None
    scene.flush_to_stage()
    begun = scene.writer.written
    scene.flush_to_stage()
    assert scene.writer.written == begun  # nothing has moved
    poses = view.get_transforms()
    poses[1, :3] = (7.0, 0.0, 5.0)
    view.set_transforms(poses, np.array([1]))
    scene.flush_to_stage(["/World/still"])
    assert scene.writer.written == begun  # no body moves that prim
    scene.flush_to_stage(["/World/envs/env_2/Cube"])
    assert scene.writer.written == begun + 1
    place = stage.GetPrimAtPath("/World/envs/env_1/Cube")
    whole = UsdGeom.Xformable(place).ComputeLocalToWorldTransform(0)
    np.testing.assert_allclose(whole.ExtractTranslation(), (7.0, 0.0, 5.0), atol=1e-5)  # float32


def test_a_flush_sees_where_scripts_have_put_the_parents_of_bodies_in_between() -> None:
    from pxr import Gf, UsdGeom

    stage = metric_stage()
    parent = UsdGeom.Xform.Define(stage, "/World/parent")
    moved = parent.AddTranslateOp()
    add_cube(stage, "/World/parent/Cube", (0.0, 0.0, 5.0))
    tensors.create_simulation_view("numpy")
    scene = physics.current()
    assert scene is not None
    scene.flush_to_stage()
    moved.Set(Gf.Vec3d(4.0, 0.0, 0.0))
    scene.flush_to_stage()
    cube = stage.GetPrimAtPath("/World/parent/Cube")
    whole = UsdGeom.Xformable(cube).ComputeLocalToWorldTransform(0)
    np.testing.assert_allclose(whole.ExtractTranslation(), (0.0, 0.0, 5.0), atol=1e-6)


def test_contacts_and_friction_are_those_of_the_last_step_wherever_bodies_were_put_since() -> None:
    stage = metric_stage()
    add_ground(stage)
    add_environments(stage, 3, 5.0)
    add_cube(stage, "/World/envs/env_0/Cube", (0.0, 0.0, 0.5), mass=2.0)
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_contact_view("/World/envs/*/Cube", ["/World/ground"], 24)
    bodies = sim.create_rigid_body_view("/World/envs/*/Cube")
    push = np.tile([[4.0, 0.0, 0.0]], (3, 1)).astype(np.float32)
    for _ in range(100):
        bodies.apply_forces(push, None, True)
        sim.step(1.0 / 60.0)
    before = view.get_contact_data(1.0 / 60.0)
    poses = bodies.get_transforms()
    poses[:, 2] += 10.0
    bodies.set_transforms(poses, np.arange(3))
    for ours, theirs in zip(view.get_contact_data(1.0 / 60.0), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    # A cube at rest: four corners carry 2 kg, and friction of all four holds the push of 4 N.
    np.testing.assert_allclose(before[0].sum(), 3 * 2.0 * 9.81, rtol=1e-3)
    friction = view.get_friction_data(1.0 / 60.0)[0]
    np.testing.assert_allclose(friction.sum(axis=0), (-12.0, 0.0, 0.0), atol=0.05)
    sim.step(1.0 / 60.0)
    assert not view.get_contact_data(1.0 / 60.0)[4].any()
