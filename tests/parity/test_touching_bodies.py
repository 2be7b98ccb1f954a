"""Bodies that are put exactly onto a ground, against PyBullet."""

from typing import Any

import numpy as np
import pybullet_data
import pytest

from tests.bullet.paired import add, both

SHAPES: dict[str, dict[str, Any]] = {
    "ball": {"kind": 2, "radius": 0.5},
    "box": {"kind": 3, "halfExtents": (0.5, 0.5, 0.5)},
}
WEIGHT = 10.0  # N
SLOP = 1.1e-5  # m: how far bodies sink into one another before Bullet pushes them apart


def settling(p: Any, shape: str) -> np.ndarray:
    """Height, speed and contact force of a body of 1 kg, a row a step."""
    p.setAdditionalSearchPath(pybullet_data.getDataPath())
    p.setGravity(0, 0, -WEIGHT)
    ground = p.loadURDF("plane.urdf")
    body = add(p, pos=(0, 0, 0.5), mass=1.0, **SHAPES[shape])
    rows: list[tuple[float, ...]] = []
    for _ in range(12):
        p.stepSimulation()
        force = sum(row[9] for row in p.getContactPoints(body, ground))
        height, speed = p.getBasePositionAndOrientation(body)[0][2], p.getBaseVelocity(body)[0][2]
        rows.append((height, speed, force))
    return np.array(rows)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_put_exactly_onto_the_ground_is_carried_from_the_first_step(shape: str) -> None:
    theirs, ours = both(lambda p: settling(p, shape))
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], atol=SLOP)
    # the slop's speed, and what it takes to start and stop it
    np.testing.assert_allclose(ours[:, 1], theirs[:, 1], atol=240 * SLOP)
    np.testing.assert_allclose(ours[:2, 2], WEIGHT, atol=240**2 * SLOP)
    np.testing.assert_allclose(ours[2:, 2], theirs[2:, 2], atol=0.01)


@pytest.mark.parametrize("planes", [2, 4])
@pytest.mark.parametrize("count", [4, 9])
def test_planes_that_lie_in_many_bodies_touch_all_of_them(planes: int, count: int) -> None:
    def script(p: Any) -> Any:
        grounds = [add(p, p.GEOM_PLANE, (0, 0, 0)) for _ in range(planes)]
        balls = [add(p, p.GEOM_SPHERE, (0.02 * n, 0, 0), 1, radius=0.3) for n in range(count)]
        p.stepSimulation()
        pairs = {row[1:3] for row in p.getContactPoints()}
        return {(ball, ground) for ball in balls for ground in grounds} <= pairs

    assert both(script) == (True, True)
