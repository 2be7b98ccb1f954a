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


def spin_in_a_loop(kind: str) -> list[float]:
    """What is left of a body's spin about x and z, where a joint of a kind closes a loop."""
    builder = newton.ModelBuilder(gravity=0.0)
    base, body = link(builder), link(builder)
    held = builder.add_joint_fixed(parent=-1, child=base)
    builder.add_articulation([held, builder.add_joint_ball(parent=base, child=body)])
    axis = {"axis": (0.0, 0.0, 1.0)} if kind == "revolute" else {}
    getattr(builder, f"add_joint_{kind}")(parent=-1, child=body, **axis)
    model = builder.finalize(device="cpu", skip_validation_joints=True)
    solver = SolverMuJoCo(model, use_mujoco_cpu=True)
    state = model.state()
    spin = np.zeros(model.joint_dof_count, np.float32)
    spin[[0, 2]] = 1.0
    state.joint_qd.assign(spin)
    for _ in range(100):
        solver.step(state, state, None, None, 5e-3)
    return state.joint_qd.numpy()[:3].round(2).tolist()


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    ("kind", "left"),
    [("fixed", [0.0, 0.0, 0.0]), ("revolute", [0.0, 0.0, 1.0]), ("ball", [1.0, 0.0, 1.0])],
)
def test_joints_that_close_loops_hold_what_their_kinds_hold(kind: str, left: list[float]) -> None:
    # in half a second the constraints' springs, of 20 ms, take what they hold to below a hundredth
    assert spin_in_a_loop(kind) == pytest.approx(left, abs=0.011)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("cpu", [True, False])
def test_a_loop_that_is_open_at_first_closes_at_the_anchors_of_its_joint(cpu: bool) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    base, body = link(builder), link(builder)
    held = builder.add_joint_fixed(parent=-1, child=base)
    slider = builder.add_joint_prismatic(parent=base, child=body, axis="x")
    builder.add_articulation([held, slider])
    apart = wp.transform((0.02, 0.0, 0.0), wp.quat_identity())
    builder.add_joint_ball(parent=-1, child=body, child_xform=apart)
    model = builder.finalize(device="cpu", skip_validation_joints=True)
    solver = SolverMuJoCo(model, use_mujoco_cpu=cpu)
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    state = model.state()
    for _ in range(60):
        solver.step(state, state, None, None, 5e-3)
    # a critically damped spring of 20 ms: after 0.3 s (1 + 15) e^-15 of the 20 mm are left
    assert state.joint_q.numpy()[0] == pytest.approx(-0.02, abs=1e-4)


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


def replicated(world: newton.ModelBuilder, offset: float = 1.0) -> newton.Model:
    builder = newton.ModelBuilder()
    builder.replicate(world, 2, spacing=(offset, 0.0, 0.0))
    return builder.finalize(device="cpu")


def test_the_first_step_of_many_worlds_tells_its_forces() -> None:
    world = newton.ModelBuilder(gravity=-10.0)
    body = link(world, com=(0.5, 0.0, 0.0))
    config = newton.ModelBuilder.JointDofConfig(axis=newton.Axis.Y, armature=0.0)
    world.add_articulation([world.add_joint_d6(-1, body, angular_axes=[config])])
    model = replicated(world)
    solver = SolverMuJoCo(model)
    told = solver.observables({"qfrc_bias", "body_qdd"})
    solver.step(model.state(), model.state(), None, None, 0.001, observables=told)
    np.testing.assert_allclose(told.qfrc_bias.numpy(), [-5.0, -5.0], 1e-6)
    assert np.abs(told.body_qdd.numpy()).max() > 1.0


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_dry_friction_of_joints_is_told_apart_from_other_constraints(backend: str) -> None:
    builder = newton.ModelBuilder(gravity=-10.0)
    for friction in (10.0, 2.0):  # holds 5 N m, or slips
        body = link(builder, com=(0.5, 0.0, 0.0))
        config = newton.ModelBuilder.JointDofConfig(axis=newton.Axis.Y, friction=friction)
        builder.add_articulation([builder.add_joint_d6(-1, body, angular_axes=[config])])
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, backend=backend)
    told = solver.observables({"qfrc_frictionloss"})
    states = [model.state(), model.state()]
    for i in range(30):
        solver.step(states[i % 2], states[1 - i % 2], None, None, 0.002, observables=told)
    # what creeps on while friction holds is the impedance of its row, below one in a hundred
    np.testing.assert_allclose(np.abs(told.qfrc_frictionloss.numpy()), [5.0, 2.0], rtol=2e-2)


def test_sites_and_shapes_of_the_world_are_where_each_world_has_them() -> None:
    world = newton.ModelBuilder()
    world.add_articulation([world.add_joint_free(child=link(world))])
    world.add_site(-1, key="place")
    model = replicated(world, 3.0)
    solver = SolverMuJoCo(model)
    wanted = model.shape_transform.numpy()[:, :3]
    assert np.ptp(wanted[:, 0]) == pytest.approx(3.0)
    np.testing.assert_allclose(solver.mjw_data.site_xpos.numpy()[:, 0], wanted, atol=1e-6)
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5)
    model.shape_transform.assign([wp.transform((1.0, 0.0, 0.0), turn)] * 2)
    solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    found = solver.mjw_data.site_xmat.numpy()[:, 0]
    np.testing.assert_allclose(found, [np.array(wp.quat_to_matrix(turn)).reshape(3, 3)] * 2, 1e-6)


@pytest.mark.usefixtures("later")
def test_a_body_without_mass_has_none_of_its_shapes_in_mujoco() -> None:
    builder = newton.ModelBuilder()
    config = newton.ModelBuilder.ShapeConfig(density=0.0)
    dummy = builder.add_link()
    builder.add_shape_box(dummy, hx=0.1, hy=0.1, hz=0.1, cfg=config)
    held = link(builder)
    joints = [builder.add_joint_free(child=dummy), builder.add_joint_fixed(dummy, held)]
    builder.add_articulation(joints)
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    np.testing.assert_allclose(solver.mj_model.body_mass, [0.0, 0.0, 1.0])


@pytest.mark.usefixtures("later")
def test_rooms_that_the_first_state_does_not_fit_grow_or_are_refused() -> None:
    builder = newton.ModelBuilder()
    for _ in range(3):  # each beyond its limit
        joint = builder.add_joint_revolute(-1, link(builder), limit_lower=1.0, limit_upper=2.0)
        builder.add_articulation([joint])
    model = builder.finalize(device="cpu")
    with pytest.warns(UserWarning, match="njmax is changed from 1 to 3"):
        assert SolverMuJoCo(model, njmax=1).mjw_data.njmax == 3
    with pytest.raises(ValueError, match=r"njmax_nnz=2 is too small.*contains 3 nonzeros"):
        SolverMuJoCo(model, jacobian="sparse", njmax_nnz=2)


def test_a_force_on_a_free_joint_is_one_of_the_world_however_its_parent_is_turned() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5 * wp.pi)
    base, child = link(builder, is_kinematic=True), link(builder)
    pose = wp.transform(wp.vec3(), turn)
    joints = [builder.add_joint_fixed(parent=-1, child=base, parent_xform=pose)]
    builder.add_articulation([*joints, builder.add_joint_free(parent=base, child=child)])
    model = builder.finalize(device="cpu")
    state, after, control = model.state(), model.state(), model.control()
    control.joint_f.assign([10.0, 0.0, 0.0, 0.0, 2.0, 0.0])
    solver = newton.solvers.SolverFeatherstone(model, angular_damping=0.0)
    solver.step(state, after, control, None, 0.01)
    np.testing.assert_allclose(after.body_qd.numpy()[child], [0.1, 0, 0, 0, 0.02, 0], atol=1e-6)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("backend", ["cpu", "warp"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forces_of_contacts_have_their_friction(backend: str, cone: str) -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane(cfg=newton.ModelBuilder.ShapeConfig(mu=1.0))
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.1), wp.quat_identity()))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(device="cpu")
    pull = np.array([3.0, 1.0, -9.0])  # below the friction's limit
    model.set_gravity(tuple(pull))
    solver, contacts = SolverMuJoCo(model, backend=backend, cone=cone), model.contacts()
    told = solver.observables({"contact_f"}, contacts=contacts)
    states = [model.state(), model.state()]
    for i in range(60):
        solver.step(states[i % 2], states[1 - i % 2], None, contacts, 0.005, observables=told)
    count = int(contacts.rigid_contact_count.numpy()[0])
    force = told.contact_f.numpy()[:count, :3].sum(axis=0)
    sign = -1.0 if contacts.rigid_contact_shape0.numpy()[0] == 0 else 1.0  # on the first shape
    # it comes to rest at its softness, whose time constant is a fifteenth of the time
    np.testing.assert_allclose(sign * force, -model.body_mass.numpy()[0] * pull, rtol=0.02)


@pytest.mark.parametrize(("worlds", "cpu"), [(1, True), (2, False)])
def test_connections_hold_the_second_body_at_the_point_it_first_has(worlds: int, cpu: bool) -> None:
    """A pendulum along x, whose middle an equality constraint holds: gravity moves nothing."""
    world = newton.ModelBuilder()
    body = link(world)
    hinge = world.add_joint_revolute(parent=-1, child=body, axis=(0.0, 1.0, 0.0))
    world.add_shape_sphere(body, xform=wp.transform((1.0, 0.0, 0.0), wp.quat_identity()))
    world.add_articulation([hinge])
    row = world.add_equality_constraint_connect(body1=-1, body2=body, anchor=(0.5, 0.0, 0.1))
    builder = newton.ModelBuilder()
    for _ in range(worlds):
        builder.add_world(world)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, use_mujoco_cpu=cpu)
    np.testing.assert_allclose(solver.mj_model.eq_data[row, 3:6], [0.5, 0.0, 0.1], rtol=1e-6)
    states = model.state(), model.state()
    for _ in range(20):
        solver.step(*states, model.control(), None, 0.005)
        states = states[::-1]
    # a soft constraint gives way by less than a free pendulum, which turns by 0.07 rad
    assert np.abs(states[0].joint_q.numpy()).max() < 5e-3
    model.equality_constraint_anchor.assign([[0.3, 0.0, 0.2]] * worlds)
    solver.notify_model_changed(ModelFlags.CONSTRAINT_PROPERTIES)
    if cpu:
        np.testing.assert_allclose(solver.mj_model.eq_data[row, 3:6], [0.3, 0.0, 0.2], rtol=1e-6)
    for _ in range(20):
        solver.step(*states, model.control(), None, 0.005)
        states = states[::-1]
    assert np.abs(states[0].joint_q.numpy()).max() < 5e-3


def test_springs_of_joints_rest_where_files_say_even_without_stiffness(later: None) -> None:
    builder = newton.ModelBuilder()
    builder.add_mjcf("""<mujoco><worldbody><body><joint type="slide" springref="0.3" ref="0.1"/>
        <geom size="0.1" mass="1"/></body></worldbody></mujoco>""")
    found = SolverMuJoCo(builder.finalize(device="cpu"), use_mujoco_cpu=True).mj_model
    np.testing.assert_allclose(found.qpos_spring, [0.3], rtol=1e-6)


def test_worlds_that_are_alike_tell_once_which_meshes_their_geoms_have() -> None:
    solver = SolverMuJoCo(cones(0.1, 0.1))
    assert solver.mjw_model.geom_dataid.numpy().tolist() == [[0]]


@pytest.mark.parametrize("dialect", ["present", "later"])
def test_a_ball_slides_until_it_rolls_on_given_contacts(
    dialect: str, request: pytest.FixtureRequest
) -> None:
    if dialect == "later":
        request.getfixturevalue("later")
    builder = newton.ModelBuilder()
    cfg = newton.ModelBuilder.ShapeConfig(mu=0.5)
    builder.add_ground_plane(cfg=cfg)
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.1), wp.quat_identity()))
    builder.add_shape_sphere(body, radius=0.1, cfg=cfg)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, use_mujoco_contacts=False)
    before, after = model.state(), model.state()
    before.body_qd.assign([(0.1, 0.0, 0.0, 0.0, 0.0, 0.0)])
    before.joint_qd.assign([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    contacts = model.contacts()
    for _ in range(60):
        model.collide(before, contacts)
        solver.step(before, after, None, contacts, 2e-3)
        before, after = after, before
    # friction at the lowest point of a solid ball leaves it 5/7 of its speed, whatever friction is
    vx, _, _, _, spin, _ = before.body_qd.numpy()[0]
    assert vx == pytest.approx(0.1 * 5.0 / 7.0, rel=0.02)
    assert 0.1 * spin == pytest.approx(vx, rel=0.02)
