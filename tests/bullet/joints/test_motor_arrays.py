"""Motors told together, again and again, do what the same motors told one by one do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pybullet_data
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unibody.bullet as p

SHAPES = (tuple, list, np.array)
GROUPS = ((0, 1, 2, 3, 4, 5, 6), (0, 1, 2), (3, 4, 5, 6), (2, 5))
force = st.floats(-20.0, 20.0)
calls = st.lists(
    st.tuples(
        st.sampled_from([p.TORQUE_CONTROL, p.POSITION_CONTROL, p.VELOCITY_CONTROL]),
        st.sampled_from(GROUPS),
        st.lists(force, min_size=7, max_size=7),
        st.sampled_from([30.0, 200.0]),
        st.sampled_from(SHAPES),
    ),
    min_size=2,
    max_size=12,
)


@pytest.fixture(scope="module")
def arms() -> Iterator[tuple[tuple[int, int], ...]]:
    """Two worlds with an arm each: (client, body)."""
    both = []
    for _ in range(2):
        client = p.connect(p.DIRECT)
        p.setAdditionalSearchPath(pybullet_data.getDataPath(), physicsClientId=client)
        body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True, physicsClientId=client)
        both.append((client, body))
    yield tuple(both)
    for client, _ in both:
        p.disconnect(client)


def _together(arm: tuple[int, int], call: Any) -> None:
    mode, joints, numbers, strength, shape = call
    client, body = arm
    numbers = shape(numbers[: len(joints)])
    named = {p.TORQUE_CONTROL: "forces", p.POSITION_CONTROL: "targetPositions"}
    given = {named.get(mode, "targetVelocities"): numbers}
    if mode != p.TORQUE_CONTROL:
        given["forces"] = shape([strength] * len(joints))
    p.setJointMotorControlArray(body, shape(joints), mode, **given, physicsClientId=client)


def _one_by_one(arm: tuple[int, int], call: Any) -> None:
    mode, joints, numbers, strength, _ = call
    client, body = arm
    for joint, number in zip(joints, numbers, strict=False):
        named = {p.TORQUE_CONTROL: "force", p.POSITION_CONTROL: "targetPosition"}
        given = {named.get(mode, "targetVelocity"): number}
        if mode != p.TORQUE_CONTROL:
            given["force"] = strength
        p.setJointMotorControl2(body, joint, mode, **given, physicsClientId=client)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(calls=calls)
def test_motors_told_together_move_as_motors_told_one_by_one(arms: Any, calls: list[Any]) -> None:
    for client, body in arms:
        for joint in range(7):
            p.resetJointState(body, joint, 0.1, 0.0, physicsClientId=client)
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, physicsClientId=client)
    states = []
    for arm, tell in zip(arms, (_together, _one_by_one), strict=True):
        client, body = arm
        for call in calls:
            tell(arm, call)
            p.stepSimulation(physicsClientId=client)
        states.append(p.getJointStates(body, range(7), physicsClientId=client))
    assert states[0] == states[1]


row = st.lists(force, min_size=7, max_size=7)
rows = st.one_of(st.none(), row)
multi_calls = st.lists(
    st.tuples(st.sampled_from(GROUPS), rows, rows, st.sampled_from([None, 30.0, 200.0])),
    min_size=2,
    max_size=8,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(calls=multi_calls)
def test_motors_of_any_number_of_axes_move_the_same_way_told_together_or_alone(
    arms: Any, calls: list[Any]
) -> None:
    for client, body in arms:
        for joint in range(7):
            p.resetJointState(body, joint, 0.1, 0.0, physicsClientId=client)
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, physicsClientId=client)
    (first, arm), (second, other) = arms
    mode = p.POSITION_CONTROL
    for joints, positions, velocities, strength in calls:
        given: dict[str, Any] = {"targetPositions": positions, "targetVelocities": velocities}
        given["forces"] = None if strength is None else [strength] * 7
        together = {
            name: values and [[value] for value in values[: len(joints)]]
            for name, values in given.items()
        }
        p.setJointMotorControlMultiDofArray(arm, joints, mode, **together, physicsClientId=first)
        for k, joint in enumerate(joints):
            alone = {name[:-1]: [values[k]] for name, values in given.items() if values}
            alone["targetVelocity"] = alone.pop("targetVelocitie", None)
            p.setJointMotorControlMultiDof(other, joint, mode, **alone, physicsClientId=second)
        p.stepSimulation(physicsClientId=first)
        p.stepSimulation(physicsClientId=second)
    assert p.getJointStates(arm, range(7), physicsClientId=first) == p.getJointStates(
        other, range(7), physicsClientId=second
    )


def test_torques_come_with_arrays_of_gains_that_have_no_part_in_them(arms: Any) -> None:
    reached: list[Any] = []
    for (client, body), gains in zip(arms, ({}, {"velocityGains": np.ones(2)}), strict=True):
        for joint in range(7):
            p.resetJointState(body, joint, 0.0, physicsClientId=client)
        p.setJointMotorControlArray(
            body, [0, 1], p.TORQUE_CONTROL, forces=[1.0, 2.0], **gains, physicsClientId=client
        )
        p.stepSimulation(client)
        reached.append(p.getJointStates(body, [0, 1], client))
    assert reached[0] == reached[1]
