"""Closest points of shapes that lie exactly beside, on and in one another, against PyBullet.

Round numbers are what scripts use, and where a search for the depth starts on an edge or a face.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import unibody.bullet as ub
from tests.bullet.paired import add, both

CORNERS = list(itertools.product((-0.5, 0.5), repeat=3))
SHAPES: dict[str, dict[str, Any]] = {
    "box": {"kind": ub.GEOM_BOX, "halfExtents": (0.5, 0.5, 0.5)},
    "ball": {"kind": ub.GEOM_SPHERE, "radius": 0.5},
    "capsule": {"kind": ub.GEOM_CAPSULE, "radius": 0.3, "height": 0.6},
    "cylinder": {"kind": ub.GEOM_CYLINDER, "radius": 0.5, "height": 1.0},
    "mesh": {"kind": ub.GEOM_MESH, "vertices": CORNERS},
}
PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))
PLACES = list(itertools.product((0.0, 0.5, 1.0), (0.0, 0.5), (0.0, 0.25, 0.5, 1.0)))
HALF = math.sqrt(0.5)
TURNS = [(0, 0, 0, 1), (math.sin(math.pi / 8), 0, 0, math.cos(math.pi / 8)), (0, HALF, 0, HALF)]
# Bullet's meshes carry a margin of 1 mm each; its depth of cylinders is up to 2 mm too small.
TOLERANCE = 3e-3


def depths(p: Any, first: str, second: str, limit: float) -> list[float]:
    """The distance of two shapes at all places and turns of the second; the limit beyond it."""
    a = add(p, pos=(0, 0, 0), **SHAPES[first])
    b = add(p, pos=(0, 0, 0), **SHAPES[second])
    found: list[float] = []
    for place, turn in itertools.product(PLACES, TURNS):
        p.resetBasePositionAndOrientation(b, place, turn)
        rows = p.getClosestPoints(a, b, limit)
        found.append(min((row[8] for row in rows), default=limit))
    return found


@pytest.mark.parametrize("limit", [5.0, 0.1])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_aligned_shapes_are_as_far_apart_or_as_deep_as_in_pybullet(
    first: str, second: str, limit: float
) -> None:
    theirs, ours = both(lambda p: depths(p, first, second, limit))
    assert ours == pytest.approx(theirs, abs=TOLERANCE)


@pytest.mark.parametrize("offset", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_the_points_of_aligned_boxes_are_the_depth_apart_along_the_normal(offset: float) -> None:
    def rows(p: Any) -> Any:
        a = add(p, pos=(0, 0, 0.5), **SHAPES["box"])
        return p.getClosestPoints(a, add(p, pos=(offset, 0, 0.5), **SHAPES["box"]), 5.0)

    _, ((*_, on_a, on_b, normal, distance, _, _, _, _, _),) = both(rows)
    assert distance == pytest.approx(offset - 1.0, abs=1e-9)
    assert [a - b for a, b in zip(on_a, on_b, strict=True)] == pytest.approx(
        [distance * n for n in normal], abs=1e-9
    )
    assert sum(n * n for n in normal) == pytest.approx(1.0)
