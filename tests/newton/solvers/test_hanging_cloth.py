"""Cloth that hangs under two solvers, against where its forces balance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from unibody import newton
from unibody.newton.solvers import SolverVBD, SolverXPBD

DT = 1.0 / 240.0
_UPRIGHT = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


def _cloth() -> Any:
    """A net of springs that hangs in a vertical plane from its upper side."""
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=(0.0, 0.0, 2.0), rot=_UPRIGHT, vel=(0.0, 0.0, 0.0), dim_x=4, dim_y=4, cell_x=0.1,
        cell_y=0.1, mass=0.05, fix_top=True, tri_ke=0.0, tri_ka=0.0, tri_kd=0.0, edge_ke=0.0,
        edge_kd=0.0, add_springs=True, spring_ke=100.0, spring_kd=0.0, particle_radius=0.01,
    )  # fmt: skip
    builder.color()
    return builder.finalize(device="cpu")


def _balanced(model: Any) -> Any:
    """Where all forces balance in the plane, by explicit steps with drag, (p, 3) [m]."""
    ends = model.spring_indices.numpy().reshape(-1, 2)
    rest, stiffness = model.spring_rest_length.numpy(), model.spring_stiffness.numpy()
    inverse = model.particle_inv_mass.numpy()[:, None].astype(float)
    weight = np.where(inverse > 0.0, [0.0, 0.0, -9.81], 0.0)
    places = model.particle_q.numpy().astype(float)
    speeds, pulls = np.zeros_like(places), np.zeros_like(places)
    for _ in range(2500):
        ways = places[ends[:, 1]] - places[ends[:, 0]]
        lengths = np.linalg.norm(ways, axis=1)
        forces = (stiffness * (1.0 - rest / lengths))[:, None] * ways
        pulls[:] = 0.0
        np.add.at(pulls, ends[:, 0], forces)
        np.add.at(pulls, ends[:, 1], -forces)
        speeds = 0.98 * (speeds + 0.004 * (inverse * pulls + weight))
        speeds[:, 1] = 0.0  # its lower edge would buckle
        places += 0.004 * speeds
    assert np.abs(speeds).max() < 1e-9
    return places


def _hung(model: Any, solver: Any) -> Any:
    """Where particles come to rest, (p, 3) [m]."""
    now, after = model.state(), model.state()
    for _ in range(250):
        now.clear_forces()
        solver.step(now, after, None, None, DT)
        after.particle_qd.assign(0.9 * after.particle_qd.numpy())
        now, after = after, now
    return now.particle_q.numpy().astype(float)


@pytest.mark.parametrize("kind", [SolverVBD, SolverXPBD])
def test_a_cloth_hangs_where_its_forces_balance(kind: Any) -> None:
    model = _cloth()
    balanced, start = _balanced(model), model.particle_q.numpy()
    sags = (start - _hung(model, kind(model, iterations=20)))[:, 2]
    expected = (start - balanced)[:, 2]
    assert expected.max() > 0.02
    # Both solvers minimise the same energy: what is left is how far they came to rest.
    assert sags == pytest.approx(expected, abs=0.01 * expected.max())
