"""Joints of SolverVBD whose frames differ in the model, in the 1.x dialect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

_SCRIPT = """
found = {}
half = float(np.sqrt(0.5))
for kind in ("fixed", "revolute", "prismatic"):
    builder = newton.ModelBuilder()
    builder.gravity = (0.0, 0.0, 0.0)
    body = builder.add_link(xform=wp.transform((0.0, 0.0, 1.0), wp.quat(half, 0.0, 0.0, half)))
    builder.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3)
    frames = {"parent_xform": wp.transform((0.0, 0.0, 1.0), wp.quat_identity())}
    if kind == "fixed":
        joint = builder.add_joint_fixed(-1, body, **frames)
    else:
        axis = (0.0, 1.0, 0.0)
        joint = getattr(builder, f"add_joint_{kind}")(-1, body, axis=axis, **frames)
    builder.add_articulation([joint])
    builder.color()
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverVBD(model, iterations=10, rigid_compliant_alm=True)
    states = [model.state(), model.state()]
    for _ in range(60):
        solver.step(*states, model.control(), None, 1.0 / 240.0)
        states.reverse()
    found[kind] = [float(v) for v in states[0].body_q.numpy()[0]]
"""


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(_SCRIPT)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic"])
def test_bodies_stay_turned_as_the_model_has_them(found: Any, kind: str) -> None:
    # nothing acts: frames that were a quarter of a turn apart stay so
    half = 0.5**0.5
    assert found[kind] == pytest.approx([0.0, 0.0, 1.0, half, 0.0, 0.0, half], abs=1e-3)
