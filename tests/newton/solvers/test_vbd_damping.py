"""What `kd` means to SolverVBD: in 0.2 a share of the stiffness, in 1.x the damping itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import warp as wp

from unibody import newton
from unibody.newton import dialect
from unibody.newton.solvers import SolverVBD

DT, MASS, KE, KD, SPEED = 0.01, 2.0, 100.0, 10.0, -0.5
FRICTION = 0.5
DAMPING = {"0.2": KD * KE, "1": KD}


@pytest.fixture(params=["0.2", "1"])
def chosen(request: pytest.FixtureRequest) -> Iterator[str]:
    dialect.choose(request.param, request.param)
    yield request.param
    dialect.choose("0.2", "0.2")


def _way(damping: float, depth: float = 0.0) -> float:
    """An implicit step of a mass on a spring and a damper, `depth` away from rest [m]."""
    return (MASS * SPEED / DT + KE * depth) / (MASS / DT**2 + KE + damping / DT)


def test_a_contact_of_rigid_bodies_damps_as_the_dialect_says(chosen: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    shape = newton.ModelBuilder.ShapeConfig(ke=KE, kd=KD, mu=0.0)
    depth, radius = 0.01, 0.1
    shape.density = MASS / (4.0 / 3.0 * math.pi * radius**3)
    builder.add_shape_plane(plane=(0.0, 0.0, 1.0, 0.0), width=0.0, length=0.0, cfg=shape)
    pose = wp.transform((0.0, 0.0, radius - depth), wp.quat_identity())
    body = builder.add_body(xform=pose)
    builder.add_shape_sphere(body, radius=radius, cfg=shape)
    builder.body_qd[body] = (0.0, 0.0, SPEED, 0.0, 0.0, 0.0)
    builder.color()
    model = builder.finalize(device="cpu")
    now, after = model.state(), model.state()
    SolverVBD(model, iterations=5).step(now, after, None, model.collide(now), DT)
    moved = after.body_q.numpy()[0, 2] - (radius - depth)
    # Single precision of places of 0.1 m: 1e-8; the two dialects are 2e-3 apart.
    assert moved == pytest.approx(_way(DAMPING[chosen], depth), abs=1e-6)


def test_a_spring_damps_as_the_dialect_says(chosen: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    builder.add_particle((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0)
    builder.add_particle((0.0, 0.0, 1.0), (0.0, 0.0, SPEED), MASS)
    builder.add_spring(0, 1, KE, KD, 0.0)
    builder.color()
    model = builder.finalize(device="cpu")
    now, after = model.state(), model.state()
    SolverVBD(model, iterations=20).step(now, after, None, None, DT)
    moved = after.particle_q.numpy()[1, 2] - 1.0
    # Single precision of places of 1 m: 1e-7.
    assert moved == pytest.approx(_way(DAMPING[chosen]), abs=1e-6)


def test_folds_of_cloth_damp_as_the_dialect_says(chosen: str) -> None:
    """Turning one of two triangles about their edge: a moment of inertia instead of a mass."""
    builder = newton.ModelBuilder(gravity=0.0)
    held = [(0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    for place in held:
        builder.add_particle(place, (0.0, 0.0, 0.0), 0.0)
    builder.add_particle((0.0, -1.0, 0.0), (SPEED * 0.01, 0.0, 0.0), MASS)
    builder.particle_q[2] = (1e-9, 0.0, 1.0)
    builder.add_edge(0, 3, 1, 2, edge_ke=KE, edge_kd=KD)
    builder.color()
    model = builder.finalize(device="cpu")
    now, after = model.state(), model.state()
    SolverVBD(model, iterations=20).step(now, after, None, None, DT)
    turned = math.atan(after.particle_q.numpy()[3, 0])
    # The edge is 1 m long, the arm too. Turns are small: their squares are 1e-9.
    assert turned == pytest.approx(0.01 * _way(DAMPING[chosen]), abs=1e-6)


def test_friction_of_a_particle_grows_with_its_depth_and_not_with_damping(chosen: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    shape = newton.ModelBuilder.ShapeConfig(ke=KE, kd=KD, mu=FRICTION)
    builder.add_ground_plane(cfg=shape)
    depth, radius = 0.01, 0.1
    builder.add_particle((0.0, 0.0, radius - depth), (1.0, 0.0, SPEED), MASS, radius=radius)
    builder.color()
    model = builder.finalize(device="cpu")
    model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = KE, KD, FRICTION
    now, after = model.state(), model.state()
    SolverVBD(model, iterations=50).step(now, after, None, model.collide(now), DT)
    end, speed = after.particle_q.numpy()[0], after.particle_qd.numpy()[0]
    assert end[2] - (radius - depth) == pytest.approx(_way(DAMPING[chosen], depth), abs=1e-6)
    lost = FRICTION * KE * (radius - end[2]) * DT / MASS  # it slides
    # Places of 0.1 m in single precision, over the step: 1e-6 m/s. Damping pushes with 5 to 100 N,
    # depth with 1 N: with both, 0.01 m/s more would be lost.
    assert 1.0 - speed[0] == pytest.approx(lost, abs=1e-5)
