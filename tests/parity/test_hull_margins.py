"""Hulls of meshes, and cylinders from files, are larger by Bullet's margin, as in PyBullet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.bullet.paired import both
from tests.support.duo import DATA, GRAVITY

CUBE = f"{DATA}/cube.obj"
MARGIN = 1e-3  # m
SETTLED = 5e-5  # m: PyBullet lets a body sink in by as much after a second
PRISM = 2e-5  # m: the 32 sides of Bullet's cylinders from files


def _cube(p: Any, height: float, scale: float, mass: float = 1.0) -> int:
    shape = p.createCollisionShape(p.GEOM_MESH, fileName=CUBE, meshScale=[scale] * 3)
    return p.createMultiBody(mass, shape, -1, (0, 0, height))


def test_meshes_are_closer_by_two_margins_than_their_points() -> None:
    def script(p: Any) -> Any:
        below, above = _cube(p, 0.0, 0.1), _cube(p, 0.15, 0.1)
        return p.getClosestPoints(below, above, 1.0)[0][8]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=1e-6)  # float32 vertices
    assert ours == pytest.approx(0.05 - 2 * MARGIN, abs=1e-6)


def test_a_stack_of_meshes_rests_a_margin_higher_at_every_surface() -> None:
    def script(p: Any) -> Any:
        p.setAdditionalSearchPath(DATA)
        p.setGravity(0, 0, -GRAVITY)
        p.loadURDF("plane.urdf")
        cubes = [_cube(p, 0.027, 0.05), _cube(p, 0.08, 0.05)]
        for _ in range(300):
            p.stepSimulation()
        return [p.getBasePositionAndOrientation(cube)[0][2] for cube in cubes]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=SETTLED)
    assert ours == pytest.approx([0.025 + MARGIN, 0.075 + 3 * MARGIN], abs=SETTLED)


@pytest.mark.parametrize("name", ["r2d2.urdf", "husky/husky.urdf", "kuka_iiwa/model.urdf"])
def test_all_links_of_a_robot_are_as_far_from_the_ground_as_in_pybullet(name: str) -> None:
    def script(p: Any) -> Any:
        p.setAdditionalSearchPath(DATA)
        ground, robot = p.loadURDF("plane.urdf"), p.loadURDF(name, (0, 0, 0.5))
        return sorted((row[4], row[8]) for row in p.getClosestPoints(ground, robot, 2.0))

    theirs, ours = both(script)
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=0, atol=PRISM)


def test_a_ray_meets_a_hull_a_margin_before_its_points() -> None:
    def script(p: Any) -> Any:
        _cube(p, 0.0, 0.1, mass=0.0)
        return p.rayTest((-1, 0.01, 0.02), (1, 0.01, 0.02))[0][3][0]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert ours == pytest.approx(-0.05 - MARGIN, abs=1e-6)


def test_a_ramp_with_a_sharp_edge_is_as_steep_as_its_file(tmp_path: Path) -> None:
    ramp = tmp_path / "ramp.obj"
    corners = [(x, y, 0) for x in (0, 1) for y in (-1, 1)] + [(0, y, 0.2) for y in (-1, 1)]
    ramp.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
        + "f 1 2 4 3\nf 5 6 2 1\nf 3 4 6 5\nf 1 3 5\nf 2 6 4\n"
    )

    def script(p: Any) -> Any:
        wedge = p.createCollisionShape(p.GEOM_MESH, fileName=str(ramp))
        ball = p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_SPHERE, radius=0.02))
        below = p.createMultiBody(1.0, wedge)
        rows = []
        for x in (0.1, 0.5, 0.9):
            p.resetBasePositionAndOrientation(ball, (x, 0.3, 0.3), (0, 0, 0, 1))
            row = p.getClosestPoints(ball, below, 1.0)[0]
            rows.append((*row[7], row[8]))
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=0, atol=1e-6)
    slope = np.array([0.2, 0.0, 1.0]) / np.hypot(0.2, 1.0)
    assert ours[1][:3] == pytest.approx(slope, abs=1e-6)
