"""External forces and torques act as in PyBullet, in both frames, on bases and links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import base_motion, both, box
from tests.support.tolerances import SCHEME

FORCE = (3.0, 2.0, 1.0)
TORQUE = (0.3, 0.2, 0.1)
FRAMES = ("WORLD_FRAME", "LINK_FRAME")
LINK = 5  # a lower leg of A1


def brick(p: Any) -> int:
    return box(
        p,
        (1, 2, 3),
        2.0,
        (0.1, 0.2, 0.3),
        baseOrientation=(0.1, 0.2, 0.3, 0.9),
        baseInertialFramePosition=(0.1, 0.05, -0.2),
    )


@pytest.mark.parametrize("frame", FRAMES)
def test_a_force_on_a_base_acts_as_in_pybullet(frame: str) -> None:
    def script(p: Any) -> list[list[float]]:
        body = brick(p)
        point = (1.1, 2.2, 3.3) if frame == "WORLD_FRAME" else (0.1, 0.2, 0.3)
        rows: list[list[float]] = []
        for _ in range(120):
            p.applyExternalForce(body, -1, FORCE, point, getattr(p, frame))
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_torque_on_a_base_acts_as_in_pybullet(frame: str) -> None:
    def script(p: Any) -> list[list[float]]:
        body = brick(p)
        rows: list[list[float]] = []
        for _ in range(120):
            p.applyExternalTorque(body, -1, TORQUE, getattr(p, frame))
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("torque", [False, True], ids=["force", "torque"])
def test_a_wrench_on_a_link_acts_as_in_pybullet(frame: str, torque: bool) -> None:
    def script(p: Any) -> list[list[float]]:
        body = p.loadURDF("a1/a1.urdf", (0, 0, 1))
        rows: list[list[float]] = []
        for _ in range(60):
            if torque:
                p.applyExternalTorque(body, LINK, TORQUE, getattr(p, frame))
            elif frame == "LINK_FRAME":
                p.applyExternalForce(body, LINK, FORCE, (0, 0.02, 0.01), p.LINK_FRAME)
            else:
                place = p.getLinkState(body, LINK, 0, 1)[0]
                p.applyExternalForce(body, LINK, FORCE, place, p.WORLD_FRAME)
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script, converged=True)
    # The joints are held by motors, and a motor's last 1e-6 turns the force in LINK_FRAME.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3)


@pytest.mark.parametrize("looks", [False, True], ids=["blindly", "after a look at the links"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_link_is_pushed_where_it_was_when_the_last_step_began_as_in_pybullet(
    frame: str, looks: bool
) -> None:
    def script(p: Any) -> list[list[float]]:
        body = spinning_pair(p)
        rows: list[list[float]] = []
        for step in range(60):
            if looks:
                rows.append([*p.getLinkState(body, 0, 1)[6], *[0.0] * 10])
            if step == 30:
                p.resetBaseVelocity(body, (0, 0, 0), (9, 2, 3))  # the links stay where they were
            if step == 40:
                p.resetBasePositionAndOrientation(body, (0, 0, 1), (0, 0, 0.6, 0.8))
            point = (0.1, 0.2, 0.3)
            p.applyExternalForce(body, 0, FORCE, point, getattr(p, frame))
            p.applyExternalTorque(body, 0, TORQUE, getattr(p, frame))
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script)
    # Speeds are of the order of ten here.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=10 * SCHEME)


def spinning_pair(p: Any) -> int:
    """Two boxes of 1 kg joined rigidly, spinning at 10 rad/s."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.2, 0.3))
    pair = p.createMultiBody(
        1.0,
        shape,
        basePosition=(0, 0, 1),
        linkMasses=[1.0],
        linkCollisionShapeIndices=[shape],
        linkVisualShapeIndices=[-1],
        linkPositions=[(0.5, 0, 0)],
        linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(0, 0.1, 0)],
        linkInertialFrameOrientations=[(0, 0, 0, 1)],
        linkParentIndices=[0],
        linkJointTypes=[p.JOINT_FIXED],
        linkJointAxis=[(0, 0, 1)],
    )
    p.resetBaseVelocity(pair, (1, 0, 0), (2, 3, 9))
    return int(pair)


def test_several_forces_of_one_step_add_up_and_last_for_that_step() -> None:
    def script(p: Any) -> list[list[float]]:
        body = brick(p)
        for direction in ((1, 0, 0), (1, 0, 0), (0, 1, 0)):
            p.applyExternalForce(body, -1, direction, (1, 2, 3), p.WORLD_FRAME)
        return base_motion(p, body, 3)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)
    assert ours[0, 7] > 0.0
    assert ours[2, 7] == pytest.approx(ours[0, 7], rel=1e-3)  # only damping acts later


def test_massless_links_make_a_small_drone_no_heavier_than_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        count = 5
        drone = p.createMultiBody(
            0.027,
            p.createCollisionShape(p.GEOM_CYLINDER, radius=0.06, height=0.025),
            linkMasses=[0.0] * count,
            linkCollisionShapeIndices=[-1] * count,
            linkVisualShapeIndices=[-1] * count,
            linkPositions=[(0.03 * i, 0.02, 0) for i in range(count)],
            linkOrientations=[(0, 0, 0, 1)] * count,
            linkInertialFramePositions=[(0, 0, 0)] * count,
            linkInertialFrameOrientations=[(0, 0, 0, 1)] * count,
            linkParentIndices=[0] * count,
            linkJointTypes=[p.JOINT_FIXED] * count,
            linkJointAxis=[(0, 0, 1)] * count,
        )
        rows: list[list[float]] = []
        for _ in range(60):
            p.applyExternalForce(drone, 1, (0, 0, 0.1), (0, 0, 0), p.LINK_FRAME)
            p.applyExternalTorque(drone, 4, (0, 0, 1e-5), p.LINK_FRAME)
            rows += base_motion(p, drone, 1)
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=10 * SCHEME)  # it spins fast


@pytest.mark.parametrize("push", ["force", "torque"])
def test_a_world_where_nothing_can_move_steps_after_a_push(push: str) -> None:
    def script(p: Any) -> list[list[float]]:
        body = p.loadURDF("plane.urdf")
        if push == "force":
            p.applyExternalForce(body, -1, (1, 0, 0), (0, 0, 0), p.WORLD_FRAME)
        else:
            p.applyExternalTorque(body, -1, (1, 0, 0), p.WORLD_FRAME)
        rows = base_motion(p, body, 2)
        falling = box(p, (0, 0, 3))
        return rows + base_motion(p, falling, 5)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)
