"""Scenes, objects, materials and cloners on a stage that does not play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pxr import UsdGeom

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core import handles
from unibody.isaac_core.cloners import GridCloner
from unibody.isaac_core.functions import prims
from unibody.isaac_core.loggers import DataLogger
from unibody.isaac_core.materials import OmniPBR, PhysicsMaterial, PreviewSurface
from unibody.isaac_core.objects import DynamicCuboid, FixedCone, VisualCapsule, VisualSphere
from unibody.isaac_core.prims import GeometryPrimView, RigidPrimView, XFormPrim, XFormPrimView
from unibody.isaac_core.scenes import SceneRegistry
from unibody.isaac_core.world.world import World


@pytest.fixture(autouse=True)
def _no_world() -> Iterator[None]:
    World.clear_instance()
    yield
    World.clear_instance()


def test_a_second_world_is_the_first_until_it_is_cleared() -> None:
    first = World()
    assert World(physics_dt=0.5) is first
    assert first.get_physics_dt() == pytest.approx(1.0 / 60.0)
    World.clear_instance()
    assert World.instance() is None
    assert World() is not first


def test_a_new_stage_forgets_the_world() -> None:
    from unibody.isaac_core.kit import context

    World()
    context.get_context().new_stage()
    assert World.instance() is None


def test_gravity_points_down_at_first_and_follows_its_sign() -> None:
    physics = World().get_physics_context()
    assert physics.get_gravity() == ([0.0, 0.0, -1.0], pytest.approx(9.81))
    physics.set_gravity(2.0)
    assert physics.get_gravity() == ([0.0, 0.0, 1.0], 2.0)
    with pytest.raises(InvalidArgumentError, match="dt"):
        physics.set_physics_dt(1.5)


def test_the_default_ground_reaches_50_m_to_each_side() -> None:
    scene = World().scene
    scene.add_default_ground_plane()
    with pytest.raises(UnibodyError, match="enable_bounding_boxes_computations"):
        scene.compute_object_AABB("default_ground_plane")
    scene.enable_bounding_boxes_computations()
    low, high = scene.compute_object_AABB("default_ground_plane")
    assert low.tolist() == [-50.0, -50.0, 0.0]
    assert high.tolist() == [50.0, 50.0, 0.0]


def test_a_scene_finds_objects_by_name_refuses_a_taken_one_and_deletes_prims() -> None:
    scene = World().scene
    ball = scene.add(VisualSphere("/World/ball", "ball", radius=0.2))
    assert scene.get_object("ball") is ball
    assert scene.get_object("nothing") is None
    with pytest.raises(InvalidArgumentError, match="taken"):
        scene.add(VisualSphere("/World/other", "ball"))
    scene.remove_object("ball")
    assert not scene.object_exists("ball")
    assert not prims.is_prim_path_valid("/World/ball")
    with pytest.raises(InvalidArgumentError, match="ball"):
        scene.remove_object("ball")


def test_a_shape_has_its_sizes_its_color_and_what_makes_it_move() -> None:
    box = DynamicCuboid(
        "/World/box", size=0.5, mass=2.0, color=np.array([1.0, 0.0, 0.0]), linear_velocity=[1, 2, 3]
    )
    assert box.get_size() == 0.5
    assert box.get_mass() == 2.0
    assert box.get_linear_velocity().tolist() == [1.0, 2.0, 3.0]
    assert box.get_collision_enabled()
    assert box.get_applied_visual_material().get_color().tolist() == [1.0, 0.0, 0.0]
    assert prims.get_prim_at_path("/World/box").HasAPI("PhysicsRigidBodyAPI")
    cone = FixedCone("/World/cone", radius=0.3, height=0.7)
    assert (cone.get_radius(), cone.get_height()) == (pytest.approx(0.3), pytest.approx(0.7))
    assert cone.get_applied_physics_material().get_dynamic_friction() == 1.0
    capsule = VisualCapsule("/World/capsule", radius=0.1, height=0.4)
    extent = UsdGeom.Capsule(capsule.prim).GetExtentAttr().Get()
    assert extent[1][2] == pytest.approx(0.3)  # half the height, and a cap


def test_a_path_that_is_taken_by_something_else_is_refused() -> None:
    prims.define_prim("/World/thing", "Sphere")
    with pytest.raises(InvalidArgumentError, match="Cube"):
        DynamicCuboid("/World/thing")


def test_poses_in_the_world_go_through_moved_turned_and_scaled_parents() -> None:
    half = np.sqrt(0.5)
    XFormPrim("/World/above", position=[1, 2, 3], orientation=[half, 0, 0, half], scale=[2, 2, 2])
    below = XFormPrim("/World/above/below", translation=[1.0, 0.0, 0.0])
    # a quarter turn about z takes x to y, and the scale doubles it
    assert below.get_world_pose()[0] == pytest.approx([1.0, 4.0, 3.0])
    below.set_world_pose([1.0, 2.0, 5.0], [1.0, 0.0, 0.0, 0.0])
    assert below.get_local_pose()[0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    assert below.get_world_pose()[1] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-6)
    assert below.get_world_scale() == pytest.approx([2.0, 2.0, 2.0])
    with pytest.raises(InvalidArgumentError, match="translations"):
        XFormPrim("/World/both", position=[0, 0, 0], translation=[0, 0, 0])


def test_clones_of_a_grid_stand_where_the_document_says() -> None:
    cloner = GridCloner(spacing=1.5)
    cloner.define_base_env("/World/envs")
    prims.define_prim("/World/envs/env_0")
    prims.create_prim("/World/envs/env_0/box", "Cube", attributes={"size": 1.0})
    cloner.clone("/World/envs/env_0", cloner.generate_paths("/World/envs/env", 5))
    positions, _ = XFormPrimView("/World/envs/env_.*").get_world_poses()
    assert positions.tolist() == [
        [1.5, -0.75, 0], [1.5, 0.75, 0], [0, -0.75, 0], [0, 0.75, 0], [-1.5, -0.75, 0],
    ]  # fmt: skip
    assert prims.get_prim_at_path("/World/envs/env_4/box").GetTypeName() == "Cube"


def test_views_have_the_defaults_of_the_document() -> None:
    for number in range(3):
        prims.create_prim(f"/World/box_{number}", "Cube", attributes={"size": 1.0})
    shapes = GeometryPrimView("/World/box_.*", collisions=np.array([True, False, True]))
    assert shapes.is_collision_enabled().tolist() == [True, False, True]
    assert shapes.get_collision_approximations() == ["none"] * 3
    assert shapes.get_contact_offsets().tolist() == [-np.inf] * 3
    assert shapes.get_torsional_patch_radii().tolist() == [0.0] * 3
    bodies = RigidPrimView("/World/box_.*")
    bodies.set_masses([1.0, 2.0, 3.0])
    assert bodies.get_masses([2, 0]).tolist() == [3.0, 1.0]
    assert bodies.get_densities().tolist() == [0.0] * 3
    bodies.set_velocities([[1, 2, 3, 4, 5, 6]], indices=[1])
    assert bodies.get_angular_velocities()[1] == pytest.approx([4, 5, 6], rel=1e-6)


def test_materials_say_what_was_set_and_are_found_again() -> None:
    surface = PreviewSurface("/World/Looks/a", color=np.array([0, 1, 0]), roughness=0.25)
    assert np.array(surface.get_color()).tolist() == [0, 1, 0]
    assert (surface.get_roughness(), surface.get_metallic()) == (0.25, None)
    pbr = OmniPBR("/World/Looks/b", texture_scale=np.array([2.0, 3.0]))
    pbr.set_texture("a.png")
    assert (pbr.get_texture(), np.array(pbr.get_texture_scale()).tolist()) == ("a.png", [2.0, 3.0])
    rubber = PhysicsMaterial("/World/rubber", static_friction=0.9)
    assert (rubber.get_static_friction() or 0.0) == pytest.approx(0.9)
    assert rubber.get_restitution() is None
    VisualSphere("/World/ball", visual_material=pbr)  # type: ignore[arg-type]
    assert isinstance(XFormPrim("/World/ball").get_applied_visual_material(), OmniPBR)


def test_a_logger_keeps_frames_in_a_file(tmp_path: Path) -> None:
    logger = DataLogger()
    logger.add_data({"a": [1, 2]}, 3, 0.5)
    logger.save(str(tmp_path / "log.json"))
    found = json.loads((tmp_path / "log.json").read_text())["Isaac Sim Data"]
    assert found == [{"current_time": 0.5, "current_time_step": 3, "data": {"a": [1, 2]}}]
    other = DataLogger()
    other.load(str(tmp_path / "log.json"))
    assert other.get_data_frame(0).data == {"a": [1, 2]}
    with pytest.raises(InvalidArgumentError, match="data_frame_index"):
        other.get_data_frame(1)


def test_a_registry_refuses_a_name_that_another_kind_has() -> None:
    registry = SceneRegistry()
    registry.add_xform("thing", object())
    with pytest.raises(InvalidArgumentError, match="thing"):
        registry.add_robot("thing", object())
    assert registry.robots == {}


def test_a_setting_that_no_schema_has_is_kept_on_the_scene() -> None:
    physics = World().get_physics_context()
    physics.set_solve_articulation_contact_last(True)
    assert physics.get_solve_articulation_contact_last() is True


def test_a_local_pose_gives_the_quaternion_that_was_set_not_its_opposite() -> None:
    turn = np.array([-0.5, 0.5, -0.5, 0.5])
    prim = XFormPrim("/World/turned")
    prim.set_local_pose(orientation=turn)
    assert prim.get_local_pose()[1] == pytest.approx(turn)


def test_clones_of_a_prim_without_a_type_stand_in_the_grid() -> None:
    stage = handles.current_stage()
    UsdGeom.Cube.Define(stage, "/World/plain_envs/env_0/Cube")
    stage.GetPrimAtPath("/World/plain_envs/env_0").SetTypeName("")
    cloner = GridCloner(spacing=2.0)
    places = cloner.clone(
        "/World/plain_envs/env_0", cloner.generate_paths("/World/plain_envs/env", 3)
    )
    cache = UsdGeom.XformCache()
    for number, place in enumerate(places):
        cube = stage.GetPrimAtPath(f"/World/plain_envs/env_{number}/Cube")
        assert tuple(cache.GetLocalToWorldTransform(cube).ExtractTranslation()) == tuple(place)
    assert len({tuple(place) for place in places}) == 3
    assert stage.GetPrimAtPath("/World/plain_envs/env_2/Cube").IsA(UsdGeom.Cube)
