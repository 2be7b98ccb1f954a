"""Tendons that run over guides of bodies, in SolverXPBD and SolverVBD, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import TendonGuide, TendonGuideType
from unibody.newton.solvers import SolverVBD, SolverXPBD

G = 9.81
ACROSS = (0.0, 1.0, 0.0)
SOLVERS = pytest.mark.parametrize("solver_type", [SolverXPBD, SolverVBD])
ROUNDS = {SolverXPBD: 8, SolverVBD: 20}


def _weight(builder: Any, at: Any, mass: float) -> int:
    """A body that slides up and down."""
    body = builder.add_link(
        xform=wp.transform(wp.vec3(*at), wp.quat_identity()),
        mass=mass,
        inertia=wp.mat33(np.eye(3) * 0.1 * mass),
    )
    joint = builder.add_joint_prismatic(
        -1, body, wp.transform(wp.vec3(*at), wp.quat_identity()), axis=(0.0, 0.0, 1.0)
    )
    builder.add_articulation([joint])
    return body


def _hung_over(builder: Any, kind: TendonGuideType, middle: int = -1, **more: Any) -> list[Any]:
    """A route from a weight of 1 kg over a guide to one of 3 kg."""
    left = _weight(builder, (-0.2, 0.0, 0.0), 1.0)
    right = _weight(builder, (0.2, 0.0, 0.0), 3.0)
    offset = (0.0, 0.0, 1.5) if middle < 0 else (0.0, 0.0, 0.0)
    span = {"compliance": 1e-6}
    return [
        TendonGuide(body=left, axis=ACROSS),
        TendonGuide(body=middle, guide_type=kind, offset=offset, axis=ACROSS, **span, **more),
        TendonGuide(body=right, axis=ACROSS, **span),
    ]


def _fallen(builder: Any, solver_type: Any, steps: int = 240, dt: float = 1 / 960) -> Any:
    """The solver, and the state after some steps."""
    builder.color()
    model = builder.finalize(device="cpu")
    solver = solver_type(model, iterations=ROUNDS[solver_type])
    now, after = model.state(), model.state()
    for _ in range(steps):
        now.clear_forces()
        solver.step(now, after, None, None, dt)
        now, after = after, now
    return solver, now


def _speed(state: Any, body: int) -> float:
    return float(state.body_qd.numpy()[body, 2])


@SOLVERS
def test_weights_over_a_smooth_roller_fall_as_atwood_says(solver_type: Any) -> None:
    builder = newton.ModelBuilder(gravity=-G)
    route = _hung_over(builder, TendonGuideType.ROLLER, radius=0.2)
    builder.add_tendon(route)
    _, state = _fallen(builder, solver_type)
    expected = G * (3.0 - 1.0) / (3.0 + 1.0) * 0.25
    # The cable is a spring that 20 N stretch by 20 um; its swing of 0.2 m/s^2 has died to 1 %.
    assert _speed(state, route[0].body) == pytest.approx(expected, rel=2e-2)
    assert _speed(state, route[2].body) == pytest.approx(-expected, rel=2e-2)


@SOLVERS
def test_a_rough_pulley_turns_with_the_cable_and_its_inertia_counts(solver_type: Any) -> None:
    builder = newton.ModelBuilder(gravity=-G)
    place = wp.transform(wp.vec3(0.0, 0.0, 1.5), wp.quat_identity())
    inertia = 0.5 * 5.0 * 0.2**2
    pulley = builder.add_link(xform=place, mass=5.0, inertia=wp.mat33(np.eye(3) * inertia))
    builder.add_articulation([builder.add_joint_revolute(-1, pulley, place, axis=ACROSS)])
    route = _hung_over(builder, TendonGuideType.ROLLER, pulley, radius=0.2, mu=10.0)
    builder.add_tendon(route)
    _, state = _fallen(builder, solver_type)
    expected = G * (3.0 - 1.0) / (3.0 + 1.0 + inertia / 0.2**2) * 0.25
    assert _speed(state, route[2].body) == pytest.approx(-expected, rel=3e-2)
    turned = float(state.body_qd.numpy()[pulley, 4])
    assert turned * 0.2 == pytest.approx(expected, rel=3e-2)


@SOLVERS
def test_a_moving_pulley_halves_the_force_that_holds_a_load(solver_type: Any) -> None:
    builder = newton.ModelBuilder(gravity=-G)
    load = _weight(builder, (0.0, 0.0, 0.0), 2.0)
    counter = _weight(builder, (0.6, 0.0, 0.0), 1.0)
    roller = {"guide_type": TendonGuideType.ROLLER, "axis": ACROSS, "radius": 0.1}
    builder.add_tendon(
        [
            TendonGuide(body=-1, offset=(-0.1, 0.0, 2.0), axis=ACROSS),
            TendonGuide(body=load, orientation=-1, compliance=1e-6, **roller),
            TendonGuide(body=-1, offset=(0.2, 0.0, 2.0), compliance=1e-6, **roller),
            TendonGuide(body=counter, axis=ACROSS, compliance=1e-6),
        ]
    )
    solver, state = _fallen(builder, solver_type)
    # Let go at once, both fall until the cable is taut: 20 um. Without balance: 2.4 m/s.
    assert abs(_speed(state, load)) < 0.02
    assert abs(_speed(state, counter)) < 0.02
    assert np.ptp(solver.tendon_segment_material_tension.numpy()) < 0.5


@pytest.mark.parametrize("mu", [0.1, 0.3])
@SOLVERS
def test_a_cable_slips_at_the_ratio_of_the_capstan_equation(solver_type: Any, mu: float) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    end = builder.add_body(
        xform=wp.transform(wp.vec3(0.2, 0.0, -2.0), wp.quat_identity()), mass=0.0
    )
    span = {"compliance": 1e-3, "axis": ACROSS}
    roller = {"guide_type": TendonGuideType.ROLLER, "radius": 0.2}
    builder.add_tendon(
        [
            TendonGuide(body=-1, offset=(-0.2, 0.0, -2.0), axis=ACROSS),
            TendonGuide(body=-1, mu=mu, **roller, **span),
            TendonGuide(body=end, **span),
        ]
    )
    builder.color()
    model = builder.finalize(device="cpu")
    solver = solver_type(model, iterations=4, tendon_settle_tol=1e-5)
    now, after = model.state(), model.state()
    ratios = []
    for pulled in (*np.linspace(0.0, 0.3, 16), *np.linspace(0.3, 0.0, 16)):
        poses = now.body_q.numpy()
        poses[end, 2] = -2.0 - pulled
        now.body_q.assign(poses)
        solver.step(now, after, None, None, 1 / 60)
        now, after = after, now
        held, drawn = solver.tendon_segment_material_tension.numpy()
        ratios.append(float(drawn / held) if held > 1.0 else 1.0)
    most = math.exp(mu * math.pi)  # half a turn
    assert max(ratios) == pytest.approx(most, rel=1e-3)
    assert ratios[15] == pytest.approx(most, rel=1e-3)
    assert ratios[-4] == pytest.approx(1.0 / most, rel=1e-3)  # on the way back it slips back
    assert all(1.0 / most * 0.999 < ratio < most * 1.001 for ratio in ratios[:-1])


@SOLVERS
def test_material_of_a_cable_stays_while_its_wrap_grows(solver_type: Any) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    end = builder.add_body(
        xform=wp.transform(wp.vec3(0.5, -0.1, 0.0), wp.quat_identity()), mass=0.0
    )
    builder.add_tendon(
        [
            TendonGuide(body=-1, offset=(-0.5, 0.0, 0.0)),
            TendonGuide(
                body=-1, guide_type=TendonGuideType.ROLLER, radius=0.1, mu=0.2, compliance=1e-4
            ),
            TendonGuide(body=end, compliance=1e-4),
        ]
    )
    builder.color()
    model = builder.finalize(device="cpu")
    solver = solver_type(model, iterations=4)
    total = float(solver.tendon_total_cable.numpy()[0])
    now, after = model.state(), model.state()
    for angle in np.linspace(-0.2, 2.2, 40):  # past half a turn of wrap
        poses = now.body_q.numpy()
        poses[end, :2] = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        now.body_q.assign(poses)
        solver.step(now, after, None, None, 1 / 60)
        now, after = after, now
    reached = solver.tendon_segment_attachment_r.numpy()[0]
    left = solver.tendon_segment_attachment_l.numpy()[1]
    turn = math.atan2(reached[0] * left[1] - reached[1] * left[0], float(reached @ left))
    wrap = turn % (2.0 * math.pi)
    assert wrap > 2.2
    material = float(now.tendon_segment_rest_length.numpy().sum()) + 0.1 * wrap
    assert material == pytest.approx(total, abs=2e-5)  # 40 steps, each rounds to 3e-8 m


@SOLVERS
def test_a_state_holds_all_that_a_tendon_remembers(solver_type: Any) -> None:
    builder = newton.ModelBuilder(gravity=-G)
    route = _hung_over(builder, TendonGuideType.ROLLER, radius=0.2, mu=0.2)
    builder.add_tendon(route)
    solver, state = _fallen(builder, solver_type, steps=40)
    ends = []
    for chosen in (solver, solver_type(solver.model, iterations=ROUNDS[solver_type])):
        chosen.reset(solver.model.state())
        now, after = solver.model.state(), solver.model.state()
        now.assign(state)
        for _ in range(10):
            chosen.step(now, after, None, None, 1 / 960)
            now, after = after, now
        ends.append((now.body_q.numpy(), now.tendon_segment_rest_length.numpy()))
    # Rows of joints of SolverVBD remember more than states hold, with tendons and without.
    apart = 0.0 if solver_type is SolverXPBD else 1e-5
    for first, second in zip(*ends, strict=True):
        np.testing.assert_allclose(first, second, rtol=0.0, atol=apart)


@SOLVERS
def test_worlds_of_a_batch_move_as_one_alone_does(solver_type: Any) -> None:
    alone = newton.ModelBuilder(gravity=-G)
    route = _hung_over(alone, TendonGuideType.PINHOLE, mu=0.1)
    alone.add_tendon(route)
    alone.color()
    batch = newton.ModelBuilder(gravity=-G)
    batch.replicate(alone, 3, spacing=(2.0, 0.0, 0.0))
    _, one = _fallen(alone, solver_type, steps=60)
    solver, many = _fallen(batch, solver_type, steps=60)
    assert solver.model.tendon_start.numpy().tolist() == [0, 3, 6, 9]
    assert solver.model.tendon_world.numpy().tolist() == [0, 1, 2]
    # Worlds lie 2 m apart, where places round to 2e-7 m: 1 um/N let that be 0.2 N in each step.
    heights = many.body_q.numpy()[:, 2].reshape(3, 2)
    np.testing.assert_allclose(heights, np.tile(one.body_q.numpy()[:, 2], (3, 1)), atol=1e-5)


def test_a_roller_that_leaves_a_cable_gives_its_material_back() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    roller = builder.add_body(mass=0.0)
    builder.add_tendon(
        [
            TendonGuide(body=-1, offset=(0.0, 0.0, -0.5), axis=ACROSS),
            TendonGuide(
                body=roller, guide_type=TendonGuideType.ROLLER, radius=0.1, dynamic=True,
                axis=ACROSS, compliance=1e-3,
            ),
            TendonGuide(body=-1, offset=(0.0, 0.0, 0.5), axis=ACROSS, compliance=1e-3),
        ]
    )  # fmt: skip
    model = builder.finalize(device="cpu")
    model.body_q.assign(np.array([[0.25, 0, 0, 0, 0, 0, 1]], np.float32))
    solver = SolverXPBD(model)
    now, after = model.state(), model.state()
    found = []
    for x in (0.25, 0.05, -0.05, 0.099, 0.2):
        poses = now.body_q.numpy()
        poses[roller, 0] = x
        now.body_q.assign(poses)
        solver.step(now, after, None, None, 1 / 60)
        now, after = after, now
        found.append(bool(now.tendon_guide_active.numpy()[1]))
    assert found == [False, True, True, True, False]
    assert float(now.tendon_segment_rest_length.numpy()[0]) == pytest.approx(1.0, abs=1e-6)


def test_other_bodies_fixed_to_one_take_its_guides_over() -> None:
    builder = newton.ModelBuilder()
    unit = wp.mat33(np.eye(3))
    pose = wp.transform(wp.vec3(1.0, 0.5, 0.0), wp.quat_from_axis_angle(wp.vec3(0, 0, 1), 0.5))
    root = builder.add_link(mass=1.0, inertia=unit)
    child = builder.add_link(xform=pose, mass=1.0, inertia=unit)
    builder.add_joint_fixed(root, child, parent_xform=pose)
    builder.add_tendon(
        [
            TendonGuide(body=child, offset=(0.2, 0.0, 0.0), axis=(1.0, 0.0, 0.0)),
            TendonGuide(body=-1),
        ]
    )
    builder.collapse_fixed_joints()
    assert builder.tendon_guide_body == [root, -1]
    expected = wp.transform_point(pose, wp.vec3(0.2, 0.0, 0.0))
    np.testing.assert_allclose(builder.tendon_guide_offset[0], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("route", "said"),
    [
        ([TendonGuide(body=-1)], "at least two"),
        ([TendonGuide(body=-1), TendonGuide(body=7)], "body index 7"),
        ([TendonGuide(body=-1, damping=1.0), TendonGuide(body=-1)], "first guide has no incoming"),
        ([TendonGuide(body=-1), TendonGuide(body=-1, mu=-1.0)], "friction coefficient"),
        (
            [TendonGuide(body=-1), TendonGuide(body=-1, guide_type=TendonGuideType.ROLLER)],
            "radius of a ROLLER",
        ),
    ],
)
def test_a_route_that_makes_no_tendon_is_refused_and_leaves_nothing(route: Any, said: str) -> None:
    builder = newton.ModelBuilder()
    with pytest.raises(ValueError, match=said):
        builder.add_tendon(route)
    assert builder.tendon_count == builder.tendon_guide_count == builder.tendon_segment_count == 0


def test_tendons_have_no_gradients_and_say_so() -> None:
    builder = newton.ModelBuilder()
    builder.add_tendon([TendonGuide(body=-1), TendonGuide(body=-1, offset=(1.0, 0.0, 0.0))])
    with pytest.raises(NotSupportedError, match="not differentiable"):
        SolverXPBD(builder.finalize(device="cpu", requires_grad=True))


def test_bodies_at_the_ends_of_a_span_have_different_colors() -> None:
    builder = newton.ModelBuilder()
    unit = wp.mat33(np.eye(3))
    ends = [builder.add_body(mass=1.0, inertia=unit) for _ in range(2)]
    builder.add_tendon([TendonGuide(body=ends[0]), TendonGuide(body=ends[1])])
    builder.color()
    assert len(builder.body_color_groups) == 2
    model = builder.finalize(device="cpu")
    model.body_color_groups = [wp.array(ends, dtype=int, device="cpu")]
    with pytest.raises(ValueError, match="does not separate"):
        SolverVBD(model)
