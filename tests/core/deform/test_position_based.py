"""Links of position based dynamics, against the formula one link at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.deform.pbd.contacts import Rigid, Rows, Sides
from unibody.core.deform.pbd.links import GROUP, PLACE, Groups, Links, grouped
from unibody.core.deform.pbd.rounds import Bodies, begin, end

_DT = 1.0 / 240.0


def _links(count: int, seed: int) -> tuple[Any, Links]:
    """Points and links among neighbours of them, some of which share all their particles."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    near = [[i, j] for i in range(count) for j in range(i + 1, min(i + 5, count))]
    return points, Links.at_rest(points, np.array(near), rng.uniform(0.2, 1.0, len(near)))


def _bodies(points: Any, velocities: Any, masses: Any) -> Bodies:
    count = len(points)
    x = np.zeros((count + 1, PLACE))
    np.divide(1.0, masses, out=x[:-1, -1], where=masses > 0.0)
    return Bodies(
        np.array([0, count]), points.copy(), velocities.copy(), x, np.zeros((count + 1, 3)),
        np.ones(1), np.full(1, 0.02),
    )  # fmt: skip


def _step(bodies: Bodies, groups: Groups, gravity: Any, iterations: int) -> None:
    nothing = Rows.room(1, 0)
    begin(bodies, np.array(gravity, dtype=np.float64), _DT)
    end(bodies, groups, nothing, nothing, Sides.room(1, 0), Rigid.room(0), iterations, _DT)


def _groups(links: Links, bodies: Bodies) -> Groups:
    return grouped([links], [0], bodies.x[:, -1])


def test_no_two_links_of_a_group_share_a_particle_and_each_link_is_there_once() -> None:
    points, links = _links(60, 0)
    groups = _groups(links, _bodies(points, np.zeros_like(points), np.ones(60)))
    ends = groups.ends.reshape(-1, GROUP, 2) // PLACE
    found = [tuple(pair) for pair in ends.reshape(-1, 2).tolist() if pair[0] < 60]
    assert sorted(found) == sorted(map(tuple, links.corners.tolist()))
    for group in ends:
        used = group[group < 60]
        assert len(np.unique(used)) == len(used)


def test_a_round_over_links_is_the_formula_one_link_after_the_other() -> None:
    points, links = _links(60, 1)
    rng = np.random.default_rng(2)
    masses = rng.uniform(0.1, 2.0, 60)
    masses[[3, 4, 30]] = 0.0  # two of them are linked
    bodies = _bodies(points * 1.3, np.zeros_like(points), masses)
    groups = _groups(links, bodies)
    _step(bodies, groups, (0.0, 0.0, 0.0), 1)
    x, w = points * 1.3, bodies.x[:, -1]
    numbers = groups.numbers.reshape(-1, 2, GROUP)
    squares, gives = numbers[:, 0].reshape(-1), numbers[:, 1].reshape(-1)
    for (a, b), square, give in zip(
        groups.ends.reshape(-1, 2) // PLACE, squares, gives, strict=True
    ):
        if a == 60:
            continue
        way = x[b] - x[a]
        pull = give * (square - way @ way) / (square + way @ way)
        x[a] -= way * pull * w[a]
        x[b] += way * pull * w[b]
    np.testing.assert_allclose(bodies.positions, x, atol=1e-12)  # sums of three in another order
    np.testing.assert_array_equal(bodies.positions[[3, 4, 30]], (points * 1.3)[[3, 4, 30]])


def test_links_change_no_momentum_and_a_body_falls_as_a_point() -> None:
    points, links = _links(60, 3)
    rng = np.random.default_rng(4)
    masses, velocities = rng.uniform(0.1, 2.0, 60), rng.normal(size=(60, 3))
    bodies = _bodies(points, velocities, masses)
    groups = _groups(links, bodies)
    place, speed = masses @ points / masses.sum(), masses @ velocities / masses.sum()
    for _ in range(100):
        _step(bodies, groups, (0.0, 0.0, -10.0), 20)
        speed += _DT * np.array([0.0, 0.0, -10.0])
        place += _DT * speed
    np.testing.assert_allclose(masses @ bodies.positions / masses.sum(), place, atol=1e-9)
    np.testing.assert_allclose(masses @ bodies.velocities / masses.sum(), speed, atol=1e-9)


def test_two_particles_in_one_place_are_left_there() -> None:
    points = np.zeros((2, 3))
    links = Links.at_rest(points, np.array([[0, 1]]), 1.0)
    bodies = _bodies(points, np.zeros((2, 3)), np.ones(2))
    _step(bodies, _groups(links, bodies), (0.0, 0.0, 0.0), 20)
    np.testing.assert_array_equal(bodies.positions, 0.0)
