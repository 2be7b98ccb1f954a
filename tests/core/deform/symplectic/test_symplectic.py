"""Symplectic steps of deformable bodies, against closed forms and their own matrices."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.core.deform.blocks import block, shared_mass, sheet
from tests.core.deform.energies import energy
from unibody.core.deform.contacts import COLUMNS, FRICTION, HEIGHT, HELD, STIFFNESS, Contacts
from unibody.core.deform.state import State
from unibody.core.deform.symplectic.forces import Elements, add_forces
from unibody.core.deform.symplectic.solver import SymplecticEuler
from unibody.core.deform.tables import Springs, Tables, Tetrahedra
from unibody.core.deform.topology import edges
from unibody.core.deform.vbd.solver import SurfaceContact
from unibody.machine_code import numba

GRAVITY = np.array([[0.0, 0.0, -9.81]], dtype=np.float32)
NOTHING = np.zeros((1, 3), dtype=np.float32)


def _alone(tables: Tables) -> SymplecticEuler:
    count = len(tables.masses)
    return SymplecticEuler(tables, starts=[0, count], radii=np.zeros(count), itself=[False])


def _step(solver: SymplecticEuler, state: State, dt: float, drive: Any = NOTHING) -> bool:
    contacts = Contacts.none(len(state.positions))
    return solver.step(state, dt, accelerations=drive, contacts=contacts)


def _solid(damping: float = 0.0, dilation: float = 0.0) -> tuple[Any, Tables]:
    """A block of 0.3 m, 1000 kg/m^3, Young's modulus 2e4 Pa."""
    points, corners = block((3, 3, 3), (0.3, 0.3, 0.3))
    solids = Tetrahedra.at_rest(
        points, corners, shear=8e3, stretch=1e4, damping=damping, dilation=dilation, barrier=0.5
    )
    masses = shared_mass(len(points), solids.corners, 1000.0 * solids.volume)
    return points, Tables(masses, tetrahedra=solids)


def test_free_fall_is_exact() -> None:
    points, tables = _solid()
    solver, state, steps, dt = _alone(tables), State.at(points), 100, 2e-3
    for _ in range(steps):
        assert _step(solver, state, dt, GRAVITY)
    fallen = 9.81 * dt**2 * steps * (steps + 1) / 2
    # Velocities are of single precision: half a unit in the last place of 2 m/s in each step.
    assert points[:, 2] - state.positions[:, 2] == pytest.approx(fallen, rel=1e-5)


def test_a_mass_on_a_spring_swings_as_far_after_a_thousand_periods() -> None:
    # The map has the determinant 1, and an invariant that differs from the energy by a share of
    # w dt / 2 = 0.0125; rounding of velocities adds a random walk of 4e5 * 6e-8 / sqrt(4e5).
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    springs = Springs.at_rest(points, [[0, 1]], stiffness=2.0 * 25.0)
    solver = _alone(Tables(np.array([0.0, 2.0]), springs))
    state, dt = State.at(points * np.array([1.0, 1.0, 1.1])), 5e-3
    found: list[float] = []
    for _ in range(int(1000 * 2.0 * math.pi / 5.0 / dt)):
        _step(solver, state, dt)
        found.append(float(state.positions[1, 2]) + 1.0)
    first, last = np.array(found[:500]), np.array(found[-500:])
    assert first.min() == pytest.approx(-0.1, rel=2e-3)
    assert last.min() == pytest.approx(first.min(), rel=2e-3)
    assert last.max() == pytest.approx(0.1, rel=2e-3)


@pytest.mark.parametrize(("damping", "dilation"), [(5.0, 0.0), (0.0, 20.0), (5.0, 20.0)])
def test_energy_never_grows_with_damping_on(damping: float, dilation: float) -> None:
    points, tables = _solid(damping, dilation)
    solver = _alone(tables)
    state, dt = State.at(points * [1.2, 0.9, 1.0]), 1e-3
    rest, found = energy(tables, points), []
    for _ in range(600):
        kinetic = 0.5 * float(tables.masses @ (state.velocities.astype(float) ** 2).sum(axis=1))
        found.append(energy(tables, state.positions) - rest + kinetic)
        assert _step(solver, state, dt)
    peaks = [max(found[n : n + 60]) for n in range(0, 600, 60)]
    assert all(b < a for a, b in pairwise(peaks))


def test_elements_push_in_pairs() -> None:
    points, tables = _solid(5.0, 20.0)
    solver = _alone(tables)
    state = State.at(points * [1.2, 0.9, 1.0], [1.0, -2.0, 0.5])
    for _ in range(200):
        assert _step(solver, state, 1e-3)
    momentum = tables.masses @ state.velocities / tables.masses.sum()
    assert momentum == pytest.approx([1.0, -2.0, 0.5], rel=1e-4)  # single precision, 200 steps


def test_too_stiff_elements_are_left_to_other_steps() -> None:
    points, tables = _solid()
    solver, state = _alone(tables), State.at(points * [1.1, 1.0, 1.0])
    before = state.positions.copy()
    assert not _step(solver, state, 0.1)
    assert (state.positions == before).all()
    assert (state.velocities == 0.0).all()
    assert _step(solver, state, 1e-3)


@numba.njit
def _sums(elements: Any, x: Any, v: Any, sums: Any) -> None:
    add_forces(elements, x, v, sums)


@pytest.mark.parametrize("kind", ["elastic", "damping"])
def test_bounds_of_stiffness_are_just_above_the_largest_eigenvalue(kind: str) -> None:
    points, tables = _solid(3.0, 7.0)
    elements, count = Elements.of(tables), len(points)
    matrix = np.zeros((3 * count, 3 * count))
    for column in range(3 * count):
        way = np.zeros((count, 3))
        way.flat[column] = 1e-6
        both = [np.zeros((count, 8)) for _ in range(2)]
        for sums, sign in zip(both, (1.0, -1.0), strict=True):
            if kind == "elastic":
                _sums(elements, points + sign * way, np.zeros((count, 3)), sums)
            else:
                _sums(elements, points, sign * way, sums)
        part = slice(0, 3) if kind == "elastic" else slice(3, 6)
        matrix[:, column] = -(both[0] - both[1])[:, part].reshape(-1) / 2e-6
    roots = np.sqrt(tables.masses.repeat(3))
    largest = float(np.linalg.eigvalsh(matrix / roots[:, None] / roots).max())
    sums = np.zeros((count, 8))
    _sums(elements, points, np.zeros((count, 3)), sums)
    bound = float((sums[:, 6 if kind == "elastic" else 7] / tables.masses).max())
    assert largest < bound < 1.2 * largest


def test_what_damps_a_particle_that_a_body_holds_does_not_pull_the_body() -> None:
    # PyBullet's rule: anchors are solved before damping, which leaves anchored particles out.
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    springs = Springs.at_rest(points, [[0, 1]], stiffness=0.0, drag=3.0)
    solver = _alone(Tables(np.array([1.0, 1.0]), springs))
    state = State.at(points, [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    row = np.zeros((1, COLUMNS), dtype=np.float32)
    row[0, FRICTION], row[0, STIFFNESS] = HELD, 1e4
    contacts = Contacts.of(2, [0], row)
    assert solver.step(state, 0.01, accelerations=NOTHING, contacts=contacts)
    assert state.positions[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert state.velocities[1, 0] == pytest.approx(0.5 - 0.01 * 3.0 * 0.5, rel=1e-6)


RADIUS = 0.02


def _stack(aside: tuple[float, float] = (0.03, 0.02)) -> tuple[SymplecticEuler, State, Any]:
    """Two sheets of springs, one above the other and so far aside, above a plane."""
    flat, corners = sheet((4, 4), (1.0, 1.0))
    points = np.concatenate([flat + np.array([0.0, 0.0, 0.05]), flat + np.array([*aside, 0.15])])
    faces = np.concatenate([corners, corners + len(flat)])
    masses = np.full(len(points), 0.04)
    springs = Springs.at_rest(points, edges(faces), stiffness=40.0, drag=0.1)
    owners = np.repeat([0, 1], len(flat))
    touching = SurfaceContact(
        faces, radius=RADIUS, hardness=10.0, friction=0.5, slow=2e-3, bodies=owners,
        alone=np.ones(len(points), dtype=bool), interval=-1,
    )  # fmt: skip
    solver = SymplecticEuler(
        Tables(masses, springs), starts=[0, len(flat), len(points)],
        radii=np.full(len(points), RADIUS), itself=[False, False], surface_contact=touching,
    )  # fmt: skip
    return solver, State.at(points), owners


def _on_plane(solver: SymplecticEuler, state: State, steps: int) -> None:
    dt, count = 1.0 / 240.0, len(state.positions)
    rows = np.zeros((count, COLUMNS), dtype=np.float32)
    rows[:, 2], rows[:, HEIGHT], rows[:, STIFFNESS] = 1.0, RADIUS, 30.0 * 0.04 / dt**2
    rows[:, FRICTION], rows[:, FRICTION + 1] = 0.5, 2e-3 * dt
    contacts = Contacts.of(count, np.arange(count), rows)
    for _ in range(steps):
        assert solver.step(state, dt, accelerations=GRAVITY, contacts=contacts)


def test_sheets_come_to_rest_on_one_another() -> None:
    # The plane gives way by m g dt^2 / (30 m) of both sheets, 11 um, and the lower sheet where it
    # is touched by less than a hundred times that, as its push is shared out among features.
    solver, state, owners = _stack()
    _on_plane(solver, state, 600)
    heights = state.positions[:, 2]
    assert heights[owners == 0] == pytest.approx(RADIUS, abs=5e-4)
    assert heights[owners == 1] == pytest.approx(2.0 * RADIUS, abs=2e-3)
    assert np.abs(state.velocities).max() < 5e-3


def test_sheets_that_lie_vertex_on_vertex_come_to_rest_in_few_sweeps() -> None:
    # Each of the six triangles at a corner would push with a part of its own otherwise.
    solver, state, _ = _stack(aside=(0.0, 0.0))
    sweeps: list[int] = []
    for _ in range(240):
        _on_plane(solver, state, 1)
        sweeps.append(solver.took)
    assert max(sweeps[-60:]) <= 2, sweeps


def test_steps_do_not_depend_on_when_lists_of_pairs_were_made() -> None:
    solver, state, _ = _stack()
    _on_plane(solver, state, 45)
    other, _, _ = _stack()
    again = State(
        *(part.copy() for part in (state.positions, state.velocities, state.accelerations))
    )
    _on_plane(solver, state, 60)
    _on_plane(other, again, 60)
    assert (state.positions == again.positions).all()
    assert (state.velocities == again.velocities).all()
