"""``isaacsim.core.rendering_manager`` makes frames in which the physics rests."""

from __future__ import annotations

import pytest

pytest.importorskip("warp")

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental import app
from unibody.isaac_core.experimental.objects import Cube
from unibody.isaac_core.experimental.prims import RigidPrim
from unibody.isaac_core.experimental.rendering import (
    RenderingEvent,
    RenderingManager,
    ViewportManager,
)


def test_a_frame_that_is_rendered_tells_of_itself_and_moves_nothing() -> None:
    body = RigidPrim(Cube("/World/cube", positions=[0.0, 0.0, 5.0]).paths)
    app.play()
    before = body.get_world_poses()[0].numpy()
    frames: list[object] = []
    number = RenderingManager.register_callback(RenderingEvent.NEW_FRAME, callback=frames.append)
    RenderingManager.render()
    assert len(frames) == 1
    assert (body.get_world_poses()[0].numpy() == before).all()
    RenderingManager.deregister_callback(number)
    RenderingManager.render()
    assert len(frames) == 1
    with pytest.raises(InvalidArgumentError, match="register_callback gave"):
        RenderingManager.deregister_callback(number)


def test_the_time_of_a_frame_is_how_far_an_update_takes_the_physics() -> None:
    body = RigidPrim(Cube("/World/cube", positions=[0.0, 0.0, 5.0]).paths)
    RenderingManager.set_dt(0.1)
    assert RenderingManager.get_dt() == pytest.approx(0.1)
    app.play()
    start = body.get_velocities()[0].numpy()[0, 2]
    app.update_app()
    gained = body.get_velocities()[0].numpy()[0, 2] - start
    assert gained == pytest.approx(-9.81 * 0.1, rel=1e-4)
    RenderingManager.set_dt(1.0 / 60.0)
    with pytest.raises(InvalidArgumentError, match="a positive time"):
        RenderingManager.set_dt(0.0)


def test_a_view_needs_two_points() -> None:
    with pytest.raises(InvalidArgumentError, match="two points"):
        ViewportManager.set_camera_view("/OmniverseKit_Persp", eye=[1.0, 1.0, 1.0])
