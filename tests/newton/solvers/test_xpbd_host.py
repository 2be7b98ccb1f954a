"""Corrections of particles on the processor: those of the kernels, and the same in any threads."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import Any

import numpy as np

from unibody import newton
from unibody.core.deform.xpbd.corrections import Corrections
from unibody.newton import solvers

DT = 1.0 / 300.0


def _scene(worlds: int = 1, *, cells: int = 6) -> Any:
    """A damped cloth of springs, a soft block and loose particles that lie on one another."""
    part = newton.ModelBuilder()
    level = {"rot": (0.0, 0.0, 0.0, 1.0), "vel": (0.0, 0.0, 0.0)}
    part.add_cloth_grid(
        pos=(0.0, 0.0, 0.4), **level, dim_x=cells, dim_y=cells, cell_x=0.1, cell_y=0.1, mass=0.1,
        fix_left=True, edge_ke=1.0, edge_kd=1e-3, add_springs=True, spring_ke=1e3, spring_kd=0.5,
        particle_radius=0.02,
    )  # fmt: skip
    part.add_soft_grid(
        pos=(0.0, 0.0, 1.0), **level, dim_x=2, dim_y=2, dim_z=2, cell_x=0.1, cell_y=0.1,
        cell_z=0.1, density=1e3, k_mu=5e4, k_lambda=5e4, k_damp=50.0, particle_radius=0.02,
    )  # fmt: skip
    part.add_particle_grid(
        pos=(0.0, 0.0, 0.44), **level, dim_x=5, dim_y=5, dim_z=3, cell_x=0.04, cell_y=0.04,
        cell_z=0.04, mass=0.01, jitter=0.004, radius_mean=0.02,
    )  # fmt: skip
    builder = newton.ModelBuilder()
    builder.replicate(part, worlds)
    builder.add_ground_plane()
    return builder.finalize(device="cpu")


def _state(model: Any, steps: int, solver: Any = None, now: Any = None) -> Any:
    solver = solvers.SolverXPBD(model, iterations=4) if solver is None else solver
    now, after = model.state() if now is None else now, model.state()
    for _ in range(steps):
        now.clear_forces()
        solver.step(now, after, None, model.collide(now), DT)
        now, after = after, now
    return now


def _bits(state: Any) -> bytes:
    return state.particle_q.numpy().tobytes() + state.particle_qd.numpy().tobytes()


def test_corrections_are_those_of_the_kernels_of_graphics_cards() -> None:
    model = _scene(2)
    moving = _state(model, 10)  # elements are strained, and particles touch
    found: list[Any] = []
    for by_kernels in (False, True):
        solver = solvers.SolverXPBD(model, iterations=4)
        if by_kernels:
            solver._corrections = None
        now = model.state()
        now.assign(moving)
        after = _state(model, 1, solver, now)
        found.append(after.particle_qd.numpy().astype(float))
    assert np.abs(found[0]).max() > 0.1
    # sums of single precision in another order: 1e-7 of places of 1 m, over the time step, 4 rounds
    np.testing.assert_allclose(found[0], found[1], atol=4 * 1e-7 / DT * 3)


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    model = _scene(cells=64)
    found: list[bytes] = []
    for count in (1, 2):
        solver = solvers.SolverXPBD(model, iterations=3)
        tables = (model.spring_indices, model.edge_indices, model.tet_indices)
        corners = [table.numpy() for table in tables]
        solver._corrections = Corrections(model.particle_count, *corners, threads=count)
        assert solver._corrections.threads == count
        found.append(_bits(_state(model, 2, solver)))
    assert found[0] == found[1]


def test_each_world_comes_to_the_bits_of_a_world_alone() -> None:
    alone, four = _state(_scene(), 12), _state(_scene(4), 12)
    one = alone.particle_q.numpy()
    assert np.isfinite(one).all()
    for places in np.split(four.particle_q.numpy(), 4):
        np.testing.assert_array_equal(places, one)


def test_another_solver_goes_on_from_a_state_with_the_same_bits() -> None:
    model = _scene()
    kept = _state(model, 5)
    through = _bits(_state(model, 10))
    assert _bits(_state(model, 5, now=kept)) == through


def _hash_of_steps() -> str:
    return hashlib.sha256(_bits(_state(_scene(), 6))).hexdigest()


def test_another_process_comes_to_the_same_bits() -> None:
    code = "from tests.newton.solvers.test_xpbd_host import _hash_of_steps as f; print(f())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == _hash_of_steps()
