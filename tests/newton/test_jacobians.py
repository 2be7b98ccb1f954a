"""eval_jacobian and eval_mass_matrix, against velocities and energies of bodies."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

sys.path.append(str(Path(__file__).parent))
from later import found_later

from unibody import newton

CLOSE = 2e-5  # float32, lengths of about a metre


def _model() -> Any:
    config = newton.ModelBuilder.JointDofConfig
    builder = newton.ModelBuilder()
    place = {
        "parent_xform": wp.transform(
            (0.3, 0.1, 0.0), wp.quat_from_axis_angle(wp.vec3(0, 1, 0), 0.4)
        ),
        "child_xform": wp.transform((-0.2, 0.0, 0.1), wp.quat_identity()),
    }
    for floating in (True, False):
        links = [
            builder.add_link(
                mass=1.0 + k, com=(0.1, -0.05, 0.02 * k), inertia=np.diag([0.1, 0.2, 0.25])
            )
            for k in range(3)
        ]
        joints = [
            builder.add_joint_free(links[0])
            if floating
            else builder.add_joint_revolute(-1, links[0], axis="y"),
            builder.add_joint_d6(
                links[0],
                links[1],
                [config(axis="y")],
                [config(axis="z"), config(axis="x")],
                **place,
            ),
            builder.add_joint_ball(links[0], links[2], **place),
        ]
        builder.add_articulation(joints)
    rng = np.random.default_rng(0)
    builder.joint_qd[:] = rng.uniform(-1.0, 1.0, len(builder.joint_qd)).tolist()
    builder.joint_q[7:10] = [0.2, 0.5, -0.6]
    return builder.finalize(device="cpu")


def _state(model: Any) -> Any:
    state = model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    return state


def test_a_jacobian_gives_the_velocities_of_bodies() -> None:
    model = _model()
    state = _state(model)
    J = newton.eval_jacobian(model, state).numpy()
    starts = model.joint_qd_start.numpy()[model.articulation_start.numpy()]
    for number in range(2):
        qd = model.joint_qd.numpy()[starts[number] : starts[number + 1]]
        found = (J[number, :, : len(qd)] @ qd).reshape(3, 6)
        assert np.allclose(found, state.body_qd.numpy()[3 * number : 3 * number + 3], atol=CLOSE)


def test_a_mass_matrix_gives_the_kinetic_energy() -> None:
    model = _model()
    state = _state(model)
    H = newton.eval_mass_matrix(model, state).numpy()
    starts = model.joint_qd_start.numpy()[model.articulation_start.numpy()]
    for number in range(2):
        qd = model.joint_qd.numpy()[starts[number] : starts[number + 1]]
        energy = 0.0
        for body in range(3 * number, 3 * number + 3):
            v, w = np.split(state.body_qd.numpy()[body].astype(float), 2)
            R = np.array(wp.quat_to_matrix(wp.quat(*state.body_q.numpy()[body, 3:]))).reshape(3, 3)
            inertia = R @ model.body_inertia.numpy()[body] @ R.T
            energy += 0.5 * model.body_mass.numpy()[body] * v @ v + 0.5 * w @ inertia @ w
        n = len(qd)
        assert 0.5 * qd @ H[number, :n, :n] @ qd == pytest.approx(energy, rel=1e-4)
        assert np.allclose(H[number], H[number].T, atol=1e-5)


def test_armature_is_on_the_diagonal_where_it_is_asked_for() -> None:
    model = _model()
    state = _state(model)
    plain = newton.eval_mass_matrix(model, state).numpy()
    more = newton.eval_mass_matrix(model, state, include_armature=True).numpy()
    assert np.allclose((more - plain)[1, 0, 0], model.joint_armature.numpy()[12], atol=1e-6)


def test_armature_is_on_the_diagonal_in_releases_after_1_0() -> None:
    found = found_later(
        """
        builder = newton.ModelBuilder()
        link = builder.add_link(mass=1.0, inertia=np.eye(3))
        builder.add_articulation([builder.add_joint_revolute(-1, link, armature=0.5)])
        model = builder.finalize(device="cpu")
        state = model.state()
        newton.eval_fk(model, model.joint_q, model.joint_qd, state)
        view = newton.selection.ArticulationView(model, "*")
        found = [float(of(state).numpy()[0, 0, 0]) for of in (
            lambda state: newton.eval_mass_matrix(model, state), view.eval_mass_matrix,
        )]
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            plain = view.eval_mass_matrix(state, include_armature=False).numpy()
        found += [float(plain[0, 0, 0]), len(told)]
        """
    )
    assert found == pytest.approx([1.5, 1.5, 1.0, 1], abs=1e-6)


def test_a_mask_leaves_the_matrices_of_others_at_zero() -> None:
    model = _model()
    mask = wp.array([False, True], dtype=bool, device="cpu")
    H = newton.eval_mass_matrix(model, _state(model), mask=mask).numpy()
    assert not H[0].any()
    assert H[1].any()
