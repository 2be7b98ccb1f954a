"""Cylinders that stand on a plane."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, connected, ground


def test_a_cylinder_that_spins_upright_stays_on_the_plane() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        shape = p.createCollisionShape(p.GEOM_CYLINDER, radius=0.1, height=0.2)
        body = p.createMultiBody(1.0, shape, basePosition=(0, 0, 0.1))
        p.resetBaseVelocity(body, (0, 0, 0), (0, 0, 15.0))
        heights: list[float] = []
        for _ in range(480):
            p.stepSimulation()
            heights.append(p.getBasePositionAndOrientation(body)[0][2])
    # It slips for a quarter of a second; a slipping contact sinks in by what the foreseen braking
    # of a free body is wrong by, 0.2 mm here.
    assert np.abs(np.array(heights) - 0.1).max() < 5e-4


@pytest.mark.parametrize("tilted", [False, True])
def test_every_heading_of_an_upright_cylinder_has_three_contacts_on_its_rim(tilted: bool) -> None:
    with connected(unibody.bullet) as p:
        slope = p.getQuaternionFromEuler((0.3, 0.2, 0.1)) if tilted else (0, 0, 0, 1)
        plane = p.createCollisionShape(p.GEOM_PLANE)
        p.createMultiBody(0, plane, baseOrientation=slope)
        shape = p.createCollisionShape(p.GEOM_CYLINDER, radius=0.1, height=0.2)
        up = np.array(p.getMatrixFromQuaternion(slope)).reshape(3, 3)[:, 2]
        body = p.createMultiBody(1.0, shape)
        for heading in np.linspace(0.0, 2.0 * math.pi, 200):
            turn = p.getQuaternionFromEuler((0, 0, heading))
            pose = p.multiplyTransforms((0, 0, 0), slope, (0, 0, 0), turn)
            p.resetBasePositionAndOrientation(body, 0.0999 * up, pose[1])
            p.performCollisionDetection()
            points = np.array([row[6] for row in p.getContactPoints(0, body)])
            distances = np.array([row[8] for row in p.getContactPoints(0, body)])
            assert len(points) == 3
            # What rounding leaves of an angle of 1e-9 moves a point of the rim by 1e-10 m.
            np.testing.assert_allclose(distances, -1e-4, atol=1e-9)
            np.testing.assert_allclose(points.mean(axis=0), -1e-4 * up, atol=1e-9)
