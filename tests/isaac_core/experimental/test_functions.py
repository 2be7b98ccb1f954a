"""Functions of ``isaacsim.core.experimental.utils``, and objects that only stand on the stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("warp")

from pxr import Sdf, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.experimental import (
    app,
    backend,
    bounds,
    labels,
    ops,
    pose_functions,
    prim_functions,
    stage,
    transform,
)
from unibody.isaac_core.experimental.objects import (
    Cylinder,
    DistantLight,
    DomeLight,
    GroundPlane,
    RectLight,
    Shape,
    Sphere,
)


def test_rotations_agree_with_each_other() -> None:
    angles = np.array([[0.3, -0.4, 0.5], [0.0, 0.2, -1.0]])
    quats = transform.euler_angles_to_quaternion(angles).numpy()
    matrices = transform.quaternion_to_rotation_matrix(quats).numpy()
    x, y, z = angles[0]
    about_z = [[np.cos(z), -np.sin(z), 0.0], [np.sin(z), np.cos(z), 0.0], [0.0, 0.0, 1.0]]
    about_y = [[np.cos(y), 0.0, np.sin(y)], [0.0, 1.0, 0.0], [-np.sin(y), 0.0, np.cos(y)]]
    about_x = [[1.0, 0.0, 0.0], [0.0, np.cos(x), -np.sin(x)], [0.0, np.sin(x), np.cos(x)]]
    expected = np.array(about_z) @ about_y @ about_x
    np.testing.assert_allclose(matrices[0], expected, atol=1e-7)
    np.testing.assert_allclose(transform.quaternion_to_euler_angles(quats).numpy(), angles)
    back = transform.quaternion_conjugate(quats)
    unit = transform.quaternion_multiplication(quats, back).numpy()
    np.testing.assert_allclose(unit, [[1.0, 0.0, 0.0, 0.0]] * 2, atol=1e-7)
    one = transform.euler_angles_to_quaternion([0.0, 0.0, 90.0], degrees=True)
    assert one.numpy().tolist() == pytest.approx([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])


def test_a_camera_looks_along_its_negative_z_axis() -> None:
    eye, target = np.array([3.0, -2.0, 4.0]), np.array([0.5, 1.0, 0.0])
    quat = transform.look_at_quaternion(eye, target)
    matrix = transform.quaternion_to_rotation_matrix(quat.numpy()).numpy()
    ahead = (target - eye) / np.linalg.norm(target - eye)
    np.testing.assert_allclose(-matrix[:, 2], ahead, atol=1e-7)
    assert matrix[2, 1] > 0.0  # its up points up
    with pytest.raises(InvalidArgumentError, match="another point than eye"):
        transform.look_at_quaternion(eye, eye)


def test_a_stage_is_made_from_templates_saved_and_opened(tmp_path: Path) -> None:
    made = stage.create_new_stage(template="gridroom")
    assert stage.get_current_stage(backend="usd") == made
    assert made.GetPrimAtPath("/World/GroundPlane/CollisionPlane").HasAPI(UsdPhysics.CollisionAPI)
    with pytest.raises(InvalidArgumentError, match="default stage"):
        stage.create_new_stage(template="moon")
    stage.set_stage_up_axis("Y")
    stage.set_stage_units(meters_per_unit=1.0)
    assert stage.get_stage_up_axis() == "Y"
    assert stage.get_stage_units()[0] == 1.0
    file = str(tmp_path / "room.usda")
    assert stage.save_stage(file)
    done, opened = stage.open_stage(file)
    assert done
    assert opened is not None
    assert opened.GetPrimAtPath("/World/GroundPlane")
    with pytest.raises(InvalidArgumentError, match="a file of USD"):
        stage.open_stage("room.txt")


def test_prims_are_defined_moved_deleted_and_found_by_conditions() -> None:
    stage.define_prim("/World/a/b", "Cube")
    stage.define_prim("/World/a/c", "Sphere")
    found = prim_functions.get_all_matching_child_prims(
        "/World", predicate=lambda prim, _: prim.IsA(UsdGeom.Gprim)
    )
    assert [prim.GetName() for prim in found] == ["b", "c"]
    above = prim_functions.get_first_matching_parent_prim(
        "/World/a/b", predicate=lambda _, path: path == "/World"
    )
    assert above is not None
    assert prim_functions.find_matching_prim_paths("/World/a/[bc]") == ["/World/a/b", "/World/a/c"]
    assert stage.generate_next_free_path("/World/a/b") == "/World/a/b_01"
    assert stage.move_prim("/World/a/b", "/World/d") == (True, "/World/d")
    assert stage.delete_prim("/World/d")
    assert not handles.current_stage().GetPrimAtPath("/World/d")
    assert "c (Sphere)" in stage.generate_stage_representation()


def test_schemas_attributes_and_variants_of_prims() -> None:
    prim = stage.define_prim("/World/a")
    assert not prim_functions.has_api(prim, UsdPhysics.RigidBodyAPI)
    prim_functions.ensure_api(prim, UsdPhysics.RigidBodyAPI)
    assert prim_functions.has_api(prim, "PhysicsRigidBodyAPI")
    made = prim_functions.create_prim_attribute(
        prim, name="weight", type_name=Sdf.ValueTypeNames.Float
    )
    made.Set(3.0)
    assert prim_functions.get_prim_attribute_value("/World/a", "weight") == 3.0
    sets = prim.GetVariantSets().AddVariantSet("Gripper")
    sets.AddVariant("Short")
    prim_functions.set_prim_variants(prim, variants=[("Gripper", "Short")])
    assert prim_functions.get_prim_variants(prim) == [("Gripper", "Short")]
    with pytest.raises(InvalidArgumentError, match="one of Short"):
        prim_functions.set_prim_variants(prim, variants=[("Gripper", "Long")])


def test_poses_of_a_prim_are_written_and_read() -> None:
    stage.define_prim("/World/a")
    pose_functions.set_world_pose("/World/a", position=[1.0, 2.0, 3.0])
    stage.define_prim("/World/a/b")
    pose_functions.set_local_pose("/World/a/b", translation=[0.0, 0.0, 1.0])
    assert pose_functions.get_world_pose("/World/a/b")[0].numpy().tolist() == [1.0, 2.0, 4.0]
    assert pose_functions.get_local_pose("/World/a/b")[0].numpy().tolist() == [0.0, 0.0, 1.0]
    between = pose_functions.get_relative_transform("/World/a/b", "/World/a")
    np.testing.assert_allclose(between[:3, 3], [0.0, 0.0, 1.0])


def test_labels_are_added_read_with_those_below_and_taken_away() -> None:
    stage.define_prim("/World/a/b")
    labels.add_labels("/World/a", labels=["robot", "arm"])
    labels.add_labels("/World/a", labels="arm")
    labels.add_labels("/World/a/b", labels="hand", taxonomy="part")
    found = labels.get_labels("/World/a", include_descendants=True)
    assert found == {"class": ["robot", "arm"], "part": ["hand"]}
    labels.remove_labels("/World/a", labels="arm")
    assert labels.get_labels("/World/a") == {"class": ["robot"]}
    labels.remove_all_labels("/World/a", remove_taxonomies=True)
    assert labels.get_labels("/World/a") == {}


def test_arrays_are_placed_and_broadcast_as_numpy_does_it() -> None:
    assert ops.place(3.0).numpy().tolist() == [3.0]
    assert ops.resolve_indices(None, count=3).numpy().tolist() == [0, 1, 2]
    assert ops.broadcast_to([1.0, 2.0], shape=(2, 2)).numpy().tolist() == [[1.0, 2.0]] * 2
    with pytest.raises(InvalidArgumentError, match="a shape that becomes"):
        ops.broadcast_to([1.0, 2.0], shape=(2, 3))
    assert str(ops.parse_device("cpu")) == "cpu"
    with pytest.raises(InvalidArgumentError, match="one of cpu"):
        ops.parse_device("moon", raise_on_invalid=True)


def test_a_backend_lasts_as_long_as_its_block() -> None:
    with backend.use_backend("usd", raise_on_unsupported=True):
        assert backend.get_current_backend(["tensor", "usd"]) == "usd"
        with pytest.raises(InvalidArgumentError, match="one of tensor"):
            backend.get_current_backend(["tensor"])
    assert backend.get_current_backend(["tensor", "usd"]) == "tensor"


def test_updates_of_the_app_end_when_a_callback_says_so() -> None:
    counted: list[int] = []
    app.update_app(steps=5, callback=lambda n, _: counted.append(n) or n < 2)
    assert counted == [1, 2]
    app.play()
    assert app.is_playing()
    app.pause()
    assert app.is_paused()
    app.stop()
    assert app.is_stopped()


def test_shapes_have_sizes_colors_and_boxes() -> None:
    ball = Sphere("/World/ball", radii=0.5, colors="#00ff00", positions=[[1.0, 0.0, 0.0]])
    rod = Cylinder(["/World/r0", "/World/r1"], radii=[[0.1], [0.2]], heights=2.0, axes="X")
    assert tuple(ball.geoms[0].GetDisplayColorAttr().Get()[0]) == (0.0, 1.0, 0.0)
    np.testing.assert_allclose(rod.get_radii().numpy(), [[0.1], [0.2]])
    assert rod.get_axes() == ["X", "X"]
    np.testing.assert_allclose(bounds.compute_aabb("/World/ball"), [0.5, -0.5, -0.5, 1.5, 0.5, 0.5])
    np.testing.assert_allclose(
        bounds.compute_aabb("/World/r1"), [-1.0, -0.2, -0.2, 1.0, 0.2, 0.2], atol=1e-6
    )
    kinds = [type(one).__name__ for one in Shape.fetch_instances(["/World/ball", "/World/r0"])]
    assert kinds == ["Sphere", "Cylinder"]
    with pytest.raises(InvalidArgumentError, match="a name of CSS"):
        ball.set_display_colors("nocolor")
    with pytest.raises(InvalidArgumentError, match="a path of a Cylinder"):
        Cylinder("/World/ball")


def test_lights_say_what_they_were_told() -> None:
    sun = DistantLight("/World/sun", angles=2.0)
    sun.set_intensities(500)
    sun.set_colors("white")
    sun.set_enabled_color_temperatures(True)
    assert sun.get_intensities().numpy().item() == 500.0
    assert sun.get_enabled_color_temperatures().numpy().item()
    assert sun.get_colors().numpy().tolist() == [[1.0, 1.0, 1.0]]
    panel = RectLight("/World/panel", widths=2.0, texture_files="sky.png")
    assert panel.get_texture_files() == ["sky.png"]
    sky = DomeLight("/World/sky", texture_formats="latlong")
    assert sky.get_texture_formats() == ["latlong"]
    assert sky.get_texture_files() == [None]


def test_a_ground_that_is_there_is_wrapped_and_collides_as_it_is_told() -> None:
    GroundPlane("/World/ground", sizes=10.0, colors="darkblue")
    again = GroundPlane("/World/ground")
    assert again.planes.get_widths().numpy().item() == 10.0
    assert again.get_enabled_collisions().numpy().item()
    again.set_enabled_collisions(False)
    assert not again.get_enabled_collisions().numpy().item()
    UsdGeom.Xform.Define(handles.current_stage(), "/World/empty")
    with pytest.raises(InvalidArgumentError, match="above a plane"):
        GroundPlane("/World/empty")
