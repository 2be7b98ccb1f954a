"""What `unibody compile` compiles by short runs is what scripts need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

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


COMPILED = """
import gc, json
from unibody.machine_code.array_calls import ArrayFunction
made = [
    f"{function.py_func.__module__}.{function.py_func.__qualname__} {types}"
    for function in gc.get_objects() if isinstance(function, ArrayFunction)
    for types in function.signatures
]
print("made", json.dumps(made))
"""
HUNG = """
from unibody import bullet as p, sample_assets
p.connect(p.DIRECT)
p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
p.setAdditionalSearchPath(sample_assets.getDataPath())
p.setGravity(0, 0, -10)
p.loadURDF("plane.urdf")
axis = [0.1 * number for number in range(6)]
lines = [f"v {x} {y} 0" for x in axis for y in axis]
for k in (1 + 6 * i + j for i in range(5) for j in range(5)):
    lines += [f"f {k} {k + 6} {k + 7}", f"f {k} {k + 7} {k + 1}"]
with open("hung.obj", "w") as file:
    print(*lines, sep="\\n", file=file)
cloth = p.loadSoftBody(
    "hung.obj", basePosition=[0, 0, 1], mass=0.3, useMassSpring=1, useBendingSprings=1,
    springElasticStiffness=stiffness, springDampingStiffness=0.01, springDampingAllDirections=1,
    springBendingStiffness=0.5, frictionCoeff=0.5, useFaceContact=1,
)
for corner in (0, 5, 30, 35):
    p.createSoftBodyAnchor(cloth, corner, -1, -1)
ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.03)
p.createMultiBody(0.2, ball, -1, [0.23, 0.26, 1.05])
for step in range(60):
    p.stepSimulation()
"""


def _compiled_by(script: str, folder: Path) -> set[str]:
    """Functions of arrays, with types, that a script in a process of its own has code made for."""
    done = subprocess.run(
        [sys.executable, "-c", script + COMPILED], capture_output=True, text=True, check=False,
        timeout=600, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    last: Any = [line for line in done.stdout.splitlines() if line.startswith("made ")][-1]
    return set(json.loads(last.partition(" ")[2]))


def test_a_hung_cloth_hit_by_a_ball_needs_no_code_that_the_rehearsal_has_not_made(
    tmp_path: Path,
) -> None:
    rehearsal = "from pathlib import Path\nfrom unibody.cli import rehearsals\n"
    known = _compiled_by(rehearsal + "rehearsals.soft_bodies(Path('.'))\n", tmp_path)
    for stiffness in (5, 5000):  # the second is too stiff for explicit steps
        needed = _compiled_by(f"stiffness = {stiffness}\n{HUNG}", tmp_path)
        assert any("find_with_faces" in name for name in needed)
        assert needed <= known
