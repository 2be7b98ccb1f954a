"""SolverVBD: cloth and soft bodies, against the original and closed forms."""

from __future__ import annotations

import gc
import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.solvers import SolverVBD

DT = 1.0 / 600.0
LEVEL = (0.0, 0.0, 0.0, 1.0)


def _cloth(**changed: Any) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    given = {
        "pos": (0.0, 0.0, 4.0), "rot": LEVEL, "vel": (0.0, 0.0, 0.0), "dim_x": 16, "dim_y": 16,
        "cell_x": 0.1, "cell_y": 0.1, "mass": 0.01, "fix_left": True, "tri_ke": 1e3, "tri_ka": 1e3,
        "tri_kd": 0.0, "edge_ke": 1e-2, "edge_kd": 0.0, "particle_radius": 0.05,
    }  # fmt: skip
    builder.add_cloth_grid(**{**given, **changed})
    builder.color()
    return builder


def _soft() -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    builder.add_soft_grid(
        pos=(0.0, 0.0, 1.0), rot=LEVEL, vel=(0.0, 0.0, 0.0), dim_x=8, dim_y=3, dim_z=3,
        cell_x=0.1, cell_y=0.1, cell_z=0.1, density=1000.0, fix_left=True, k_mu=2e4, k_lambda=4e4,
        k_damp=1e-3,
    )  # fmt: skip
    builder.color()
    return builder


def _run(model: Any, solver: Any, steps: int, collide: bool = False, before: Any = None) -> Any:
    """Positions of the particles after so many steps, (p, 3) [m]."""
    now, after = model.state(), model.state()
    contacts = model.contacts() if collide else None
    for step in range(steps):
        if before is not None:
            before(step, now, after)
        now.clear_forces()
        if collide:
            model.collide(now, contacts)
        solver.step(now, after, None, contacts, DT)
        now, after = after, now
    return now.particle_q.numpy().copy()


# Made by the scenes above in newton 0.2.0 (Warp's CPU device): 20 iterations, steps of 1/600 s;
# mean of all particles, and the last one.
_ORIGINAL = {
    ("cloth", 300): ([0.32186863, 0.79994047, 3.2805943], [0.8314454, 1.5994753, 2.7728596]),
    ("cloth", 599): ([-0.7584188, 0.79991305, 3.7520983], [-1.4555622, 1.5995151, 3.3974156]),
    ("soft", 300): ([0.25086796, 0.15091762, 0.5885637], [0.4997939, 0.28206053, 0.04233238]),
    ("soft", 599): ([-0.16438265, 0.1532701, 0.8703139], [-0.47415328, 0.29500136, 0.5097487]),
}


@pytest.mark.parametrize(("scene", "steps"), list(_ORIGINAL))
def test_bodies_swing_as_in_the_original(scene: str, steps: int) -> None:
    # The same energies and steps; neither is solved to the end, and vertices come in another order.
    # Damping of the soft body is that of the whole strain here, of its size and trace there.
    model = (_cloth() if scene == "cloth" else _soft()).finalize(device="cpu")
    found = _run(model, SolverVBD(model, iterations=20), steps)
    mean, last = _ORIGINAL[scene, steps]
    assert found.mean(axis=0) == pytest.approx(np.array(mean), abs=0.004)
    assert found[-1] == pytest.approx(np.array(last), abs=0.01)


def test_cloth_comes_to_rest_on_the_ground_where_stiffness_bears_its_weight() -> None:
    builder = _cloth(pos=(0.0, 0.0, 0.06), dim_x=4, dim_y=4, fix_left=False)
    builder.add_ground_plane()
    model = builder.finalize(device="cpu")
    model.soft_contact_ke, model.soft_contact_kd = 1e3, 1e-2
    found = _run(model, SolverVBD(model), 1200, collide=True)
    # The radius, less m g / k.
    assert found[:, 2] == pytest.approx(0.05 - 0.01 * 9.81 / 1e3, abs=2e-5)


def test_a_sphere_under_cloth_stays_outside_of_it() -> None:
    builder = _cloth(pos=(-0.8, -0.8, 0.6), fix_left=False, tri_kd=1e-3)
    builder.add_shape_sphere(-1, xform=((0.0, 0.0, 0.0), LEVEL), radius=0.5)
    model = builder.finalize(device="cpu")
    model.soft_contact_ke, model.soft_contact_kd = 1e4, 1e-3
    found = _run(model, SolverVBD(model), 600, collide=True)
    distance = np.linalg.norm(found, axis=1)
    # 289 particles of 0.01 kg on a few of them, at 1e4 N/m: 3 mm at most.
    assert distance.min() > 0.55 - 0.003
    assert distance.min() < 0.56
    assert found[:, 2].min() < 0.0  # it hangs down around the sphere


def test_friction_carries_cloth_along_with_a_body() -> None:
    builder = _cloth(pos=(-0.2, -0.2, 0.148), dim_x=4, dim_y=4, fix_left=False)
    body = builder.add_body(xform=((0.0, 0.0, 0.0), LEVEL), mass=1.0)
    builder.add_shape_box(body, hx=2.0, hy=2.0, hz=0.1)
    model = builder.finalize(device="cpu")
    model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = 1e3, 1e-3, 0.5
    solver = SolverVBD(model, integrate_with_external_rigid_solver=True)

    def drive(step: int, *states: Any) -> None:
        for state in states:
            pose, twist = state.body_q.numpy(), state.body_qd.numpy()
            pose[0, 0], twist[0, 0] = 0.3 * step * DT, 0.3

    found = _run(model, solver, 300, collide=True, before=drive)
    # Friction of 0.5 g at most (the mean of both coefficients) brings 0.3 m/s in 0.06 s, 9 mm
    # behind.
    mu = math.sqrt(0.5 * float(model.shape_material_mu.numpy()[0]))
    behind = 0.3**2 / (2.0 * mu * 9.81)
    assert found[:, 0].mean() == pytest.approx(0.3 * 300 * DT - behind, abs=0.003)


def test_particles_that_are_not_active_stay() -> None:
    model = _cloth().finalize(device="cpu")
    start = model.state().particle_q.numpy().copy()
    found = _run(model, SolverVBD(model), 50)
    held = start[:, 0] == 0.0
    assert held.sum() == 17
    assert (found[held] == start[held]).all()
    assert (found[~held, 2] < start[~held, 2]).all()


def test_forces_on_particles_act() -> None:
    model = _cloth(dim_x=2, dim_y=2, fix_left=False).finalize(device="cpu")
    now, after = model.state(), model.state()
    now.particle_f.numpy()[:] = (0.0, 0.0, 0.01 * 9.81)
    SolverVBD(model).step(now, after, None, None, DT)
    assert after.particle_qd.numpy() == pytest.approx(0.0, abs=1e-6)


def test_steps_of_a_recorded_graph_are_those_of_a_loop() -> None:
    model = _cloth(dim_x=4, dim_y=4).finalize(device="cpu")
    expected = _run(model, SolverVBD(model), 20)
    solver = SolverVBD(model)
    now, after = model.state(), model.state()
    with wp.ScopedCapture(device="cpu") as recorded:
        for _ in range(2):
            solver.step(now, after, None, None, DT)
            now, after = after, now
    for _ in range(10):
        wp.capture_launch(recorded.graph)
    assert (now.particle_q.numpy() == expected).all()
    del solver
    gc.collect()
    wp.capture_launch(recorded.graph)  # the solver is gone: nothing moves, nothing ends
    assert (now.particle_q.numpy() == expected).all()


def test_what_is_not_there_is_refused_by_name() -> None:
    model = _cloth().finalize(device="cpu")
    with pytest.raises(NotSupportedError, match="vertex_contact_filtering_map"):
        SolverVBD(
            model,
            particle_enable_self_contact=True,
            particle_external_vertex_contact_filtering_map={0: [1]},
        )
    with pytest.raises(InvalidArgumentError, match="particle_self_contact_margin"):
        SolverVBD(model, particle_enable_self_contact=True, particle_self_contact_radius=0.3)
    with pytest.raises(TypeError, match="iteration_count"):
        SolverVBD(model, iteration_count=3)


def test_a_model_without_colors_is_refused() -> None:
    builder = newton.ModelBuilder()
    builder.add_particle((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 1.0)
    with wp.ScopedDevice("cpu"), pytest.raises(ValueError, match="color"):
        SolverVBD(builder.finalize())


def test_cloth_that_touches_itself_does_not_pass_through_itself() -> None:
    builder = newton.ModelBuilder()
    for height, mass in ((0.5, 0.0), (0.55, 0.01)):
        builder.add_cloth_grid(
            pos=wp.vec3(0.0, 0.0, height), rot=wp.quat_identity(), vel=wp.vec3(0.0), dim_x=6,
            dim_y=6, cell_x=0.05, cell_y=0.05, mass=mass, tri_ke=1e3, tri_ka=1e3, tri_kd=1e-5,
        )  # fmt: skip
    builder.color()
    model = builder.finalize(device="cpu")
    model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = 1e3, 1e-5, 0.2
    lowest = {}
    for touches in (True, False):
        solver = SolverVBD(
            model,
            particle_enable_self_contact=touches,
            particle_self_contact_radius=0.01,
            particle_self_contact_margin=0.02,
        )
        state, other = model.state(), model.state()
        for _ in range(200):
            solver.step(state, other, None, None, 1.0 / 400.0)
            state, other = other, state
        lowest[touches] = float(state.particle_q.numpy()[49:, 2].min())
    # The lower sheet has no mass and stays at 0.5; free fall for half a second is 1.2 m.
    assert 0.5 < lowest[True] < 0.53
    assert lowest[False] < 0.0


def test_margin_and_gap_of_later_versions_say_how_near_cloth_touches() -> None:
    model = _cloth().finalize(device="cpu")
    options = {"particle_self_contact_margin": 0.002, "particle_self_contact_gap": 0.001}
    SolverVBD(model, particle_enable_self_contact=True, **options)
    with pytest.raises(InvalidArgumentError, match="particle_self_contact_margin"):
        SolverVBD(model, particle_enable_self_contact=True, particle_self_contact_margin=0.002)


def test_there_is_nothing_to_rebuild_for_cloth_that_touches_itself() -> None:
    model = _cloth().finalize(device="cpu")
    ends = []
    for rebuilds in (True, False):
        solver = SolverVBD(model, particle_enable_self_contact=True)
        state, other = model.state(), model.state()
        for _ in range(5):
            if rebuilds:
                solver.rebuild_bvh(state)
            solver.step(state, other, None, None, DT)
            state, other = other, state
        ends.append(state.particle_q.numpy().copy())
    np.testing.assert_array_equal(*ends)


def test_a_pipeline_of_the_solver_finds_the_contacts_of_each_step() -> None:
    builder = _cloth()
    builder.add_ground_plane()
    model = builder.finalize(device="cpu")
    pipeline = newton.CollisionPipeline(model, soft_contact_gap=10.0)
    ends = []
    for own in (True, False):
        solver = SolverVBD(model, collision_pipeline=pipeline if own else None)
        state, other = model.state(), model.state()
        contacts = pipeline.contacts()
        for _ in range(20):
            if not own:
                pipeline.collide(state, contacts)
            solver.step(state, other, None, None if own else contacts, DT)
            state, other = other, state
        ends.append(state.particle_q.numpy().copy())
        found = solver.contacts if own else contacts
        assert found.soft_contact_count.numpy()[0] > 0
    np.testing.assert_array_equal(*ends)
    with pytest.raises(InvalidArgumentError, match="pipeline"):
        SolverVBD(model, collision_pipeline=pipeline).step(
            model.state(), model.state(), None, pipeline.contacts(), DT
        )
