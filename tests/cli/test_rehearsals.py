"""What `unibody compile` compiles by short runs is what scripts need."""

from __future__ import annotations

import pytest

from tests.newton.later import found_later
from unibody.cli import rehearsals

SCRIPT = """
from numba.core import event

class Listener(event.Listener):
    def on_start(self, told):
        found.append(told.data["dispatcher"].py_func.__qualname__)
    def on_end(self, told):
        pass

found = []
event.register("numba:compile", Listener())
def step(builder, kind, **options):
    builder.color()
    model = builder.finalize(device="cpu")
    solver = getattr(newton.solvers, kind)(model, **options)
    now, after = model.state(), model.state()
    solver.step(now, after, model.control(), None, 1.0 / 300.0)

builder = newton.ModelBuilder()
line = [wp.vec3(0.1 * place, 0.0, 2.0) for place in range(9)]
builder.add_rod(rod=newton.Rod(line, youngs_modulus=1e6, shear_modulus=4e5, radius=0.01))
step(builder, "SolverVBD")
for touching in (False, True):
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=wp.vec3(), rot=wp.quat_identity(), vel=wp.vec3(), dim_x=2, dim_y=2, cell_x=0.1,
        cell_y=0.1, mass=0.1,
    )
    step(builder, "SolverVBD", particle_enable_self_contact=touching)
    step(builder, "SolverXPBD")
"""


@pytest.mark.thorough
def test_after_the_rehearsal_of_newton_neither_cables_nor_cloth_compile_anything() -> None:
    rehearsals.newton_solvers()
    assert found_later(SCRIPT) == []
