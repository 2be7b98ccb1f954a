"""Callbacks of MuJoCo that somebody installed before the first world."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import run_python

PROGRAM = """
import mujoco

asked = []
mujoco.set_mjcb_contactfilter(lambda model, data, first, second: asked.append(first) or 0)
import unibody.bullet as p

p.connect(p.DIRECT)
p.setGravity(0, 0, -10)
p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
ball = p.createMultiBody(
    1.0, p.createCollisionShape(p.GEOM_SPHERE, radius=0.1), basePosition=(0, 0, 0.1)
)
for _ in range(10):
    p.stepSimulation()
print(len(asked) > 0, round(p.getBasePositionAndOrientation(ball)[0][2], 3))
"""


@pytest.mark.thorough
def test_a_contact_filter_that_was_there_before_is_still_asked(tmp_path: Path) -> None:
    result = run_python(["-c", PROGRAM], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["True", "0.1"]
