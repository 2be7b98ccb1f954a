"""A solver by blocks that a process makes before its first world."""

from __future__ import annotations

from pathlib import Path

from tests.support.process import run_python

MADE_FIRST = """
from unibody.core.engine.solver.settings import new_solver

new_solver()
"""

PROGRAM = """
import unibody.bullet as p
from unibody.bullet.clients.registry import find_client

p.connect(p.DIRECT)
p.setGravity(0, 0, -10)
p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
bodies = [p.createMultiBody(1.0, box, basePosition=(k, 0, 0.1)) for k in range(12)]
for k, body in enumerate(bodies):
    p.changeDynamics(body, -1, lateralFriction=0.5)
    p.resetBaseVelocity(body, (0, 1.0, 0))
for _ in range(120):
    p.stepSimulation()
print(type(find_client(0).scene.world._solver).__name__)
for body in bodies:
    print(*p.getBasePositionAndOrientation(body)[0])
"""


def test_a_world_steps_alike_whether_a_solver_was_made_before_it_or_not(tmp_path: Path) -> None:
    results = []
    for program in (PROGRAM, MADE_FIRST + PROGRAM):
        result = run_python(["-c", program], cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        results.append(result.stdout.split())
    assert results[0][0] == "Solver"
    assert abs(float(results[0][2]) - 0.2) < 0.02  # the boxes do slide: 1 / (2 * 0.25 * 10) m
    assert results[0] == results[1]
