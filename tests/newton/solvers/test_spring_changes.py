"""Springs that a script changes once solvers were made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.solvers import SolverVBD, SolverXPBD

DT = 1.0 / 240.0


def _model() -> Any:
    builder = newton.ModelBuilder()
    for place, mass in (((0.0, 0.0, 0.0), 0.0), ((0.4, 0.0, 0.0), 0.1), ((0.8, 0.1, 0.0), 0.1)):
        builder.add_particle(place, (0.0, 0.0, 0.0), mass)
    builder.add_spring(0, 1, 50.0, 0.1, 0.0)
    builder.add_spring(1, 2, 50.0, 0.1, 0.0)
    builder.color()
    return builder.finalize(device="cpu")


def _change(model: Any, name: str, *, anew: bool) -> None:
    """Other numbers in an array of a model, or in another array that takes its place."""
    array = getattr(model, name)
    changed = array.numpy().copy()
    flat = changed.reshape(-1)
    if name == "spring_indices":
        flat[2] = 0  # the second spring, from the particle that is held
    else:
        flat[:] = flat * 3.0
    if anew:
        setattr(model, name, wp.array(changed, dtype=array.dtype, device="cpu"))
    else:
        array.assign(changed)


def _places(model: Any, solver: Any) -> Any:
    now, after = model.state(), model.state()
    for _ in range(40):
        now.clear_forces()
        solver.step(now, after, None, None, DT)
        now, after = after, now
    return now.particle_q.numpy().copy()


@pytest.mark.parametrize("anew", [False, True], ids=["in place", "another array"])
@pytest.mark.parametrize(
    "name", ["spring_indices", "spring_rest_length", "spring_stiffness", "spring_damping"]
)
@pytest.mark.parametrize("kind", [SolverVBD, SolverXPBD])
def test_springs_that_are_changed_act_as_if_the_solver_were_made_then(
    kind: Any, name: str, anew: bool
) -> None:
    early, late, plain = _model(), _model(), _model()
    solver = kind(early, iterations=10)
    _change(early, name, anew=anew)
    _change(late, name, anew=False)
    expected = _places(late, kind(late, iterations=10))
    np.testing.assert_array_equal(_places(early, solver), expected)
    assert np.abs(expected - _places(plain, kind(plain, iterations=10))).max() > 1e-4
