"""States of robots, controllers and trajectories of Isaac Sim 6."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
import pytest

pytest.importorskip("warp")

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental import motion as mg

SPACE = ["shoulder", "elbow", "finger"]


class _Says(mg.BaseController):
    """Says always the same, or nothing."""

    def __init__(self, said: Any = None, begins: bool = True) -> None:
        self.said, self.begins, self.begun = said, begins, 0

    def reset(self, estimated_state: Any, setpoint_state: Any, t: float, **kwargs: Any) -> bool:
        self.begun += 1
        return self.begins

    def forward(self, estimated_state: Any, setpoint_state: Any, t: float, **kwargs: Any) -> Any:
        return self.said(setpoint_state) if callable(self.said) else self.said


class _Name(Enum):
    FIRST = 1
    SECOND = 2


def _joints(**given: Any) -> mg.RobotState:
    rows = {key: (names, wp.array(values, dtype=float)) for key, (names, values) in given.items()}
    return mg.RobotState(mg.JointState.from_name(SPACE, **rows))


def test_what_is_known_of_joints_comes_in_the_order_of_the_robot() -> None:
    state = _joints(positions=(["finger", "shoulder"], [3.0, 1.0])).joints
    assert state is not None
    assert state.position_names == ["shoulder", "finger"]
    assert state.positions.numpy().tolist() == [1.0, 3.0]
    assert state.position_indices.numpy().tolist() == [0, 2]
    assert state.velocities is None
    with pytest.raises(AttributeError):
        state.positions = None
    for names, values in ((["knee"], [1.0]), (["elbow"] * 2, [1.0, 2.0]), (["elbow"], [1.0, 2.0])):
        with pytest.raises(InvalidArgumentError):
            _joints(positions=(names, values))
    with pytest.raises(InvalidArgumentError, match="positions"):
        mg.JointState.from_name(SPACE)


def test_frames_join_where_they_do_not_speak_of_the_same() -> None:
    frames = ["hand", "foot", "head", "tail"]
    place = (wp.array([1], dtype=wp.int32), wp.array([[1.0, 2.0, 3.0]], dtype=float))
    turn = (wp.array([3], dtype=wp.int32), wp.array([[1.0, 0.0, 0.0, 0.0]], dtype=float))
    one = mg.RobotState(links=mg.SpatialState.from_index(frames, positions=place))
    two = mg.RobotState(links=mg.SpatialState.from_index(frames, orientations=turn))
    both = mg.combine_robot_states(one, two)
    assert both is not None and both.links is not None
    assert both.links.position_names == ["foot"]
    assert both.links.positions.numpy().tolist() == [[1.0, 2.0, 3.0]]
    assert both.links.orientation_names == ["tail"]
    assert mg.combine_robot_states(both, one) is None
    root = mg.RobotState(root=mg.RootState(position=wp.array([0.0, 0.0, 1.0], dtype=float)))
    assert mg.combine_robot_states(root, root) is None
    with pytest.raises(InvalidArgumentError, match="orientation"):
        mg.RootState(orientation=wp.array([1.0, 0.0, 0.0], dtype=float))


def test_controllers_side_by_side_say_parts_and_those_in_a_row_hand_them_on() -> None:
    arm = _joints(positions=(["shoulder"], [1.0]))
    hand = _joints(efforts=(["finger"], [2.0]))
    whole = mg.ParallelController([_Says(arm), _Says(hand)]).forward(arm, None, 0.0)
    assert whole is not None and whole.joints is not None
    assert whole.joints.positions.numpy().tolist() == [1.0]
    assert whole.joints.efforts.numpy().tolist() == [2.0]
    assert mg.ParallelController([_Says(arm), _Says(arm)]).forward(arm, None, 0.0) is None
    row = mg.SequentialController([_Says(hand), _Says(lambda wanted: wanted)])
    assert row.forward(arm, None, 0.0) is hand
    assert mg.SequentialController([_Says(None), _Says(hand)]).forward(arm, None, 0.0) is None
    with pytest.raises(InvalidArgumentError, match="two or more"):
        mg.SequentialController([_Says()])


def test_one_of_several_controllers_is_active_and_the_next_one_begins_first() -> None:
    state = _joints(positions=(["shoulder"], [1.0]))
    first, second = _Says(state), _Says(None)
    several = mg.ControllerContainer({_Name.FIRST: first, _Name.SECOND: second}, _Name.FIRST)
    assert several.forward(state, None, 0.0) is state
    several.set_next_controller(_Name.SECOND)
    assert several.get_active_controller_enum() is _Name.FIRST
    assert several.forward(state, None, 0.0) is None
    assert (second.begun, several.get_active_controller_enum()) == (1, _Name.SECOND)
    second.begins = False
    several.reset(state, None, 0.0)
    several.set_next_controller(_Name.SECOND)
    with pytest.raises(RuntimeError, match="could not begin"):
        several.forward(state, None, 0.0)
    with pytest.raises(LookupError):
        several.set_next_controller("third")  # type: ignore[arg-type]


def test_a_path_is_gone_along_as_fast_as_the_slowest_joint_may() -> None:
    points = [[0.0, 0.0], [2.0, -1.0], [2.0, -1.1]]
    fastest, gains = np.array([1.0, 4.0]), np.array([2.0, 0.8])
    path = mg.Path(points)
    way = path.to_minimal_time_joint_trajectory(fastest, gains, SPACE, ["elbow", "shoulder"])
    rate, gain = 1.0 / 2.0, 0.8 / 1.0  # of the first line; the second is too short to go on
    first, second = 1.0 / rate + rate / gain, 2.0 * np.sqrt(0.1 / 0.8)
    assert way.duration == pytest.approx(first + second)
    times = np.linspace(0.0, way.duration, 4001)
    joints = [way.get_target_state(t).joints for t in times]
    places = np.array([one.positions.numpy()[[1, 0]] for one in joints])  # as the path has them
    speeds = np.array([one.velocities.numpy()[[1, 0]] for one in joints])
    assert places[[0, -1]] == pytest.approx(np.array(points)[[0, -1]], abs=1e-6)
    assert way.get_target_state(first).joints.positions.numpy() == pytest.approx([-1.0, 2.0])
    step = times[1]
    assert (np.abs(speeds) <= fastest + 1e-6).all()
    assert (np.abs(np.diff(speeds, axis=0)) <= gains * step + 1e-6).all()
    assert np.gradient(places, step, axis=0)[1:-1] == pytest.approx(speeds[1:-1], abs=2e-3)
    with pytest.raises(IndexError):
        path.get_waypoint_by_index(3)
    with pytest.raises(InvalidArgumentError, match="the next one, 1"):
        mg.Path([[0.0], [0.0]]).to_minimal_time_joint_trajectory([1.0], [1.0], SPACE, ["elbow"])


def test_a_trajectory_is_followed_from_where_it_begins_to_its_end() -> None:
    follower = mg.TrajectoryFollower()
    state = _joints(positions=(["elbow"], [0.0]))
    assert not follower.reset(state, None, 5.0)
    follower.set_trajectory(
        mg.Path([[0.0], [1.0]]).to_minimal_time_joint_trajectory([10.0], [1.0], SPACE, ["elbow"])
    )
    assert follower.forward(state, None, 5.0) is None
    assert follower.reset(state, None, 5.0)
    half = follower.forward(state, None, 6.0)
    assert half is not None and half.joints is not None
    assert half.joints.positions.numpy() == pytest.approx([0.5])
    assert follower.forward(state, None, 7.1) is None
    assert not follower.has_trajectory()
