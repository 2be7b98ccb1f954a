"""SolverFeatherstone: closed forms, energy and momentum, and gradients against differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import solvers

IDENTITY = (0.0, 0.0, 0.0, 1.0)
_DOF = newton.ModelBuilder.JointDofConfig


def _axis(axis: str, **more: Any) -> Any:
    return _DOF(axis=axis, armature=0.0, **more)


def _tree(gravity: float = 0.0, **more: Any) -> Any:
    """A free body with a D6 joint of all axes, a ball joint and a slider behind it."""
    builder = newton.ModelBuilder(gravity=gravity)
    inertia = np.diag([0.05, 0.08, 0.1])
    links = [
        builder.add_link(mass=1.0 + k, com=(0.1, -0.05, 0.02 * k), inertia=inertia)
        for k in range(4)
    ]
    place = {
        "parent_xform": wp.transform((0.3, 0.1, 0.0), wp.quat_identity()),
        "child_xform": wp.transform((-0.2, 0.0, 0.1), wp.quat_identity()),
    }
    joints = [
        builder.add_joint_free(links[0]),
        builder.add_joint_d6(
            links[0],
            links[1],
            [_axis("y", **more)],
            [_axis("x", **more), _axis("y", **more), _axis("z", **more)],
            **place,
        ),
        builder.add_joint_ball(links[1], links[2], **place),
        builder.add_joint_prismatic(links[0], links[3], axis="x", armature=0.0, **place),
    ]
    builder.add_articulation(joints)
    rng = np.random.default_rng(4)
    builder.joint_qd[:] = rng.uniform(-1.0, 1.0, len(builder.joint_qd)).tolist()
    builder.joint_q[7:11] = [0.1, 0.3, -0.2, 0.4]
    builder.joint_q[0:3] = [20.0, -10.0, 5.0]
    return builder


def _bodies(model: Any, state: Any) -> list[tuple[Any, ...]]:
    found = []
    for k in range(model.body_count):
        pose = wp.transform(*state.body_q.numpy()[k])
        rotation = np.array(wp.quat_to_matrix(wp.transform_get_rotation(pose)), float)
        rotation = rotation.reshape(3, 3)
        com = np.array(wp.transform_point(pose, wp.vec3(*model.body_com.numpy()[k])), float)
        v, w = np.split(state.body_qd.numpy()[k].astype(float), 2)
        inertia = rotation @ model.body_inertia.numpy()[k] @ rotation.T
        found.append((float(model.body_mass.numpy()[k]), com, v, w, inertia))
    return found


def _momentum(model: Any, state: Any) -> np.ndarray:
    bodies = _bodies(model, state)
    centre = sum(m * c for m, c, *_ in bodies) / sum(m for m, *_ in bodies)
    linear = sum(m * v for m, _, v, _, _ in bodies)
    angular = sum(m * np.cross(c - centre, v) + i @ w for m, c, v, w, i in bodies)
    return np.concatenate([linear, angular])


def _energy(model: Any, state: Any) -> float:
    return sum(
        0.5 * m * v @ v + 0.5 * w @ i @ w + 9.81 * m * c[2]
        for m, c, v, w, i in _bodies(model, state)
    )


def _run(model: Any, steps: int, dt: float, **options: Any) -> tuple[Any, Any]:
    solver = solvers.SolverFeatherstone(model, **options)
    now, after = model.state(), model.state()
    newton.eval_fk(model, now.joint_q, now.joint_qd, now)
    start = model.state()
    start.assign(now)
    for _ in range(steps):
        solver.step(now, after, None, None, dt)
        now, after = after, now
    return start, now


def test_an_articulation_without_forces_keeps_its_momentum_and_energy() -> None:
    model = _tree().finalize(device="cpu")
    errors = []
    for steps in (250, 500):
        start, end = _run(model, steps, 0.5 / steps)
        errors.append(np.abs(_momentum(model, end) - _momentum(model, start)).max())
        zero = sum(9.81 * m * (c[2] - 5.0) for m, c, *_ in _bodies(model, end))
        before = sum(9.81 * m * (c[2] - 5.0) for m, c, *_ in _bodies(model, start))
        kinetic = _energy(model, end) - zero - _energy(model, start) + before
        assert (
            abs(kinetic) < 20.0 / steps
        )  # of first order: energy, about 5 J, times speed times dt
    assert errors[0] < 0.05
    assert errors[1] < 0.7 * errors[0]


def test_a_double_pendulum_keeps_its_energy() -> None:
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3) * 0.02) for _ in range(2)]
    place = {"child_xform": wp.transform((-0.5, 0.0, 0.0), wp.quat_identity()), "armature": 0.0}
    joints = [
        builder.add_joint_revolute(-1, links[0], axis="y", **place),
        builder.add_joint_revolute(links[0], links[1], axis="y", **place),
    ]
    builder.add_articulation(joints)
    model = builder.finalize(device="cpu")
    start, end = _run(model, 2000, 5e-4)
    # Symplectic Euler: dt times the power that is exchanged, about 30 W.
    assert _energy(model, end) == pytest.approx(_energy(model, start), abs=0.03)


def test_a_pendulum_swings_with_its_period() -> None:
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0, com=(0.0, 0.0, -0.5), inertia=np.eye(3) * 0.01)
    builder.add_articulation([builder.add_joint_revolute(-1, link, axis="y", armature=0.02)])
    builder.joint_q[0] = 0.02
    model = builder.finalize(device="cpu")
    inertia = 0.25 + 0.01 + 0.02
    period = 2.0 * math.pi * math.sqrt(inertia / (9.81 * 0.5))
    _, end = _run(model, 1000, period / 1000)
    assert end.joint_q.numpy()[0] == pytest.approx(0.02, abs=1e-4)


def test_a_drive_ends_where_its_spring_holds_the_weight_and_a_limit_where_its_own_does() -> None:
    builder = newton.ModelBuilder()
    for k, limit in enumerate((1.0, 0.1)):
        link = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.1)
        joint = builder.add_joint_prismatic(
            -1,
            link,
            axis="z",
            target_ke=100.0 * (1 - k),
            target_kd=40.0 * (1 - k),
            limit_lower=-limit,
            limit_upper=limit,
            limit_ke=1e3,
            limit_kd=60.0,
        )
        builder.add_articulation([joint])
    model = builder.finalize(device="cpu")
    _, end = _run(model, 3000, 1e-3)
    expected = (-9.81 / 100.0, -0.1 - 9.81 / 1e3)
    assert end.joint_q.numpy() == pytest.approx(expected, abs=1e-4)


def test_what_the_solver_cannot_move_is_refused_by_the_number_of_its_joint() -> None:
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_d6(-1, link)])
    builder.joint_type[0] = newton.JointType.CABLE
    with pytest.raises(NotSupportedError, match="joint 0 of kind CABLE"):
        solvers.SolverFeatherstone(builder.finalize(device="cpu"))


@pytest.mark.parametrize("kind", ["free", "distance"])
def test_a_free_body_below_a_turning_parent_goes_straight_on(kind: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    inertia = np.eye(3) * 0.01
    base = builder.add_link(mass=1.0, inertia=inertia)
    child = builder.add_link(mass=1.0, com=(0.2, 0.1, -0.1), inertia=inertia)
    add = builder.add_joint_free if kind == "free" else builder.add_joint_distance
    anchor = wp.transform((0.5, -0.2, 0.4), wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 0.7))
    joints = [builder.add_joint_revolute(-1, base, armature=0.0)]
    joints.append(add(parent=base, child=child, parent_xform=anchor, child_xform=anchor))
    builder.add_articulation(joints)
    builder.joint_armature = [0.0] * builder.joint_dof_count
    model = builder.finalize(device="cpu")
    state, control = model.state(), model.control()
    control.joint_f.assign([5.0] + [0.0] * 6)
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    before = state.body_q.numpy()[child].copy()
    solver = solvers.SolverFeatherstone(model)
    for _ in range(10):
        solver.step(state, state, control, None, 0.01)
    assert abs(state.body_qd.numpy()[base, 3:]).max() > 20.0  # 5 Nm on 0.01 kg m^2 for 0.1 s
    # float32, of accelerations of 300 m/s^2 that cancel: 1e-7 * 300 * 10
    assert state.body_qd.numpy()[child] == pytest.approx(np.zeros(6), abs=2e-3)
    assert state.body_q.numpy()[child] == pytest.approx(before, abs=1e-4)


def test_gradients_are_those_of_differences() -> None:
    builder = _tree(-9.81, target_ke=3.0, target_kd=0.1, target_pos=0.2)
    builder.joint_q[0:3] = [0.0, 0.0, 0.0]
    model = builder.finalize(device="cpu", requires_grad=True)
    solver = solvers.SolverFeatherstone(model)
    rng = np.random.default_rng(5)
    weights = rng.uniform(-1.0, 1.0, (model.body_count, 6))
    start = model.joint_qd.numpy().astype(float)
    force = rng.uniform(-1.0, 1.0, start.shape)

    def final(velocities: np.ndarray, efforts: np.ndarray) -> tuple[Any, Any, Any]:
        states = [model.state() for _ in range(21)]
        control = model.control()
        for holder, name, values in (
            (states[0], "joint_qd", velocities),
            (control, "joint_f", efforts),
        ):
            row = values.astype(np.float32)
            setattr(holder, name, wp.array(row, dtype=float, device="cpu", requires_grad=True))
        for k in range(20):
            solver.step(states[k], states[k + 1], control, None, 5e-3)
        return states[0], control, states[-1]

    with wp.Tape() as tape:
        first, control, last = final(start, force)
    seed = wp.array(weights.astype(np.float32), dtype=wp.spatial_vector, device="cpu")
    tape.backward(grads={last.body_qd: seed})
    for k, given in enumerate((first.joint_qd, control.joint_f)):
        found = given.grad.numpy().astype(float)
        direction = rng.uniform(-1.0, 1.0, start.shape)
        step = 5e-3  # float32: 1e-6 / 5e-3 beside step^2
        ends = []
        for sign in (-1.0, 1.0):
            values = [start, force]
            values[k] = values[k] + sign * step * direction
            ends.append(float((weights * final(*values)[2].body_qd.numpy()).sum()))
        measured = (ends[1] - ends[0]) / (2.0 * step)
        assert float((found * direction).sum()) == pytest.approx(measured, rel=1e-2, abs=3e-3)


@pytest.mark.parametrize("kind", ["free", "ball"])
def test_a_mass_without_inertia_that_turns_freely_is_refused_by_its_name(kind: str) -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0, key="point")
    joint = builder.add_joint_free(body) if kind == "free" else builder.add_joint_ball(-1, body)
    builder.add_articulation([joint])
    builder.joint_armature = [0.0] * builder.joint_dof_count
    model = builder.finalize(device="cpu")
    told = rf"body 0 \('point'\).*no inertia.*{kind.upper()} joint 0"
    with pytest.raises(NotSupportedError, match=told):
        solvers.SolverFeatherstone(model)
    model.joint_armature.fill_(0.1)
    solvers.SolverFeatherstone(model)  # the joint's own inertia resists


def test_a_free_body_without_mass_goes_on_as_it_is_whatever_force_acts() -> None:
    builder = newton.ModelBuilder()
    builder.add_body(mass=0.0)
    heavy = builder.add_link(mass=2.0, inertia=np.eye(3))
    root = builder.add_link()  # without mass, but it carries one
    joints = [builder.add_joint_free(root), builder.add_joint_fixed(root, heavy)]
    builder.add_articulation(joints)
    builder.joint_armature = [0.0] * builder.joint_dof_count
    model = builder.finalize(device="cpu")
    first, last = model.state(), model.state()
    first.joint_qd.assign([0.5] + [0.0] * 11)
    first.body_f.assign([[0.0, 3.0, 0.0, 0.0, 0.0, 1.0]] * 3)
    solvers.SolverFeatherstone(model).step(first, last, None, None, 0.1)
    found = last.joint_qd.numpy()
    assert found[:6].tolist() == [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert last.joint_q.numpy()[:3] == pytest.approx([0.05, 0.0, 0.0], abs=1e-7)
    # 3 N and 3 N on 2 kg, and 9.81 m/s^2, for 0.1 s
    assert found[7:9] == pytest.approx([0.3, -0.981], rel=1e-4)
