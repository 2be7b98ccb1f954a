"""Rays that start in a convex shape, as in PyBullet, and balls far smaller than a ray is long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import both

CORNERS = [[x, y, z] for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.4, 0.4)]
SIZES: dict[str, dict[str, Any]] = {
    "GEOM_SPHERE": {"radius": 0.5},
    "GEOM_CAPSULE": {"radius": 0.3, "height": 0.8},
    "GEOM_BOX": {"halfExtents": [0.3, 0.2, 0.4]},
    "GEOM_CYLINDER": {"radius": 0.3, "height": 0.8},
    "GEOM_MESH": {"vertices": CORNERS},
}
CENTRE = [0.0, 0.0, 0.0]


def _rays(wider: float) -> list[tuple[list[float], list[float]]]:
    """Rays from the inside, many of them to the centre or through it, and from below a surface.

    Args:
        wider: By how much the surface lies outside of the sizes above [m].
    """
    rng = np.random.default_rng(0)
    rays = [([0.1, 0.0, 0.0], [0.05, 0.0, 0.0]), (CENTRE, CENTRE), (CENTRE, [1.0, 0.0, 0.0])]
    for k in range(150):
        start = rng.uniform(-0.2, 0.2, 3)
        end = (np.zeros(3), -start, rng.uniform(-2, 2, 3))[k % 3]
        rays.append((start.tolist(), end.tolist()))
    for depth in (1e-5, 0.0005, 0.0009, 0.0011, 0.002):  # around the margin of 1 mm
        rays.append(([0.3 + wider - depth, 0.0, 0.02], [0.0, 0.1, 0.0]))
        rays.append(([0.02, 0.01, 0.4 + wider - depth], [0.0, 0.1, 0.0]))
        rays.append(([0.3 + wider - depth, 0.0, 0.02], [2.0, 0.1, 0.0]))
    return rays


@pytest.mark.parametrize("kind", SIZES)
def test_a_ray_that_starts_inside_hits_at_once_where_it_nears_the_core(kind: str) -> None:
    rays = _rays(0.001 if kind == "GEOM_MESH" else 0.0)
    starts, ends = [ray[0] for ray in rays], [ray[1] for ray in rays]

    def play(p: Any) -> Any:
        p.createMultiBody(0, p.createCollisionShape(getattr(p, kind), **SIZES[kind]))
        alone = [p.rayTest(*ray)[0] for ray in rays]
        many = p.rayTestBatch(starts, ends)
        return [[[h[0], h[2], *h[3], *h[4]] for h in hits] for hits in (alone, many)]

    theirs, ours = both(play)
    assert 0 < np.sum(theirs[0, :, 0] >= 0) < len(rays)
    np.testing.assert_array_equal(ours[:, :, 0], theirs[:, :, 0])
    np.testing.assert_allclose(ours[:, :, 1:5], theirs[:, :, 1:5], atol=1e-7)
    # Bullet's search ends with a direction that is 0.3 degrees off for a cylinder
    np.testing.assert_allclose(ours[:, :, 5:], theirs[:, :, 5:], atol=6e-3)


def test_a_ball_smaller_than_an_atom_is_hit_in_its_middle() -> None:
    rays = [([1, 0, 0], [-1, 0, 0]), ([1, 0, 0], [-0.5, 0, 0]), ([0, 0, 0.3], [0, 0, -1])]

    def play(p: Any) -> Any:
        p.createMultiBody(0, p.createCollisionShape(p.GEOM_SPHERE, radius=1e-12))
        hits = [*(p.rayTest(*ray)[0] for ray in rays), *p.rayTestBatch(*zip(*rays, strict=True))]
        return [[h[0], h[2], *h[3], *h[4]] for h in hits]

    theirs, ours = both(play)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
