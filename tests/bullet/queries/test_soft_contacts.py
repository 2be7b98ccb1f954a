"""Contact points of soft bodies, beside PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pybullet_data
import pytest

import unibody.bullet
from tests.support.duo import connected

CLOTH = {
    "useBendingSprings": 1, "useMassSpring": 1, "springElasticStiffness": 40,
    "springDampingStiffness": 0.1, "springDampingAllDirections": 1, "frictionCoeff": 0.5,
}  # fmt: skip
A, B, LINK_A, LINK_B, ON_A, ON_B, NORMAL, DISTANCE, FORCE = 1, 2, 3, 4, 5, 6, 7, 8, 9


def _cloth_on_plane(p: Any, deformable: bool = True) -> tuple[int, int]:
    """A cloth of 1 kg that lies on the ground."""
    p.setAdditionalSearchPath(pybullet_data.getDataPath())
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD if deformable else 0)
    p.setGravity(0, 0, -10)
    plane = p.loadURDF("plane.urdf")
    cloth = p.loadSoftBody("cloth_z_up.obj", basePosition=[0, 0, 0.05], mass=1.0, **CLOTH)
    for _ in range(120):
        p.stepSimulation()
    return plane, cloth


def _seen(p: Any) -> dict[str, Any]:
    plane, cloth = _cloth_on_plane(p)
    places = np.array(p.getMeshData(cloth, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])
    return {
        "all": p.getContactPoints(),
        "cloth": p.getContactPoints(cloth, plane),
        "plane": p.getContactPoints(plane, cloth),
        "base": p.getContactPoints(cloth, linkIndexA=-1),
        "other": p.getContactPoints(cloth, linkIndexA=0),
        "places": places,
    }


def test_soft_bodies_are_among_the_contact_points_of_both_sides_as_in_pybullet() -> None:
    for module in (pybullet, unibody.bullet):
        with connected(module) as p:
            seen = _seen(p)
        count = len(seen["cloth"])
        assert count > 5
        assert len(seen["all"]) == len(seen["plane"]) == len(seen["base"]) == count
        assert seen["other"] == ()
        for row, swapped in zip(seen["cloth"], seen["plane"], strict=True):
            assert row[:5] == (0, 1, 0, -1, -1) and swapped[:5] == (0, 0, 1, -1, -1)
            assert row[NORMAL] == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
            assert swapped[NORMAL] == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)
            assert np.abs(seen["places"] - row[ON_A]).max(axis=1).min() < 1e-6  # a particle
            assert swapped[ON_B] == pytest.approx(row[ON_A], abs=1e-9)


def test_contacts_of_a_cloth_at_rest_bear_its_weight_and_end_on_the_ground() -> None:
    with connected(unibody.bullet) as p:
        plane, cloth = _cloth_on_plane(p)
        rows = p.getContactPoints(cloth, plane)
        assert sum(row[FORCE] for row in rows) == pytest.approx(10.0, rel=1e-3)
        for row in rows:
            assert row[ON_B][2] == pytest.approx(0.0, abs=1e-9)
            # within what its stiffness gives: weight over stiffness, far below the margin of 2 cm
            assert -1e-4 < row[DISTANCE] <= 0.0
            first, second = np.array(row[11]), np.array(row[13])
            frame = np.stack([row[NORMAL], first, second])
            np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-9)
        p.removeBody(cloth)
        assert p.getContactPoints() == ()


def test_without_the_deformable_world_soft_bodies_have_no_contact_points_as_in_pybullet() -> None:
    for module in (pybullet, unibody.bullet):
        with connected(module) as p:
            _cloth_on_plane(p, deformable=False)
            assert p.getContactPoints() == ()
