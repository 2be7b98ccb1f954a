"""Joints that follow others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import solvers
from unibody.newton.exceptions import NewtonWarning
from unibody.newton.mimics import eval_mimic
from unibody.newton.solvers.flags import ModelFlags


def _pair() -> Any:
    builder: Any = newton.ModelBuilder(gravity=0.0)
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    axes = [newton.ModelBuilder.JointDofConfig(axis=axis, armature=0.0) for axis in "xy"]
    joints = [builder.add_joint_d6(-1, link, linear_axes=axes) for link in links]
    builder.add_articulation(joints)
    builder.set_joint_mimic(joints[1], joints[0], coeffs=(0.1, -1.5))
    return builder


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_joints_follow_others_axis_by_axis_in_all_worlds(backend: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    builder.replicate(_pair(), 2)
    model = builder.finalize(device="cpu")
    assert model.joint_mimic_joint.numpy().tolist() == [-1, 0, -1, 2]
    solver = solvers.SolverMuJoCo(model, backend=backend)
    assert solver.mjc_eq_to_newton_joint_mimic.numpy().tolist() == [[1, 1], [3, 3]]
    coefficients = model.joint_mimic_coeffs.numpy()
    coefficients[3] = (0.0, 2.0)
    model.joint_mimic_coeffs.assign(coefficients)
    solver.notify_model_changed(ModelFlags.CONSTRAINT_PROPERTIES)
    before, after = model.state(), model.state()
    before.joint_q.assign([0.2, -0.1, 0.0, 0.0] * 2)
    forces = np.zeros((4, 6), np.float32)
    forces[:, 0] = 0.2  # it pulls at all
    for _ in range(400):
        before.body_f.assign(forces)
        solver.step(before, after, None, None, 5e-3)
        before, after = after, before
    q = before.joint_q.numpy().reshape(2, 2, 2)
    # MuJoCo's couplings are springs of a time constant of 0.02 s: 2 s later 0.2 N leave 1e-4
    assert np.allclose(q[0, 1], 0.1 - 1.5 * q[0, 0], atol=1e-3)
    assert np.allclose(q[1, 1], 2.0 * q[1, 0], atol=1e-3)
    assert abs(q[0, 0, 0] - 0.2) > 0.01


def test_coordinates_of_followers_are_written_where_they_are_asked_for() -> None:
    builder = newton.ModelBuilder()
    for _ in range(2):
        builder.add_builder(_pair())
    model = builder.finalize(device="cpu")
    state, out = model.state(), model.state()
    state.joint_q.assign([0.2, -0.1, 9.0, 9.0] * 2)
    state.joint_qd.assign([1.0, 2.0, 9.0, 9.0] * 2)
    out.joint_q.fill_(7.0)
    eval_mimic(model, state, out, indices=wp.array([1], dtype=int, device="cpu"))
    assert np.allclose(out.joint_q.numpy(), [7.0] * 4 + [0.2, -0.1, -0.2, 0.25])
    eval_mimic(model, state)
    assert np.allclose(state.joint_qd.numpy(), [1.0, 2.0, -1.5, -3.0] * 2)
    with pytest.raises(ValueError, match="both mask and indices"):
        eval_mimic(model, state, mask=wp.zeros(2, dtype=bool), indices=wp.zeros(1, dtype=int))


def test_pairs_that_do_not_fit_are_refused_by_name() -> None:
    builder: Any = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0) for _ in range(4)]
    hinges = [builder.add_joint_revolute(-1, link) for link in links[:3]]
    ball = builder.add_joint_ball(-1, links[3])
    builder.set_joint_mimic(hinges[1], hinges[0])
    for follower, leader, told in (
        (hinges[2], hinges[1], "chains"),
        (hinges[0], hinges[2], "chains"),
        (hinges[2], hinges[2], "itself"),
        (ball, hinges[0], "BALL"),
    ):
        with pytest.raises(ValueError, match=told):
            builder.set_joint_mimic(follower, leader)
    builder.set_joint_mimic(hinges[1], None)
    assert builder.joint_mimic_joint == [-1] * 4


def test_a_second_joint_between_two_bodies_is_told_at_the_line_of_the_script() -> None:
    builder: Any = newton.ModelBuilder()
    body = builder.add_body(mass=1.0, key="Sun")
    with pytest.warns(NewtonWarning, match=r"Sun.*FREE.*inconsistent") as told:
        builder.add_joint_revolute(-1, body)
    assert told[0].filename == __file__
    link = builder.add_link(mass=1.0)
    builder.add_joint_revolute(-1, link)
    with pytest.warns(NewtonWarning, match="undefined semantics"):
        builder.add_joint_prismatic(-1, link)


def test_what_is_fixed_to_the_world_does_not_touch_the_ground() -> None:
    builder: Any = newton.ModelBuilder()
    builder.add_ground_plane()
    fixed, free = builder.add_link(mass=1.0), builder.add_body(mass=1.0)
    builder.add_articulation([builder.add_joint_fixed(-1, fixed)])
    for body in (fixed, free):
        builder.add_shape_sphere(body, radius=0.1)
    model = builder.finalize(device="cpu")
    solver = solvers.SolverMuJoCo(model, use_mujoco_cpu=True)
    before, after = model.state(), model.state()
    solver.step(before, after, None, None, 1e-3)
    # the free ball touches the ground and the fixed one
    assert solver.mj_data.ncon == 2


def _screw() -> Any:
    """A pendulum of 1 kg m^2, which a slider of 2 kg follows by half."""
    builder: Any = newton.ModelBuilder(gravity=0.0)
    links = [builder.add_link(mass=m, inertia=np.eye(3)) for m in (1.0, 2.0)]
    hinge = builder.add_joint_revolute(-1, links[0], axis="z", armature=0.0)
    slider = builder.add_joint_prismatic(-1, links[1], axis="z", armature=0.0)
    builder.add_articulation([hinge, slider])
    builder.set_joint_mimic(slider, hinge, coeffs=(0.1, 0.5))
    return builder


def test_followers_load_what_they_follow_with_their_inertia_and_forces() -> None:
    world = newton.ModelBuilder(gravity=0.0)
    world.replicate(_screw(), 2)
    model = world.finalize(device="cpu")
    solver = solvers.SolverFeatherstone(model)
    before, after = model.state(), model.state()
    control = model.control()
    control.joint_f.assign([3.0, -1.0] * 2)
    for _ in range(10):
        solver.step(before, after, control, None, 1e-2)
        before, after = after, before
    # (1 + 2 / 4) a = 3 - 1 / 2; ten steps of 10 ms
    assert before.joint_qd.numpy() == pytest.approx([1 / 6, 1 / 12] * 2, rel=1e-5)
    q = before.joint_q.numpy()
    assert q[1::2] == pytest.approx(0.1 + 0.5 * q[::2])


def test_gradients_go_through_joints_that_follow_others() -> None:
    model = _screw().finalize(device="cpu", requires_grad=True)
    start, end = model.state(), model.state()
    control = model.control()
    with wp.Tape() as tape:
        solvers.SolverFeatherstone(model).step(start, end, control, None, 0.1)
    tape.backward(grads={end.joint_qd: wp.array([0.0, 1.0], dtype=float, device="cpu")})
    # the slider's speed is 0.1 s / (1.5 kg m^2) of the hinge's torque, halved; of its force, a half
    assert control.joint_f.grad.numpy() == pytest.approx([0.1 / 3, 0.1 / 6], rel=1e-5)


def test_followers_of_xpbd_load_what_they_follow() -> None:
    model = _screw().finalize(device="cpu")
    solver = solvers.SolverXPBD(model, iterations=40)
    before, after = model.state(), model.state()
    before.joint_q.assign([0.0, 0.1])
    newton.eval_fk(model, before.joint_q, before.joint_qd, before)
    control = model.control()
    control.joint_f.assign([3.0, -1.0])
    for _ in range(50):
        solver.step(before, after, control, None, 1e-2)
        before, after = after, before
    q, qd = (wp.zeros(2, dtype=float, device="cpu") for _ in range(2))
    newton.eval_ik(model, before, q, qd)
    # (1 + 2 / 4) a = 3 - 1 / 2 for half a second, from an offset of 0.1
    assert qd.numpy() == pytest.approx([5 / 6, 5 / 12], rel=0.01)
    assert q.numpy()[1] == pytest.approx(0.1 + 0.5 * q.numpy()[0], abs=1e-3)


def test_joints_that_cannot_follow_in_xpbd_are_named() -> None:
    builder: Any = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    joints = [builder.add_joint_fixed(-1, links[0]), builder.add_joint_fixed(*links)]
    builder.add_articulation(joints)
    builder.joint_mimic_joint[1] = 0
    with pytest.warns(NewtonWarning, match=r"SolverXPBD: unsupported follower.*\[1\]"):
        solvers.SolverXPBD(builder.finalize(device="cpu"))


def test_springs_of_the_semi_implicit_solver_let_joints_follow_others() -> None:
    model = _screw().finalize(device="cpu")
    solver = solvers.SolverSemiImplicit(
        model, angular_damping=0.0, joint_mimic_ke=1e3, joint_mimic_kd=50.0
    )
    before, after = model.state(), model.state()
    before.joint_q.assign([0.0, 0.1])
    newton.eval_fk(model, before.joint_q, before.joint_qd, before)
    control = model.control()
    control.joint_f.assign([3.0, -1.0])
    for _ in range(250):
        solver.step(before, after, control, None, 2e-3)
        before, after = after, before
    q, qd = (wp.zeros(2, dtype=float, device="cpu") for _ in range(2))
    newton.eval_ik(model, before, q, qd)
    # (1 + 2 / 4) a = 3 - 1 / 2 for half a second. The spring's force on the slider, 2 a / 2 + 1 =
    # 8 / 3 N, stretches it. It begins at rest, and the swing of the reduced mass of 4 / 3 kg falls
    # by 50 / (2 * 4 / 3) = 19 / s, to 1e-4.
    assert qd.numpy() == pytest.approx([5 / 6, 5 / 12], rel=0.01)
    assert q.numpy()[1] - 0.1 - 0.5 * q.numpy()[0] == pytest.approx(-8 / 3e3, rel=0.01)


def test_gradients_go_through_springs_of_joints_that_follow_others() -> None:
    model = _screw().finalize(device="cpu", requires_grad=True)
    start, end = model.state(), model.state()
    solver = solvers.SolverSemiImplicit(model, angular_damping=0.0, joint_mimic_kd=0.0)
    with wp.Tape() as tape:
        solver.step(start, end, None, None, 0.1)
    upward = np.zeros((2, 6), np.float32)
    upward[1, 2] = 1.0
    told = wp.array(upward, dtype=wp.spatial_vector, device="cpu")
    tape.backward(grads={end.body_qd: told})
    # the slider's speed is -0.1 s * 100 N/m / 2 kg times its error, its place less half the angle
    assert start.body_q.grad.numpy()[1, 2] == pytest.approx(-5.0, rel=1e-5)


@pytest.mark.parametrize("name", ["joint_mimic_ke", "joint_mimic_kd"])
@pytest.mark.parametrize("gain", [-1.0, float("nan"), float("inf")])
def test_gains_of_joints_that_follow_others_are_finite_and_not_negative(
    name: str, gain: float
) -> None:
    model = newton.ModelBuilder().finalize(device="cpu")
    with pytest.raises(ValueError, match=f"{name} must be finite and non-negative"):
        solvers.SolverSemiImplicit(model, **{name: gain})


def test_vbd_says_that_no_joint_follows_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("unibody.notices._told", set())
    builder = _screw()
    builder.color()
    solvers.SolverVBD(builder.finalize(device="cpu"))
    assert "SolverVBD leaves out joints that follow others" in capsys.readouterr().err
