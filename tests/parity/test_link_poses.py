"""Link states against PyBullet: of when the poses are that they show."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pybullet_data
import pytest

from tests.bullet.paired import both

LINKS = 7
SPEED = 1.0  # rad/s of each joint


def turning(p: Any) -> int:
    """A Kuka arm whose joints turn, after 20 steps."""
    p.setAdditionalSearchPath(pybullet_data.getDataPath())
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    for joint in range(LINKS):
        p.setJointMotorControl2(arm, joint, p.VELOCITY_CONTROL, targetVelocity=SPEED, force=500)
    for _ in range(20):
        p.stepSimulation()
    return arm


def placed(p: Any, arm: int, **options: Any) -> np.ndarray:
    """Centres of mass, orientations (up to sign) and frames of all links, one row each."""
    states = p.getLinkStates(arm, list(range(LINKS)), **options)
    rows = [np.concatenate([part for part in state if len(part) == 3]) for state in states]
    return np.array(rows)


def lag(p: Any, between: Callable[[Any, int], object]) -> np.ndarray:
    """How far the link states are behind the present poses after some call."""
    arm = turning(p)
    between(p, arm)
    shown = placed(p, arm, computeLinkVelocity=1)
    return placed(p, arm, computeLinkVelocity=1, computeForwardKinematics=1) - shown


def assert_same_lag(between: Callable[[Any, int], object]) -> np.ndarray:
    theirs, ours = both(lambda p: lag(p, between))
    # the arms themselves differ by 1e-5 rad; both lags are a step's way of about 4e-3 m
    np.testing.assert_allclose(ours, theirs, atol=2e-4)
    return ours


@pytest.mark.parametrize(
    "between",
    [
        lambda p, arm: None,
        lambda p, arm: p.getAABB(arm, 3),
        lambda p, arm: p.getClosestPoints(arm, arm, 0.1, 2, 6),
        lambda p, arm: p.performCollisionDetection(),
        lambda p, arm: p.changeDynamics(arm, 3, mass=2.0),
        lambda p, arm: p.createMultiBody(1.0, p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)),
        lambda p, arm: p.createConstraint(
            arm, 6, -1, -1, p.JOINT_POINT2POINT, [0, 0, 0], [0, 0, 0], [0, 0, 1]
        ),
    ],
    ids=["nothing", "box", "closest", "contacts", "mass", "body", "constraint"],
)
def test_link_states_show_where_the_last_step_began(between: Callable[[Any, int], object]) -> None:
    assert np.abs(assert_same_lag(between)).max() > 1e-3


def restored(p: Any, arm: int) -> None:
    """Put back a state that was saved one step ago."""
    state = p.saveState()
    p.stepSimulation()
    p.restoreState(state)


@pytest.mark.parametrize(
    "between",
    [
        lambda p, arm: p.resetJointState(arm, 2, 0.3),
        lambda p, arm: p.resetBasePositionAndOrientation(arm, [0, 0, 1], [0, 0, 0, 1]),
        lambda p, arm: p.getLinkState(arm, 0, computeForwardKinematics=1),
        restored,
    ],
    ids=["joint", "base", "forward kinematics", "restored"],
)
def test_link_states_are_of_the_present_after(between: Callable[[Any, int], object]) -> None:
    assert not assert_same_lag(between).any()


def test_link_states_of_substeps_show_where_the_last_substep_began() -> None:
    def substeps(p: Any, arm: int) -> None:
        p.setPhysicsEngineParameter(numSubSteps=4)
        p.stepSimulation()

    theirs, ours = both(lambda p: lag(p, substeps))
    np.testing.assert_allclose(ours, theirs, atol=2e-4)
    assert 1e-4 < np.abs(ours[:, :3]).max() < 1.5e-3


def test_a_body_loaded_after_steps_shows_its_present_poses() -> None:
    def loaded(p: Any) -> np.ndarray:
        turning(p)
        other = p.loadURDF("kuka_iiwa/model.urdf", [1, 0, 0], useFixedBase=True)
        p.getAABB(other)
        return placed(p, other)

    theirs, ours = both(loaded)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
