"""Bodies of ``useMaximalCoordinates``: what slows them down, and what does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import base_motion, both, connected, sphere

MAXIMAL = {"useMaximalCoordinates": 1}
BALL = """<sdf version="1.6"><world name="w"><model name="ball"><link name="ball">
<inertial><mass>1</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.1</iyy><iyz>0</iyz>
<izz>0.1</izz></inertia></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></world></sdf>"""


def _throw(p: Any, body: int) -> list[list[float]]:
    p.setGravity(0, 0, -10)
    p.resetBaseVelocity(body, [1, 0, 0], [0, 0, 3])
    return base_motion(p, body, 120)


def _made(p: Any) -> int:
    return sphere(p, [0, 0, 100], **MAXIMAL)


def _loaded(p: Any) -> int:
    return p.loadURDF("cube_small.urdf", [0, 0, 100], **MAXIMAL)


@pytest.mark.parametrize("make", [_made, _loaded])
def test_nothing_slows_a_body_of_maximal_coordinates_down(make: Any) -> None:
    theirs, ours = both(lambda p: _throw(p, make(p)))
    # Both integrate the same sums; PyBullet's quaternions have a rounding of their own.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert theirs[-1][7] == 1.0  # it has not lost any speed


def test_a_damping_given_to_it_takes_a_share_of_its_speed_a_second() -> None:
    def script(p: Any) -> list[list[float]]:
        body = _made(p)
        p.changeDynamics(body, -1, linearDamping=0.2, angularDamping=0.3)
        return _throw(p, body)

    theirs, ours = both(script)
    # PyBullet multiplies with (1 - damping)^dt in every step, as here up to rounding.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert theirs[-1][7] == pytest.approx(0.8**0.5)


def test_its_speed_has_no_limit() -> None:
    def script(p: Any) -> list[list[float]]:
        body = _made(p)
        p.resetBaseVelocity(body, [500, 0, 0])
        return base_motion(p, body, 10)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert ours[-1][7] == 500.0


def test_a_model_of_an_sdf_file_is_not_slowed_down_either(tmp_path: Path) -> None:
    file = tmp_path / "ball.sdf"
    file.write_text(BALL)

    def script(p: Any) -> list[list[float]]:
        return _throw(p, p.loadSDF(str(file), **MAXIMAL)[0])

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_a_saved_body_of_maximal_coordinates_comes_back_as_one(tmp_path: Path) -> None:
    file = str(tmp_path / "one.bullet")
    with connected(unibody.bullet) as p:
        _made(p)
        p.saveBullet(file)
        p.resetSimulation()
        (body,) = p.loadBullet(file)
        p.resetBaseVelocity(body, [1, 0, 0])
        p.stepSimulation()
        assert p.getBaseVelocity(body)[0][0] == 1.0
