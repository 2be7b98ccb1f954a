"""Meshes whose surfaces move of themselves, as belts do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.solvers.base import SolverBase

SOLVERS: dict[str, Any] = {
    "xpbd": lambda model: newton.solvers.SolverXPBD(model, iterations=5),
    "semi_implicit": newton.solvers.SolverSemiImplicit,
    "featherstone": newton.solvers.SolverFeatherstone,
    "vbd": lambda model: newton.solvers.SolverVBD(model, iterations=10),
}
MATERIAL = newton.ModelBuilder.ShapeConfig(mu=0.5, ke=1e5, kd=1e3, kf=1e4)


def _belt(**more: Any) -> newton.Mesh:
    corners = [(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)]
    return newton.Mesh(corners, [0, 1, 2, 0, 2, 3], compute_inertia=False, **more)


def _box_on(belt: newton.Mesh, velocity: tuple[float, float, float]) -> newton.Model:
    builder = newton.ModelBuilder()
    builder.add_shape_mesh(-1, mesh=belt, cfg=MATERIAL)
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.199), wp.quat_identity()))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.2, cfg=MATERIAL)
    builder.color()
    model = builder.finalize(device="cpu")
    assert belt.mesh is not None
    belt.mesh.velocities.fill_(wp.vec3(*velocity))
    return model


def _after(model: newton.Model, solver: SolverBase, steps: int) -> np.ndarray:
    state, other = model.state(), model.state()
    for _ in range(steps):
        state.clear_forces()
        solver.step(state, other, model.control(), model.collide(state), 1.0 / 240.0)
        state, other = other, state
    return np.concatenate([state.body_q.numpy()[0][:3], state.body_qd.numpy()[0][:3]])


@pytest.mark.parametrize("name", SOLVERS)
def test_a_belt_carries_a_box_by_friction_and_no_faster_than_it_runs(name: str) -> None:
    model = _box_on(_belt(enable_surface_velocity=True), (1.0, 0.0, 0.0))
    early = _after(model, SOLVERS[name](model), 24)
    # at rest mu g = 4.9 m/s^2; where it lands at first it is pressed more
    assert 0.1 < early[3] < 1.02
    late = _after(model, SOLVERS[name](model), 240)
    # springs of contacts let the box rock, by some centimetres per second
    assert late[3] == pytest.approx(1.0, abs=0.15)
    assert abs(late[1]) < 0.02


@pytest.mark.parametrize("name", SOLVERS)
def test_what_a_surface_does_across_itself_moves_nothing(name: str) -> None:
    found = []
    for speed in (0.0, 2.0):
        model = _box_on(_belt(enable_surface_velocity=True), (0.0, 0.0, speed))
        found.append(_after(model, SOLVERS[name](model), 24))
    assert np.allclose(found[0], found[1], atol=1e-5)


def test_contacts_know_how_fast_the_second_surface_slides_on_the_first() -> None:
    model = _box_on(_belt(enable_surface_velocity=True), (0.5, 0.0, 0.0))
    contacts = model.collide(model.state())
    count = int(contacts.rigid_contact_count.numpy()[0])
    assert count >= 3
    first_is_belt = contacts.rigid_contact_shape0.numpy()[:count] == 0
    expected = np.where(first_is_belt, -0.5, 0.5)
    assert np.allclose(contacts.rigid_contact_surface_velocity.numpy()[:count, 0], expected)


def test_velocities_of_a_mesh_that_does_not_ask_for_it_move_nothing() -> None:
    model = _box_on(_belt(), (1.0, 0.0, 0.0))
    assert model.contacts().rigid_contact_surface_velocity is None
    found = _after(model, SOLVERS["semi_implicit"](model), 24)
    assert abs(found[3]) < 1e-3
    assert _belt(enable_surface_velocity=True).copy().enable_surface_velocity


def test_mujoco_says_that_it_leaves_velocities_of_surfaces_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    belt = newton.Mesh.create_box(2.0, 2.0, 0.1)
    belt.enable_surface_velocity = True
    newton.solvers.SolverMuJoCo(_box_on(belt, (1.0, 0.0, 0.0)))
    assert "velocities of the surfaces of meshes" in capsys.readouterr().err
