"""Which way friction pulls where contacts slip, and what is left for spinning and rolling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import unibody.bullet
from tests.support.duo import GRAVITY, base_motion, both, connected, ground, sphere, without_damping

LYING = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # a quarter turn about x


def skid(p: Any, steps: int) -> NDArray[np.float64]:
    """The motion of a cart on four balls, whose sides turn against one another."""
    p.setGravity(0, 0, -GRAVITY)
    p.loadURDF("plane.urdf")
    wheel = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
    body = p.createMultiBody(
        5.0,
        p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.3, 0.15, 0.05)),
        basePosition=(0, 0, 0.1),
        linkMasses=(0.5,) * 4,
        linkCollisionShapeIndices=(wheel,) * 4,
        linkVisualShapeIndices=(-1,) * 4,
        linkPositions=((0.2, 0.2, 0), (0.2, -0.2, 0), (-0.2, 0.2, 0), (-0.2, -0.2, 0)),
        linkOrientations=(LYING,) * 4,
        linkInertialFramePositions=((0, 0, 0),) * 4,
        linkInertialFrameOrientations=((0, 0, 0, 1),) * 4,
        linkParentIndices=(0,) * 4,
        linkJointTypes=(p.JOINT_REVOLUTE,) * 4,
        linkJointAxis=((0, 0, 1),) * 4,
    )
    for joint in range(4):
        speed = -5.0 if joint % 2 else 5.0
        p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, targetVelocity=speed, force=5.0)
    return np.array(base_motion(p, body, steps))


def test_wheels_that_skid_turn_a_cart_as_slowly_as_in_the_original() -> None:
    theirs, ours = both(lambda p: skid(p, 60), converged=True)
    # With friction against the slipping itself it would turn at 1.25 rad/s.
    assert 0.1 < theirs[-1, 12] < 0.2
    # The four contacts that slip are settled to 0.01 of the 0.5 m/s by which they slip. What it
    # turns is no stable equilibrium: after the first 40 steps differences grow.
    np.testing.assert_allclose(ours[4:40, 12], theirs[4:40, 12], rtol=0.05)


def husky(p: Any) -> NDArray[np.float64]:
    """How far a Husky has turned on the spot, after each of two seconds [rad]."""
    p.setGravity(0, 0, -GRAVITY)
    p.loadURDF("plane.urdf")
    robot = p.loadURDF("husky/husky.urdf", (0, 0, 0.2))
    for wheel in (2, 3, 4, 5):
        speed = 5.0 if wheel % 2 else -5.0
        p.setJointMotorControl2(robot, wheel, p.VELOCITY_CONTROL, targetVelocity=speed, force=100)
    motion = np.array(base_motion(p, robot, 480))
    return np.unwrap(2.0 * np.arctan2(motion[:, 5], motion[:, 6]))[[239, 479]]


def test_a_husky_that_skids_turns_as_far_as_in_the_original() -> None:
    theirs, ours = both(husky, converged=True)
    # Its wheels are hulls of many corners; which of them touch differs from step to step.
    np.testing.assert_allclose(ours, theirs, rtol=0.1)


def turning(
    p: Any, linear: tuple[float, ...], angular: tuple[float, ...], steps: int, **surface: float
) -> NDArray[np.float64]:
    """The motion of a ball of 0.1 m on the ground, without damping."""
    p.setGravity(0, 0, -GRAVITY)
    p.changeDynamics(ground(p), -1, lateralFriction=1.0)
    ball = sphere(p, (0, 0, 0.1))
    without_damping(p, ball)
    p.changeDynamics(ball, -1, **surface)
    p.resetBaseVelocity(ball, linear, angular)
    return np.array(base_motion(p, ball, steps))


@pytest.mark.parametrize(
    ("linear", "angular", "surface"),
    [
        ((3.0, 0.0, 0.0), (0.0, 0.0, 20.0), {"spinningFriction": 0.02}),
        ((2.0, 0.0, 0.0), (0.0, 20.0, 10.0), {"spinningFriction": 0.02, "rollingFriction": 0.01}),
        ((2.0, 0.0, 0.0), (0.0, -60.0, 0.0), {"rollingFriction": 0.005}),
    ],
    ids=["slides and spins", "rolls and spins", "slides backwards"],
)
def test_a_ball_has_all_of_each_kind_of_friction_at_once(
    linear: tuple[float, ...], angular: tuple[float, ...], surface: dict[str, float]
) -> None:
    theirs, ours = both(lambda p: turning(p, linear, angular, 120, **surface), converged=True)
    # Which kinds of friction slip is decided by the velocities that a step starts with: where one
    # of them stops, that is wrong by what it does in a step, mu g dt and 2.5 times that over r.
    np.testing.assert_allclose(ours[:, 7:10], theirs[:, 7:10], atol=0.021)
    np.testing.assert_allclose(ours[:, 10:], theirs[:, 10:], atol=0.51)


def test_sliding_takes_nothing_from_what_stops_a_spin() -> None:
    with connected(unibody.bullet) as p:
        motion = turning(p, (3.0, 0.0, 0.0), (0.0, 0.0, 20.0), 60, spinningFriction=0.02)
    # Spinning is braked by mu_s m g, of the ball's coefficient times the ground's sliding one.
    torque = 0.02 * 1.0 * GRAVITY
    inertia = 0.4 * 0.1**2
    lost = 20.0 - motion[59, 12]
    assert lost == pytest.approx(torque / inertia * 60 / 240, rel=0.02)
