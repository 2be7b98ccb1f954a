"""Substeps against PyBullet: what bounds motors, and which forces are told."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pybullet_data
import pytest

from tests.bullet.paired import add, both

FORCE = 2.0  # N
Command = Callable[[Any, int], object]


def slider(p: Any) -> int:
    """A mass of 1 kg on a rail."""
    ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.2)
    body = p.createMultiBody(
        linkMasses=[1.0],
        linkCollisionShapeIndices=[ball],
        linkVisualShapeIndices=[-1],
        linkPositions=[[0, 0, 0]],
        linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0, 0, 0]],
        linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0],
        linkJointTypes=[p.JOINT_PRISMATIC],
        linkJointAxis=[[1, 0, 0]],
    )
    p.changeDynamics(body, 0, linearDamping=0, jointDamping=0)
    return body


def motion(p: Any, substeps: int, command: Command) -> np.ndarray:
    """Position, speed and motor force of the slider, a row a step."""
    p.setPhysicsEngineParameter(numSubSteps=substeps)
    body = slider(p)
    rows: list[tuple[float, ...]] = []
    for _ in range(4):
        command(p, body)
        p.stepSimulation()
        position, speed, _, force = p.getJointState(body, 0)
        rows.append((position, speed, force))
    return np.array(rows)


@pytest.mark.parametrize("substeps", [0, 1, 2, 4])
@pytest.mark.parametrize(
    "command",
    [
        lambda p, body: p.setJointMotorControl2(
            body, 0, p.VELOCITY_CONTROL, targetVelocity=9, force=FORCE
        ),
        lambda p, body: p.setJointMotorControl2(
            body, 0, p.POSITION_CONTROL, targetPosition=1, force=FORCE
        ),
        lambda p, body: p.setJointMotorControl2(
            body, 0, p.POSITION_CONTROL, targetPosition=1e-3, force=200
        ),
        lambda p, body: p.setJointMotorControlArray(
            body, [0], p.VELOCITY_CONTROL, targetVelocities=[9], forces=[FORCE]
        ),
    ],
    ids=["velocity", "position", "strong", "array"],
)
def test_a_motor_has_its_force_once_more_for_each_substep(substeps: int, command: Command) -> None:
    theirs, ours = both(lambda p: motion(p, substeps, command))
    np.testing.assert_allclose(ours, theirs, rtol=3e-4, atol=1e-5)  # hard rows give by 1e-5


def test_a_motor_keeps_the_impulse_it_was_told_when_the_time_step_changes() -> None:
    def changing(p: Any) -> list[float]:
        body = slider(p)
        p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=9, force=FORCE)
        speeds: list[float] = []
        for dt, substeps in ((1 / 240, 0), (1 / 100, 0), (1 / 100, 3), (1 / 500, 2)):
            p.setTimeStep(dt)
            p.setPhysicsEngineParameter(numSubSteps=substeps)
            p.stepSimulation()
            speeds.append(p.getJointState(body, 0)[1])
        p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=9, force=FORCE)
        p.stepSimulation()
        return [*speeds, p.getJointState(body, 0)[1]]

    theirs, ours = both(changing)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_contact_forces_are_those_of_one_substep_as_if_of_the_step() -> None:
    def resting(p: Any) -> float:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        p.setGravity(0, 0, -10)
        p.setPhysicsEngineParameter(numSubSteps=4)
        ground = p.loadURDF("plane.urdf")
        ball = add(p, p.GEOM_SPHERE, (0, 0, 0.5), 1.0, radius=0.5)
        for _ in range(60):
            p.stepSimulation()
        (row,) = p.getContactPoints(ball, ground)
        return row[9]

    theirs, ours = both(resting)
    assert theirs == pytest.approx(2.5, abs=1e-3)
    assert ours == pytest.approx(2.5, abs=5e-3)  # it has not quite come to rest


def test_a_ball_joint_has_its_torque_once_more_for_each_substep() -> None:
    def turning(p: Any) -> np.ndarray:
        p.setPhysicsEngineParameter(numSubSteps=3)
        body = p.createMultiBody(
            linkMasses=[1.0],
            linkCollisionShapeIndices=[p.createCollisionShape(p.GEOM_SPHERE, radius=0.5)],
            linkVisualShapeIndices=[-1],
            linkPositions=[[0, 0, 0]],
            linkOrientations=[[0, 0, 0, 1]],
            linkInertialFramePositions=[[0, 0, 0]],
            linkInertialFrameOrientations=[[0, 0, 0, 1]],
            linkParentIndices=[0],
            linkJointTypes=[p.JOINT_SPHERICAL],
            linkJointAxis=[[0, 0, 1]],
        )
        turn = p.getQuaternionFromEuler([0, 0, 1.0])
        p.setJointMotorControlMultiDof(
            body, 0, p.POSITION_CONTROL, targetPosition=turn, positionGain=1, force=[0.1] * 3
        )
        for _ in range(5):
            p.stepSimulation()
        _, speed, _, torque = p.getJointStateMultiDof(body, 0)
        return np.array([speed, torque])

    theirs, ours = both(turning)
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)


def test_motors_told_together_after_a_new_time_step_are_bounded_as_in_pybullet() -> None:
    def speeds(p: Any) -> list[float]:
        body = slider(p)
        told = {"targetVelocities": [9.0], "forces": [FORCE]}
        for step in (1 / 240, 1 / 240, 1 / 500, 1 / 120):
            p.setTimeStep(step)
            p.setJointMotorControlArray(body, [0], p.VELOCITY_CONTROL, **told)
            p.stepSimulation()
        return [p.getJointState(body, 0)[1]]

    theirs, ours = both(speeds)
    assert ours == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("substeps", [0, 4])
def test_a_constraint_is_bounded_by_the_impulse_of_the_time_step_it_was_told_in(
    substeps: int,
) -> None:
    def motion_of_a_held_ball(p: Any) -> np.ndarray:
        ball = add(p, p.GEOM_SPHERE, (0, 0, 0), 1.0, radius=0.1)
        zero = (0, 0, 0)
        held = p.createConstraint(ball, -1, -1, -1, p.JOINT_POINT2POINT, zero, zero, (1, 0, 0))
        p.changeConstraint(held, maxForce=FORCE)
        rows = []
        for step, force in ((1 / 240, None), (1 / 500, None), (1 / 120, 3.0), (1 / 240, None)):
            p.setPhysicsEngineParameter(fixedTimeStep=step, numSubSteps=substeps)
            if force is not None:
                p.changeConstraint(held, maxForce=force)
            p.stepSimulation()
            rows.append(p.getBaseVelocity(ball)[0])
        return np.array(rows)

    theirs, ours = both(motion_of_a_held_ball)
    assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-8)
