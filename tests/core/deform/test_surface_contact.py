"""Surfaces that touch themselves: what is found, and that nothing passes."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest

from tests.core.deform.blocks import shared_mass, sheet
from unibody.core.deform.state import State
from unibody.core.deform.surface_contact import neighbors
from unibody.core.deform.surface_contact.closest import on_edges, on_triangle
from unibody.core.deform.surface_contact.neighbors import Neighbors
from unibody.core.deform.surface_contact.surface import Surface
from unibody.core.deform.tables import Bends, Springs, Tables, Triangles
from unibody.core.deform.topology import inner_edges
from unibody.core.deform.vbd.solver import SurfaceContact, VertexBlockDescent
from unibody.errors import EngineError, InvalidArgumentError

GRAVITY = np.array([0.0, 0.0, -9.81])


def _triple(point: Any) -> Any:
    return tuple(np.float32(point))


def test_the_closest_point_of_a_triangle_is_that_of_a_fine_search() -> None:
    random = np.random.default_rng(3)
    u, v = np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201))
    shares = np.stack([1 - u - v, u, v], axis=-1)[u + v <= 1.0]
    for _ in range(50):
        p, *corners = random.normal(size=(4, 3))
        found = np.array(on_triangle(*(_triple(q) for q in (p, *corners))))
        assert found.sum() == pytest.approx(1.0, abs=1e-6)
        assert found.min() >= -1e-6
        distance = np.linalg.norm(found @ np.array(corners) - p)
        # The search has steps of 1/200 of the edges: it misses by their square at most.
        least = np.linalg.norm(shares @ np.array(corners) - p, axis=1).min()
        assert least - 0.01 < distance < least + 1e-5


def test_the_closest_points_of_edges_are_those_of_a_fine_search() -> None:
    random = np.random.default_rng(4)
    s, t = (g.reshape(-1, 1) for g in np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201)))
    for turn in range(50):
        a, b, c, d = random.normal(size=(4, 3))
        if turn % 5 == 0:
            d = c + (b - a)  # parallel
        found = on_edges(*(_triple(q) for q in (a, b, c, d)))
        assert 0.0 <= min(found) <= max(found) <= 1.0
        first, second = a + found[0] * (b - a), c + found[1] * (d - c)
        least = np.linalg.norm(a + s * (b - a) - c - t * (d - c), axis=1).min()
        assert least - 0.02 < np.linalg.norm(first - second) < least + 1e-5


def test_triangles_without_area_and_edges_without_length_have_closest_points_too() -> None:
    random = np.random.default_rng(5)
    steps = np.linspace(0, 1, 401)[:, None]
    for kept in ((0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0)):
        for _ in range(10):
            p, *ends = random.integers(-8, 9, (3, 3)) / 4.0  # so that products are exact
            corners = np.array(ends)[list(kept)]
            found = np.array(on_triangle(*(_triple(q) for q in (p, *corners))))
            distance = np.linalg.norm(found @ corners - p)
            along = ends[0] + steps * (ends[max(kept)] - ends[0])
            # The search has steps of 1/400 of at most 7 m.
            assert distance == pytest.approx(np.linalg.norm(along - p, axis=1).min(), abs=0.02)
    a, b, p = (_triple(q) for q in ((0, 0, 0), (2, 0, 0), (1, 1, 0)))
    assert on_edges(a, b, p, p) == (0.5, 0.0)
    assert on_edges(p, p, a, b) == (0.0, 0.5)
    assert on_edges(p, p, a, a) == (0.0, 0.0)


def test_a_sheet_with_two_particles_in_one_place_stays_finite() -> None:
    points, triangles = sheet((3, 3), (0.3, 0.3))
    points = np.concatenate([points, points[5:6]])
    triangles = np.concatenate([triangles, [[5, 16, 6], [5, 16, 9]]])
    contact = SurfaceContact(triangles, radius=0.02, hardness=10.0, rings=1)
    solver = VertexBlockDescent(
        Tables(np.full(len(points), 1e-3)), iterations=5, surface_contact=contact
    )
    state = State.at(points)
    for _ in range(5):
        solver.step(state, 0.005, accelerations=GRAVITY)
    assert np.isfinite(state.positions).all()


def test_the_search_finds_what_a_look_at_all_pairs_finds() -> None:
    points, triangles = sheet((6, 6), (1.0, 1.0))
    x = points.copy()
    x[:, 2] = 0.3 * np.sin(7.0 * x[:, 0]) * np.cos(5.0 * x[:, 1])
    x[:, 0] *= 0.3  # folded
    single = x.astype(np.float32)
    surface = Surface(len(x), triangles, rings=1)
    near = surface.search(single.reshape(-1), 0.08)
    expected = set()
    for v, t in itertools.product(range(len(x)), range(len(triangles))):
        if v not in triangles[t]:
            share = on_triangle(*(_triple(q) for q in (x[v], *x[triangles[t]])))
            if np.linalg.norm(np.array(share) @ x[triangles[t]] - x[v]) < 0.08:
                expected.add((v, *triangles[t].tolist()))
    found = {tuple(pair) for pair in near.pairs[: near.triangles].tolist()}
    assert len(expected) > 20
    assert found == expected
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    crossings = set()
    for n, m in itertools.combinations(range(len(edges)), 2):
        if not set(edges[n]) & set(edges[m]):
            ends = x[[*edges[n], *edges[m]]]
            s, t = on_edges(*(_triple(q) for q in ends))
            first, second = ends[0] + s * (ends[1] - ends[0]), ends[2] + t * (ends[3] - ends[2])
            if np.linalg.norm(first - second) < 0.08:
                crossings.add((*edges[n].tolist(), *edges[m].tolist()))
    assert {tuple(pair) for pair in near.pairs[near.triangles :].tolist()} == crossings
    assert len(crossings) > 20


@pytest.mark.parametrize("common", [0.0, 0.3])
def test_pairs_of_kept_lists_are_those_of_a_fresh_search_in_their_order(
    monkeypatch: pytest.MonkeyPatch, common: float
) -> None:
    random = np.random.default_rng(8)
    points, triangles = _two_sheets(0.02)
    x = points.copy()
    kept = Surface(162, triangles)
    searches = _searches(monkeypatch)
    pairs, made = 0, 0
    for turn in range(30):
        x += random.normal(size=x.shape) * 0.0015 + [0.0, common, 0.0]
        margin = 0.02 + 0.01 * random.random() + (0.05 if turn == 15 else 0.0)
        places = x.astype(np.float32).reshape(-1)
        before = len(searches)
        found = kept.search(places, margin)
        made += len(searches) - before
        expected = Surface(162, triangles).search(places, margin)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        pairs += len(found.pairs)
    assert pairs > 30 * 50
    assert 2 < made < 20  # lists were kept at times, and made anew at others


def _searches(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The margins of searches in the grid from now on."""
    margins: list[float] = []
    whole: Any = getattr(Neighbors, "_search")  # noqa: B009 - of a private name

    def counted(self: Any, x: Any, margin: float) -> Any:
        margins.append(margin)
        return whole(self, x, margin)

    monkeypatch.setattr(Neighbors, "_search", counted)
    return margins


def test_bodies_that_fall_as_one_need_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    points, triangles = _two_sheets(0.02)
    surface = Surface(162, triangles)
    searches = _searches(monkeypatch)
    for turn in range(20):
        x = (points - [0.0, 0.0, 0.25 * turn]).astype(np.float32)
        assert len(surface.search(x.reshape(-1), 0.03).pairs) > 50
    assert len(searches) == 1


def test_lists_that_would_be_too_long_are_made_more_often_with_the_same_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points, triangles = _two_sheets(0.02)
    x = points.astype(np.float32).reshape(-1)
    surface = Surface(162, triangles)
    whole = surface.search(x, 0.03).pairs
    monkeypatch.setattr(neighbors, "_MOST", 4 * len(whole))
    few = Surface(162, triangles)
    np.testing.assert_array_equal(few.search(x, 0.03).pairs, whole)
    monkeypatch.setattr(neighbors, "_MOST", len(whole) // 4)
    with pytest.raises(EngineError, match="folded into itself"):
        Surface(162, triangles).search(x, 0.03)


def test_a_particle_without_a_place_leaves_the_pairs_of_the_others() -> None:
    points, triangles = _two_sheets(0.02)
    surface = Surface(162, triangles)
    x = points.astype(np.float32)
    whole = surface.search(x.reshape(-1), 0.03).pairs
    x[3] = np.nan
    left = surface.search(x.reshape(-1), 0.03).pairs
    np.testing.assert_array_equal(left, whole[(whole != 3).all(axis=1)])


def test_what_is_near_along_the_surface_does_not_count() -> None:
    points, triangles = sheet((5, 5), (1.0, 1.0))
    x = points.astype(np.float32).reshape(-1)
    cell, diagonal = 0.2, 0.2 * np.sqrt(2.0)
    near = 0.5 * diagonal
    assert len(Surface(36, triangles, rings=1).search(x, 1.01 * cell).pairs) > 0
    assert len(Surface(36, triangles, rings=2).search(x, near).pairs) == 0
    assert len(Surface(36, triangles, rings=2).search(x, 2.1 * near).pairs) > 0
    at_rest = Surface(36, triangles, rings=2, rest=points, exclusion=2.1 * near)
    assert len(at_rest.search(x, 2.1 * near).pairs) == 0


def test_a_body_that_does_not_touch_itself_still_touches_others() -> None:
    points, triangles = _two_sheets(0.01)
    x = points.astype(np.float32).reshape(-1)
    bodies = np.repeat([0, 1], 81)
    found = Surface(162, triangles, bodies=bodies, alone=np.ones(162)).search(x, 0.06).pairs
    assert len(found) > 100
    assert (bodies[found[:, 0]] != bodies[found[:, 3]]).all()
    both = Surface(162, triangles, rings=1, bodies=bodies).search(x, 0.06).pairs
    assert len(both) > len(found)


def test_planes_have_the_two_sides_of_each_pair_on_either_side() -> None:
    points, triangles = _two_sheets(0.01)
    x = (points + np.random.default_rng(5).normal(size=points.shape) * 0.003).astype(np.float32)
    near = Surface(162, triangles, rings=1).search(x.reshape(-1), 0.03)
    assert near.triangles > 50
    assert len(near.pairs) > near.triangles + 50
    for n, (pair, plane) in enumerate(zip(near.pairs, near.planes, strict=True)):
        heights = x[pair] @ plane[:3] - plane[3]
        sides = 1 if n < near.triangles else 2
        # Closest points are found to the rounding of places of 0.4 m: 1e-6 of what is between.
        assert heights[:sides].min() > -1e-5
        assert heights[sides:].max() < 1e-5


def _two_sheets(gap: float) -> tuple[Any, Any]:
    points, triangles = sheet((8, 8), (0.4, 0.4))
    upper = points * [0.7, 0.7, 1.0] + [0.06, 0.07, gap]
    return np.concatenate([points, upper]), np.concatenate([triangles, triangles + len(points)])


def _falling(friction: float = 0.0) -> tuple[Tables, Any, SurfaceContact]:
    """A small sheet above a large one that is held at its border."""
    points, triangles = _two_sheets(0.05)
    faces = Triangles.at_rest(points, triangles, shear=500.0, stretch=500.0)
    bends = Bends.at_rest(points, inner_edges(triangles), stiffness=1e-3)
    masses = shared_mass(len(points), triangles, 0.2 * faces.area)
    border = (np.abs(points[:, :2] - 0.2).max(axis=1) > 0.1999) & (points[:, 2] == 0.0)
    masses[border] = 0.0
    touching = SurfaceContact(
        triangles, radius=0.01, margin=0.02, stiffness=500.0, damping=0.5, friction=friction**0.5
    )
    return Tables(masses, triangles=faces, bends=bends), points, touching


def test_a_sheet_comes_to_rest_on_another() -> None:
    tables, points, touching = _falling(friction=0.3)
    solver = VertexBlockDescent(tables, iterations=10, surface_contact=touching)
    state = State.at(points)
    for _ in range(1200):
        solver.step(state, 0.001, accelerations=GRAVITY)
        state.velocities[:] *= np.float32(0.99)
    lower, upper = state.positions[:81], state.positions[81:]
    assert np.abs(state.velocities).max() < 0.05
    assert upper[:, 2].min() > lower[:, 2].min()
    surface = Surface(162, tables.triangles.corners)
    assert len(surface.search(state.positions.reshape(-1), 0.02).pairs) > 50
    # At half the radius the force becomes that of a wall: 16 g on 81 particles stay above.
    assert len(surface.search(state.positions.reshape(-1), 0.005).pairs) == 0
    # Momentum: what holds the border bears both, so the small sheet does not sink.
    assert upper[:, 2].mean() > -0.08


def test_a_fast_sheet_does_not_pass() -> None:
    tables, points, touching = _falling()
    solver = VertexBlockDescent(tables, iterations=10, surface_contact=touching)
    state = State.at(points)
    state.velocities[81:, 2] = -10.0  # 4 cm a step, four times the radius
    for _ in range(60):
        solver.step(state, 0.004, accelerations=GRAVITY)
    middle = 81 + 4 * 9 + 4
    lower = state.positions[:81]
    below = lower[np.argmin(np.linalg.norm(lower[:, :2] - state.positions[middle, :2], axis=1)), 2]
    assert state.positions[middle, 2] > below
    assert np.isfinite(state.positions).all()


@pytest.mark.parametrize("share", [0.3, 0.85])
def test_two_triangles_that_springs_pull_through_each_other_do_not_pass(share: float) -> None:
    low = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]])
    up = np.array([0.0, 0.0, 1.0])
    points = np.concatenate([low, low + 0.01 * up, low + up, low - up])
    masses = np.repeat([1e-3, 0.0], 6)
    pulls = Springs.at_rest(points, np.arange(12).reshape(2, 6).T, stiffness=1e4)
    pulls.length[:] = 0.0  # each corner is drawn to a place beyond the other triangle
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    touching = SurfaceContact(triangles, radius=0.002, margin=0.05, stiffness=1e-3, share=share)
    solver = VertexBlockDescent(
        Tables(masses, springs=pulls), iterations=5, surface_contact=touching
    )
    state = State.at(points)
    for _ in range(3):  # no force keeps them off each other: each step leaves a part of the gap
        solver.step(state, 0.01)
        assert (state.positions[3:6, 2] > state.positions[:3, 2]).all()


def test_another_solver_goes_on_from_a_state_with_the_same_bits() -> None:
    tables, points, touching = _falling()
    touching = dataclasses.replace(touching, margin=None)
    solvers = [VertexBlockDescent(tables, surface_contact=touching) for _ in range(2)]
    state = State.at(points)
    state.velocities[81:, 2] = -2.0
    for _ in range(15):
        solvers[0].step(state, 0.004, accelerations=GRAVITY)
    other = copy.deepcopy(state)
    for _ in range(15):
        solvers[0].step(state, 0.004, accelerations=GRAVITY)
        solvers[1].step(other, 0.004, accelerations=GRAVITY)
    np.testing.assert_array_equal(state.positions, other.positions)
    np.testing.assert_array_equal(state.velocities, other.velocities)
    assert len(Surface(162, tables.triangles.corners).search(state.positions.reshape(-1), 0.03)[0])


def test_a_pair_exchanges_momentum_without_loss() -> None:
    points, triangles = _two_sheets(0.008)
    faces = Triangles.at_rest(points, triangles, shear=500.0, stretch=500.0)
    masses = shared_mass(len(points), triangles, 0.2 * faces.area)
    touching = SurfaceContact(triangles, radius=0.01, margin=0.02, stiffness=200.0)
    tables = Tables(masses, triangles=faces)
    solver = VertexBlockDescent(tables, iterations=300, surface_contact=touching)
    state = State.at(points)
    for _ in range(10):
        solver.step(state, 0.002)
    momentum = (masses[:, None] * state.velocities).sum(axis=0)
    size = (masses * np.abs(state.velocities[:, 2])).sum()
    assert size > 1e-3
    # What is left of it falls with the iterations: 8 %, 0.3 % and 0.01 % of what each half got with
    # 60, 300 and 1000 of them.
    assert np.abs(momentum).max() < 0.01 * size


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"rings": 0}, "rings"), ({"exclusion": -1.0}, "exclusion"), ({"exclusion": 0.1}, "rest")],
)
def test_numbers_of_a_surface_that_make_no_sense_are_refused(
    changed: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        Surface(3, [[0, 1, 2]], **changed)


@pytest.mark.parametrize("share", [0.0, 1.5])
def test_a_share_that_makes_no_sense_is_refused(share: float) -> None:
    touching = SurfaceContact([[0, 1, 2]], radius=0.1, share=share)
    with pytest.raises(InvalidArgumentError, match="share"):
        VertexBlockDescent(Tables(np.ones(3)), surface_contact=touching)


def test_a_margin_that_is_not_positive_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="margin"):
        Surface(3, [[0, 1, 2]]).search(np.zeros(9, dtype=np.float32), 0.0)
