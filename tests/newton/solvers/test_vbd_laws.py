"""The energies that SolverVBD gives triangles and tetrahedra, which releases after 1.0 changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from unibody import newton
from unibody.newton import dialect
from unibody.newton.solvers import SolverVBD

DT, MASS, MU, LAME = 0.1, 1.0, 100.0, 60.0
PULLED = np.array((0.2, -0.25, 0.15))
"""How far the last corner is away from rest [m]: strains of a quarter, where laws differ."""


@pytest.fixture(params=["0.2", "1.0", "1"])
def release(request: pytest.FixtureRequest) -> Iterator[str]:
    dialect.choose(request.param.partition(".0")[0], request.param)
    yield request.param
    dialect.choose("0.2", "0.2")


def _triangle(release: str, x: Any) -> float:
    """The energy of a triangle with corners at 0, (1, 0) and, at rest, (0, 1) [J]."""
    F = np.stack([(1.0, 0.0, 0.0), x], axis=1)
    C = F.T @ F
    if release != "1":
        G = 0.5 * (C - np.eye(2))
        return 0.5 * float(MU * (G * G).sum() + 0.5 * LAME * np.trace(G) ** 2)
    nu = LAME + MU
    return 0.5 * float(
        0.5 * MU * np.trace(C) + 0.5 * nu * (np.sqrt(np.linalg.det(C)) - 1 - MU / nu) ** 2
    )


def _tetrahedron(release: str, x: Any) -> float:
    """The energy of a tetrahedron with edges along the axes at rest, x along z [J]."""
    F = np.stack([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), x], axis=1)
    nu = LAME + MU if release == "1" else LAME
    return float(0.5 * MU * (F * F).sum() + 0.5 * nu * (np.linalg.det(F) - 1 - MU / nu) ** 2) / 6


def _force(energy: Callable[[str, Any], float], release: str, x: Any) -> Any:
    """Minus the gradient of an energy by central differences; they are exact to 1e-8 here [N]."""
    small = 1e-5 * np.eye(3)
    return np.array([energy(release, x - d) - energy(release, x + d) for d in small]) / 2e-5


def _stepped(builder: Any, corner: int) -> tuple[Any, Any]:
    """Where the pulled corner begins, and where it is after a step."""
    builder.color()
    model = builder.finalize(device="cpu")
    now, after = model.state(), model.state()
    now.particle_q.numpy()[corner] += PULLED
    begin = now.particle_q.numpy()[corner].astype(float)
    SolverVBD(model, iterations=50).step(now, after, None, None, DT)
    return begin, after.particle_q.numpy()[corner].astype(float)


def test_a_triangle_has_the_energy_of_its_release(release: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    for place, mass in (((0, 0, 0), 0.0), ((1, 0, 0), 0.0), ((0, 1, 0), MASS)):
        builder.add_particle(place, (0.0, 0.0, 0.0), mass)
    builder.add_triangle(0, 1, 2, MU, LAME, 0.0, 0.0, 0.0)
    begin, end = _stepped(builder, 2)
    # Places of 1 m in single precision, over the step squared: 1e-5 N of 10 N.
    expected = _force(_triangle, release, end)
    assert MASS * (end - begin) / DT**2 == pytest.approx(expected, abs=2e-3)


def test_a_tetrahedron_has_the_energy_of_its_release(release: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    for place, mass in (
        ((0, 0, 0), 0.0),
        ((1, 0, 0), 0.0),
        ((0, 1, 0), 0.0),
        ((0, 0, 1), MASS),
    ):
        builder.add_particle(place, (0.0, 0.0, 0.0), mass)
    builder.add_tetrahedron(0, 1, 2, 3, MU, LAME, 0.0)
    begin, end = _stepped(builder, 3)
    # As for triangles.
    expected = _force(_tetrahedron, release, end)
    assert MASS * (end - begin) / DT**2 == pytest.approx(expected, abs=2e-3)
