"""Cloth falls, rests, and shows on the stage what it does."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import UsdGeom

from tests.isaac_core.prims.soft.meshes import sheet
from unibody.isaac_core.cloners import GridCloner
from unibody.isaac_core.functions.stage import get_current_stage
from unibody.isaac_core.materials import ParticleMaterial
from unibody.isaac_core.objects import DynamicCuboid, FixedCuboid
from unibody.isaac_core.prims.soft import ClothPrim, ClothPrimView, ParticleSystem
from unibody.isaac_core.world.world import World

_STIFF = {
    "stretch_stiffness": 200.0,
    "bend_stiffness": 1.0,
    "shear_stiffness": 50.0,
    "spring_damping": 0.05,
}


@pytest.fixture
def world() -> World:
    World.clear_instance()
    return World(physics_dt=1.0 / 60.0, rendering_dt=1.0 / 60.0)


def _cloth(world: World, height: float) -> ClothPrim:
    sheet("/World/cloth")
    system = ParticleSystem("/World/system", particle_contact_offset=0.02)
    material = ParticleMaterial("/World/material", friction=0.5)
    position = np.array([0.0, 0.0, height])
    made = ClothPrim("/World/cloth", system, material, position=position, **_STIFF)
    return world.scene.add(made)


def _heights(cloth: ClothPrim) -> np.ndarray:
    return cloth._cloth_view.get_world_positions()[0][:, 2]


def test_cloth_falls_freely(world: World) -> None:
    cloth = _cloth(world, 1.0)
    world.reset()  # which makes two steps
    start = _heights(cloth)
    speed = cloth._cloth_view.get_velocities()[0][:, 2]
    for _ in range(6):
        world.step(render=False)
    # Implicit steps h of a fall: v h n + g h^2 n (n + 1) / 2 after n of them, four in a step.
    n, h = 24, 1.0 / 240.0
    way = speed * n * h - 9.81 * h * h * n * (n + 1) / 2.0
    np.testing.assert_allclose(_heights(cloth) - start, way, atol=1e-5)


def test_cloth_comes_to_rest_on_a_cube_and_hangs_over_its_sides(world: World) -> None:
    world.scene.add(FixedCuboid("/World/cube", position=np.array([0.0, 0.0, 0.1]), size=0.2))
    cloth = _cloth(world, 0.25)
    world.reset()
    for _ in range(60):
        world.step(render=False)
    middle, corner = _heights(cloth)[12], _heights(cloth)[0]
    # It rests at 0.99 of the offset of its system, and bulges a little between the cube's edges.
    assert 0.2 + 0.99 * 0.02 - 1e-3 < middle < 0.2 + 0.99 * 0.02 + 6e-3
    assert corner < middle - 0.05
    get_current_stage()  # which has the points of the mesh, in the frame of its prim
    points = np.array(cloth.mesh.GetPointsAttr().Get())
    np.testing.assert_allclose(points[:, 2] + 0.25, _heights(cloth), atol=1e-6)
    world.stop()
    assert np.array(cloth.mesh.GetPointsAttr().Get())[:, 2].tolist() == [0.0] * 25


def test_cloth_weighs_on_what_it_lies_on(world: World) -> None:
    below = world.scene.add(
        DynamicCuboid("/World/cube", position=np.array([0.0, 0.0, 1.0]), size=0.2, mass=1.0)
    )
    cloth = _cloth(world, 1.11)
    world.reset()
    below.set_linear_velocity(np.array([0.0, 0.0, 1.0]))  # up into the cloth
    masses = cloth._cloth_view.get_particle_masses()[0]
    speeds = cloth._cloth_view.get_velocities()[0][:, 2]
    before = 1.0 * 1.0 + float(masses @ speeds)
    for _ in range(6):
        world.step(render=False)
    speeds = cloth._cloth_view.get_velocities()[0][:, 2]
    after = float(below.get_linear_velocity()[2]) + float(masses @ speeds)
    # What both exert on one another is equal and opposite: together they fall as 1.25 kg do. The
    # last reaction acts a substep later: 1e-2 of the momentum that goes over.
    assert after - before == pytest.approx(-9.81 * 0.1 * (1.0 + masses.sum()), rel=1e-2)


def test_springs_and_masses_are_those_that_a_script_sets(world: World) -> None:
    cloth = _cloth(world, 1.0)
    assert cloth.get_cloth_stretch_stiffness() == 200.0
    assert cloth._cloth_view.max_particles_per_cloth == 25
    count = cloth._cloth_view.max_springs_per_cloth
    assert set(cloth.get_stretch_stiffness().tolist()) == {200.0, 50.0, 1.0}
    world.reset()
    cloth.set_stretch_stiffness(np.full(count, 7.0))
    world.step(render=False)
    assert set(cloth.get_stretch_stiffness().tolist()) == {7.0}
    cloth.set_cloth_stretch_stiffness(300.0)  # takes the place of those of single springs
    world.step(render=False)
    assert set(cloth.get_stretch_stiffness().tolist()) == {300.0, 50.0, 1.0}
    cloth._cloth_view.set_particle_masses(np.full((1, 25), 0.02))
    assert cloth._cloth_view.get_particle_masses()[0].sum() == pytest.approx(0.5)


def test_cloth_goes_where_its_prim_and_its_particles_are_put(world: World) -> None:
    cloth = _cloth(world, 1.0)
    world.reset()
    cloth.set_world_pose(np.array([1.0, 0.0, 1.0]))
    world.step(render=False)
    assert cloth._cloth_view.get_world_positions()[0][:, 0].mean() == pytest.approx(1.0, abs=1e-5)
    places = cloth._cloth_view.get_world_positions() + np.array([0.0, 2.0, 0.0])
    cloth._cloth_view.set_world_positions(places)
    np.testing.assert_allclose(cloth._cloth_view.get_world_positions(), places, atol=1e-6)
    world.reset()
    assert cloth._cloth_view.get_world_positions()[0][:, 1].mean() == pytest.approx(0.0, abs=1e-5)


def test_cloths_of_cloned_environments_move_alike_and_are_put_back_in_their_order(
    world: World,
) -> None:
    stage = get_current_stage()
    for path in ("/World/envs", "/World/envs/env_0"):
        UsdGeom.Xform.Define(stage, path)
    base = "/World/envs/env_0"
    sheet(f"{base}/cloth")
    system = ParticleSystem(f"{base}/system", particle_contact_offset=0.02)
    material = ParticleMaterial(f"{base}/material", friction=0.5)
    ClothPrim(f"{base}/cloth", system, material, position=np.array([0.0, 0.0, 0.25]), **_STIFF)
    FixedCuboid(f"{base}/cube", position=np.array([0.0, 0.0, 0.1]), size=0.2)
    cloner = GridCloner(spacing=2.0)
    cloner.define_base_env("/World/envs")
    places = np.array(cloner.clone(base, cloner.generate_paths("/World/envs/env", 16)))
    cloths = world.scene.add(ClothPrimView("/World/envs/env_.*/cloth", name="cloths"))
    world.reset()
    start = cloths.get_world_positions().copy()
    for _ in range(12):
        world.step(render=False)
    moved = cloths.get_world_positions() - places[:, None, :]
    assert start[0, :, 2].max() - moved[0, :, 2].min() > 0.02
    # single precision at places of a few metres
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-6)
    world.reset()
    np.testing.assert_array_equal(cloths.get_world_positions(), start)
    some = np.array([12, 3])
    raised = cloths.get_world_positions(indices=some) + np.array([0.0, 0.0, 0.5])
    cloths.set_world_positions(raised, indices=some)
    every = cloths.get_world_positions()
    np.testing.assert_allclose(every[some], raised, atol=1e-6)
    others = np.delete(np.arange(16), some)
    np.testing.assert_array_equal(every[others], start[others])
