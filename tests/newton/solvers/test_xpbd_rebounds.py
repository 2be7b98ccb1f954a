"""Rebounds of bodies with several contacts in SolverXPBD."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unibody import newton

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def _resting_ball(**config: Any) -> Any:
    """A ball without gravity that touches the ground."""
    builder = newton.ModelBuilder(gravity=0.0)
    builder.default_shape_cfg = newton.ModelBuilder.ShapeConfig(mu=0.0, **config)
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.09), IDENTITY))
    builder.add_shape_sphere(body, radius=0.1)
    return builder


def _step(model: newton.Model, solver: Any, dt: float, force: float = 0.0) -> np.ndarray:
    state, after = model.state(), model.state()
    state.body_f.assign([[0.0, 0.0, force, 0.0, 0.0, 0.0]] * model.body_count)
    solver.step(state, after, None, model.collide(state), dt)
    return after.body_qd.numpy()


def test_an_elastic_box_that_falls_flat_comes_back_to_where_it_fell_from() -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg = newton.ModelBuilder.ShapeConfig(mu=0.0, restitution=1.0)
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.3), IDENTITY))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.05)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, enable_restitution=True)
    state, after = model.state(), model.state()
    heights = []
    for _ in range(500):
        solver.step(state, after, None, model.collide(state), 1e-3)
        state, after = after, state
        heights.append(state.body_q.numpy()[0, 2])
    low = int(np.argmin(heights))
    # of 0.25 m of fall: a step's fall at 2.2 m/s is 2 mm, and rounds end within 1 % of the speed
    assert max(heights[low:]) == pytest.approx(0.3, abs=0.01)


def test_what_parts_already_goes_on_so_however_deep_it_was() -> None:
    builder = _resting_ball(restitution=0.0)
    builder.body_qd[0] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, iterations=10, enable_restitution=True)
    assert _step(model, solver, 1e-3)[0, 2] == pytest.approx(1.0, abs=1e-4)


def test_speed_that_a_force_gives_in_the_step_is_thrown_back_too() -> None:
    model = _resting_ball(restitution=1.0).finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model)
    solver.enable_restitution = True
    push = -10.0 * float(model.body_mass.numpy()[0])
    # 10 m/s^2 for a 60th of a second
    assert _step(model, solver, 1.0 / 60.0, push)[0, 2] == pytest.approx(10.0 / 60.0, abs=1e-3)


def test_a_ball_between_a_heavy_and_a_light_one_keeps_the_energy() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    for x, y, density in ((-0.4, 0.0, 191.0), (0.4, 0.0, 0.0191), (0.0, 0.5725, 1.91)):
        cfg = newton.ModelBuilder.ShapeConfig(mu=0.0, restitution=1.0, density=density)
        body = builder.add_body(xform=((x, y, 0.0), IDENTITY))
        builder.add_shape_sphere(body, radius=0.35, cfg=cfg)
    builder.body_qd[2] = (0.0, -2.0, 0.0, 0.0, 0.0, 0.0)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, iterations=10, enable_restitution=True)
    velocity = _step(model, solver, 1.0 / 60.0)[:, :3]
    mass = model.body_mass.numpy()
    energy = 0.5 * float((mass * np.square(velocity).sum(axis=1)).sum())
    assert energy == pytest.approx(0.5 * float(mass[2]) * 4.0, rel=0.05)


def test_rounds_of_rebounds_are_one_or_more() -> None:
    model = _resting_ball().finalize(device="cpu")
    with pytest.raises(ValueError, match="must be at least 1"):
        newton.solvers.SolverXPBD(model, rigid_contact_restitution_iterations=0)


def _struck_box(restitution: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Masses and velocities after a ball has struck a box that leaves the ground with a speed."""
    builder = newton.ModelBuilder(gravity=0.0)
    builder.default_shape_cfg = newton.ModelBuilder.ShapeConfig(mu=0.0, restitution=restitution)
    builder.add_ground_plane()
    box = builder.add_body(xform=((0.0, 0.0, 0.049), IDENTITY))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.05)
    ball = builder.add_body(xform=((0.05, 0.0, 0.148), IDENTITY))
    builder.add_shape_sphere(ball, radius=0.05)
    builder.body_qd[box] = (0.0, 0.0, speed, 0.0, 0.0, 0.0)
    builder.body_qd[ball] = (0.0, 0.0, -1.0, 0.0, 0.0, 0.0)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, iterations=10, enable_restitution=True)
    return model.body_mass.numpy(), _step(model, solver, 1e-3)


_TURN = 1.0 / 12.0 * (0.2**2 + 0.1**2)  # the box's inertia about y over its mass [m^2]


def test_a_box_that_is_struck_as_it_leaves_the_ground_keeps_to_the_restitution() -> None:
    masses, velocity = _struck_box(0.15, 2.0)
    # the ground, from which the box still parts, takes no part: one impact, 0.05 m off the centre
    give = (1.0 / masses).sum() + 0.05**2 / (_TURN * masses[0])
    push = 1.15 * 3.0 / give
    found = [*velocity[:, 2], velocity[0, 4]]
    expected = [2.0 - push / masses[0], push / masses[1] - 1.0, 0.05 * push / (_TURN * masses[0])]
    # 1 mm of depth: the ball touches 0.02 of the radii beside where it would
    np.testing.assert_allclose(found, expected, rtol=2e-3)


def test_an_elastic_impact_on_a_box_that_hardly_leaves_the_ground_adds_no_energy() -> None:
    masses, velocity = _struck_box(1.0, 0.1)
    squares = np.square(velocity[:, 2])
    squares[0] += _TURN * velocity[0, 4] ** 2
    before = masses[0] * 0.1**2 + masses[1] * 1.0
    # rounds of five contacts end within 1 % of the speed
    assert float(masses @ squares) == pytest.approx(float(before), rel=0.02)
