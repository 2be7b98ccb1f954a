"""SolverMuJoCo against plain MuJoCo, conservation laws, and Newton's own results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.solvers import SolverMuJoCo, SolverNotifyFlags

DT = 0.005
DOF = newton.ModelBuilder.JointDofConfig


def _pose(x: float, y: float, z: float) -> wp.transform:
    return wp.transform(wp.vec3(x, y, z), wp.quat_identity())


def pendulum(links: int = 3, **joint: Any) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    parent, joints = -1, []
    for i in range(links):
        link = builder.add_link(mass=0.0)
        builder.add_shape_box(link, hx=0.5, hy=0.1, hz=0.1)
        frame = _pose(0.5, 0.0, 0.0) if i else _pose(0.0, 0.0, 5.0)
        options = {"axis": wp.vec3(0, 1, 0), "armature": 0.01} | joint
        joints.append(
            builder.add_joint_revolute(
                parent, link, parent_xform=frame, child_xform=_pose(-0.5, 0, 0), **options
            )
        )
        parent = link
    builder.add_articulation(joints)
    return builder


def several_axes() -> newton.ModelBuilder:
    """A joint of three axes and a ball joint, driven."""
    builder = newton.ModelBuilder()
    first = builder.add_link(mass=0.0)
    builder.add_shape_sphere(first, radius=0.2)
    d6 = builder.add_joint_d6(
        -1,
        first,
        linear_axes=[DOF(axis=(1, 0, 0), target_ke=50, target_kd=5, target_pos=0.3)],
        angular_axes=[
            DOF(axis=(0, 1, 0)),
            DOF(axis=(0, 0, 1), target_ke=10, target_kd=1, target_pos=0.5),
        ],
        parent_xform=_pose(0, 0, 3),
        child_xform=_pose(0, 0, 0.5),
    )
    second = builder.add_link(mass=0.0)
    builder.add_shape_capsule(second, radius=0.1, half_height=0.3)
    ball = builder.add_joint_ball(
        first, second, parent_xform=_pose(0, 0, -0.3), child_xform=_pose(0, 0.2, 0.3)
    )
    builder.add_articulation([d6, ball])
    return builder


def boxes(count: int = 3) -> newton.ModelBuilder:
    """A tower that stands."""
    builder = newton.ModelBuilder()
    for i in range(count):
        turn = wp.quat_from_axis_angle(wp.vec3(0, 0, 1), 0.3 * i)
        body = builder.add_body(xform=wp.transform(wp.vec3(0, 0, 0.11 + 0.21 * i), turn))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.add_ground_plane()
    return builder


def run(builder: newton.ModelBuilder, steps: int, **options: Any) -> tuple[Any, Any, Any]:
    model = builder.finalize()
    solver = SolverMuJoCo(model, **options)
    state, other = model.state(), model.state()
    for _ in range(steps):
        state.clear_forces()
        solver.step(state, other, model.control(), None, DT)
        state, other = other, state
    return model, solver, state


def copies(builder: newton.ModelBuilder, count: int) -> newton.ModelBuilder:
    worlds = newton.ModelBuilder()
    worlds.replicate(builder, count)
    return worlds


_PENDULUM = """
<mujoco><option timestep="0.005" integrator="implicitfast"/><worldbody>
<body pos="0.5 0 5"><joint axis="0 1 0" pos="-0.5 0 0" armature="0.01"/>
  <geom type="box" size="0.5 0.1 0.1" contype="0" conaffinity="0"/>
  <body pos="1 0 0"><joint axis="0 1 0" pos="-0.5 0 0" armature="0.01"/>
    <geom type="box" size="0.5 0.1 0.1" contype="0" conaffinity="0"/>
    <body pos="1 0 0"><joint axis="0 1 0" pos="-0.5 0 0" armature="0.01"/>
      <geom type="box" size="0.5 0.1 0.1" contype="0" conaffinity="0"/>
</body></body></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("count", [1, 3])
def test_a_chain_moves_as_the_same_file_in_mujoco(count: int) -> None:
    plain = mujoco.MjModel.from_xml_string(_PENDULUM)
    data = mujoco.MjData(plain)
    mujoco.mj_step(plain, data, nstep=100)
    _model, _, state = run(copies(pendulum(), count), 100)
    # inertias of builders are float32, 1e-7 of them; the first half second of a fall that is
    # not chaotic yet makes ten times that of it
    expected = np.tile(data.qpos, count)
    np.testing.assert_allclose(state.joint_q.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("make", [pendulum, several_axes, boxes])
def test_states_are_those_of_the_model_that_it_shows(make: Any) -> None:
    _model, solver, state = run(make(), 100)
    plain, data = solver.mj_model, mujoco.MjData(solver.mj_model)
    data.ctrl[:] = solver.mj_data.ctrl
    mujoco.mj_step(plain, data, nstep=100)
    np.testing.assert_allclose(solver.mj_data.qpos, data.qpos, atol=1e-6)
    mujoco.mj_kinematics(plain, data)
    places = solver.mjc_body_to_newton.numpy()[0]
    # body poses are worked out from float32 joint positions over three links of a metre
    np.testing.assert_allclose(state.body_q.numpy()[places[1:], :3], data.xpos[1:], atol=5e-6)


def test_a_free_body_keeps_its_velocity_and_momentum_about_a_centre_off_its_origin() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    body = builder.add_body(xform=_pose(0, 0, 1), mass=2.0, com=wp.vec3(0.3, 0.0, 0.0))
    builder.body_inertia[body] = wp.mat33(0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.25)
    builder.body_inv_inertia[body] = wp.inverse(builder.body_inertia[body])
    model = builder.finalize()
    solver = SolverMuJoCo(model, integrator="rk4")
    state, other = model.state(), model.state()
    state.joint_qd.assign([1.0, 0.5, 0.0, 0.2, 3.0, 0.1])
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    inertia = np.diag([0.1, 0.2, 0.25])

    def momentum(s: Any) -> np.ndarray:
        turn = np.array(wp.quat_to_matrix(wp.quat(*s.body_q.numpy()[0, 3:]))).reshape(3, 3)
        return turn @ inertia @ turn.T @ s.body_qd.numpy()[0, 3:]

    first = momentum(state)
    for _ in range(200):
        solver.step(state, other, None, None, DT)
        state, other = other, state
    velocity = state.body_qd.numpy()[0]
    np.testing.assert_allclose(velocity[:3], [1.0, 0.5, 0.0], atol=2e-5)  # float32 states
    # a rotation by 0.015 rad a step, to the fourth order, in 200 steps: 1e-7
    np.testing.assert_allclose(momentum(state), first, atol=2e-5)


def test_a_pendulum_without_damping_keeps_its_energy() -> None:
    model = pendulum(2, armature=0.0).finalize()
    solver = SolverMuJoCo(model, integrator="rk4")
    state, other = model.state(), model.state()
    data = solver.mj_data
    solver.mj_model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    energies = []
    for _ in range(200):
        solver.step(state, other, None, None, DT)
        state, other = other, state
        energies.append(data.energy.sum())
    # RK4: (5 ms x 5 rad/s)^4 / 30 a step of 400 J, in 200 steps: 1e-3
    assert np.ptp(energies) < 1e-2


def one_box() -> newton.ModelBuilder:
    """Of a tower, float32 makes one that leans by 2e-4."""
    return boxes(1)


@pytest.mark.parametrize("make", [pendulum, several_axes, one_box])
def test_the_cpu_and_the_code_of_the_gpu_agree(make: Any) -> None:
    results = []
    for backend in ("cpu", "warp"):
        _, _, state = run(copies(make(), 2), 50, backend=backend)
        results.append(state.body_q.numpy())
    np.testing.assert_allclose(results[0], results[1], atol=1e-4)


def test_worlds_that_differ_are_stepped_in_groups() -> None:
    worlds = newton.ModelBuilder()
    for one in (pendulum(), boxes(2), pendulum()):
        worlds.add_world(one)
    _model, _, state = run(worlds, 60)
    alone = [run(one, 60)[2].body_q.numpy() for one in (pendulum(), boxes(2))]
    rows = state.body_q.numpy()
    np.testing.assert_allclose(rows[:3], alone[0], atol=1e-6)
    np.testing.assert_allclose(rows[3:5], alone[1], atol=1e-6)
    np.testing.assert_allclose(rows[5:], alone[0], atol=1e-6)


def test_worlds_that_differ_in_numbers_share_a_model() -> None:
    worlds = newton.ModelBuilder()
    worlds.replicate(pendulum(1), 3)
    worlds.joint_armature[:] = [0.0, 1.0, 5.0]
    _model, solver, state = run(worlds, 20)
    assert solver.mj_model.nv == 1
    for i, armature in enumerate((0.0, 1.0, 5.0)):
        _, _, one = run(pendulum(1, armature=armature), 20)
        np.testing.assert_allclose(state.joint_q.numpy()[i], one.joint_q.numpy()[0], atol=1e-6)


def _with_centre(x: float, inertia: tuple[float, ...]) -> newton.ModelBuilder:
    builder = pendulum(1)
    builder.body_com[0] = wp.vec3(x, 0.0, 0.1)
    builder.body_inertia[0] = wp.mat33(*inertia)
    builder.body_inv_inertia[0] = wp.inverse(builder.body_inertia[0])
    return builder


_ALONG = (1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.5)
_ASIDE = (1.0, 0.2, 0.0, 0.2, 2.0, 0.1, 0.0, 0.1, 2.5)


def test_worlds_may_differ_in_centres_of_mass_and_principal_axes() -> None:
    kinds = [(0.0, _ALONG), (0.2, _ALONG), (-0.1, _ASIDE)]
    worlds = newton.ModelBuilder()
    for kind in kinds:
        worlds.add_world(_with_centre(*kind))
    _, solver, state = run(worlds, 40)
    assert solver.mj_model.nv == 1
    alone = [run(_with_centre(*kind), 40)[2].joint_q.numpy()[0] for kind in kinds]
    np.testing.assert_allclose(state.joint_q.numpy(), alone, atol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_a_centre_of_mass_moves_while_the_simulation_runs(count: int) -> None:
    model, solver, state = run(copies(_with_centre(0.0, _ALONG), count), 20)
    other_way, _, _ = run(_with_centre(0.3, _ASIDE), 0)
    model.body_com.assign(np.tile(other_way.body_com.numpy(), (count, 1)))
    model.body_inertia.assign(np.tile(other_way.body_inertia.numpy(), (count, 1, 1)))
    solver.notify_model_changed(SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)
    fresh = SolverMuJoCo(other_way)
    single = other_way.state()
    single.joint_q.assign(state.joint_q.numpy()[:1])
    single.joint_qd.assign(state.joint_qd.numpy()[:1])
    for moved, mover, one in ((state, solver, model), (single, fresh, other_way)):
        for _ in range(10):
            mover.step(moved, moved, one.control(), None, DT)
    # the state went through float32 once: 1e-7 of 2 rad/s, for 50 ms
    np.testing.assert_allclose(state.joint_q.numpy(), single.joint_q.numpy()[0], atol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_what_a_script_changes_is_taken_over(count: int) -> None:
    model, solver, state = run(copies(pendulum(1), count), 0)
    model.joint_friction.fill_(1e4)
    model.set_gravity((0.0, 0.0, -1.0))
    model.body_mass.fill_(3.0)
    solver.notify_model_changed(
        SolverNotifyFlags.JOINT_DOF_PROPERTIES
        | SolverNotifyFlags.MODEL_PROPERTIES
        | SolverNotifyFlags.BODY_INERTIAL_PROPERTIES
    )
    assert np.allclose(solver.mjw_model.opt.gravity.numpy(), [0, 0, -1])
    assert np.allclose(solver.mjw_model.dof_frictionloss.numpy(), 1e4)
    assert np.allclose(solver.mjw_model.body_mass.numpy()[:, 1], 3.0)
    other = model.state()
    solver.step(state, other, None, None, DT)
    assert np.abs(other.joint_qd.numpy()).max() < 1e-3  # friction holds it


def _touching(builder: newton.ModelBuilder, gap: float = 0.0) -> int:
    model = builder.finalize()
    solver = SolverMuJoCo(model)
    mujoco.mj_forward(solver.mj_model, solver.mj_data)
    return int(solver.mj_data.ncon > 0)


@pytest.mark.parametrize(
    ("groups", "touch"), [((1, 1), 1), ((1, 2), 0), ((0, 1), 0), ((-1, 1), 1), ((-1, -1), 0)]
)
def test_groups_decide_what_collides(groups: tuple[int, int], touch: int) -> None:
    builder = newton.ModelBuilder()
    for i, group in enumerate(groups):
        body = builder.add_body(xform=_pose(0.1 * i, 0, 1))
        config = newton.ModelBuilder.ShapeConfig(collision_group=group)
        builder.add_shape_sphere(body, radius=0.1, cfg=config)
    assert _touching(builder) == touch


def test_pairs_of_shapes_that_are_filtered_do_not_collide_while_others_of_their_bodies_do() -> None:
    builder = newton.ModelBuilder()
    shapes = []
    for i in range(2):
        body = builder.add_body(xform=_pose(0.15 * i, 0, 1))
        shapes.append([builder.add_shape_sphere(body, radius=0.1) for _ in range(2)])
    builder.add_shape_collision_filter_pair(shapes[0][0], shapes[1][0])
    model = builder.finalize()
    solver = SolverMuJoCo(model)
    mujoco.mj_forward(solver.mj_model, solver.mj_data)
    places = solver.mjc_geom_to_newton_shape.numpy()[0]
    pairs = {tuple(sorted(places[list(g)])) for g in solver.mj_data.contact.geom}
    assert pairs == {(0, 3), (1, 2), (1, 3)}


def test_contacts_hold_weights() -> None:
    builder = boxes(2)
    builder.request_contact_attributes("force")
    model, solver, state = run(builder, 200)
    contacts = model.contacts()
    solver.update_contacts(contacts, state)
    count = contacts.rigid_contact_count.numpy()[0]
    force = contacts.force.numpy()[:count, 2]
    shapes = contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_shape1.numpy()
    ground = model.shape_body.numpy()[shapes[0]] < 0
    weight = 9.81 * model.body_mass.numpy().sum()
    # at rest within what a second of settling leaves
    assert abs(np.abs(force[ground]).sum() - weight) < 0.02 * weight


def test_joints_that_mujoco_has_not_are_refused() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_distance(-1, body)])
    with pytest.raises(NotSupportedError, match="DISTANCE"):
        SolverMuJoCo(builder.finalize())
    lonely = newton.ModelBuilder()
    lonely.add_link(mass=1.0)
    with pytest.raises(InvalidArgumentError, match="at least one joint"):
        SolverMuJoCo(lonely.finalize())


def test_a_coupling_and_a_mimic_hold() -> None:
    builder = pendulum(3)
    builder.add_equality_constraint_joint(1, 0, polycoef=[0.1, 0.5, 0.0, 0.0, 0.0])
    builder.add_constraint_mimic(2, 0, coef0=-0.2, coef1=0.25)
    _, _, state = run(builder, 100)
    q = state.joint_q.numpy()
    # soft by MuJoCo's defaults
    assert abs(q[1] - (0.1 + 0.5 * q[0])) < 0.02
    assert abs(q[2] - (-0.2 + 0.25 * q[0])) < 0.02


def test_a_saved_file_loads_in_mujoco(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    run(several_axes(), 0, save_to_mjcf=str(file))
    loaded = mujoco.MjModel.from_xml_path(str(file))
    assert (loaded.nv, loaded.nu) == (6, 2)


# positions and quaternions of newton 0.2.0's SolverMuJoCo after 200 steps of 5 ms, by the scenes
# above in its own environment, printed with `state.body_q.numpy()`
_NEWTON = {
    "pendulum": [
        [-0.12556, 0.0, 4.51602, 0.0, 0.79092, 0.0, 0.61192],
        [-0.60536, 0.0, 3.67918, 0.0, 0.92425, 0.0, 0.38178],
        [-1.36636, 0.0, 3.03555, 0.0, 0.95224, 0.0, 0.30536],
    ],
    "several_axes": [
        [0.11204, 0.0, 2.50006, 0.00252, 0.00752, 0.31794, 0.94808],
        [0.11109, 0.0712, 1.84667, 0.38297, 0.00092, 0.03194, 0.92321],
    ],
}


@pytest.mark.parametrize("make", [pendulum, several_axes])
def test_positions_after_a_second_are_those_of_newton(make: Any) -> None:
    builder = make()
    if make is several_axes:
        builder.joint_armature[:4] = [0.01] * 4
    _, _, state = run(builder, 200)
    np.testing.assert_allclose(state.body_q.numpy(), _NEWTON[make.__name__], atol=1e-4)


def test_steps_of_a_recorded_graph_are_those_of_a_loop() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.6), (0.0, 0.3826834, 0.0, 0.9238795)))
    builder.add_shape_box(body, hx=0.2, hy=0.1, hz=0.1)
    model = builder.finalize(device="cpu")
    ends = []
    for recorded in (False, True):
        solver = SolverMuJoCo(model)
        now, after = model.state(), model.state()

        def twice(solver: Any = solver, now: Any = now, after: Any = after) -> None:
            for first, second in ((now, after), (after, now)):
                first.clear_forces()
                solver.step(first, second, None, None, 0.005)

        if recorded:
            with wp.ScopedCapture(device="cpu") as capture:
                twice()
            for _ in range(50):
                wp.capture_launch(capture.graph)
        else:
            for _ in range(50):
                twice()
        ends.append(now.body_q.numpy().copy())
    assert 0.0 < ends[0][0, 2] < 0.5
    assert (ends[0] == ends[1]).all()


def test_a_recorded_graph_moves_numbers_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    model = several_axes().finalize(device="cpu")
    solver = SolverMuJoCo(model)
    now, after = model.state(), model.state()
    control = model.control()
    with wp.ScopedCapture(device="cpu") as capture:
        solver.step(now, after, control, None, DT)
        solver.step(after, now, control, None, DT)
    launched: list[Any] = []
    monkeypatch.setattr(wp, "launch", lambda kernel, **_: launched.append(kernel))
    before = now.joint_q.numpy().copy()
    wp.capture_launch(capture.graph)
    assert not launched
    assert (now.joint_q.numpy() != before).all()


def test_what_a_recorded_step_raises_reaches_the_caller_and_the_state_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = several_axes().finalize(device="cpu")
    solver = SolverMuJoCo(model)
    now, after = model.state(), model.state()
    with wp.ScopedCapture(device="cpu") as capture:
        solver.step(now, after, None, None, DT)
        solver.step(after, now, None, None, DT)
    wp.capture_launch(capture.graph)
    before = [now.joint_q.numpy().copy(), now.joint_qd.numpy().copy(), now.body_q.numpy().copy()]
    calls: list[float] = []
    (part,) = solver._parts
    step = part.worlds.step

    def broken(dt: float) -> None:
        calls.append(dt)
        step(dt)
        raise ArithmeticError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(part.worlds, "step", broken)
        with pytest.raises(ArithmeticError, match="broken") as raised:
            wp.capture_launch(capture.graph)
    assert "broken" in [entry.name for entry in raised.traceback]
    assert len(calls) == 1  # the second step of the graph is left out
    # Poses go from float32 to MuJoCo's doubles and back, through frames of joints: rounding.
    for values, array in zip(before, (now.joint_q, now.joint_qd, now.body_q), strict=True):
        assert np.allclose(array.numpy(), values, atol=1e-6)
    wp.capture_launch(capture.graph)
    assert (now.joint_q.numpy() != before[0]).any()


def test_a_recorded_graph_steps_the_model_as_it_was_changed_since() -> None:
    ends = []
    for recorded in (False, True):
        model = pendulum(1).finalize(device="cpu")
        solver = SolverMuJoCo(model)
        now, after = model.state(), model.state()

        def twice(solver: Any = solver, now: Any = now, after: Any = after) -> None:
            solver.step(now, after, None, None, DT)
            solver.step(after, now, None, None, DT)

        repeat = twice
        if recorded:
            with wp.ScopedCapture(device="cpu") as capture:
                twice()
            repeat = lambda graph=capture.graph: wp.capture_launch(graph)  # noqa: E731
        repeat()
        com = model.body_com.numpy()
        com[0] = (0.3, 0.0, 0.1)
        model.body_com.assign(com)
        solver.notify_model_changed(SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)
        for _ in range(20):
            repeat()
        ends.append(now.joint_q.numpy().copy())
    assert abs(ends[0][0]) > 0.05
    assert (ends[0] == ends[1]).all()


def test_a_joint_that_a_script_leaves_alone_goes_on_in_double_precision() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    for x in (0.0, 5.0):
        body = builder.add_body(xform=_pose(x, 0.0, 0.0), mass=1.0)
        builder.add_shape_sphere(body, radius=0.1)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, use_mujoco_cpu=True)
    now, after = model.state(), model.state()
    velocity = now.joint_qd.numpy()
    velocity[6] = 1.0 / 3.0
    now.joint_qd.assign(velocity)
    for _ in range(100):
        solver.step(now, after, None, None, DT)
        now, after = after, now
        q = now.joint_q.numpy()
        q[0] += 0.001  # the first body only
        now.joint_q.assign(q)
    # 100 steps of 1/3 m/s (as a float32) from 5 m; float32 rounds each sum to 2.4e-7.
    exact = 5.0 + 100 * DT * float(np.float32(1.0 / 3.0))
    assert abs(solver.mj_data.qpos[7] - exact) < 1e-12


def test_a_ball_rests_on_a_height_field_where_its_surface_is() -> None:
    heights = np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]) - 1.0
    field = newton.Heightfield(heights, 3, 3, hx=1.0, hy=1.0)
    builder = newton.ModelBuilder()
    builder.add_shape_heightfield(heightfield=field)
    ball = builder.add_body(xform=((0.0, 0.6, 1.3), (0.0, 0.0, 0.0, 1.0)))
    builder.add_shape_sphere(ball, radius=0.2)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model)
    solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES)
    one, other = model.state(), model.state()
    for _ in range(400):
        solver.step(one, other, None, None, 0.005)
        one, other = other, one
    # the plateau beyond y = 0 is at 1 m; contacts of the default stiffness give way by millimetres
    assert one.body_q.numpy()[ball, 2] == pytest.approx(1.2, abs=0.01)
    assert one.body_q.numpy()[ball, :2] == pytest.approx([0.0, 0.6], abs=1e-3)


def test_worlds_that_differ_are_given_contacts_that_were_found_elsewhere() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for count in (1, 2):
        world: Any = newton.ModelBuilder()
        for k in range(count):
            body = world.add_body(_pose(k, 0.0, 0.1), mass=1.0, inertia=0.01 * np.eye(3))
            cfg = newton.ModelBuilder.ShapeConfig(density=0.0)
            world.add_shape_sphere(body, radius=0.1, cfg=cfg)
        builder.add_world(world)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, use_mujoco_contacts=False)
    before, after = model.state(), model.state()
    contacts = model.contacts()
    for _ in range(60):
        model.collide(before, contacts)
        solver.step(before, after, None, contacts, 5e-3)
        before, after = after, before
    # without contacts they would have fallen by 0.44 m; MuJoCo's are soft
    assert np.allclose(before.body_q.numpy()[:, 2], 0.1, atol=5e-3)


def test_a_height_field_stays_where_it_was_compiled_when_its_scale_is_changed() -> None:
    field = newton.Heightfield(np.eye(2), 2, 2, min_z=-0.5, max_z=0.5)
    builder = newton.ModelBuilder()
    builder.add_shape_heightfield(wp.transform((0.0, 0.0, 1.0), wp.quat_identity()), field)
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 3.0), wp.quat_identity()))
    builder.add_shape_sphere(body, radius=0.1)
    model = builder.finalize()
    solver = SolverMuJoCo(model)
    model.shape_scale.assign([(1.0, 1.0, 2.0), (0.1, 0.0, 0.0)])
    solver.notify_model_changed(newton.solvers.SolverNotifyFlags.SHAPE_PROPERTIES)
    geom = int(np.flatnonzero(solver.mj_model.geom_type == 1)[0])
    positions = solver.mjw_model.geom_pos.numpy().reshape(-1, 3)
    assert np.allclose(positions[geom], [0.0, 0.0, 0.5], atol=1e-6)


@pytest.mark.parametrize("moments", [(0.1, 0.2, 0.3), (0.3, 0.7, 1.0), (0.02, 0.02, 0.04)])
def test_a_flat_body_of_single_precision_is_compiled(moments: tuple[float, float, float]) -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.diag(moments))
    builder.add_articulation([builder.add_joint_revolute(-1, body, axis="y")])
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    assert sorted(solver.mj_model.body_inertia[1]) == pytest.approx(sorted(moments), rel=1e-6)
