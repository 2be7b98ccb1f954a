"""Soft bodies in a world that was not made for them, beside PyBullet's position-based dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet

import unibody.bullet
from tests.support.duo import DATA, connected


def _heights(p: Any) -> Any:
    """Of the mean particle of a bunny that falls on a plane, after each step [m]."""
    p.setGravity(0, 0, -10)
    p.loadURDF(f"{DATA}/plane.urdf", [0, 0, -2])
    bunny = p.loadSoftBody(f"{DATA}/bunny.obj")
    found: list[float] = []
    for _ in range(288):
        p.stepSimulation()
        particles = p.getMeshData(bunny, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1]
        found.append(np.mean(particles, axis=0)[2])
    return np.array(found)


def test_a_bunny_falls_on_the_ground_and_hardly_rebounds_as_in_pybullet() -> None:
    with connected(pybullet) as p:
        theirs = _heights(p)
    with connected(unibody.bullet) as p:
        ours = _heights(p)
    # It is 1 m above the ground, where it arrives in the 108th step; float32 sums in its fall.
    np.testing.assert_allclose(ours[:100], theirs[:100], atol=2e-3)
    # What it does after 20 cm of another deformation differs; its height after that does not.
    np.testing.assert_allclose(ours[130:].max(), theirs[130:].max(), atol=0.06)
    np.testing.assert_allclose(ours[-1], theirs[-1], atol=0.06)
