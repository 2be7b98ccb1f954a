"""Worlds that play: what falls, lands, swings and comes back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from pxr import Gf, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import prims, xforms
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.objects import DynamicCuboid
from unibody.isaac_core.prims.articulation import Articulation
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.prims.contact_view import RigidContactView
from unibody.isaac_core.prims.geometry_view import GeometryPrimView
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.simulation.manager import simulation
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.world.world import World

DT = 1.0 / 60.0


@pytest.fixture(autouse=True)
def _no_world() -> Iterator[None]:
    World.clear_instance()
    yield
    World.clear_instance()


def _pendulum(path: str = "/World/arm") -> None:
    """A rod of 1 m and 1 kg that hangs on a hinge about y, with a drive without gains."""
    stage = handles.current_stage()
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, path).GetPrim())
    for name, height in (("base", 2.0), ("rod", 1.5)):
        body = UsdGeom.Xform.Define(stage, f"{path}/{name}")
        body.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, height))
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        mass = UsdPhysics.MassAPI.Apply(body.GetPrim())
        mass.CreateMassAttr(1.0)
        mass.CreateDiagonalInertiaAttr(Gf.Vec3f(1.0 / 12.0, 1.0 / 12.0, 1e-3))
    fixed = UsdPhysics.FixedJoint.Define(stage, f"{path}/fixed")
    fixed.CreateBody1Rel().SetTargets([f"{path}/base"])
    fixed.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, 2.0))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, f"{path}/hinge")
    hinge.CreateAxisAttr("Y")
    hinge.CreateBody0Rel().SetTargets([f"{path}/base"])
    hinge.CreateBody1Rel().SetTargets([f"{path}/rod"])
    hinge.CreateLocalPos1Attr(Gf.Vec3f(0.0, 0.0, 0.5))
    drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
    drive.CreateStiffnessAttr(0.0)
    drive.CreateDampingAttr(0.0)


def test_a_cube_lands_at_half_its_size_and_stop_puts_it_back() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 1.0], size=0.5))
    world.reset()
    for _ in range(180):
        world.step()
    # contacts are soft: at rest a cube sinks in by less than a millimetre
    assert cube.get_world_pose()[0][2] == pytest.approx(0.25, abs=1e-3)
    world.pause()
    written = prims.get_prim_at_path("/World/cube").GetAttribute("xformOp:translate").Get()
    assert written[2] == pytest.approx(cube.get_world_pose()[0][2], abs=1e-6)
    world.stop()
    assert cube.get_world_pose()[0].tolist() == [0.0, 0.0, 1.0]


def test_steps_callbacks_and_time_count_from_where_it_plays() -> None:
    world = World(physics_dt=1.0 / 120.0, rendering_dt=DT)
    world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 9.0]))
    world.reset()
    heard: list[float] = []
    world.add_physics_callback("mine", heard.append)
    assert world.current_time_step_index == 0
    world.step()
    assert heard == pytest.approx([1.0 / 120.0] * 2)  # two steps fit into a frame
    world.step(render=False)
    assert (world.current_time_step_index, world.current_time) == (3, pytest.approx(3.0 / 120.0))
    world.remove_physics_callback("mine")
    world.step()
    assert len(heard) == 3


def test_frames_of_no_length_tell_so_and_have_a_step_each() -> None:
    world = World(physics_dt=DT, rendering_dt=0.0)
    steps, frames = [], []
    world.reset()
    world.add_physics_callback("steps", steps.append)
    world.add_render_callback("frames", lambda event: frames.append(event.payload["dt"]))
    world.step(render=True)
    assert (steps, frames) == ([pytest.approx(DT)], [0.0])


def test_a_pendulum_swings_in_its_period_and_efforts_hold_it() -> None:
    world = World(physics_dt=1.0 / 500.0)
    _pendulum()
    arm = world.scene.add(Articulation("/World/arm", "arm"))
    world.reset()
    assert (arm.num_dof, arm.num_bodies, arm.dof_names) == (1, 2, ["hinge"])
    arm.set_joint_positions(np.array([0.05]))
    arm.set_joint_velocities(np.array([0.0]))
    angles = []
    for _ in range(1000):
        world.step(render=False)
        angles.append(float(arm.get_joint_positions()[0]))
    crossings = np.flatnonzero(np.diff(np.sign(angles)))
    # I = m L^2/3, so T = 2 pi sqrt(2 L/(3 g)) = 1.638 s; a crossing is known to one step of 2 ms
    assert 2 * np.diff(crossings).mean() / 500.0 == pytest.approx(1.638, abs=0.01)
    arm.set_joint_positions(np.array([0.5]))
    arm.set_joint_velocities(np.array([0.0]))
    held = 9.81 * 0.5 * np.sin(0.5)  # about y, a positive angle moves the rod to -x
    arm.apply_action(ArticulationAction(joint_efforts=np.array([held])))
    for _ in range(10):
        world.step(render=False)
        arm.apply_action(ArticulationAction(joint_efforts=np.array([held])))
    # a balance that is unstable only by rounding stays; without it 10 steps make 1.4e-3 rad
    assert arm.get_joint_positions()[0] == pytest.approx(0.5, abs=1e-4)


def test_a_soft_reset_puts_objects_to_their_defaults_without_a_new_start() -> None:
    world = World()
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 5.0]))
    cube.set_default_state(position=[1.0, 2.0, 3.0], linear_velocity=[0.0, 0.0, 1.0])
    world.reset()
    assert cube.get_world_pose()[0] == pytest.approx([1.0, 2.0, 3.0])
    world.step()
    cube.set_world_pose([7.0, 7.0, 7.0])
    assert cube.get_world_pose()[0] == pytest.approx([7.0, 7.0, 7.0])
    steps = world.current_time_step_index
    world.reset(soft=True)
    assert cube.get_world_pose()[0] == pytest.approx([1.0, 2.0, 3.0])
    assert cube.get_linear_velocity() == pytest.approx([0.0, 0.0, 1.0])
    assert world.current_time_step_index == steps


@pytest.mark.parametrize("backend", ["numpy", "torch", "warp"])
def test_backends_give_the_same_fall(backend: str) -> None:
    pytest.importorskip(backend)
    world = World(backend=backend)
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 5.0]))
    world.reset()
    for _ in range(10):
        world.step()
    position = world.backend_utils.to_numpy(cube.get_world_pose()[0])
    # symplectic Euler from rest: z = 5 - g dt^2 n (n + 1)/2, in 32 bits
    assert position == pytest.approx([0.0, 0.0, 5.0 - 9.81 * DT**2 * 55], abs=1e-5)


def test_views_feel_the_weights_of_cubes_at_rest_and_where_these_touch() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    for number, mass in enumerate((2.0, 3.0)):
        place = [2.0 * number, 0.0, 0.5]
        DynamicCuboid(f"/World/cube_{number}", f"c{number}", position=place, size=1.0, mass=mass)
    ground = ["/World/defaultGroundPlane/GroundPlane/CollisionPlane"]
    cubes = RigidPrimView(
        "/World/cube_.*", "cubes", contact_filter_prim_paths_expr=ground, max_contact_count=8
    )
    world.scene.add(cubes)
    world.reset()
    for _ in range(120):
        world.step(render=False)
    dt = world.get_physics_dt()
    weights = np.array([[0.0, 0.0, 2.0 * 9.81], [0.0, 0.0, 3.0 * 9.81]])
    # the solver stops at a hundred millionth of the scale of forces; results are single precision
    assert cubes.get_net_contact_forces(dt=dt) == pytest.approx(weights, abs=1e-3)
    assert cubes.get_net_contact_forces() == pytest.approx(weights * dt, abs=1e-5)
    assert cubes.get_net_contact_forces([1], dt=dt) == pytest.approx(weights[1:], abs=1e-3)
    assert cubes.get_contact_force_matrix(dt=dt)[:, 0] == pytest.approx(weights, abs=1e-3)
    forces, points, normals, distances, counts, starts = cubes.get_contact_force_data(dt=dt)
    assert (counts.tolist(), starts.tolist()) == ([[4], [4]], [[0], [4]])
    assert forces[:4].sum() == pytest.approx(weights[0, 2], abs=1e-3)
    assert normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (8, 1)), abs=1e-5)
    # corners of a cube of 1 m, which sinks in by less than a millimetre
    assert np.abs(points[:4, :2]) == pytest.approx(np.full((4, 2), 0.5), abs=1e-3)
    assert np.abs(distances).max() < 1e-3


def test_each_pattern_of_bodies_has_filters_of_its_own() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    for number in range(2):
        place = [2.0 * number, 0.0, 0.5]
        DynamicCuboid(f"/World/cube_{number}", f"c{number}", position=place, size=1.0, mass=2.0)
    ground = "/World/defaultGroundPlane/GroundPlane/CollisionPlane"
    paths = ["/World/cube_0", "/World/cube_1"]
    view = RigidContactView(paths, [[ground], ["/World/cube_0"]])
    alone = RigidContactView("/World/cube_0", [[ground]])
    world.reset()
    for _ in range(120):
        world.step(render=False)
    forces = view.get_contact_force_matrix(dt=world.get_physics_dt())[:, 0, 2]
    assert forces == pytest.approx([2.0 * 9.81, 0.0], abs=1e-3)
    assert alone.num_filters == 1
    with pytest.raises(InvalidArgumentError, match="filter_paths_expr"):
        RigidContactView(paths, [[ground]])


def test_friction_of_contacts_holds_what_pushes_and_the_ground_feels_it() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    DynamicCuboid("/World/cube", "cube", position=[0.0, 0.0, 0.5], size=1.0, mass=2.0)
    plane = "/World/defaultGroundPlane/GroundPlane/CollisionPlane"
    cubes = RigidPrimView(
        "/World/cube", "cubes", contact_filter_prim_paths_expr=[plane], max_contact_count=8
    )
    ground = GeometryPrimView(
        "/World/defaultGroundPlane", "ground", track_contact_forces=True,
        contact_filter_prim_paths_expr=["/World/cube"],
    )  # fmt: skip
    world.scene.add(cubes)
    world.scene.add(ground)
    world.reset()
    push = np.array([[3.0, 0.0, 0.0]])  # of 9.8 that friction can hold
    for _ in range(60):
        cubes.apply_forces(push)
        world.step(render=False)
    dt = world.get_physics_dt()
    cubes.apply_forces(push)
    forces, points, counts, starts = cubes.get_friction_data(dt=dt)
    assert (counts.tolist(), starts.tolist()) == ([[4]], [[0]])
    # the cube creeps at the rate of the solver's regularisation: a hundredth is left
    assert forces[:4].sum(axis=0) == pytest.approx([-3.0, 0.0, 0.0], abs=0.05)
    assert np.abs(points[:4, :2]) == pytest.approx(np.full((4, 2), 0.5), abs=1e-2)
    weight = 2.0 * 9.81
    assert ground.get_net_contact_forces(dt=dt)[0] == pytest.approx([3.0, 0.0, -weight], abs=0.05)
    pair = ground.get_contact_force_matrix(dt=dt)[0, 0]
    assert pair == pytest.approx([0.0, 0.0, -weight], abs=0.05)


def test_views_of_a_stage_that_was_closed_do_not_hinder_the_next_one() -> None:
    _pendulum()
    world = World()
    old = Articulation("/World/arm", "arm")
    world.reset()
    assert old.num_dof == 1
    World.clear_instance()
    stages.create_new_stage()
    world = World()
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 9.0]))
    world.reset()
    assert cube.get_world_pose()[0][2] == pytest.approx(9.0, abs=0.1)


@pytest.mark.parametrize("backend", ["numpy", "torch", "warp"])
def test_default_efforts_of_joints_are_zero_in_each_backend(backend: str) -> None:
    if backend != "numpy":
        pytest.importorskip(backend)
    _pendulum()
    world = World(backend=backend)
    arm = world.scene.add(ArticulationView("/World/arm", "arm"))
    world.reset()
    efforts = simulation.backend_utils().to_numpy(arm.get_joints_default_state().efforts)
    assert efforts.tolist() == [[0.0]]


def test_joints_without_a_default_begin_at_the_targets_of_their_drives() -> None:
    _pendulum()
    drive = UsdPhysics.DriveAPI(
        handles.current_stage().GetPrimAtPath("/World/arm/hinge"), "angular"
    )
    drive.GetStiffnessAttr().Set(100.0)
    drive.GetDampingAttr().Set(10.0)
    drive.CreateTargetPositionAttr(30.0)
    world = World()
    arm = world.scene.add(Articulation("/World/arm", "arm"))
    world.reset()
    assert arm.get_joints_default_state().positions == pytest.approx([np.pi / 6.0])
    assert arm.get_joint_positions() == pytest.approx([np.pi / 6.0])
    assert arm.get_applied_action().joint_velocities == pytest.approx([0.0])
    arm.disable_gravity()
    for _ in range(60):
        world.step(render=False)
    assert arm.get_joint_positions() == pytest.approx([np.pi / 6.0], abs=1e-6)


def test_environments_read_the_numbers_of_bodies_by_name() -> None:
    _pendulum()
    world = World()
    arm = world.scene.add(ArticulationView("/World/arm", "arm"))
    world.reset()
    numbers = {name: arm.get_body_index(name) for name in arm.body_names}
    assert len(numbers) > 0
    assert arm._body_indices == numbers  # environments read this private name of the original


def test_motion_that_was_not_paused_is_not_resumed_but_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    _pendulum()
    world = World()
    arms = world.scene.add(ArticulationView("/World/arm", "arm"))
    world.reset()
    arms.set_joint_position_targets([[0.3]])
    arms.resume_motion()
    assert "pause_motion was not called" in caplog.text
    arms.pause_motion()
    arms.resume_motion()
    assert arms.get_applied_actions().joint_positions == pytest.approx(0.3)
    arms.set_joint_position_targets([[0.5]])
    arms.resume_motion()
    assert arms.get_applied_actions().joint_positions == pytest.approx(0.5)


def test_fabric_is_asked_for_of_the_context_or_of_the_manager() -> None:
    context = World().get_physics_context()
    assert SimulationManager.is_fabric_enabled() is False
    SimulationManager.enable_fabric(enable=True)
    assert context.use_fabric is True
    context.enable_fabric(False)
    assert SimulationManager.is_fabric_enabled() is False


def test_poses_of_fabric_are_those_of_the_physics_while_it_plays() -> None:
    world = World()
    world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 9.0]))
    world.reset()
    for _ in range(30):
        world.step(render=False)
    place, _ = xforms.get_world_pose("/World/cube", fabric=True)
    cube = world.scene.get_object("cube")
    assert place[2] < 8.0
    assert place == pytest.approx(cube.get_world_pose()[0], abs=1e-6)
    assert xforms.get_local_pose("/World/cube", fabric=True)[0] == pytest.approx(place)


def test_objects_whose_prims_were_deleted_do_not_hinder_the_next_start() -> None:
    world = World()
    _pendulum()
    arm = Articulation("/World/arm", name="arm")
    kept = DynamicCuboid("/World/kept", name="kept", position=np.array([5.0, 0.0, 2.0]))
    world.scene.add(kept)
    world.reset()
    handles.current_stage().RemovePrim("/World/arm")
    world.step(render=False)
    assert kept.get_world_pose()[0][2] < 2.0
    world.stop()
    world.reset()
    assert not arm.handles_initialized


def test_bodies_that_were_held_in_motion_are_free_after_a_stop() -> None:
    world = World()
    DynamicCuboid("/World/cube", name="cube", position=np.array([0.0, 0.0, 2.0]))
    cubes = RigidPrimView("/World/cube", name="cubes")
    world.scene.add(cubes)
    world.reset()
    cubes.disable_rigid_body_physics()
    world.step(render=False)
    np.testing.assert_allclose(cubes.get_world_poses()[0][0, 2], 2.0, atol=1e-6)
    world.reset()  # which stops it
    cubes.set_velocities(np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(cubes.get_linear_velocities(), [[0.0, 0.0, 1.0]])
