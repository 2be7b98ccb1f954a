"""Contact points, against PyBullet and closed forms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unibody.bullet as ub
from tests.bullet.paired import add, both, connected
from unibody.bullet.clients.registry import clients
from unibody.bullet.queries.contact_rows import RowMaker, python_rows
from unibody.core.engine.contacts.arrays import read_contacts

G = 10.0
STEPS = 100


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(ub) as module:
        yield module


def resting(p: Any) -> tuple[int, int, int]:
    """A plane, a box and a ball of 1 kg at rest on it."""
    p.setGravity(0, 0, -G)
    plane = add(p, p.GEOM_PLANE, (0, 0, 0))
    box = add(p, p.GEOM_BOX, (0, 0, 0.5), 1, halfExtents=(0.5, 0.5, 0.5))
    ball = add(p, p.GEOM_SPHERE, (3, 0, 0.5), 1, radius=0.5)
    for _ in range(STEPS):
        p.stepSimulation()
    return plane, box, ball


def test_the_contact_of_a_resting_ball_is_that_of_pybullet() -> None:
    def play(p: Any) -> Any:
        return p.getContactPoints(resting(p)[2])

    theirs, ours = both(play)
    assert len(ours) == len(theirs) == 1
    assert ours[0][:5] == theirs[0][:5]
    for field in range(5, 14):
        # both let a resting body sink by some 1e-5 m
        assert ours[0][field] == pytest.approx(theirs[0][field], abs=1e-4)
    assert [type(value) for value in ours[0]] == [type(value) for value in theirs[0]]


def test_a_box_on_a_box_touches_with_its_four_corners_as_in_pybullet() -> None:
    def play(p: Any) -> Any:
        p.setGravity(0, 0, -G)
        add(p, p.GEOM_BOX, (0, 0, -0.5), halfExtents=(2, 2, 0.5))
        add(p, p.GEOM_BOX, (0, 0, 0.5), 1, halfExtents=(0.5, 0.4, 0.5))
        p.stepSimulation()
        return sorted(p.getContactPoints(), key=lambda row: np.round(row[5], 2).tolist())

    theirs, ours = both(play)
    assert len(ours) == len(theirs) == 4
    for their_row, our_row in zip(theirs, ours, strict=True):
        assert our_row[:5] == their_row[:5]
        for field in (5, 6, 7, 8, 11, 13):
            assert our_row[field] == pytest.approx(their_row[field], abs=1e-4)


def test_a_and_b_come_in_pybullets_order() -> None:
    def play(p: Any) -> Any:
        plane = add(p, p.GEOM_PLANE, (0, 0, 0))
        add(p, p.GEOM_BOX, (0, 0, 0.49), 1, halfExtents=(0.5, 0.5, 0.5))
        shifted = p.createCollisionShape(
            p.GEOM_BOX, halfExtents=(0.5, 0.5, 0.5), collisionFramePosition=(0.1, 0, 0)
        )
        p.createMultiBody(1, shifted, -1, (0, 0, 1.48))
        add(p, p.GEOM_SPHERE, (5, 0, 0.09), 1, radius=0.1)
        p.stepSimulation()
        return plane, {row[1:5] for row in p.getContactPoints()}

    theirs, ours = both(play)
    assert ours == theirs


def test_the_normal_forces_of_a_resting_body_carry_its_weight(p: Any) -> None:
    _, box, ball = resting(p)
    for body in (box, ball):
        forces = [row[9] for row in p.getContactPoints(body)]
        assert sum(forces) == pytest.approx(G, rel=1e-3)  # what is left of settling


@pytest.mark.parametrize("order", ["plane first", "box first"])
def test_the_requested_body_is_a_and_the_normal_points_to_it(p: Any, order: str) -> None:
    plane, box, _ = resting(p)
    a, b, up = (plane, box, -1.0) if order == "plane first" else (box, plane, 1.0)
    rows = p.getContactPoints(a, b)
    assert len(rows) == 4
    for row in rows:
        assert row[1:5] == (a, b, -1, -1)
        assert row[7] == pytest.approx((0, 0, up))
        gap = np.dot(np.subtract(row[5], row[6]), row[7])
        assert gap == pytest.approx(row[8], abs=1e-12)
        assert row[8] <= 0.0


def test_filters_select_as_in_pybullet() -> None:
    def play(p: Any) -> Any:
        plane, box, ball = resting(p)
        queries: list[dict[str, int]] = [
            {}, {"bodyA": box}, {"bodyA": plane}, {"bodyB": box}, {"bodyB": plane},
            {"bodyA": box, "bodyB": ball}, {"bodyA": box, "bodyB": box}, {"bodyA": 77},
            {"bodyA": -5}, {"bodyA": box, "linkIndexA": 0}, {"bodyA": box, "linkIndexB": -1},
            {"bodyA": plane, "bodyB": ball, "linkIndexA": -1, "linkIndexB": -2},
        ]  # fmt: skip
        return [{row[:5] for row in p.getContactPoints(**query)} for query in queries]

    theirs, ours = both(play)
    assert ours == theirs


def test_the_links_of_an_articulated_body_are_told_apart() -> None:
    def play(p: Any) -> Any:
        p.setGravity(0, 0, -G)
        add(p, p.GEOM_PLANE, (0, 0, 0))
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
        body = p.createMultiBody(
            1, ball, -1, (0, 0, 0.1), linkMasses=[1, 1], linkCollisionShapeIndices=[ball] * 2,
            linkVisualShapeIndices=[-1] * 2, linkPositions=[(0.5, 0, 0)] * 2,
            linkOrientations=[(0, 0, 0, 1)] * 2, linkInertialFramePositions=[(0, 0, 0)] * 2,
            linkInertialFrameOrientations=[(0, 0, 0, 1)] * 2, linkParentIndices=[0, 1],
            linkJointTypes=[p.JOINT_FIXED] * 2, linkJointAxis=[(0, 0, 1)] * 2,
        )  # fmt: skip
        for _ in range(STEPS):
            p.stepSimulation()
        rows = p.getContactPoints(body)
        return sorted({row[3] for row in rows}), len(p.getContactPoints(body, linkIndexA=1))

    theirs, ours = both(play)
    assert ours == theirs == ([-1, 0, 1], 1)


@pytest.mark.parametrize("ground_first", [True, False])
def test_friction_acts_on_the_body_that_comes_first_as_in_pybullet(ground_first: bool) -> None:
    def play(p: Any) -> Any:
        p.setGravity(0, 0, -G)
        ground = {"kind": p.GEOM_BOX, "pos": (0, 0, -0.5), "halfExtents": (5, 5, 0.5)}
        bodies = [add(p, **ground)] if ground_first else []
        box = add(p, p.GEOM_BOX, (0, 0, 0.05), 1, halfExtents=(0.2, 0.2, 0.05))
        bodies += [] if ground_first else [add(p, **ground)]
        for _ in range(STEPS):
            p.stepSimulation()
        p.applyExternalForce(box, -1, (0.3, 0.1, 0), (0, 0, 0.05), p.WORLD_FRAME)
        p.stepSimulation()
        rows = p.getContactPoints()
        return sum(row[10] * np.array(row[11]) + row[12] * np.array(row[13]) for row in rows)

    theirs, ours = both(play)
    # the box sticks: friction holds the push, but for the creep of soft friction rows (1 %)
    push = np.array([0.3, 0.1, 0.0]) * (1.0 if ground_first else -1.0)
    assert ours == pytest.approx(push, abs=3e-3)
    assert theirs == pytest.approx(push, abs=0.05)


def test_contacts_stay_as_they_were_until_the_next_step() -> None:
    def play(p: Any) -> Any:
        plane, _, ball = resting(p)
        counts = [len(p.getContactPoints(ball))]
        p.resetBasePositionAndOrientation(ball, (5, 0, 2), (0, 0, 0, 1))
        counts.append(len(p.getContactPoints(ball)))
        p.performCollisionDetection()
        counts.append(len(p.getContactPoints(ball)))
        p.resetBasePositionAndOrientation(ball, (5, 0, 0.49), (0, 0, 0, 1))
        p.performCollisionDetection()
        row = p.getContactPoints(ball, plane)[0]
        return counts, row[5], row[8], row[9]

    theirs, ours = both(play)
    assert ours[0] == theirs[0] == [1, 1, 0]
    assert ours[1] == pytest.approx(theirs[1], abs=1e-9)
    assert ours[2:] == pytest.approx(theirs[2:], abs=1e-9)


def test_collision_detection_keeps_the_forces_of_contacts_that_stay(p: Any) -> None:
    _, box, _ = resting(p)
    before = sorted((row[5][:2], row[9]) for row in p.getContactPoints(box))
    p.performCollisionDetection()
    after = sorted((row[5][:2], row[9]) for row in p.getContactPoints(box))
    assert [force for _, force in after] == [force for _, force in before]


def test_collision_detection_leaves_motor_torques_readable(p: Any) -> None:
    p.setGravity(0, 0, -G)
    arm = p.createMultiBody(
        0, -1, -1, (0, 0, 1), linkMasses=[1], linkCollisionShapeIndices=[-1],
        linkVisualShapeIndices=[-1], linkPositions=[(0, 0, 0)], linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(0.5, 0, 0)], linkInertialFrameOrientations=[(0, 0, 0, 1)],
        linkParentIndices=[0], linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[(0, 1, 0)],
    )  # fmt: skip
    p.setJointMotorControl2(arm, 0, p.VELOCITY_CONTROL, targetVelocity=0, force=100)
    p.stepSimulation()
    torque = p.getJointState(arm, 0)[3]
    p.performCollisionDetection()
    assert abs(torque) > 1.0
    assert p.getJointState(arm, 0)[3] == torque


def test_adding_or_removing_a_body_keeps_the_contacts_of_the_others() -> None:
    def play(p: Any) -> Any:
        _, box, _ = resting(p)
        add(p, p.GEOM_SPHERE, (9, 9, 9), 1, radius=0.1)
        with_new = {row[1:3] for row in p.getContactPoints()}
        p.removeBody(box)
        rows = p.getContactPoints()
        return with_new, [row[1:3] for row in rows], rows[0][9]

    theirs, ours = both(play)
    assert ours[:2] == theirs[:2]
    assert ours[2] == pytest.approx(theirs[2], rel=1e-3)


def test_a_body_that_takes_the_id_of_a_removed_one_has_none_of_its_contacts(p: Any) -> None:
    _, _, ball = resting(p)
    p.removeBody(ball)
    again = add(p, p.GEOM_SPHERE, (3, 0, 0.4), 1, radius=0.5)
    assert again == ball
    assert p.getContactPoints(again) == ()
    p.stepSimulation()
    assert len(p.getContactPoints(again)) == 1


def test_there_are_no_contacts_before_the_first_step() -> None:
    def play(p: Any) -> Any:
        add(p, p.GEOM_PLANE, (0, 0, 0))
        ball = add(p, p.GEOM_SPHERE, (3, 0, 0.4), 1, radius=0.5)
        return p.getContactPoints(), p.getContactPoints(ball)

    assert both(play) == (((), ()), ((), ()))


def test_a_penetrating_ball_has_the_closed_forms_points(p: Any) -> None:
    add(p, p.GEOM_SPHERE, (0, 0, 0), 0, radius=0.5)
    ball = add(p, p.GEOM_SPHERE, (0.6, 0, 0), 1, radius=0.2)
    p.performCollisionDetection()
    (row,) = p.getContactPoints(ball)
    assert row[5] == pytest.approx((0.4, 0, 0))
    assert row[6] == pytest.approx((0.5, 0, 0))
    assert row[7] == pytest.approx((1, 0, 0))
    assert row[8] == pytest.approx(-0.1)


def test_a_disconnected_client_is_an_error() -> None:
    for query in (ub.getContactPoints, ub.performCollisionDetection):
        with pytest.raises(ub.error, match="Not connected to physics server"):
            query(physicsClientId=5)


def test_compiled_code_tells_of_contacts_what_python_does(p: Any) -> None:
    plane, box, ball = resting(p)
    contacts = read_contacts(clients[0].world)
    for a, b in itertools.product((-1, plane, box, ball, 77), repeat=2):
        for links in ((-2, -2), (-1, -2), (-2, -1), (0, -2)):
            for substeps in (1.0, 3.0):
                made = RowMaker(contacts, substeps).rows((a, b, *links))
                assert made == python_rows(contacts, substeps, (a, b, *links))


@pytest.mark.parametrize("bad", [1.0, "1", None, 2**40])
def test_contacts_of_what_is_no_number_of_a_body_are_refused_as_in_pybullet(bad: Any) -> None:
    def play(p: Any) -> Any:
        resting(p)
        with pytest.raises((TypeError, OverflowError)) as raised:
            p.getContactPoints(bad)
        return raised.type

    theirs, ours = both(play)
    assert ours is theirs
