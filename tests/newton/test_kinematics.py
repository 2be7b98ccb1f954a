"""Forward and inverse kinematics, against closed forms and against one another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.convert import rotation

CLOSE = 2e-5  # float32, after a few products of rotations


def _dof(axis: Any) -> newton.ModelBuilder.JointDofConfig:
    return newton.ModelBuilder.JointDofConfig(axis=axis)


def _arm(add: Any) -> newton.Model:
    """Two links; `add` makes the joint between them."""
    builder = newton.ModelBuilder()
    first = builder.add_link(com=(0.1, 0.2, 0.3), mass=1.0)
    second = builder.add_link(com=(0.0, -0.1, 0.2), mass=1.0)
    joints = [builder.add_joint_revolute(-1, first, axis=(0.0, 1.0, 0.0))]
    turn = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.4)
    anchors = {
        "parent_xform": wp.transform((0.0, 0.0, 1.0), turn),
        "child_xform": wp.transform((0.0, 0.3, 0.0), wp.quat_identity()),
    }
    joints.append(add(builder, first, second, anchors))
    builder.add_articulation(joints)
    return builder.finalize(device="cpu")


JOINTS = {
    "revolute": lambda b, p, c, a: b.add_joint_revolute(p, c, axis=(0.6, 0.0, 0.8), **a),
    "prismatic": lambda b, p, c, a: b.add_joint_prismatic(p, c, axis="y", **a),
    "fixed": lambda b, p, c, a: b.add_joint_fixed(p, c, **a),
    "ball": lambda b, p, c, a: b.add_joint_ball(p, c, **a),
    "d6 of three": lambda b, p, c, a: b.add_joint_d6(
        p, c, [_dof("x"), _dof("z")], [_dof("x"), _dof("y"), _dof("z")], **a
    ),
    "d6 of three, left-handed": lambda b, p, c, a: b.add_joint_d6(
        p, c, [], [_dof("z"), _dof("y"), _dof("x")], **a
    ),
    "d6 of two": lambda b, p, c, a: b.add_joint_d6(p, c, [_dof("y")], [_dof("z"), _dof("x")], **a),
    "d6 of one": lambda b, p, c, a: b.add_joint_d6(p, c, [], [_dof("z")], **a),
    "free": lambda b, p, c, a: b.add_joint_free(c, parent=p, **a),
}


def _coordinates(model: newton.Model, kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    q = rng.uniform(-1.2, 1.2, model.joint_coord_count).astype(np.float32)
    qd = rng.uniform(-1.0, 1.0, model.joint_dof_count).astype(np.float32)
    if kind in {"ball", "free"}:
        q[-4:] /= np.linalg.norm(q[-4:])
    return q, qd


def _forward(model: newton.Model, q: np.ndarray, qd: np.ndarray) -> newton.State:
    state = model.state()
    joint_q, joint_qd = (wp.array(row, dtype=wp.float32, device="cpu") for row in (q, qd))
    newton.eval_fk(model, joint_q, joint_qd, state)
    return state


@pytest.mark.parametrize("kind", JOINTS)
def test_inverse_kinematics_gives_back_what_forward_kinematics_took(kind: str) -> None:
    model = _arm(JOINTS[kind])
    q, qd = _coordinates(model, kind)
    state = _forward(model, q, qd)
    found_q, found_qd = wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
    newton.eval_ik(model, state, found_q, found_qd)
    found = found_q.numpy()
    if kind in {"ball", "free"} and found[-4:] @ q[-4:] < 0.0:
        found[-4:] *= -1.0  # the same rotation
    assert np.allclose(found, q, atol=CLOSE)
    assert np.allclose(found_qd.numpy(), qd, atol=CLOSE)


@pytest.mark.parametrize("kind", [k for k in JOINTS if k not in {"ball", "free"}])
def test_velocities_are_those_of_the_centre_of_mass_as_positions_change(kind: str) -> None:
    model = _arm(JOINTS[kind])
    q, qd = _coordinates(model, kind)
    step = 1e-2  # central differences of float32: error step^2 / 6 and 1e-7 / step
    poses = [
        _forward(model, q + sign * step * qd, qd).body_q.numpy().astype(float) for sign in (-1, 1)
    ]
    com = model.body_com.numpy()
    velocities = _forward(model, q, qd).body_qd.numpy()
    for body in range(2):
        before, after = (p[body, :3] + rotation(p[body, 3:]) @ com[body] for p in poses)
        assert np.allclose((after - before) / (2 * step), velocities[body, :3], atol=2e-3)
        turn = (rotation(poses[1][body, 3:]) @ rotation(poses[0][body, 3:]).T) / (2 * step)
        spin = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        assert np.allclose(spin / 2.0, velocities[body, 3:], atol=2e-3)


def test_a_hinge_by_90_degrees_carries_the_end_of_its_link_around() -> None:
    builder = newton.ModelBuilder()
    links = [builder.add_link(), builder.add_link()]
    joints = [
        builder.add_joint_revolute(-1, links[0], axis="z"),
        builder.add_joint_fixed(links[0], links[1], parent_xform=((2.0, 0, 0), (0, 0, 0, 1))),
    ]
    builder.add_articulation(joints)
    model = builder.finalize(device="cpu")
    state = _forward(model, np.array([math.pi / 2]), np.array([3.0]))
    assert np.allclose(state.body_q.numpy()[1, :3], (0.0, 2.0, 0.0), atol=1e-6)
    assert np.allclose(state.body_qd.numpy()[1], (-6.0, 0.0, 0.0, 0.0, 0.0, 3.0), atol=1e-5)


def test_a_mask_leaves_other_articulations_as_they_were() -> None:
    builder = newton.ModelBuilder()
    for _ in range(3):
        link = builder.add_link()
        builder.add_articulation([builder.add_joint_prismatic(-1, link, axis="x")])
    model = builder.finalize(device="cpu")
    state = model.state()
    q = wp.array([1.0, 2.0, 3.0], dtype=wp.float32, device="cpu")
    mask = wp.array([True, False, True], dtype=wp.bool, device="cpu")
    newton.eval_fk(model, q, model.joint_qd, state, mask=mask)
    assert state.body_q.numpy()[:, 0].tolist() == [1.0, 0.0, 3.0]
    with pytest.raises(ValueError, match="mutually exclusive"):
        newton.eval_fk(model, q, model.joint_qd, state, mask=mask, indices=mask)


def test_an_angle_beyond_half_a_turn_is_read_as_it_was_given() -> None:
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_revolute(-1, link, axis="z")])
    model = builder.finalize(device="cpu")
    for angle in (-4.0, 3.0, 6.0):
        state = _forward(model, np.array([angle]), np.array([0.0]))
        q, qd = wp.zeros_like(model.joint_q), wp.zeros_like(model.joint_qd)
        newton.eval_ik(model, state, q, qd)
        assert q.numpy()[0] == pytest.approx(angle, abs=1e-6)
