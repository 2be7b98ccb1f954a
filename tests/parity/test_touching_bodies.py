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
