"""Height fields that are given other heights, against PyBullet."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.bullet.paired import both
from tests.support.duo import base_state, sphere

SIDE = 16  # heights
SPACING = 0.1  # m
# Bullet computes rays in single precision.
RAY = 1e-5
# Bullet's balls sink in by up to 2 mm when they land, and slip on from there.
LANDED = 1e-2  # m


def _field(p: Any, height: Callable[[float, float], float], **more: Any) -> int:
    middle = 0.5 * (SIDE - 1)
    return p.createCollisionShape(
        p.GEOM_HEIGHTFIELD,
        meshScale=[SPACING, SPACING, 1.0],
        heightfieldData=[height(i - middle, j - middle) for j in range(SIDE) for i in range(SIDE)],
        numHeightfieldRows=SIDE,
        numHeightfieldColumns=SIDE,
        **more,
    )


def _waves(x: float, y: float) -> float:
    return 0.2 * math.sin(0.5 * x) * math.cos(0.4 * y)


def _slope(x: float, y: float) -> float:
    return 0.02 * x + 0.01 * y + 0.05


def _hits(p: Any) -> list[Any]:
    starts = [(x, y, 5.0) for x in (-0.52, 0.13, 0.41) for y in (-0.33, 0.27)]
    ends = [(x, y, -5.0) for x, y, _ in starts]
    return [(hit[0], hit[3]) for hit in p.rayTestBatch(starts, ends)]


def test_replaced_heights_are_those_that_rays_hit_in_every_body_made_with_them() -> None:
    def script(p: Any) -> list[Any]:
        shape = _field(p, _waves)
        for x in (0.0, 10.0):
            p.createMultiBody(0, shape, -1, (x, 0, 0))
        p.stepSimulation()
        before = _hits(p)
        assert _field(p, _slope, replaceHeightfieldIndex=shape) == shape
        p.createMultiBody(0, shape, -1, (0, 10, 0))
        p.stepSimulation()
        above = (10.1, 0.1, 5.0), (10.1, 0.1, -5.0)
        return [before, _hits(p), p.rayTest(*above)[0][3], p.getNumBodies()]

    theirs, ours = both(script)
    for found, expected in zip(ours[0] + ours[1], theirs[0] + theirs[1], strict=True):
        assert found[0] == expected[0]
        assert found[1] == pytest.approx(expected[1], abs=RAY)
    assert ours[2] == pytest.approx(theirs[2], abs=RAY)
    assert ours[3] == theirs[3]


def test_a_ball_falls_on_the_same_triangles() -> None:
    def script(p: Any) -> list[float]:
        p.setGravity(0, 0, -9.81)
        p.createMultiBody(0, _field(p, _waves))
        balls = [sphere(p, (x, y, 0.5), radius=0.03) for x in (-0.3, 0.11) for y in (-0.2, 0.24)]
        for _ in range(70):
            p.stepSimulation()
        return [number for ball in balls for number in base_state(p, ball)[:3]]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=LANDED)


def test_only_a_height_field_of_the_same_size_is_replaced() -> None:
    def script(p: Any) -> list[str]:
        p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
        refused = []
        for wrong in (0, 77):
            with pytest.raises(p.error, match=r"createCollisionShape failed\."):
                _field(p, _slope, replaceHeightfieldIndex=wrong)
            refused.append(wrong)
        return refused

    theirs, ours = both(script)
    assert ours == theirs


@pytest.mark.parametrize("height", [0.9, 0.45, 0.3])
@pytest.mark.parametrize("kind", ["SPHERE", "BOX", "CAPSULE"])
def test_the_closest_point_of_a_field_is_found_at_any_distance(kind: str, height: float) -> None:
    sizes: dict[str, dict[str, Any]] = {
        "SPHERE": {"radius": 0.1},
        "BOX": {"halfExtents": (0.1, 0.08, 0.06)},
        "CAPSULE": {"radius": 0.06, "height": 0.2},
    }

    def script(p: Any) -> list[Any]:
        field = p.createMultiBody(0, _field(p, _waves))
        shape = p.createCollisionShape(getattr(p, f"GEOM_{kind}"), **sizes[kind])
        turn = p.getQuaternionFromEuler((0.3, 0.2, 0.1))
        body = p.createMultiBody(1, shape, -1, (0.1, 0.07, height), turn)
        near = p.getClosestPoints(body, field, 0.01)
        points = p.getClosestPoints(body, field, 2.0)
        closest = min(points, key=lambda row: row[8])
        return [closest[8], *closest[5], *closest[7], bool(near)]

    theirs, ours = both(script)
    # Bullet's height fields and boxes are 1 mm thicker or rounder
    assert ours == pytest.approx(theirs, abs=2e-3)


def test_a_body_that_is_farther_away_from_a_field_than_asked_has_no_closest_point() -> None:
    def script(p: Any) -> list[int]:
        field, body = p.createMultiBody(0, _field(p, _waves)), sphere(p, (0.1, 0.07, 0.9))
        gap = min(row[8] for row in p.getClosestPoints(field, body, 3.0))
        return [
            len(p.getClosestPoints(field, body, gap + share) or ()) > 0 for share in (-1e-3, 1e-3)
        ]

    theirs, ours = both(script)
    assert ours == theirs == [False, True]


@pytest.mark.parametrize("kind", ["GEOM_SPHERE", "GEOM_BOX"])
@pytest.mark.parametrize("height", [-0.05, -0.09, -0.2, -0.5])
def test_what_is_below_a_field_falls_on_as_below_a_thin_sheet(kind: str, height: float) -> None:
    def script(p: Any) -> Any:
        field = p.createCollisionShape(
            p.GEOM_HEIGHTFIELD, meshScale=(0.25, 0.25, 1.0), heightfieldData=[0.0] * 256,
            numHeightfieldRows=16, numHeightfieldColumns=16,
        )  # fmt: skip
        p.createMultiBody(0, field)
        p.setGravity(0, 0, -9.81)
        size = {"radius": 0.1} if kind == "GEOM_SPHERE" else {"halfExtents": (0.1, 0.1, 0.1)}
        shape = p.createCollisionShape(getattr(p, kind), **size)
        body = p.createMultiBody(1, shape, -1, (0.3, 0.2, height))
        rows: list[Any] = []
        for _ in range(40):
            p.stepSimulation()
            rows.append(
                [p.getBasePositionAndOrientation(body)[0][2], p.getBaseVelocity(body)[0][2]]
            )
        return rows

    theirs, ours = (np.array(rows) for rows in both(script))
    # Bullet pushes a box out at its corners one after the other, and no two alike: 0.07 m/s
    np.testing.assert_allclose(ours[3:], theirs[3:], rtol=0, atol=0.1)
