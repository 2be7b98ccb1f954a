"""What viewers of scripts are told of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.window import page


class Listener(newton.viewer.ViewerNull):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, Any] = {}

    def log_instances(self, name: str, mesh: str, xforms: Any, *rest: Any, **more: Any) -> None:
        """Keep places, colors and opacities."""
        self.told[name] = (xforms.numpy(), rest[1].numpy(), more["opacities"].numpy())

    def log_mesh(self, name: str, *rest: Any, **more: Any) -> None:
        """Keep the number of corners, the color and the opacity."""
        self.told[name] = (len(rest[1]), more["color"], more["opacity"])


def test_the_buttons_of_the_page_hold_the_simulation_and_let_it_make_single_steps() -> None:
    pytest.importorskip("viser")
    viewer = newton.viewer.ViewerGL()
    controls = viewer._page._display.viewer.controls
    assert (viewer.is_paused(), viewer.should_step()) == (False, True)
    controls.press("Pause")
    assert (viewer.is_paused(), viewer.should_step()) == (True, False)
    controls.press("Step")
    assert [viewer.should_step() for _ in range(2)] == [True, False]
    controls.press("Play")
    assert viewer.should_step()
    viewer.close()


@pytest.mark.parametrize("headless", [True, False])
def test_the_camera_begins_where_that_of_the_original_does_and_has_its_field_of_view(
    headless: bool,
) -> None:
    pytest.importorskip("viser")
    viewer = newton.viewer.ViewerGL(width=300, height=200, headless=headless)
    viewer.set_model(_two_worlds())
    viewer.log_state(viewer.model.state())
    picture = viewer.get_frame().numpy().astype(int)
    viewer.close()
    red = np.argwhere(picture[..., 0] > picture[..., 1] + 60)
    # From (10, 0, 2) level along -x, with 45 degrees from top to bottom: a face of 1 m, 9.5 m away,
    # is 200 / (2 tan(22.5 deg)) / 9.5 = 25.4 pixels wide, its upper edge 1.5 m below the middle.
    pixels = 100.0 / np.tan(np.radians(22.5)) / 9.5
    assert np.ptp(red[:, 1]) + 1 == pytest.approx(pixels, abs=2.0)
    assert red[:, 1].mean() == pytest.approx(149.5, abs=1.0)
    # the top of the box is seen as well; its far edge is 1.5 m below, 10.5 m away
    assert red[:, 0].min() == pytest.approx(100.0 + 1.5 * 9.5 / 10.5 * pixels, abs=2.0)
    assert red[:, 0].max() == pytest.approx(100.0 + 2.5 * pixels, abs=2.0)


def test_a_viewer_of_a_script_is_told_of_shapes_and_triangles_as_they_are_now() -> None:
    builder = newton.ModelBuilder()
    for x in (1.0, 2.0):
        body = builder.add_body(xform=wp.transform((x, 0.0, 0.0), wp.quat_identity()))
        pose = wp.transform((0.0, 0.0, 0.5), wp.quat_identity())
        builder.add_shape_box(body, pose, hx=0.1, hy=0.1, hz=0.1)
    for place in ((0, 0, 0), (1, 0, 0), (0, 1, 0)):
        builder.add_particle(place, (0, 0, 0), 1.0)
    builder.add_triangle(0, 1, 2, color=(0.2, 0.4, 0.6), opacity=0.4)
    model: Any = builder.finalize(device="cpu")
    viewer = Listener()
    viewer.set_model(model)
    model.shape_opacity[1:2].fill_(0.25)
    viewer.log_state(model.state())
    places, colors, opacities = viewer.told["/model/shapes/shape_0"]
    assert np.allclose(places[:, :3], [(1.0, 0.0, 0.5), (2.0, 0.0, 0.5)])
    assert np.allclose(colors, model.shape_color.numpy())
    assert opacities.tolist() == [1.0, 0.25]
    corners, color, opacity = viewer.told["/model/triangles"]
    assert corners == 3
    assert color == pytest.approx((0.2, 0.4, 0.6))
    assert opacity == pytest.approx(0.4)


def test_a_barrel_is_shown_with_its_bulge_and_a_mirrored_mesh_from_outside() -> None:
    builder = newton.ModelBuilder()
    builder.add_shape_cylinder(-1, radius=0.5, half_height=1.0, barrel_radius=2.0)
    builder.add_shape_mesh(-1, mesh=newton.Mesh.create_box(0.5), scale=(-1.0, 1.0, 1.0))
    model = builder.finalize(device="cpu")
    barrel, box = (page._shape(model, i) for i in range(2))
    assert barrel is not None
    assert barrel.mesh is not None
    # the arc of 2 m bulges by 2 - sqrt(3)
    assert np.abs(np.array(barrel.mesh.vertices)[:, 0]).max() == pytest.approx(0.768, abs=1e-3)
    assert box is not None
    assert box.mesh is not None
    a, b, c = np.array(box.mesh.vertices)[np.array(box.mesh.faces)].transpose(1, 0, 2)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(1.0)  # its volume


def _two_worlds() -> Any:
    """A red box at the origin of one world, a green one 2 m aside in another."""
    builder = newton.ModelBuilder()
    for y, color in ((0.0, (1.0, 0.0, 0.0)), (2.0, (0.0, 1.0, 0.0))):
        world = newton.ModelBuilder()
        body = world.add_body(xform=wp.transform((0.0, y, 0.0), wp.quat_identity()))
        world.add_shape_box(body, hx=0.5, hy=0.5, hz=0.5)
        builder.add_world(world)
        builder.shape_color[-1] = color
    return builder.finalize(device="cpu")


def test_a_viewer_without_a_page_draws_the_worlds_that_are_to_be_seen() -> None:
    pytest.importorskip("viser")
    model = _two_worlds()
    viewer = newton.viewer.ViewerGL(width=120, height=80, headless=True)
    viewer.set_model(model)
    viewer.set_camera(pos=wp.vec3(8.0, 1.0, 0.0), pitch=0.0, yaw=-180.0)
    viewer.log_state(model.state())

    def seen(channel: int) -> bool:
        picture = viewer.get_frame().numpy().astype(int)
        assert picture.shape == (80, 120, 3)
        rest = np.delete(picture, channel, axis=2).max(axis=2)
        return bool((picture[..., channel] > rest + 60).any())

    assert (seen(0), seen(1)) == (True, True)
    viewer.set_visible_worlds([1])
    assert (seen(0), seen(1)) == (False, True)
    viewer.set_visible_worlds(None)
    assert (seen(0), seen(1)) == (True, True)
    assert viewer.url == ""
    assert viewer.should_step()
    viewer.close()
    assert not viewer.is_running()


def test_a_viewer_of_a_script_is_told_of_the_worlds_that_are_to_be_seen() -> None:
    model = _two_worlds()
    viewer = Listener()
    with pytest.raises(ValueError, match="set_model"):
        viewer.set_visible_worlds([1])
    viewer.set_model(model)
    viewer.set_visible_worlds([1])
    viewer.log_state(model.state())
    places = [told[0] for told in viewer.told.values()]
    assert len(places) == 1
    assert np.allclose(places[0][:, :3], [(0.0, 2.0, 0.0)])


def test_signed_distances_are_kept_by_a_resolution_or_by_a_size() -> None:
    config = newton.ModelBuilder.ShapeConfig(sdf_target_voxel_size=0.01)
    config.configure_sdf(max_resolution=64, is_hydroelastic=True, kh=3.0)
    kept = (config.sdf_target_voxel_size, config.sdf_max_resolution, config.is_hydroelastic)
    assert kept == (None, 64, True)
    assert config.kh == 3.0
    config.configure_sdf()
    assert (config.sdf_max_resolution, config.is_hydroelastic) == (64, False)
    with pytest.raises(ValueError, match="max_resolution"):
        config.configure_sdf(max_resolution=64, target_voxel_size=0.1)
    with pytest.raises(NotSupportedError, match="force_sdf=True"):
        config.configure_sdf(force_sdf=True)


@pytest.mark.parametrize("asked", [True, False])
def test_a_page_is_recorded_to_a_file_of_viser(tmp_path: Any, asked: bool) -> None:
    pytest.importorskip("viser")
    model = _two_worlds()

    def recorded(frames: int) -> int:
        file = tmp_path / f"{frames}.viser"
        viewer = newton.viewer.ViewerViser(port=0, verbose=False, record_to_viser=str(file))
        viewer.set_model(model)
        state = model.state()
        for frame in range(frames):
            poses = state.body_q.numpy()
            poses[:, 2] -= 0.1
            state.body_q.assign(poses)
            viewer.begin_frame(frame / 10)
            viewer.log_state(state)
            viewer.end_frame()
        if asked:
            viewer.save_recording()
            with pytest.raises(InvalidArgumentError, match="record_to_viser"):
                viewer.save_recording()
        viewer.close()
        return file.stat().st_size

    assert recorded(20) > recorded(2) > 0
