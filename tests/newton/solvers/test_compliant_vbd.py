"""Joints and contacts of SolverVBD by an augmented Lagrangian with compliance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from tests.newton.later import found_later
from unibody import newton
from unibody.newton.solvers import SolverVBD

DT = 1 / 240


def _body(builder: Any, **more: Any) -> int:
    """A body of 2 kg."""
    inertia = wp.mat33(*(0.1 * np.eye(3)).reshape(-1))
    return builder.add_link(mass=2.0, inertia=inertia, **more)


def _run(model: Any, solver: Any, steps: int, pipeline: Any = None) -> Any:
    now, after = model.state(), model.state()
    for _ in range(steps):
        contacts = None if pipeline is None else pipeline.collide(now)
        solver.step(now, after, None, contacts, DT)
        now, after = after, now
    return now


def test_a_load_stretches_a_compliant_joint_by_force_over_stiffness() -> None:
    builder = newton.ModelBuilder(gravity=-10.0)
    body = _body(builder)
    builder.add_articulation([builder.add_joint_ball(-1, body)])
    builder.color()
    model = builder.finalize(device="cpu")
    solver = SolverVBD(
        model,
        iterations=4,
        rigid_compliant_alm=True,
        rigid_joint_linear_ke=1e4,
        rigid_joint_linear_kd=0.02,
    )
    height = _run(model, solver, 240).body_q.numpy()[body, 2]
    # 20 N on 1e4 N/m; damped with 200 N s/m for a second, far more than 2 sqrt(k m) / 100.
    assert height == pytest.approx(-20.0 / 1e4, rel=1e-3)


def test_a_stiff_limit_holds_a_load_with_its_multiplier() -> None:
    builder = newton.ModelBuilder(gravity=-10.0)
    body = _body(builder)
    joint = builder.add_joint_prismatic(
        -1, body, axis=(0.0, 0.0, 1.0), limit_lower=0.0, limit_upper=1.0, limit_ke=1e12,
        limit_kd=0.0,
    )  # fmt: skip
    builder.add_articulation([joint])
    builder.color()
    model = builder.finalize(device="cpu")
    solver = SolverVBD(model, iterations=4, rigid_compliant_alm=True, rigid_avbd_gamma=0.999)
    height = _run(model, solver, 60).body_q.numpy()[body, 2]
    # What a step forgets, a thousandth of 20 N, is found anew with 2 kg / DT^2 = 1.2e5 N/m.
    assert abs(height) < 1e-6
    assert solver.joint_limit_lambda.numpy()[0] == pytest.approx(-20.0, rel=2e-3)


def test_hinges_count_whole_turns() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    body = _body(builder)
    joint = builder.add_joint_revolute(
        -1, body, axis=(0.0, 0.0, 1.0), target_ke=50.0, target_kd=5.0
    )
    builder.add_articulation([joint])
    builder.color()
    model = builder.finalize(device="cpu")
    solver = SolverVBD(
        model,
        iterations=4,
        rigid_compliant_alm=True,
        rigid_joint_linear_ke=1e5,
        rigid_joint_angular_ke=1e5,
    )
    control, turned, before = model.control(), 0.0, 0.0
    now, after = model.state(), model.state()
    for step in range(240):
        control.joint_target_pos.assign([min(step / 120, 1.0) * 3.0 * math.pi])
        solver.step(now, after, control, None, DT)
        now, after = after, now
        z, w = now.body_q.numpy()[body, 5:]
        angle = 2.0 * math.atan2(z, w)
        turned += (angle - before + math.pi) % (2.0 * math.pi) - math.pi
        before = angle
    # A second after the ramp a hundredth of its lag, pi 5 / 50 * 3 = 0.9 rad, is left at most: it
    # falls by half the 10 1/s of stiffness over damping, and e^-5 is 0.7 %.
    assert turned == pytest.approx(3.0 * math.pi, abs=1e-2)


def test_contacts_go_on_from_the_multipliers_of_the_step_before() -> None:
    builder = newton.ModelBuilder(gravity=-10.0)
    builder.default_shape_cfg.density, builder.default_shape_cfg.ke = 0.0, 1e4
    builder.default_shape_cfg.kd = 0.02
    builder.add_ground_plane()
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.1)), mass=2.0)
    builder.add_shape_sphere(body, radius=0.1)
    builder.body_inertia[body] = wp.mat33(*(0.01 * np.eye(3)).reshape(-1))
    builder.color()
    model = builder.finalize(device="cpu")
    pipeline = newton.CollisionPipeline(model, contact_matching="latest")
    held = []
    for history in (True, False):
        solver = SolverVBD(
            model, iterations=10, rigid_compliant_alm=True, rigid_contact_history=history
        )
        now = _run(model, solver, 60, pipeline)
        solver.iterations = 0
        solver.step(now, model.state(), None, pipeline.collide(now), DT)
        held.append(abs(solver.body_body_contact_lambda.numpy()[0, 2]))
    assert held[0] == pytest.approx(20.0, rel=0.05)  # the weight; a twentieth is still to settle
    assert held[1] == 0.0


def test_joints_can_be_enabled_and_disabled_while_it_runs() -> None:
    builder = newton.ModelBuilder(gravity=-10.0)
    body = _body(builder)
    builder.add_articulation([builder.add_joint_ball(-1, body)])
    builder.color()
    model = builder.finalize(device="cpu")
    solver = SolverVBD(model, iterations=4, rigid_compliant_alm=True)
    model.joint_enabled.assign([False])
    fallen = _run(model, solver, 24).body_q.numpy()[body, 2]
    assert fallen == pytest.approx(-0.5 * 10.0 * 0.1**2, rel=0.05)  # a step of 24 is 4 %
    model.joint_enabled.assign([True])
    assert abs(_run(model, solver, 24).body_q.numpy()[body, 2]) < 1e-3


def test_a_chain_of_1_8_falls_as_the_original_does() -> None:
    found = found_later(
        """
        builder = newton.ModelBuilder()
        anchor = builder.add_link(xform=wp.transform((0, 0, 3.0), wp.quat_identity()))
        rod = newton.Rod.create_straight(
            start=wp.vec3(0, 0, 2.89), direction=wp.vec3(0, 0, -1), length=0.3,
            segment_count=6, radius=0.01,
        )
        bodies, joints = builder.add_rod(
            rod=rod, bend_stiffness=2e2, bend_damping=2.0, wrap_in_articulation=False,
            body_frame_origin="com",
        )
        ball = builder.add_joint_ball(
            parent=anchor, child=bodies[0],
            parent_xform=wp.transform((0, 0, -0.11), wp.quat_identity()),
            child_xform=wp.transform((0, 0, -0.025), wp.quat_identity()),
        )
        builder.add_articulation([*joints, ball])
        builder.color()
        model = builder.finalize(device="cpu")
        model.set_gravity((0, 0, -9.81))
        solver = newton.solvers.SolverVBD(model, iterations=2)
        now, after = model.state(), model.state()
        for _ in range(3):
            solver.step(now, after, model.control(), None, 1 / 240)
            now, after = after, now
        found = (now.body_q.numpy()[1:, 2] - model.body_q.numpy()[1:, 2]).tolist()
        """
    )
    # What newton 1.8.0 prints of the same script, in single precision at 3 m: 2.4e-7.
    original = (-0.00025678, -0.00051141, -0.00066805, -0.00082326, -0.00086927, -0.00091505)
    assert found == pytest.approx(original, abs=1e-6)
