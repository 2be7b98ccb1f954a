"""SolverMuJoCo: shapes, roots and contacts that have no counterpart of their own in MuJoCo."""

from collections.abc import Iterator

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import dialect
from unibody.newton.solvers import SolverMuJoCo
from unibody.newton.solvers.flags import ModelFlags


@pytest.fixture
def later() -> Iterator[None]:
    dialect.choose("1", "1")
    yield
    dialect.choose("0.2", "0.2")


def link(builder: newton.ModelBuilder, **given: object) -> int:
    return builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), **given)


def cones(*heights: float) -> newton.Model:
    """A world for each cone."""
    builder = newton.ModelBuilder()
    for height in heights:
        world = newton.ModelBuilder()
        body = link(world)
        world.add_shape_cone(body, radius=0.1, half_height=height)
        world.add_articulation([world.add_joint_free(child=body)])
        builder.add_world(world)
    return builder.finalize(device="cpu")


def test_a_cone_is_a_mesh_of_its_own_size_in_each_world() -> None:
    solver = SolverMuJoCo(cones(0.2, 0.4))
    assert len(solver._parts) == 2
    for part, half in zip(solver._parts, (0.2, 0.4), strict=True):
        np.testing.assert_allclose(np.ptp(part.mj_model.mesh_vert, axis=0).max(), 2 * half, 1e-5)


def test_a_cone_that_gets_another_size_asks_for_a_new_solver() -> None:
    model = cones(0.1)
    solver = SolverMuJoCo(model)
    model.shape_scale.assign([[0.2, 0.1, 0.0]])
    with pytest.raises(ValueError, match="Recreate the solver after resizing"):
        solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)


def test_joints_to_the_world_without_an_articulation_are_roots() -> None:
    builder = newton.ModelBuilder()
    fixed = builder.add_link(xform=wp.transform((1.0, 2.0, 3.0), wp.quat_identity()))
    pose = wp.transform((1.0, 2.0, 3.0), wp.quat_identity())
    builder.add_joint_fixed(parent=-1, child=fixed, parent_xform=pose)
    builder.add_joint_revolute(parent=-1, child=link(builder), key="swing")
    held = builder.add_link(is_kinematic=True)
    builder.add_joint_fixed(parent=-1, child=held)
    model = builder.finalize(device="cpu", skip_validation_joints=True)
    with pytest.warns(UserWarning, match="standalone world roots.*swing"):
        solver = SolverMuJoCo(model)
    m = solver.mj_model
    assert (m.nbody, m.njnt, m.nmocap) == (4, 1, 1)
    np.testing.assert_allclose(m.body_pos[1], [1.0, 2.0, 3.0])


def test_bodies_that_only_loops_hold_are_refused() -> None:
    builder = newton.ModelBuilder()
    first, second = link(builder), link(builder)
    builder.add_articulation([builder.add_joint_revolute(parent=-1, child=first)])
    builder.add_joint_revolute(parent=first, child=second)
    model = builder.finalize(device="cpu", skip_validation_joints=True)
    with pytest.raises(ValueError, match="outside articulations"):
        SolverMuJoCo(model)


def touching(mus: tuple[float, float], kfs: tuple[float, float], **options: object) -> SolverMuJoCo:
    """A ball in the ground after a step, with contacts of the pipeline."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    config = newton.ModelBuilder.ShapeConfig
    builder.add_ground_plane(cfg=config(mu=mus[1], kf=kfs[1]))
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.45), wp.quat_identity()))
    priority = {"mujoco:geom_priority": 1}
    cfg = config(mu=mus[0], kf=kfs[0])
    builder.add_shape_sphere(body, radius=0.5, cfg=cfg, custom_attributes=priority)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, use_mujoco_contacts=False, nconmax=8, njmax=32, **options)
    state = model.state()
    solver.step(state, model.state(), model.control(), model.collide(state), 0.004)
    return solver


def test_the_geom_of_higher_priority_decides_of_a_given_contact() -> None:
    contact = touching((0.3, 0.9), (0.0, 0.0)).mjw_data.contact
    np.testing.assert_allclose(contact.friction.numpy()[0, 0], 0.3, 1e-6)


@pytest.mark.usefixtures("later")
def test_viscous_friction_is_the_reference_of_a_given_contact() -> None:
    solver = touching((0.5, 0.5), (800.0, 200.0), cone="elliptic", impratio=4.0)
    contact, m = solver.mjw_data.contact, solver.mj_model
    dmax = contact.solimp.numpy()[0, 1]
    # the row's rate b is kf (1/D + A) / 1, with A the inverse weight and 1/D = (1 - d)/d A / 4
    wanted = 2.0 / (800.0 * m.body_invweight0[1, 0] * ((1.0 - dmax) / 4.0 + dmax))
    np.testing.assert_allclose(contact.solreffriction.numpy()[0], [wanted, 1.0], 1e-5)
    assert touching((0.5, 0.5), (0.0, 9.0), cone="elliptic").mjw_data.contact.dim.numpy()[0] == 1


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_targets_of_positions_count_from_the_reference(backend: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    SolverMuJoCo.register_custom_attributes(builder)
    config = newton.ModelBuilder.JointDofConfig(axis=newton.Axis.Z, target_ke=500.0, target_kd=50.0)
    config.armature = 0.0
    body = link(builder)
    at = {"mujoco:dof_ref": [0.5]}
    joint = builder.add_joint_d6(-1, body, angular_axes=[config], custom_attributes=at)
    builder.add_articulation([joint])
    model = builder.finalize(device="cpu")
    solver, control = SolverMuJoCo(model, backend=backend), model.control()
    control.joint_target_pos.assign([0.2])
    states = [model.state(), model.state()]
    for i in range(200):  # 2 s at a time constant of 0.1 s
        solver.step(states[i % 2], states[1 - i % 2], control, None, 0.01)
    np.testing.assert_allclose(states[0].joint_q.numpy(), [0.2], atol=1e-4)
