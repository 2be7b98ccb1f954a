"""Which way normals of rigid contacts point in each dialect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json
import newton
import numpy as np
import warp as wp

SOLVERS = ("SolverXPBD", "SolverSemiImplicit", "SolverFeatherstone", "SolverVBD", "SolverMuJoCo")
found = {}
for name in SOLVERS:
    builder = newton.ModelBuilder()
    body = builder.add_body(xform=wp.transform(wp.vec3(0.0, 0.0, 0.1), wp.quat_identity()))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=newton.ModelBuilder.ShapeConfig(
        density=1000.0, ke=1e5, kd=1e3, kf=1e3, mu=0.5))
    builder.add_ground_plane()
    builder.color()
    model = builder.finalize(device="cpu")
    options = {"use_mujoco_contacts": False} if name == "SolverMuJoCo" else {}
    solver = getattr(newton.solvers, name)(model, **options)
    state, after = model.state(), model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    for _ in range(200):
        state.clear_forces()
        contacts = model.collide(state)
        solver.step(state, after, None, contacts, 0.001)
        state, after = after, state
    found[name] = float(state.body_q.numpy()[0, 2])
contacts = model.collide(state)
count = int(contacts.rigid_contact_count.numpy()[0])
up = contacts.rigid_contact_normal.numpy()[:count, 2]
plane_first = contacts.rigid_contact_shape0.numpy()[:count] == 1
found["away_from_0"] = np.where(plane_first, up, -up).tolist()
print(json.dumps(found))
"""


def _found(folder: Path, dialect: str) -> dict:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "unibody", "run", "--newton-api", dialect, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_normals_point_from_shape_0_to_shape_1_in_the_later_dialect_alone(tmp_path: Path) -> None:
    document, later = _found(tmp_path, "0.2"), _found(tmp_path, "1")
    # A box on a plane: normals are vertical, to single precision.
    assert document.pop("away_from_0") == pytest.approx([-1.0] * 4, abs=1e-5)
    assert later.pop("away_from_0") == pytest.approx([1.0] * 4, abs=1e-5)
    # It rests at half its height; 1e5 N/m at four corners give way by 8 * 9.81 / 4e5 = 0.2 mm,
    # and positions of contacts by slops of the same order.
    for heights in (document, later):
        assert heights == pytest.approx(dict.fromkeys(heights, 0.1), abs=1e-3)
