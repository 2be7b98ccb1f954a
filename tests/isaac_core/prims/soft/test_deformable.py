"""Deformable bodies rest on the ground, carry what lies on them, and resist as their material."""

from __future__ import annotations

import numpy as np
import pytest

from tests.isaac_core.prims.soft.meshes import box
from unibody.errors import NotSupportedError
from unibody.isaac_core.functions.stage import get_current_stage
from unibody.isaac_core.materials import DeformableMaterial
from unibody.isaac_core.objects import DynamicCuboid, FixedCuboid
from unibody.isaac_core.prims.soft import DeformablePrim
from unibody.isaac_core.world.world import World


@pytest.fixture
def world() -> World:
    World.clear_instance()
    made = World(physics_dt=1.0 / 60.0, rendering_dt=1.0 / 60.0)
    ground = FixedCuboid("/World/ground", position=np.array([0.0, 0.0, -0.5]), size=1.0)
    made.scene.add(ground)
    return made


def _body(world: World, height: float, youngs_modulus: float) -> DeformablePrim:
    box("/World/soft")
    jelly = DeformableMaterial("/World/jelly", youngs_modulus=youngs_modulus, poissons_ratio=0.3)
    return world.scene.add(
        DeformablePrim(
            "/World/soft",
            jelly,
            position=np.array([0.0, 0.0, height]),
            simulation_hexahedral_resolution=3,
        )
    )


def test_a_soft_cube_rests_on_the_ground_and_carries_a_weight(world: World) -> None:
    body = _body(world, 0.11, 4e4)
    weight = world.scene.add(
        DynamicCuboid("/World/weight", name="weight", position=np.array([0.0, 0.0, 0.27]),
                      size=0.1, mass=2.0)
    )  # fmt: skip
    world.reset()
    for _ in range(60):
        world.step(render=False)
    heights = body.get_simulation_mesh_nodal_positions()[:, 2]
    # Its skin is 0.02 of a cell; its weight alone shortens it by rho g L^2 / (2 E) = 5 mm.
    assert heights.min() == pytest.approx(0.001, abs=3e-3)
    assert 0.18 < heights.max() < 0.2
    assert 0.05 + 0.17 < weight.get_world_pose()[0][2] < 0.05 + 0.205
    get_current_stage()  # which has the points of the mesh
    points = np.array(body.mesh.GetPointsAttr().Get())  # in the frame of its prim, at 0.11
    assert points[:, 2].min() + 0.11 == pytest.approx(float(heights.min()), abs=5e-3)


def test_a_material_too_stiff_for_the_steps_is_lowered_and_that_is_told(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    body = _body(world, 0.2, 5e9)
    world.reset()
    told = capsys.readouterr().err
    assert "/World/soft: a Young's modulus of 5e+09 Pa is simulated as" in told
    assert body._deformable_view.max_simulation_mesh_elements_per_body == 5 * 27
    assert body._deformable_view.max_simulation_mesh_vertices_per_body == 64


def test_vertices_are_known_while_the_simulation_plays(world: World) -> None:
    body = _body(world, 1.0, 1e4)
    with pytest.raises(NotSupportedError, match="before the simulation plays"):
        body.get_simulation_mesh_nodal_positions()
    world.reset()
    velocities = np.tile([1.0, 0.0, 0.0], (64, 1))
    body.set_simulation_mesh_nodal_velocities(velocities)
    np.testing.assert_allclose(body.get_simulation_mesh_nodal_velocities(), velocities)
    before = body.get_simulation_mesh_nodal_positions()
    world.step(render=False)
    moved = body.get_simulation_mesh_nodal_positions() - before
    # Velocities are damped by 0.005 a second.
    np.testing.assert_allclose(moved[:, 0], 1.0 / 60.0, rtol=1e-3)
