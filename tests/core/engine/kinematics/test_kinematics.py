"""Kinematics and dynamics of one body alone."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Quat,
)
from unibody.core.assets.transforms import quat_multiply, quat_normalize
from unibody.core.engine.kinematics.chain import Chain, rotation_matrix
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.spec.writer import make_record

ALGEBRA = 1e-9  # float64 algebra on numbers of order 10
DIFFERENCE = 1e-6  # central difference, step 1e-5: 1e-10 of truncation, 1e-11 / 1e-5 of rounding
STEP = 1e-5
L1, L2, M1, M2, G = 0.7, 0.4, 2.0, 1.5, 9.81


def chain_of(links: list[Link], *, fixed: bool = True) -> Chain:
    return Chain(make_record(0, Asset("test", links), BodyOptions(fixed=fixed)))


def planar_arm() -> Chain:
    """Two links in the xy plane with point masses at their ends, and a massless tip."""
    z = (0.0, 0.0, 1.0)
    shoulder = Joint("shoulder", JointType.REVOLUTE, axis=z)
    elbow = Joint("elbow", JointType.REVOLUTE, Pose((L1, 0.0, 0.0)), axis=z)
    return chain_of(
        [
            Link("base", inertial=Inertial(1.0)),
            Link("upper", 0, shoulder, Inertial(M1, Pose((L1, 0.0, 0.0)))),
            Link("lower", 1, elbow, Inertial(M2, Pose((L2, 0.0, 0.0)))),
            Link("tip", 2, Joint("end", JointType.FIXED, Pose((L2, 0.0, 0.0)))),
        ]
    )


angles = st.floats(-3.0, 3.0)


@given(a=angles, b=angles)
@settings(max_examples=30, deadline=None)
def test_the_jacobian_of_a_planar_arm_is_the_closed_form(a: float, b: float) -> None:
    rows = np.array(planar_arm().jacobian([a, b], 3, (0.0, 0.0, 0.0)))
    expected = np.zeros((6, 2))
    expected[0] = -L1 * sin(a) - L2 * sin(a + b), -L2 * sin(a + b)
    expected[1] = L1 * cos(a) + L2 * cos(a + b), L2 * cos(a + b)
    expected[5] = 1.0
    assert rows == pytest.approx(expected, abs=ALGEBRA)


@given(a=angles, b=angles)
@settings(max_examples=30, deadline=None)
def test_the_mass_matrix_of_a_planar_arm_is_the_closed_form(a: float, b: float) -> None:
    coupling = M2 * (L2 * L2 + L1 * L2 * cos(b))
    first = (M1 + M2) * L1 * L1 + M2 * (L2 * L2 + 2.0 * L1 * L2 * cos(b))
    expected = ((first, coupling), (coupling, M2 * L2 * L2))
    assert np.array(planar_arm().mass_matrix([a, b])) == pytest.approx(
        np.array(expected), abs=ALGEBRA
    )


@given(a=angles, b=angles, va=angles, vb=angles)
@settings(max_examples=30, deadline=None)
def test_gravity_and_coriolis_torques_of_a_planar_arm_are_the_closed_form(
    a: float, b: float, va: float, vb: float
) -> None:
    found = planar_arm().inverse_dynamics([a, b], [va, vb], [0.0, 0.0], (0.0, -G, 0.0))
    swing = M2 * L1 * L2 * sin(b)
    lower = M2 * G * L2 * cos(a + b)
    upper = (M1 + M2) * G * L1 * cos(a) + lower - swing * (2.0 * va * vb + vb * vb)
    assert found == pytest.approx((upper, lower + swing * va * va), abs=ALGEBRA)


def test_the_solver_brings_a_planar_arm_to_the_closed_form_solution() -> None:
    a, b = 0.5, 0.9
    target = (L1 * cos(a) + L2 * cos(a + b), L1 * sin(a) + L2 * sin(a + b), 0.0)
    found = planar_arm().inverse_kinematics(
        [0.1, 0.2], [3], [target], damping=[1e-6, 1e-6], iterations=100, threshold=1e-10
    )
    assert found == pytest.approx((a, b), abs=1e-8)


def test_one_iteration_turns_no_joint_further_than_45_degrees() -> None:
    start = (0.3, 0.4)
    found = planar_arm().inverse_kinematics(
        start, [3], [(-1.0, 0.3, 0.0)], damping=[1e-9, 1e-9], iterations=1
    )
    largest = max(abs(q - q0) for q, q0 in zip(found, start, strict=True))
    assert largest == pytest.approx(pi / 4, abs=1e-12)


def test_the_null_space_pulls_redundant_joints_to_the_rest_pose() -> None:
    chain = planar_arm()
    held = chain.inverse_kinematics([0.3, 0.4], [0], [(0.0, 0.0, 0.0)], iterations=1)
    limits = [[-3.0] * 2, [3.0] * 2, [6.0] * 2, [1.3, -0.6]]
    pulled = chain.inverse_kinematics([0.3, 0.4], [0], [(0.0, 0.0, 0.0)], null=limits, iterations=1)
    assert held == (0.3, 0.4)
    assert pulled == pytest.approx((0.301, 0.399), abs=1e-15)  # a thousandth of the way


def test_new_masses_are_taken_over_by_refresh() -> None:
    record = make_record(
        0,
        Asset("arm", [Link("base"), Link("a", 0, Joint("j", JointType.REVOLUTE), Inertial(1.0))]),
        BodyOptions(fixed=True),
    )
    chain = Chain(record)
    record.links[1].com, record.links[1].mass = Pose((0.0, 2.0, 0.0)), 3.0
    chain.refresh(record.links)
    assert chain.mass_matrix([0.4]) == ((pytest.approx(12.0),),)


# --- random trees ----------------------------------------------------------------------------

numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers)
quats = st.tuples(numbers, numbers, numbers, numbers).map(quat_normalize)
poses = st.builds(Pose, vectors, quats)
axes = st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.0, 0.8), (0.0, 0.0, 1.0)])
kinds = st.sampled_from([JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED])
sizes = st.floats(0.1, 1.0)


@st.composite
def trees(draw: st.DrawFn) -> Chain:
    links = []
    for index in range(draw(st.integers(2, 6))):
        kind = draw(kinds) if index > 1 else JointType.REVOLUTE
        joint = Joint(f"j{index}", kind, draw(poses), draw(axes)) if index else Joint()
        moments = [draw(sizes) for _ in range(3)]
        inertial = Inertial(draw(sizes), draw(poses), (*moments, 0.0, 0.0, 0.0))
        parent = draw(st.integers(0, index - 1)) if index else -1
        links.append(Link(f"l{index}", parent, joint, inertial))
    return chain_of(links, fixed=draw(st.booleans()))


def coordinates(data: st.DataObject, size: int) -> list[float]:
    return data.draw(st.lists(numbers, min_size=size, max_size=size))


def link_frame(chain: Chain, q: list[float], link: int) -> np.ndarray:
    chain.jacobian(q, link, (0.0, 0.0, 0.0))  # places the links on the path
    return chain.frames[link, :12].copy()


@given(chain=trees(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_jacobian_is_the_derivative_of_a_links_pose(chain: Chain, data: st.DataObject) -> None:
    q = coordinates(data, chain.dofs)
    link = data.draw(st.integers(0, len(chain.tree) - 1))
    rows = np.array(chain.jacobian(q, link, (0.0, 0.0, 0.0)))[:, chain.base :]
    rotation = link_frame(chain, q, link)[:9].reshape(3, 3)
    for i in range(chain.dofs):
        ahead, behind = list(q), list(q)
        ahead[i] += STEP
        behind[i] -= STEP
        change = (link_frame(chain, ahead, link) - link_frame(chain, behind, link)) / (2.0 * STEP)
        spin = change[:9].reshape(3, 3) @ rotation.T
        assert rows[:3, i] == pytest.approx(change[9:], abs=DIFFERENCE)
        assert rows[3:, i] == pytest.approx((spin[2, 1], spin[0, 2], spin[1, 0]), abs=DIFFERENCE)


@given(chain=trees(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_columns_of_a_moving_base_are_its_angular_and_linear_velocity(
    chain: Chain, data: st.DataObject
) -> None:
    q = coordinates(data, chain.dofs)
    link = data.draw(st.integers(0, len(chain.tree) - 1))
    rows = np.array(chain.jacobian(q, link, (0.0, 0.0, 0.0)))
    assert rows.shape == (6, chain.base + chain.dofs)
    if chain.base:
        position = link_frame(chain, q, link)[9:]
        expected = np.zeros((6, 6))
        expected[:3, :3] = np.cross(np.eye(3), position).T
        expected[:3, 3:] = expected[3:, :3] = np.eye(3)
        assert rows[:, :6] == pytest.approx(expected, abs=ALGEBRA)


@given(chain=trees(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_mass_matrix_is_symmetric_and_positive_definite(
    chain: Chain, data: st.DataObject
) -> None:
    matrix = np.array(chain.mass_matrix(coordinates(data, chain.dofs)))
    assert (matrix == matrix.T).all()
    assert np.linalg.eigvalsh(matrix).min() > 0.0


@given(chain=trees(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_inverse_dynamics_is_the_mass_matrix_times_the_acceleration_plus_a_bias(
    chain: Chain, data: st.DataObject
) -> None:
    size = chain.base + chain.dofs
    q, speeds = coordinates(data, chain.dofs), coordinates(data, size)
    acceleration, gravity = coordinates(data, size), data.draw(vectors)
    forces = np.array(chain.inverse_dynamics(q, speeds, acceleration, gravity))
    bias = np.array(chain.inverse_dynamics(q, speeds, [0.0] * size, gravity))
    expected = np.array(chain.mass_matrix(q)) @ acceleration
    assert forces - bias == pytest.approx(expected, abs=ALGEBRA)


@given(chain=trees(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_power_of_the_bias_forces_is_half_the_change_of_the_mass_matrix(
    chain: Chain, data: st.DataObject
) -> None:
    """``v . C(q, v) v = v . dM/dt v / 2`` with the base at rest: what they do not add to."""
    q, speeds = coordinates(data, chain.dofs), coordinates(data, chain.dofs)
    v = np.array([0.0] * chain.base + speeds)
    bias = np.array(chain.inverse_dynamics(q, v, 0.0 * v, (0.0, 0.0, 0.0)))
    ahead = [a + STEP * b for a, b in zip(q, speeds, strict=True)]
    behind = [a - STEP * b for a, b in zip(q, speeds, strict=True)]
    change = np.array(chain.mass_matrix(ahead)) - np.array(chain.mass_matrix(behind))
    assert v @ bias == pytest.approx(v @ change @ v / (4.0 * STEP), abs=100 * DIFFERENCE)


@given(chain=trees(), data=st.data(), wanted=quats)
@settings(max_examples=60, deadline=None)
def test_a_pose_that_is_reached_already_stays(
    chain: Chain, data: st.DataObject, wanted: Quat
) -> None:
    q = coordinates(data, chain.dofs)
    link = len(chain.tree) - 1
    frame = link_frame(chain, q, link)
    # the frame in the link that now has the orientation ``wanted``
    rotation = frame[:9].reshape(3, 3).T @ rotation_matrix(wanted)
    turned = next(
        quat
        for quat in (quat_multiply(_inverse_of(frame), wanted),)
        if np.allclose(rotation_matrix(quat), rotation, atol=1e-9)
    )
    found = chain.inverse_kinematics(q, [link], [frame[9:].tolist()], turn=(wanted, turned))
    # the error of the orientation is known to single precision only
    assert found == pytest.approx(q, abs=2e-6)


def _inverse_of(frame: np.ndarray) -> Quat:
    import mujoco

    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, frame[:9])
    w, x, y, z = quat.tolist()
    return (w, -x, -y, -z)
