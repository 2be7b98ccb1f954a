"""What spins on the ground, and what scrubs as it turns, is braked as in PyBullet."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest

from tests.support.duo import STEP, both, box, ground, without_damping

WEIGHT, HALF, SPIN = 10.0, 0.1, 40.0  # N of 1 kg, m, rad/s
INERTIA = (2 * HALF) ** 2 / 6  # kg m^2 of a cube of 1 kg
HUSKY = pybullet_data.getDataPath() + "/husky/husky.urdf"


@pytest.mark.parametrize("turn", [0.0, 0.2, 0.39, 0.6])
@pytest.mark.parametrize(("mu", "spinning"), [(0.5, 0.0), (0.5, 0.02), (0.1, 0.1)])
def test_a_box_that_spins_on_four_corners_is_braked_as_in_pybullet(
    turn: float, mu: float, spinning: float
) -> None:
    def script(p: Any) -> float:
        """How much of the torque ``mu m g r + mu_s m g`` brakes it."""
        p.setGravity(0, 0, -WEIGHT)
        floor = box(p, (0, 0, -0.5), 0.0, (5, 5, 0.5))
        leans = p.getQuaternionFromEuler((0, 0, turn))
        body = box(p, (0, 0, HALF), half=(HALF, HALF, HALF), baseOrientation=leans)
        without_damping(p, body)
        p.changeDynamics(body, -1, lateralFriction=mu, spinningFriction=spinning)
        p.changeDynamics(floor, -1, lateralFriction=1.0, spinningFriction=0.0)
        for _ in range(30):
            p.stepSimulation()
        p.resetBaseVelocity(body, (0, 0, 0), (0, 0, SPIN))
        p.stepSimulation()
        torque = (SPIN - p.getBaseVelocity(body)[1][2]) / STEP * INERTIA
        return torque / (WEIGHT * (mu * math.sqrt(2.0) * HALF + spinning))

    theirs, ours = both(script, converged=True)
    # not all of it: friction points by the masses that it stops, up to 13 degrees off at a corner
    assert 0.97 < theirs <= 1.0 + 1e-6
    assert ours == pytest.approx(theirs, abs=6e-4)


def with_balls(folder: Path) -> str:
    """A Husky whose wheels are two balls each, where the ends of the wheel's axis are."""
    text = Path(HUSKY).read_text(encoding="utf-8")
    text = text.replace('filename="', f'filename="{Path(HUSKY).parent}/')

    def balls(found: re.Match[str]) -> str:
        length, radius = (float(number) for number in found.groups())
        return "".join(
            f'<collision><origin xyz="0 {y} 0"/><geometry><sphere radius="{radius}"/></geometry>'
            "</collision>"
            for y in (-0.5 * length, 0.5 * length)
        )

    wheel = r'<collision>\s*<origin[^>]*/>\s*<geometry>\s*<cylinder length="([\d.]+)" '
    wheel += r'radius="([\d.]+)"/>\s*</geometry>\s*</collision>'
    text, count = re.subn(wheel, balls, text)
    assert count == 4
    (folder / "husky.urdf").write_text(text, encoding="utf-8")
    return str(folder / "husky.urdf")


@pytest.mark.parametrize("speeds", [(6, -2, 6, -2), (3, -3, 3, -3)])
def test_a_vehicle_whose_wheels_touch_in_two_points_turns_as_in_pybullet(
    tmp_path: Path, speeds: tuple[float, ...]
) -> None:
    file = with_balls(tmp_path)

    def script(p: Any) -> float:
        p.setGravity(0, 0, -WEIGHT)
        ground(p)
        robot = p.loadURDF(file, (0, 0, 0.15))
        turned = before = 0.0
        for _ in range(600):
            for joint, speed in zip((2, 3, 4, 5), speeds, strict=True):
                p.setJointMotorControl2(
                    robot, joint, p.VELOCITY_CONTROL, targetVelocity=speed, force=40
                )
            p.stepSimulation()
            yaw = p.getEulerFromQuaternion(p.getBasePositionAndOrientation(robot)[1])[2]
            turned += math.remainder(yaw - before, 2.0 * math.pi)
            before = yaw
        return turned

    theirs, ours = both(script, converged=True)
    assert abs(theirs) > 1.0
    # Of a cylinder Bullet holds one end of its line at a time: 7 % more turned in a curve.
    np.testing.assert_allclose(ours, theirs, rtol=5e-3)
