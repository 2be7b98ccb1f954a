"""Prims of ``isaacsim.core.experimental`` are placed, moved, pushed and put back."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("warp")

from tests.support.tolerances import ALGEBRA
from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core.experimental import app, stage
from unibody.isaac_core.experimental.materials import PreviewSurfaceMaterial, RigidBodyMaterial
from unibody.isaac_core.experimental.objects import Cube, GroundPlane
from unibody.isaac_core.experimental.prims import GeomPrim, RigidPrim, XformPrim
from unibody.isaac_core.simulation.simulation_manager import SimulationManager

STEP = 1.0 / 60.0


def _cubes(height: float = 1.0) -> Cube:
    stage.set_stage_units(meters_per_unit=1.0)
    places = [[0.0, 0.0, height], [2.0, 0.0, height], [4.0, 0.0, height]]
    cubes = Cube([f"/World/cube_{n}" for n in range(3)], sizes=0.2, positions=places)
    GeomPrim(cubes.paths, apply_collision_apis=True)
    return cubes


def test_prims_are_found_by_patterns_and_paths_must_be_all_there_or_all_free() -> None:
    _cubes()
    assert XformPrim("/World/cube_[12]").paths == ["/World/cube_1", "/World/cube_2"]
    assert XformPrim.resolve_paths("/World/new") == ([], ["/World/new"])
    with pytest.raises(InvalidArgumentError, match="all there, or all free"):
        Cube(["/World/cube_0", "/World/new"])
    with pytest.raises(InvalidArgumentError, match="paths of prims"):
        XformPrim("/World/new")


def test_poses_are_broadcast_and_set_by_indices() -> None:
    cubes = _cubes()
    cubes.set_world_poses(positions=[1.0, 2.0, 3.0], indices=[0, 2])
    places, turns = cubes.get_world_poses()
    expected = [[1.0, 2.0, 3.0], [2.0, 0.0, 1.0], [1.0, 2.0, 3.0]]
    np.testing.assert_allclose(places.numpy(), expected, atol=ALGEBRA)
    np.testing.assert_allclose(turns.numpy(), [[1.0, 0.0, 0.0, 0.0]] * 3, atol=ALGEBRA)
    with pytest.raises(InvalidArgumentError, match="a shape that becomes"):
        cubes.set_world_poses(positions=np.zeros((2, 3)))


def test_bodies_fall_as_far_as_gravity_takes_them_and_go_back() -> None:
    bodies = RigidPrim(_cubes(10.0).paths, masses=[[1.0], [2.0], [3.0]])
    SimulationManager.setup_simulation(dt=STEP)
    bodies.set_default_state(positions=[[0.0, 0.0, 5.0]], linear_velocities=[0.0, 0.0, 1.0])
    app.play()
    start = bodies.get_world_poses()[0].numpy()[:, 2]
    speed = bodies.get_velocities()[0].numpy()[:, 2]
    steps = 30
    SimulationManager.step(steps=steps)
    fallen = start - bodies.get_world_poses()[0].numpy()[:, 2]
    # semi-implicit steps: the speed of each step's end acts for the whole of it
    expected = -speed * steps * STEP + 9.81 * STEP**2 * steps * (steps + 1) / 2.0
    np.testing.assert_allclose(fallen, expected, rtol=1e-4)
    np.testing.assert_allclose(bodies.get_masses().numpy(), [[1.0], [2.0], [3.0]])
    bodies.reset_to_default_state()
    np.testing.assert_allclose(bodies.get_world_poses()[0].numpy()[:, 2], 5.0)
    np.testing.assert_allclose(bodies.get_velocities()[0].numpy()[:, 2], 1.0)


def test_forces_speed_bodies_up_by_their_masses_in_the_world_and_in_their_frames() -> None:
    quarter = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # about z
    cubes = _cubes(10.0)
    cubes.set_world_poses(orientations=[quarter])
    bodies = RigidPrim(cubes.paths, masses=2.0)
    SimulationManager.setup_simulation(dt=STEP)
    bodies.set_enabled_gravities(False)
    app.play()
    bodies.set_velocities([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    bodies.apply_forces([4.0, 0.0, 0.0], indices=[0])
    bodies.apply_forces([4.0, 0.0, 0.0], indices=[1], local_frame=True)
    SimulationManager.step()
    moving = bodies.get_velocities()[0].numpy()
    gained = 4.0 / 2.0 * STEP
    expected = [[gained, 0.0, 0.0], [0.0, gained, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(moving, expected, atol=1e-6)


def test_a_ground_carries_what_lands_on_it_and_contacts_are_its_weight() -> None:
    (plane,) = GroundPlane("/World/ground").planes.paths
    bodies = RigidPrim(_cubes(0.11).paths, masses=1.5, contact_filter_paths=plane)
    SimulationManager.setup_simulation(dt=STEP)
    app.play()
    SimulationManager.step(steps=120)
    heights = bodies.get_world_poses()[0].numpy()[:, 2]
    np.testing.assert_allclose(heights, 0.1, atol=1e-3)
    forces = bodies.get_net_contact_forces(dt=STEP).numpy()
    np.testing.assert_allclose(forces, [[0.0, 0.0, 1.5 * 9.81]] * 3, atol=0.05)
    with pytest.raises(UnibodyError, match="needs contact_filter_paths"):
        RigidPrim("/World/cube_0").get_net_contact_forces()


def test_materials_of_both_kinds_are_given_and_found_again() -> None:
    cubes = _cubes()
    red = PreviewSurfaceMaterial("/World/red")
    red.set_input_values("diffuseColor", [1.0, 0.0, 0.0])
    cubes.apply_visual_materials(red, indices=[1])
    found = cubes.get_applied_visual_materials()
    assert found[0] is None
    assert found[1].paths == ["/World/red"]
    np.testing.assert_allclose(found[1].get_input_values("diffuseColor").numpy(), [[1, 0, 0]])
    with pytest.raises(InvalidArgumentError, match="one of diffuseColor"):
        red.set_input_values("color", [1.0, 0.0, 0.0])
    ice = RigidBodyMaterial("/World/ice", static_frictions=0.1, dynamic_frictions=0.05)
    shapes = GeomPrim(cubes.paths)
    shapes.apply_physics_materials([ice])
    (again, *_) = shapes.get_applied_physics_materials()
    assert [one.numpy().item() for one in again.get_friction_coefficients()] == pytest.approx(
        [0.1, 0.05]
    )
