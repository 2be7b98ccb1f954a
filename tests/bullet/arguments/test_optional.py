"""Optional vectors that cannot be read are passed over where PyBullet passes them over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.sequences import same

SIDES: tuple[Any, Any] = (pybullet, unibody.bullet)
# Bullet computes transforms in float32.
CLOSE = 1e-6
UNREADABLE = (None, 5, (), [0.5, 0.5], np.zeros((2, 3)), [0.1] * 5)
QUAT = (0.0, 0.0, 0.6, 0.8)


@pytest.fixture(autouse=True)
def _connected() -> Iterator[None]:
    for p in SIDES:
        assert p.connect(p.DIRECT) == 0, "another test left its world behind"
    yield
    for p in SIDES:
        p.disconnect()


def _both(name: str, *args: Any, **named: Any) -> tuple[Any, Any]:
    expected, found = (getattr(p, name)(*args, **named) for p in SIDES)
    return expected, found


def _box() -> int:
    for p in SIDES:
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.2, 0.3])
    return int(shape)


@pytest.mark.parametrize("value", UNREADABLE, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        "basePosition",
        "baseOrientation",
        "baseInertialFramePosition",
        "baseInertialFrameOrientation",
    ],
)
def test_a_body_stands_where_it_would_without_the_vector(name: str, value: Any) -> None:
    shape = _box()
    named = {"basePosition": (1, 2, 3), "baseOrientation": QUAT, name: value}
    body, _ = _both("createMultiBody", 1.0, shape, -1, **named)
    assert same(*_both("getBasePositionAndOrientation", body), CLOSE)
    assert same(*(pose[3:5] for pose in _both("getDynamicsInfo", body, -1)), CLOSE)


@pytest.mark.parametrize("value", UNREADABLE, ids=str)
@pytest.mark.parametrize("name", ["collisionFramePosition", "collisionFrameOrientation"])
def test_a_collision_shape_lies_where_it_would_without_the_vector(name: str, value: Any) -> None:
    named = {"collisionFramePosition": (1, 2, 3), "collisionFrameOrientation": QUAT, name: value}
    shape, _ = _both(
        "createCollisionShape", pybullet.GEOM_BOX, halfExtents=[0.1, 0.2, 0.3], **named
    )
    body, _ = _both("createMultiBody", 1.0, shape)
    expected, found = _both("getCollisionShapeData", body, -1)
    assert same(expected[0][5:], found[0][5:], CLOSE)


@pytest.mark.parametrize("value", [*UNREADABLE, [1.0, 0.0, 0.0]], ids=str)
def test_a_colour_of_three_numbers_is_the_usual_one(value: Any) -> None:
    visual, _ = _both(
        "createVisualShape", pybullet.GEOM_SPHERE, radius=0.5, rgbaColor=value,
        visualFrameOrientation=value,
    )  # fmt: skip
    body, _ = _both("createMultiBody", 1.0, -1, visual)
    expected, found = _both("getVisualShapeData", body)
    assert same(expected[0][5:], found[0][5:], CLOSE)


@pytest.mark.parametrize("value", UNREADABLE, ids=str)
@pytest.mark.parametrize(
    "name", ["parentFramePosition", "childFramePosition", "childFrameOrientation"]
)
def test_a_constraint_has_the_frames_it_would_have_without_the_vector(
    name: str, value: Any
) -> None:
    body, _ = _both("createMultiBody", 1.0, _box())
    frames: dict[str, Any] = {
        "parentFramePosition": (0.1, 0, 0), "childFramePosition": (1, 2, 3),
        "childFrameOrientation": QUAT, name: value,
    }  # fmt: skip
    held, _ = _both("createConstraint", body, -1, -1, -1, pybullet.JOINT_FIXED, None, **frames)
    assert same(*_both("getConstraintInfo", held), CLOSE)
    _both("changeConstraint", held, jointChildPivot=value, jointChildFrameOrientation=value)
    assert same(*_both("getConstraintInfo", held), CLOSE)


@pytest.mark.parametrize("value", UNREADABLE, ids=str)
def test_a_picture_is_taken_by_the_camera_there_is(value: Any) -> None:
    view = pybullet.computeViewMatrix((0, -2, 0), (0, 0, 0), (0, 0, 1))
    lens = pybullet.computeProjectionMatrixFOV(60, 1, 0.1, 5)
    _both("createMultiBody", 1.0, _box())
    expected, found = _both("getCameraImage", 16, 16, view, lens, value, value)
    assert np.array_equal(np.reshape(expected[4], -1), np.reshape(found[4], -1))
    assert unibody.bullet.getCameraImage(16, 16, value, lens)[:2] == (16, 16)


def test_what_is_passed_over_is_said_once(capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        unibody.bullet.createVisualShape(
            unibody.bullet.GEOM_SPHERE, rgbaColor=[1, 0, 0], specularColor=None
        )
    lines = capfd.readouterr().err.splitlines()
    assert lines == [
        "unibody: createVisualShape passes over rgbaColor=[1, 0, 0]: expected 4 numbers"
    ]


def test_as_many_elements_that_are_no_numbers_are_an_error() -> None:
    with pytest.raises(unibody.bullet.error, match="basePosition has to be 3 numbers"):
        unibody.bullet.createMultiBody(basePosition=["a", "b", "c"])
    assert unibody.bullet.getNumBodies() == 0
