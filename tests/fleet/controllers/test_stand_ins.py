"""Controllers that decide ask no more of an agent than what they use."""

import pytest

from unibody import fleet
from unibody.fleet.controllers.patrol_controller import PatrolController
from unibody.fleet.controllers.random_walk_controller import RandomWalkController


class _StandIn:
    """What tests of controllers put in an agent's place."""

    is_moving = False

    def __init__(self):
        self.goals = []

    def get_pose(self):
        return fleet.Pose.from_xyz(1.0, 2.0, 0.0)

    def set_goal_pose(self, goal):
        self.goals.append(goal.position)


@pytest.mark.parametrize(
    "controller", [PatrolController(waypoints=[[3.0, 0.0, 0.0]]), RandomWalkController()]
)
def test_a_controller_sends_whatever_has_a_pose_and_takes_goals(controller):
    agent = _StandIn()
    assert controller.compute(agent, 0.1) is False
    assert len(agent.goals) == 1
