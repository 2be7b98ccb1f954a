"""Cameras on Warp devices are drawn by the backend of these, and see what the processor sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.isaacgym.boxes import HEIGHT, NEAR, WIDTH, add_box, camera
from tests.isaacgym.scenes import open_stage
from unibody.core.render import backends
from unibody.core.render.backends import BATCH_VARIABLE
from unibody.core.render.warp_batch import WarpBatchRenderer
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.cameras import studio_of
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

pytest.importorskip("mujoco_warp")

KINDS = (
    gymapi.IMAGE_COLOR,
    gymapi.IMAGE_DEPTH,
    gymapi.IMAGE_SEGMENTATION,
    gymapi.IMAGE_OPTICAL_FLOW,
)
# A pixel whose sample lies within float32 of an edge may fall to the other side.
EDGES = 0.005


def _images(tmp_path: Any, device: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Images of three environments with boxes of their own colours; and what drew them."""
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s = open_stage(tmp_path, 3)
    plane = gymapi.PlaneParams()
    plane.normal, plane.distance, plane.segmentation_id = gymapi.Vec3(0, 0, 1), 1.0, 5
    s.gym.add_ground(s.sim, plane)
    stripes = np.tile(np.array([[0, 0, 255, 255], [0, 90, 0, 255]], np.uint8), (8, 1))
    texture = s.gym.create_texture_from_buffer(s.sim, 4, 4, stripes.ravel())
    cameras = []
    for number, env in enumerate(s.envs):
        actor = add_box(s.gym, s.sim, env, segmentation=number + 1, y=0.2 * number)
        body = (env, actor, 0, gymapi.MESH_VISUAL)
        if number < 2:
            s.gym.set_rigid_body_color(*body, gymapi.Vec3(1.0, 0.5 * number, 0.5 * number))
        else:
            s.gym.set_rigid_body_texture(*body, texture)
        cameras.append((env, camera(s.gym, env)))
        # one of another size, and one with several samples a pixel
        cameras.append((env, camera(s.gym, env, width=40, supersampling_vertical=2)))
    for _ in range(2):
        s.step()
        s.gym.render_all_camera_sensors(s.sim)
        found = [
            [s.gym.get_camera_image(s.sim, env, handle, kind) for kind in KINDS]
            for env, handle in cameras
        ]
    renderer = studio_of(s.sim)._renderer
    s.gym.destroy_sim(s.sim)
    return found, renderer


def test_cameras_of_a_warp_device_see_what_those_of_the_processor_see(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, renderer = _images(tmp_path, "warp-cpu", monkeypatch)
    assert isinstance(renderer, WarpBatchRenderer)
    theirs, other = _images(tmp_path, "cpu", monkeypatch)
    assert isinstance(other, backends.BatchRenderer)
    for number, (warp, cpu) in enumerate(zip(ours, theirs, strict=True)):
        color, depth, labels, flow = zip(warp, cpu, strict=True)
        # textures are smoothed between texels there
        assert np.abs(color[0].astype(int) - color[1]).mean() < 3.0
        near = np.isclose(depth[0], depth[1], rtol=1e-4)
        assert np.mean(~near) < EDGES
        assert np.mean(labels[0] != labels[1]) < EDGES
        assert {5, number // 2 + 1} <= set(np.unique(labels[0]).tolist())
        assert np.mean(np.abs(flow[0] - flow[1]) > 2) < EDGES
    middle = [
        warp[0].reshape(warp[1].shape[0], -1, 4)[HEIGHT // 2, WIDTH // 2] for warp in ours[::2]
    ]
    assert middle[0][0] > 100 > middle[0][1]  # red, with half of the other colours, and stripes
    assert middle[1][1] == pytest.approx(middle[1][0] / 2, abs=2)
    assert middle[2][0] == 0 < middle[2][1] + middle[2][2]


def test_an_actor_that_changes_its_looks_changes_its_picture_on_a_warp_device(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, "warp-cpu")
    s = open_stage(tmp_path, 1)
    (env,) = s.envs
    actor, handle = add_box(s.gym, s.sim, env), camera(s.gym, env)
    blue = np.tile(np.array([0, 0, 255, 255], np.uint8), 16)
    texture = s.gym.create_texture_from_buffer(s.sim, 4, 4, blue)
    body = (env, actor, 0, gymapi.MESH_VISUAL)
    seen = []
    for change in (
        lambda: None,
        lambda: s.gym.set_rigid_body_color(*body, gymapi.Vec3(0.0, 1.0, 0.0)),
        lambda: s.gym.set_rigid_body_color(*body, gymapi.Vec3(1.0, 1.0, 1.0)),
        lambda: s.gym.set_rigid_body_texture(*body, texture),
    ):
        change()
        s.gym.render_all_camera_sensors(s.sim)
        image = s.gym.get_camera_image(s.sim, env, handle, gymapi.IMAGE_COLOR)
        seen.append(image.reshape(HEIGHT, WIDTH, 4)[HEIGHT // 2, WIDTH // 2, :3] > 0)
    depth = s.gym.get_camera_image(s.sim, env, handle, gymapi.IMAGE_DEPTH)
    assert depth[HEIGHT // 2, WIDTH // 2] == pytest.approx(-NEAR, abs=1e-5)
    s.gym.destroy_sim(s.sim)
    assert np.array(seen).tolist() == [[1, 1, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]]


def test_a_variable_of_the_environment_says_what_draws(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BATCH_VARIABLE, "software")
    _, renderer = _images(tmp_path, "warp-cpu", monkeypatch)
    assert isinstance(renderer, backends.BatchRenderer)
