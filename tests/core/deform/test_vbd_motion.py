"""Deformable bodies under vertex block descent, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.core.deform.blocks import block, shared_mass, sheet
from tests.core.deform.energies import energy
from unibody.core.deform.contacts import Contacts
from unibody.core.deform.state import State
from unibody.core.deform.tables import Bends, Springs, Tables, Tetrahedra, Triangles
from unibody.core.deform.topology import inner_edges
from unibody.core.deform.vbd.solver import VertexBlockDescent
from unibody.errors import InvalidArgumentError

GRAVITY = np.array([0.0, 0.0, -9.81], dtype=np.float32)


def _solid(cells: Any, size: Any, stiffness: float, poisson: float, damping: float = 0.0) -> Any:
    """Points, masses of 1000 kg/m^3 and elements of a block with Young's modulus `stiffness`."""
    points, corners = block(cells, size)
    shear = stiffness / (2.0 * (1.0 + poisson))
    stretch = stiffness * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    solids = Tetrahedra.at_rest(points, corners, shear=shear, stretch=stretch, damping=damping)
    return points, shared_mass(len(points), solids.corners, 1000.0 * solids.volume), solids


def _cloth(cells: int, size: float, bend: float = 1e-4) -> Any:
    """Points, masses of 0.2 kg/m^2 and elements of a square of cloth."""
    points, corners = sheet((cells, cells), (size, size))
    faces = Triangles.at_rest(points, corners, shear=500.0, stretch=500.0)
    bends = Bends.at_rest(points, inner_edges(corners), stiffness=bend)
    return points, shared_mass(len(points), corners, 0.2 * faces.area), faces, bends


def test_free_fall_is_that_of_implicit_euler() -> None:
    points, masses, solids = _solid((2, 2, 2), (0.2, 0.2, 0.2), 1e5, 0.3)
    solver = VertexBlockDescent(Tables(masses, tetrahedra=solids), iterations=5)
    state = State.at(points)
    x, v = state.positions, state.velocities
    steps, dt = 100, 0.005
    for _ in range(steps):
        solver.step(state, dt, accelerations=GRAVITY)
    # Velocities first: after n steps g dt n, and g dt^2 n (n + 1) / 2.
    fallen = 9.81 * dt**2 * steps * (steps + 1) / 2
    assert points[:, 2] - x[:, 2] == pytest.approx(fallen, rel=1e-4)
    assert v[:, 2] == pytest.approx(-9.81 * dt * steps, rel=1e-4)
    assert np.abs((x - points)[:, :2]).max() < 1e-5


def test_a_mass_on_a_spring_swings_with_its_period() -> None:
    # Implicit Euler slows an oscillation by a factor 1 - (w dt)^2 / 3: 4e-6 here.
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    springs = Springs.at_rest(points, [[0, 1]], stiffness=2.0 * 25.0)
    solver = VertexBlockDescent(Tables(np.array([0.0, 2.0]), springs), iterations=3)
    state = State.at(points)
    x = state.positions
    x[1, 2] -= 0.1
    dt, heights = 0.0007, []
    for _ in range(3600):
        solver.step(state, dt)
        heights.append(float(x[1, 2]) + 1.0)
    crossings = np.flatnonzero(np.diff(np.sign(heights)) > 0)
    exact = [k + heights[k] / (heights[k] - heights[k + 1]) for k in crossings]
    assert np.diff(exact).mean() * dt == pytest.approx(2.0 * math.pi / 5.0, rel=1e-3)


def _net(cells: int) -> tuple[Any, Tables]:
    """Points and a net of springs, one corner held."""
    x, y = np.meshgrid(np.arange(cells + 1.0), np.arange(cells + 1.0), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1) / cells
    number = np.arange(x.size).reshape(x.shape)
    along = np.stack([number[1:].ravel(), number[:-1].ravel()], axis=1)
    across = np.stack([number[:, 1:].ravel(), number[:, :-1].ravel()], axis=1)
    springs = Springs.at_rest(
        points, np.concatenate([along, across]), stiffness=20.0, damping=0.01, drag=0.01
    )
    masses = np.full(len(points), 1e-3)
    masses[0] = 0.0
    return points, Tables(masses, springs=springs)


def test_bits_are_the_same_in_one_thread_and_in_several() -> None:
    points, tables = _net(42)
    found: dict[int, bytes] = {}
    for threads in (1, 2, 3):
        solver = VertexBlockDescent(tables, threads=threads)
        assert solver.threads == threads
        state = State.at(points)
        for _ in range(4):
            solver.step(state, 0.01, accelerations=GRAVITY)
        found[threads] = state.positions.tobytes() + state.velocities.tobytes()
    assert found[1] == found[2] == found[3]


def test_small_bodies_are_not_shared_among_threads() -> None:
    assert VertexBlockDescent(_net(5)[1], threads=8).threads == 1


def test_a_held_particle_stays() -> None:
    points, masses, faces, bends = _cloth(4, 0.4)
    masses[0] = 0.0
    solver = VertexBlockDescent(Tables(masses, triangles=faces, bends=bends))
    state = State.at(points)
    x, v = state.positions, state.velocities
    for _ in range(50):
        solver.step(state, 0.005, accelerations=GRAVITY)
    assert x[0].tolist() == points[0].tolist()
    assert v[0].tolist() == [0.0, 0.0, 0.0]
    assert x[-1, 2] < -0.05


def test_a_stretched_block_narrows_as_the_energy_asks_for() -> None:
    # A long block, its ends drawn apart and held: in the middle the stress across is zero, where
    # mu + nu (s t^2 - 1 - mu/nu) s = 0 with the stretch s along and t across.
    points, masses, solids = _solid((16, 3, 3), (0.4, 0.06, 0.06), 1e4, 0.3)
    masses[(points[:, 0] == 0.0) | (points[:, 0] > 0.3999)] = 0.0
    solver = VertexBlockDescent(Tables(masses, tetrahedra=solids), iterations=10)
    s = 1.3
    state = State.at(points * [s, 1.0, 1.0])
    x, v = state.positions, state.velocities
    for _ in range(300):
        solver.step(state, 0.02)
        v *= np.float32(0.7)
    shear, nu = float(solids.shear[0]), float(solids.shear[0] + solids.stretch[0])
    across = math.sqrt((1.0 + shear / nu - shear / (nu * s)) / s)
    middle = np.abs(points[:, 0] - 0.2) < 1e-6
    for axis in (1, 2):
        assert np.ptp(x[middle, axis]) / 0.06 == pytest.approx(across, rel=0.01)


def test_a_cantilever_bends_as_beam_theory_says_where_cells_shrink() -> None:
    # Linear tetrahedra are too stiff in bending by a term of the cell's size squared: with n and 2
    # n cells it cancels in (4 u_2n - u_n) / 3. Timoshenko's beam: w L^4 / 8 E I + w L^2 / 2 k G A.
    length, side, stiffness, weight = 1.0, 0.2, 1e6, 0.5
    found = {}
    for n in (2, 4):
        points, masses, solids = _solid((5 * n, n, n), (length, side, side), stiffness, 0.3)
        masses[points[:, 0] == 0.0] = 0.0
        solver = VertexBlockDescent(Tables(masses, tetrahedra=solids), iterations=20)
        state = State.at(points)
        x, v = state.positions, state.velocities
        for _ in range(800):
            solver.step(state, 0.01, accelerations=GRAVITY * (weight / 9.81))
            v *= np.float32(0.97)
        found[n] = float(side / 2 - x[points[:, 0] == length][:, 2].mean())
    load = 1000.0 * side**2 * weight
    bending = load * length**4 / (8.0 * stiffness * side**4 / 12.0)
    shearing = load * length**2 / (2.0 * 5.0 / 6.0 * stiffness / 2.6 * side**2)
    assert found[2] < found[4] < bending + shearing
    # Measured with 2, 4, 6 and 8 cells: 0.660, 0.870, 0.927 and 0.950 of the theory.
    assert (4.0 * found[4] - found[2]) / 3.0 == pytest.approx(bending + shearing, rel=0.07)


def test_energy_never_grows() -> None:
    points, masses, faces, bends = _cloth(8, 0.4)
    tables = Tables(masses, triangles=faces, bends=bends)
    solver = VertexBlockDescent(tables, iterations=20)
    noise = np.random.default_rng(0).normal(size=points.shape) * 0.005
    state = State.at(points * 1.1 + noise)
    x, v = state.positions, state.velocities
    totals = []
    for _ in range(100):
        totals.append(energy(tables, x.astype(float)) + 0.5 * np.sum(masses * (v**2).sum(axis=1)))
        solver.step(state, 0.002)
    assert totals[-1] < 0.8 * totals[0]
    # Single precision of places of 0.4 m against edges of 0.05 m: 1e-6 of the energy at most.
    assert max(np.diff(totals)) < 1e-5 * totals[0]


def test_damping_takes_energy_and_leaves_turning_alone() -> None:
    points, masses, solids = _solid((2, 2, 2), (0.2, 0.2, 0.2), 1e5, 0.3, damping=50.0)
    solver = VertexBlockDescent(Tables(masses, tetrahedra=solids), iterations=20)
    centred = points - points.mean(axis=0)
    state = State.at(centred, np.cross([0.0, 0.0, 1.0], centred))
    x, v = state.positions, state.velocities
    for _ in range(200):
        solver.step(state, 0.002)
    spin = np.sum(masses[:, None] * np.cross(x, v), axis=0)[2]
    # The body turns by 2 mrad a step, of which implicit Euler loses (0.002)^2: 8e-4 in all.
    first = np.sum(masses * (centred[:, :2] ** 2).sum(axis=1))
    assert spin == pytest.approx(first, rel=5e-3)


def _slope(count: int, degrees: float, friction: float, dt: float) -> Contacts:
    """Contacts of all particles with a plane through the origin that falls along x."""
    a = math.radians(degrees)
    row = [math.sin(a), 0.0, math.cos(a), 0.0, 1e3, 0.0, friction, 1e-4 * dt, 0.0, 0.0, 0.0]
    return Contacts.of(count, np.arange(count), np.tile(row, (count, 1)))


@pytest.mark.parametrize(("degrees", "slides"), [(24.6, False), (28.6, True)])
def test_a_patch_of_cloth_slides_where_the_slope_is_above_its_friction(
    degrees: float, slides: bool
) -> None:
    friction, dt = 0.5, 0.005  # atan 0.5 = 26.57 degrees; two on either side
    points, masses, faces, bends = _cloth(4, 0.2)
    a = math.radians(degrees)
    turn = np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])
    state = State.at(points @ turn.T)
    contacts = _slope(len(points), degrees, friction, dt)
    solver = VertexBlockDescent(Tables(masses, triangles=faces, bends=bends))
    speeds = []
    for _ in range(2):  # until it is under way, and then for half a second
        for _ in range(100):
            solver.step(state, dt, accelerations=GRAVITY, contacts=contacts)
        speeds.append(float(np.linalg.norm(state.velocities.mean(axis=0))))
    if slides:
        pull = 9.81 * (math.sin(a) - friction * math.cos(a))
        assert speeds[1] - speeds[0] == pytest.approx(pull * 100 * dt, rel=0.02)
    else:
        assert max(speeds) < 1e-3


def test_the_same_start_gives_the_same_bits() -> None:
    ends = []
    for _ in range(2):
        points, masses, faces, bends = _cloth(10, 0.5)
        masses[:11] = 0.0
        solver = VertexBlockDescent(Tables(masses, triangles=faces, bends=bends))
        state = State.at(points)
        x, v = state.positions, state.velocities
        for _ in range(50):
            solver.step(state, 0.005, accelerations=GRAVITY)
        ends.append(x.tobytes() + v.tobytes())
    assert ends[0] == ends[1]


def test_a_push_against_gravity_does_not_go_on_by_itself() -> None:
    # As after a contact that is gone. One sweep over stiff cloth hardly changes a common motion, so
    # that a first guess that rises would stay; a fall begins, slowly.
    points, masses, faces, bends = _cloth(8, 0.4)
    solver = VertexBlockDescent(Tables(masses, triangles=faces, bends=bends), iterations=1)
    state = State.at(points, accelerations=-GRAVITY)
    solver.step(state, 0.01, accelerations=GRAVITY)
    assert state.velocities[:, 2].max() < 0.0


def test_a_step_ends_when_no_particle_moves_any_more() -> None:
    points, masses, solids = _solid((4, 4, 4), (0.2, 0.2, 0.2), 1e4, 0.3)
    solvers = [
        VertexBlockDescent(Tables(masses, tetrahedra=solids), iterations=count)
        for count in (100, 200)
    ]
    noise = np.random.default_rng(1).normal(size=points.shape) * 0.01
    states = [State.at(points + noise) for _ in solvers]
    took = [
        [solver.step(state, 0.002) for solver, state in zip(solvers, states, strict=True)]
        for _ in range(20)
    ]
    assert max(took)[0] < 100
    assert states[0].positions.tobytes() == states[1].positions.tobytes()
    still = State.at(points)
    assert solvers[0].step(still, 0.002) == 1
    # The rounding of places of 0.2 m, 2e-8, a few times over.
    assert np.abs(still.positions - points).max() < 1e-6


def test_a_step_ends_near_its_solution_after_a_sweep_that_evens_it_out() -> None:
    # Ten places in single precision of the longest edge, over which a step may end; the reference
    # makes all its sweeps. A sweep to the minima is what makes fewer of them do.
    points, corners = sheet((4, 4), (1.0, 1.0))
    ends = np.unique(np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    masses = np.full(len(points), 0.04)
    masses[[0, 4]] = 0.0
    springs = Springs.at_rest(points, ends, stiffness=1000.0, drag=0.1)
    tables = Tables(masses, springs=springs)
    solver, exact = (VertexBlockDescent(tables, iterations=n) for n in (20, 100))
    state, took = State.at(points), 0
    bound = 10.0 * np.finfo(np.float32).eps * tables.longest()
    for _ in range(60):
        other = State.at(state.positions, state.velocities, state.accelerations)
        took += solver.step(state, 1.0 / 240.0, accelerations=GRAVITY)
        exact.step(other, 1.0 / 240.0, accelerations=GRAVITY, between=lambda: None)
        assert np.abs(state.positions - other.positions).max() < bound
    assert took < 60 * 6


def test_iterations_below_one_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="iterations=0"):
        VertexBlockDescent(Tables(np.ones(1)), iterations=0)


def test_springs_whose_determinant_has_no_single_precision_place_a_mass() -> None:
    # Three springs of k = 1e14 N/m at right angles: the determinant is 1e42, floats end at 3e38.
    # Crumpled triangles bend as stiffly, as bending pulls by k / height^2.
    points = np.vstack([np.zeros(3), np.eye(3)])
    springs = Springs.at_rest(points, [[0, 1], [0, 2], [0, 3]], stiffness=1e14)
    solver = VertexBlockDescent(Tables(np.array([1.0, 0.0, 0.0, 0.0]), springs), iterations=20)
    state = State.at(points)
    state.positions[0] = 1e-3
    solver.step(state, 0.001)
    # Springs are as long as at rest in single precision: 6e-8 of a metre each.
    assert np.abs(state.positions[0]).max() < 2e-7
