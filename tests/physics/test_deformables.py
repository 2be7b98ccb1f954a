"""Deformable bodies against closed forms, and against other solvers of the same elements."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.soft.test_soft_bodies import CLOTH, SPRINGS
from tests.core.deform.blocks import block, shared_mass
from tests.core.deform.energies import energy
from unibody.core.deform.state import State
from unibody.core.deform.tables import Tables, Tetrahedra
from unibody.core.deform.topology import surface
from unibody.core.deform.vbd.solver import VertexBlockDescent

DENSITY = 1000.0  # kg/m^3


def _block(
    cells: Any, size: Any, young: float, poisson: float, damping: float = 0.0
) -> tuple[Any, Any, Tetrahedra]:
    """Points, masses and elements of a block that is at rest."""
    points, corners = block(cells, size)
    shear = young / (2.0 * (1.0 + poisson))
    stretch = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    solids = Tetrahedra.at_rest(points, corners, shear=shear, stretch=stretch, damping=damping)
    return points, shared_mass(len(points), solids.corners, DENSITY * solids.volume), solids


def _settled(
    tables: Tables, points: Any, drive: Any, *, steps: int, iterations: int, drag: float
) -> Any:
    """Where particles come to rest."""
    solver = VertexBlockDescent(tables, iterations=iterations)
    state = State.at(points)
    for _ in range(steps):
        solver.step(state, 0.01, accelerations=drive)
        state.velocities[:] *= np.float32(drag)
    return state.positions, float(np.abs(state.velocities).max())


def _share_of_beam_theory(cells: int) -> tuple[float, float]:
    """Sag of a cantilever's tip over that of Timoshenko's beam, and the largest speed at the end.

    Without Poisson's ratio the clamp, which holds the section's width too, adds no stiffness.
    """
    length, side, young, weight = 1.0, 0.2, 1e6, 0.5
    points, masses, solids = _block((5 * cells, cells, cells), (length, side, side), young, 0.0)
    masses[points[:, 0] == 0.0] = 0.0
    tables = Tables(masses, tetrahedra=solids)
    drive = np.array([0.0, 0.0, -weight], dtype=np.float32)
    places, speed = _settled(tables, points, drive, steps=800, iterations=20, drag=0.97)
    load = DENSITY * side**2 * weight
    bending = load * length**4 / (8.0 * young * side**4 / 12.0)
    shearing = load * length**2 / (2.0 * 5.0 / 6.0 * 0.5 * young * side**2)
    tip = places[points[:, 0] == length][:, 2].mean()
    return float(side / 2 - tip) / (bending + shearing), speed


def test_a_cantilever_sags_as_beam_theory_says_as_cells_shrink() -> None:
    # Linear tetrahedra are too stiff in bending by a term of the cell's size squared. The linear
    # finite elements of the same cells, solved exactly, give 0.644, 0.877, 0.941 and 0.966 of the
    # theory for 2, 4, 6 and 8 cells across.
    found = {cells: _share_of_beam_theory(cells) for cells in (2, 4, 8)}
    shares = {cells: share for cells, (share, _) in found.items()}
    assert shares[2] == pytest.approx(0.6442, rel=0.01)
    assert shares[4] == pytest.approx(0.8771, rel=0.01)
    assert shares[8] == pytest.approx(0.9660, rel=0.01)
    # Order two: what is missing shrinks by nearly four, and without that term nothing is missing.
    assert 1.0 - shares[8] < 0.3 * (1.0 - shares[4])
    assert (4.0 * shares[8] - shares[4]) / 3.0 == pytest.approx(1.0, rel=0.03)
    # It rests: a tenth of a millimetre a second is 0.5 % of the sag in a second.
    assert max(speed for _, speed in found.values()) < 2e-4


@pytest.mark.parametrize(("poisson", "stretch"), [(0.3, 1.3), (0.0, 1.1), (0.49, 1.2)])
def test_a_block_that_is_pulled_stretches_and_narrows_as_its_energy_says(
    poisson: float, stretch: float
) -> None:
    # Tractions on both ends leave the same stretch everywhere, which linear tetrahedra have
    # exactly. With s along, t across and J = s t^2: mu t^2 + nu (J - 1 - mu/nu) J = 0 across, and
    # the nominal stress mu s + nu (J - 1 - mu/nu) t^2 along.
    size = (0.2, 0.1, 0.1)
    points, masses, solids = _block((4, 2, 2), size, 1e4, poisson)
    shear = float(solids.shear[0])
    nu = shear + float(solids.stretch[0])
    across = _across(stretch, shear, nu)
    stress = shear * stretch + nu * (stretch * across**2 - 1.0 - shear / nu) * across**2
    drive = _pull(points, solids, size[0], stress) / masses[:, None]
    tables = Tables(masses, tetrahedra=solids)
    places, _ = _settled(tables, points, drive, steps=600, iterations=30, drag=0.9)
    extents = np.ptp(places, axis=0) / np.ptp(points, axis=0)
    assert extents == pytest.approx([stretch, across, across], rel=0.01)
    volume = extents.prod()
    assert volume == pytest.approx(stretch * across**2, rel=0.01)
    if poisson > 0.4:
        assert volume == pytest.approx(1.0, abs=0.01)  # it hardly changes


def _across(stretch: float, shear: float, nu: float) -> float:
    """Stretch across that leaves no stress across: mu + nu (J - 1 - mu/nu) s = 0."""
    return math.sqrt((1.0 + shear / nu - shear / (nu * stretch)) / stretch)


def _pull(points: Any, solids: Tetrahedra, length: float, stress: float) -> Any:
    """Forces of a nominal stress on both ends, (p, 3) [N]."""
    forces = np.zeros_like(points)
    for face in surface(solids.corners, points):
        ends = points[face]
        area = 0.5 * np.linalg.norm(np.cross(ends[1] - ends[0], ends[2] - ends[0]))
        for place, way in ((0.0, -1.0), (length, 1.0)):
            if np.allclose(ends[:, 0], place):
                forces[face, 0] += way * stress * area / 3.0
    return forces


def test_a_body_that_flies_keeps_its_momentum_while_it_swings() -> None:
    # All elements push their particles in pairs; sums of float32 forces are off by 1e-7 each.
    points, masses, solids = _block((3, 3, 3), (0.3, 0.3, 0.3), 5e3, 0.3)
    solver = VertexBlockDescent(Tables(masses, tetrahedra=solids), iterations=200)
    state = State.at(points * [1.2, 0.9, 1.0], [1.0, -2.0, 0.5])
    gravity = np.array([0.0, 0.0, -9.81], dtype=np.float32)
    steps, dt = 100, 0.005
    for _ in range(steps):
        solver.step(state, dt, accelerations=gravity)
    velocity = masses @ state.velocities / masses.sum()
    expected = np.array([1.0, -2.0, 0.5 - 9.81 * steps * dt])
    assert velocity == pytest.approx(expected, rel=1e-4)


def _totals(tables: Tables, points: Any, start: Any, weight: float, sweeps: int) -> Any:
    """Energies of 150 steps, with that of height, above that at rest without weight [J]."""
    solver = VertexBlockDescent(tables, iterations=sweeps)
    state = State.at(start)
    drive = np.array([0.0, 0.0, -weight], dtype=np.float32)
    found: list[float] = []
    for _ in range(150):
        kinetic = 0.5 * float(tables.masses @ (state.velocities.astype(float) ** 2).sum(axis=1))
        height = float(tables.masses @ (state.positions - points)[:, 2])
        found.append(energy(tables, state.positions) + kinetic + weight * height)
        solver.step(state, 0.01, accelerations=drive)
    return np.array(found) - energy(tables, points)


@pytest.mark.parametrize("sweeps", [1, 5, 30])
def test_energy_never_grows_with_damping_however_few_sweeps_there_are(sweeps: int) -> None:
    points, masses, solids = _block((3, 3, 3), (0.3, 0.3, 0.3), 2e4, 0.3, damping=20.0)
    tables = Tables(masses, tetrahedra=solids)
    totals = _totals(tables, points, points * [1.15, 1.0, 0.9], 0.0, sweeps)
    # Rounding of forces, 1e-7 of them, over ways as long as the body's.
    assert max(np.diff(totals)) < 1e-6 * totals[0]
    assert 0.0 <= totals[-1] < 0.01 * totals[0]


def test_energy_of_a_beam_that_falls_into_its_sag_never_grows() -> None:
    points, masses, solids = _block((10, 2, 2), (1.0, 0.2, 0.2), 1e6, 0.3, damping=100.0)
    masses[points[:, 0] == 0.0] = 0.0
    tables = Tables(masses, tetrahedra=solids)
    totals = _totals(tables, points, points, 0.5, 100)
    # With as many sweeps as stiff cells need a step is one of implicit Euler, which only loses.
    assert max(np.diff(totals)) < 1e-6 * np.ptp(totals)
    assert totals[-1] < 0.0


def _hash_of_steps() -> str:
    """What becomes of a cloth and a block on the ground, as a hash of all bits."""
    p = unibody.bullet
    client = p.connect(p.DIRECT)
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -10)
    p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.2, 0.2, 0.2])
    box = p.createMultiBody(1.0, shape, basePosition=[0, 0, 0.25])
    cloth = p.loadSoftBody(CLOTH, basePosition=[0.1, 0, 0.6], **SPRINGS)
    digest = hashlib.sha256()
    for _ in range(60):
        p.stepSimulation()
        digest.update(np.array(p.getMeshData(cloth, -1)[1]).tobytes())
        digest.update(np.array(p.getBasePositionAndOrientation(box)[0]).tobytes())
    p.disconnect(client)
    return digest.hexdigest()


def test_another_process_with_other_threads_comes_to_the_same_bits() -> None:
    code = "from tests.physics.test_deformables import _hash_of_steps as f; print(f())"
    found = {_hash_of_steps()}
    for threads in ("1", "2"):
        environment = {**os.environ, "NUMBA_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout.split()[-1])
    assert len(found) == 1
