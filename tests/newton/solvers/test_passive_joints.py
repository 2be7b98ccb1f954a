"""Springs and damping of joints themselves, and targets by coordinate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import solvers
from unibody.newton.solvers.flags import ModelFlags

SOLVERS: dict[str, Any] = {
    "mujoco": solvers.SolverMuJoCo,
    "mujoco on warp": lambda model: solvers.SolverMuJoCo(model, backend="warp"),
    "featherstone": solvers.SolverFeatherstone,
    "semi-implicit": lambda model: solvers.SolverSemiImplicit(model, angular_damping=0.0),
}


def _turned(angle: float) -> wp.transform:
    return wp.transform((0.0, 0.0, 0.0), wp.quat_from_axis_angle(wp.vec3(0.6, 0.0, 0.8), angle))


def _run(model: Any, solver: Any, steps: int, dt: float, control: Any = None) -> Any:
    before, after = model.state(), model.state()
    newton.eval_fk(model, before.joint_q, before.joint_qd, before)
    for _ in range(steps):
        before.clear_forces()
        solver.step(before, after, control, None, dt)
        before, after = after, before
    newton.eval_ik(model, before, before.joint_q, before.joint_qd)
    return before


@pytest.mark.parametrize("kind", ["hinge", "slider"])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_spring_and_a_damper_of_a_joint_decay_as_the_closed_form(name: str, kind: str) -> None:
    builder: Any = newton.ModelBuilder(gravity=0.0)
    link = builder.add_link(mass=2.0, inertia=2.0 * np.eye(3))
    add = builder.add_joint_revolute if kind == "hinge" else builder.add_joint_prismatic
    joint = add(-1, link, axis="z", armature=0.0, stiffness=8.0, damping=2.0, rest_q=0.5)
    builder.add_articulation([joint])
    builder.add_body(_turned(0.0), mass=1.0, inertia=np.eye(3))  # coordinates are not axes
    model = builder.finalize(device="cpu")
    dt, steps = 1e-3, 1000
    state = _run(model, SOLVERS[name](model), steps, dt)
    # m x'' + d x' + k (x - r) = 0 from rest: decay d / 2m, frequency sqrt(k / m - (d / 2m)^2)
    decay, t = 0.5, steps * dt
    w = math.sqrt(4.0 - decay**2)
    expected = 0.5 - 0.5 * math.exp(-decay * t) * (math.cos(w * t) + decay / w * math.sin(w * t))
    # Steps of first order are off by about dt * w; joints of springs and float32 add their own.
    assert state.joint_q.numpy()[0] == pytest.approx(expected, abs=4e-3)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_ball_joint_is_damped_about_all_axes(name: str) -> None:
    builder: Any = newton.ModelBuilder(gravity=0.0)
    link = builder.add_link(mass=1.0, inertia=np.eye(3))
    more = {"parent_xform": _turned(0.4), "child_xform": _turned(-0.7), "armature": 0.0}
    builder.add_articulation([builder.add_joint_ball(-1, link, damping=3.0, **more)])
    builder.joint_qd[:3] = [0.5, -0.25, 1.0]
    model = builder.finalize(device="cpu")
    state = _run(model, SOLVERS[name](model), 200, 1e-3)
    # I w' = -d w; steps of first order are off by d dt / 2 of what decays
    wanted = np.array([0.5, -0.25, 1.0]) * math.exp(-3.0 * 0.2)
    assert np.allclose(state.joint_qd.numpy()[:3], wanted, rtol=4e-3, atol=1e-4)


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_a_ball_joint_with_frames_moves_alike_in_mujoco_and_featherstone(backend: str) -> None:
    def build() -> Any:
        builder: Any = newton.ModelBuilder(gravity=-9.81)
        link = builder.add_link(mass=1.0, com=(0.3, 0.1, 0.0), inertia=np.diag([0.2, 0.25, 0.3]))
        frames = {"parent_xform": _turned(0.9), "child_xform": _turned(-0.7)}
        builder.add_articulation([builder.add_joint_ball(-1, link, armature=0.0, **frames)])
        builder.joint_q[:4] = list(wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 0.5))
        builder.joint_qd[:3] = [0.5, -0.25, 1.0]
        builder.joint_f[:3] = [0.3, 0.2, -0.1]
        return builder.finalize(device="cpu")

    ends = []
    for make in (
        lambda model: solvers.SolverMuJoCo(model, backend=backend, integrator="rk4"),
        solvers.SolverFeatherstone,
    ):
        model = build()
        ends.append(_run(model, make(model), 500, 2e-4).body_q.numpy()[0])
    # 0.1 s with steps of first order: dt * t * acceleration / 2 = 2e-4 * 0.1 * 10 / 2
    assert np.allclose(ends[0], ends[1], atol=5e-4)


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_targets_by_coordinate_are_followed_beside_free_and_ball_joints(backend: str) -> None:
    builder: Any = newton.ModelBuilder(gravity=0.0)
    builder.add_body(mass=1.0, inertia=np.eye(3))
    links = [builder.add_link(mass=1.0, inertia=0.1 * np.eye(3)) for _ in range(2)]
    drive = {"target_ke": 100.0, "target_kd": 20.0}
    builder.add_articulation([builder.add_joint_revolute(-1, links[0], axis="z", **drive)])
    axes = [newton.ModelBuilder.JointDofConfig(axis=axis, **drive) for axis in "xyz"]
    frame = _turned(0.5)
    ball = builder.add_joint(newton.JointType.BALL, -1, links[1], [], axes, child_xform=frame)
    builder.add_articulation([ball])
    model = builder.finalize(device="cpu")
    control = model.control()
    wanted = wp.quat_from_axis_angle(wp.normalize(wp.vec3(0.3, -0.5, 0.8)), 0.7)
    targets = control.joint_target_q.numpy()
    targets[7], targets[8:12] = 0.4, list(wanted)
    control.joint_target_q.assign(targets)
    state = _run(model, solvers.SolverMuJoCo(model, backend=backend), 800, 5e-3, control)
    # after 4 s, with time constants of a fifth of one
    assert np.allclose(state.joint_q.numpy()[7:], [0.4, *wanted], atol=1e-4)


def test_parts_of_the_properties_of_joints_are_taken_over_by_themselves() -> None:
    builder: Any = newton.ModelBuilder(gravity=0.0)
    link = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_articulation([builder.add_joint_revolute(-1, link, armature=0.1, damping=0.2)])
    model = builder.finalize(device="cpu")
    solver = solvers.SolverMuJoCo(model)

    def found() -> list[float]:
        names = ("dof_armature", "dof_damping")
        return [float(getattr(solver.mjw_model, name).numpy().ravel()[0]) for name in names]

    model.joint_armature.fill_(0.5)
    model.joint_damping.fill_(0.7)
    assert found() == pytest.approx([0.1, 0.2])
    solver.notify_model_changed(ModelFlags.JOINT_DOF_FORCE_PROPERTIES)
    assert found() == pytest.approx([0.1, 0.7])
    solver.notify_model_changed(ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES)
    assert found() == pytest.approx([0.5, 0.7])


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_a_ball_joint_at_the_rest_of_its_spring_stays_there_in_whatever_frame(backend: str) -> None:
    rest = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.5)
    builder = newton.ModelBuilder(gravity=0.0)
    body = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)))
    builder.add_articulation([builder.add_joint_ball(-1, body, stiffness=2.0)])
    builder.joint_q[:] = builder.joint_rest_q[:] = list(rest)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model, backend=backend)
    state, after = model.state(), model.state()
    solver.step(state, after, None, None, 0.001)
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 0.5)
    model.joint_X_c.assign([wp.transform(wp.vec3(), turn)])
    solver.notify_model_changed(ModelFlags.JOINT_PROPERTIES)
    solver.step(state, after, None, None, 0.001)
    # 2 N m/rad on 1 kg m^2 for 1 ms, times an error of single precision
    np.testing.assert_allclose(after.joint_qd.numpy(), 0.0, atol=1e-8)
