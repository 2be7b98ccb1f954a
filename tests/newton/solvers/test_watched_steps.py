"""Solvers under `unibody run --max-steps`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

from tests.support.process import run_python

SCRIPT = """
import sys
import newton
import warp as wp

builder = newton.ModelBuilder()
body = builder.add_body()
builder.add_shape_sphere(body, radius=0.1)
builder.color()
model = builder.finalize(device="cpu")
solver = getattr(newton.solvers, sys.argv[1])(model)
states = [model.state(), model.state()]
control = model.control()

def step():
    solver.step(*states, control, None, 0.01)

graph = None
if len(sys.argv) > 2:
    with wp.ScopedCapture(device="cpu") as capture:
        step()
    graph = capture.graph
for n in range(1000):
    wp.capture_launch(graph) if graph else step()
    print('step', n, flush=True)
"""
SOLVERS = (
    "SolverMuJoCo", "SolverXPBD", "SolverSemiImplicit", "SolverFeatherstone", "SolverVBD",
)  # fmt: skip


@pytest.mark.parametrize("words", [[name] for name in SOLVERS] + [["SolverMuJoCo", "recorded"]])
def test_max_steps_ends_a_script_at_that_step_of_its_solver(
    tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    result = run_python(
        ["-m", "unibody", "run", "--max-steps", "4", "script.py", *words],
        cwd=tmp_path, timeout=600,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert [line for line in result.stdout.splitlines() if line.startswith("step ")] == [
        "step 0", "step 1", "step 2"
    ]  # fmt: skip
    assert "4 steps, 0.040 s simulated" in result.stderr
