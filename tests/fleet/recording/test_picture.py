"""Films show objects in their own shapes and colours, where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from unibody import bullet
from unibody.fleet.api import (
    MultiRobotSimulationCore,
    Pose,
    ShapeParams,
    SimObject,
    SimulationParams,
)
from unibody.fleet.recording.event_reader import LoggedObject, LoggedState
from unibody.fleet.recording.picture import (
    FilmCamera,
    SimulationCamera,
    logged_frames,
    logged_visuals,
)

SIZE = (160, 120)
EYE, TARGET = [0.0, -4.0, 1.0], [0.0, 0.0, 1.0]
RADIUS = 0.5
# A ball of 0.5 m at 4 m with 50 degrees from top to bottom: the tangent to it from the eye.
SEEN = 0.5 * SIZE[1] * np.tan(np.arcsin(RADIUS / 4.0)) / np.tan(np.radians(25.0))


@pytest.fixture
def core() -> Iterator[Any]:
    found = MultiRobotSimulationCore(
        SimulationParams(gui=False, monitor=False, enable_floor=False, physics=False)
    )
    yield found
    bullet.disconnect(found.client)


def _ball(core: Any, x: float = 0.0) -> Any:
    shape = ShapeParams("sphere", radius=RADIUS, rgba_color=[1.0, 0.0, 0.0, 1.0])
    pose = Pose.from_xyz(x, 0.0, 1.0)
    return SimObject.from_mesh(shape, shape, pose, mass=0.0, sim_core=core)


def _red(picture: Any) -> Any:
    color = picture.astype(int)
    return (color[..., 0] > 100) & (color[..., 1] < 50)


def test_a_ball_is_as_round_and_red_in_a_picture_as_it_is(core: Any) -> None:
    _ball(core)
    red = _red(SimulationCamera(core).picture(EYE, TARGET, SIZE))
    # A pixel at the rim, and 48 straight sides for a circle.
    assert red.sum() == pytest.approx(np.pi * SEEN**2, rel=0.03)
    rows, columns = np.nonzero(red)
    assert (rows.mean(), columns.mean()) == pytest.approx((59.5, 79.5), abs=1.0)


def test_a_picture_follows_objects_that_come_move_and_change_their_colours(core: Any) -> None:
    camera = SimulationCamera(core)
    assert not _red(camera.picture(EYE, TARGET, SIZE)).any()
    ball = _ball(core)
    before = np.nonzero(_red(camera.picture(EYE, TARGET, SIZE)))[1].mean()
    ball.set_pose(Pose.from_xyz(0.5, 0.0, 1.0))
    after = np.nonzero(_red(camera.picture(EYE, TARGET, SIZE)))[1].mean()
    # 0.5 m to the right at 4 m, and a little more for what is nearer
    assert after - before == pytest.approx(0.5 / 4.0 * 60.0 / np.tan(np.radians(25.0)), rel=0.05)
    core._physics_world.set_color(ball.body_id, (0.0, 1.0, 0.0, 1.0))
    seen = camera.picture(EYE, TARGET, SIZE)[60, int(after)]
    assert (seen[0], seen[2]) == (0, 0)
    assert seen[1] > 100


def test_objects_of_a_log_are_boxes_of_their_sizes() -> None:
    box = LoggedObject(3, "crate", "SimObject", [1.0, 0.002, 0.5], [1.0, 0.0, 0.0, 1.0], [])
    state = LoggedState(
        0, 0.0, np.array([3]), np.array([[0.0, 0.0, 1.0]]), np.array([[0.0, 0, 0, 1]]), {}, []
    )
    camera = FilmCamera()
    camera.show(logged_visuals([3], [box]), floor=False)
    red = _red(camera.picture(logged_frames(state), EYE, TARGET, SIZE))
    metre = 60.0 / np.tan(np.radians(25.0)) / 4.0  # pixels
    rows, columns = np.nonzero(red)
    assert np.ptp(columns) + 1 == pytest.approx(metre, abs=1.0)
    assert np.ptp(rows) + 1 == pytest.approx(0.5 * metre, abs=1.0)
