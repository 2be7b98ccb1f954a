"""Forces of contacts that SolverVBD tells as observables, in the 1.x dialect."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

_SCRIPT = """
found = {}
SolverVBD = newton.solvers.SolverVBD
DT = 1.0 / 60.0

def run(builder, steps, start=None, **options):
    builder.color()
    model = builder.finalize(device="cpu")
    pipeline = newton.CollisionPipeline(model, soft_contact_gap=0.02)
    contacts = pipeline.contacts()
    solver = SolverVBD(model, iterations=80, **options)
    told = solver.observables({"contact_f"}, contacts=contacts)
    told.contact_f.fill_(7.0)
    states = [model.state(), model.state()]
    if start is not None:
        start(*states)
    for _ in range(steps):
        pipeline.collide(states[0], contacts)
        solver.step(*states, None, contacts, DT, observables=told)
        states.reverse()
    rows = told.contact_f.numpy()
    room = contacts.rigid_contact_max
    return rows[:room], rows[room:], contacts, states[0]

# a particle of 2 kg that lies on the ground at (0.3, -0.2)
builder = newton.ModelBuilder()
builder.add_ground_plane()
builder.add_particle((0.3, -0.2, 0.05), (0.0, 0.0, 0.0), 2.0, radius=0.05)
_, soft, contacts, _ = run(builder, 400)
found["lying"] = soft.tolist()[:2]

# a box of 1 kg with two particles of 0.5 kg on it, 0.2 m beside its middle
builder = newton.ModelBuilder()
builder.default_shape_cfg.ke = 1e5
builder.add_ground_plane()
box = builder.add_body(xform=wp.transform((0.0, 0.0, 0.1), wp.quat_identity()))
builder.add_shape_box(box, hx=0.5, hy=0.5, hz=0.1, cfg=newton.ModelBuilder.ShapeConfig(
    density=5.0, ke=1e5))
for y in (-0.2, 0.2):
    builder.add_particle((0.2, y, 0.25), (0.0, 0.0, 0.0), 0.5, radius=0.05)
rigid, soft, contacts, state = run(builder, 400, rigid_compliant_alm=True)
found["box"] = {
    "mass": float(builder.body_mass[box]),
    "soft": soft.tolist(),
    "rigid": rigid.sum(axis=0).tolist(),
    "first": contacts.rigid_contact_shape0.numpy().tolist(),
    "corners": contacts.soft_contact_indices.numpy()[:2].tolist(),
}

# a held particle, 5 mm deep in a body that another solver moves by 0.01 m in the step
builder = newton.ModelBuilder()
builder.gravity = (0.0, 0.0, 0.0)
body = builder.add_body(mass=1e4, inertia=np.eye(3) * 1e3, lock_inertia=True)
builder.add_shape_box(body, hx=0.5, hy=0.5, hz=0.1)
builder.add_particle((0.05, 0.0, 0.115), (0.0, 0.0, 0.0), 0.0, radius=0.02)

def moved(now, after):
    after.body_q.assign([[0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])

_, soft, contacts, _ = run(builder, 1, start=moved, integrate_with_external_rigid_solver=True)
model = builder.finalize(device="cpu")
found["slid"] = {
    "row": soft[0].tolist(),
    "ke": 0.5 * (float(model.soft_contact_ke) + float(model.shape_material_ke.numpy()[0])),
    "mu": (float(model.soft_contact_mu) * float(model.shape_material_mu.numpy()[0])) ** 0.5,
}
"""


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(_SCRIPT)


def test_the_ground_tells_the_weight_of_a_particle_that_lies_on_it(found: Any) -> None:
    row = found["lying"][0]
    weight = 2.0 * 9.81
    # float32, 400 steps of damping: what is left moves less than a thousandth of its weight
    assert row[:3] == pytest.approx([0.0, 0.0, -weight], abs=1e-3 * weight)
    # about the world's origin: (0.3, -0.2, z) x (0, 0, -w)
    assert row[3:] == pytest.approx([0.2 * weight, 0.3 * weight, 0.0], abs=1e-3 * weight)


def test_a_box_tells_what_lies_on_it_and_the_ground_all_of_it(found: Any) -> None:
    box = found["box"]
    each = 0.5 * 9.81
    for row, y in zip(box["soft"], (-0.2, 0.2), strict=False):
        assert row[2] == pytest.approx(-each, rel=0.01)
        # about its centre of mass: (0.2, y, 0.1) x (0, 0, -each), without the friction's part
        assert row[3] == pytest.approx(-y * each, abs=0.02 * each)
        assert row[4] == pytest.approx(0.2 * each, abs=0.02 * each)
    sign = 1.0 if box["first"][0] == 1 else -1.0
    whole = (box["mass"] + 1.0) * 9.81
    assert sign * box["rigid"][2] == pytest.approx(whole, rel=0.02)


def test_contacts_of_particles_name_their_corners(found: Any) -> None:
    assert sorted(row[0] for row in found["box"]["corners"]) == [0, 1]
    assert all(row[1:] == [-1, -1] for row in found["box"]["corners"])


def test_particles_rub_on_a_body_that_another_solver_has_moved(found: Any) -> None:
    slid = found["slid"]
    push = slid["ke"] * 0.005
    assert slid["row"][2] == pytest.approx(-push, rel=1e-3)
    # 0.01 m in a step is beyond where friction grows: all of the bound, against the body's way
    assert slid["row"][0] == pytest.approx(-slid["mu"] * push, rel=1e-3)
    assert math.isfinite(slid["row"][4])
