"""Arguments that the fleet refuses are named; `tests.fuzz.calls` makes hostile calls at large."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.fleet.actions.action import MoveAction, WaitAction
from unibody.fleet.behavior_trees.behavior_tree_core import BehaviorTree
from unibody.fleet.objects import tools
from unibody.fleet.recording.event_reader import EventLog
from unibody.fleet.spatial import geometry


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=False)
    )
    yield made
    bullet.disconnect(made.client)


@pytest.fixture
def robot(core):
    return fleet.Agent.from_urdf("mobile_robot", pose=fleet.Pose.from_xyz(0, 0, 0.1), sim_core=core)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda r: r.set_pose(None), TypeError, r"pose=None is not allowed: expected a Pose"),
        (lambda r: r.set_path(3), TypeError, r"path=3 is not allowed: expected a list"),
        (lambda r: r.set_path([1]), TypeError, r"path=\[1\] is not allowed: expected a list"),
        (lambda r: r.set_controller("omni"), TypeError, r"controller='omni'.*Controller"),
        (lambda r: r.add_action(3), TypeError, r"action=3 .*the class Action"),
        (lambda r: r.set_motion_mode("fly"), ValueError, r"mode='fly'.*omnidirectional"),
        (lambda r: r.place_at_spawn([0, 0], [1]), ValueError, r"pose=.*three finite coordinates"),
        (lambda r: r.get_link_aabb(99), ValueError, r"link=99 is not allowed: expected -1 to"),
        (lambda r: r.remove_plugin("battery"), ValueError, r"plugin_or_cls='battery'"),
        (lambda r: r.sim_core.register_callback(3), TypeError, r"callback=3 .*a function"),
        (lambda r: r.sim_core.remove_object("x"), TypeError, r"obj='x' .*SimObject"),
        (lambda r: r.controller_params.limit("speed"), ValueError, r"name='speed'.*max_linear"),
        (lambda r: fleet.SimulationParams(gui="no"), TypeError, r"gui='no' .*True or False"),
        (lambda r: fleet.SimulationParams(timestep=float("nan")), ValueError, r"timestep=nan"),
        (lambda r: fleet.GridSpawnParams.from_count(0), ValueError, r"count=0 .*1 to 10000000"),
        (lambda r: fleet.GridSpawnParams.from_count(10**9), ValueError, r"count=1000000000"),
        (lambda r: fleet.GridSpawnParams.from_dict({"count": 5}), ValueError, r"needs spacing"),
        (
            lambda r: fleet.GridSpawnParams.from_dict({"count": 1e308, "spacing": [1, 1]}),
            ValueError,
            r"count=1e\+308 .*a whole number",
        ),
        (lambda r: r.set_path(memoryview(b"ab")), TypeError, r"path=.*expected a list"),
        (lambda r: r.set_path(iter([1])), TypeError, r"path=.*expected a list"),
        (lambda r: r.add_action_sequence(iter([1])), TypeError, r"actions=.*a list"),
        (lambda r: r._controllers[0].set_path(r, []), ValueError, r"path=\[\].*at least one"),
        (lambda r: r.is_joint_at_target(0, 0.0, {1}), TypeError, r"tolerance=\{1\}.*a list"),
        (lambda r: r.set_joints_targets({1}), TypeError, r"targets=\{1\}.*a list"),
        (lambda r: r.are_ee_at_target([0, 0, 0], end_effector_link=99), ValueError, r"link=99"),
        (lambda r: MoveAction(fleet.Path([])).execute(3, 0.1), TypeError, r"agent=3 .*an Agent"),
        (lambda r: r.sim_core.get_object_by_id(np.array(3)), TypeError, r"object_id=array\(3\)"),
        (
            lambda r: r.sim_core.set_poses([0], [0.0], [0.0]),
            ValueError,
            r"positions must have shape \(1, 3\)",
        ),
        (lambda r: fleet.world_to_grid([1], [0]), ValueError, r"pos, spacing, offset=.*spacing"),
        (lambda r: tools.find_nearest([3], [0] * 3, 1.0), ValueError, r"objects=3 .*have a pose"),
        (lambda r: tools.grid_execution([1], func=print), ValueError, r"grid_num=\[1\].*three"),
        (lambda r: fleet.Path.create_circle([0] * 3, 1.0, 0), ValueError, r"num_points=0"),
        (lambda r: fleet.Path.create_circle([0] * 3, 1.0, 10**9), ValueError, r"num_points=1000"),
        (
            lambda r: fleet.body_to_world_velocity_2d(0.0, 0.5, float("inf")),
            ValueError,
            r"yaw=inf .*a finite angle",
        ),
        (
            lambda r: fleet.Pose.from_euler(0, 0, 0, float("-inf")),
            ValueError,
            r"roll=-inf .*finite",
        ),
        (lambda r: fleet.Pose.from_yaw(0, 0, 0, math.inf), ValueError, r"yaw=inf .*finite"),
        (lambda r: geometry.quat_from_matrix(np.zeros(3)), ValueError, r"matrix=.*three rows"),
        (lambda r: geometry.quat_slerp_precompute([1], [1]), ValueError, r"q0=\[1\].*4 numbers"),
        (lambda r: fleet.quat_slerp_batch(*[np.zeros(2)] * 6), ValueError, r"q0=.*\(2, 4\)"),
        (
            lambda r: geometry.clamp_vec_to_limit(np.ones(3), -1.0),
            ValueError,
            r"limit=-1.0 .*not less than 0",
        ),
        (
            lambda r: geometry.quat_slerp(np.ones(4), np.ones(4), 0.5, iter([])),
            TypeError,
            r"precomp=.*SlerpPrecomp",
        ),
        (
            lambda r: r.sim_core.start_recording(height=10**9),
            ValueError,
            r"width, height='800 x 1000000000'",
        ),
        (lambda r: EventLog(3), TypeError, r"path=3 .*a text"),
        (lambda r: fleet.rotate_vector([1, 0, 0], [1]), ValueError, r"quat=\[1\].*4 numbers"),
    ],
)
def test_an_argument_that_is_not_allowed_is_named_with_what_is(core, robot, call, kind, said):
    before = robot.get_pose()
    with pytest.raises(kind, match=said):
        call(robot)
    core.step_once()
    assert robot.get_pose() == before
    assert not robot.is_moving


def test_a_film_takes_true_for_one_pixel(core, robot, tmp_path):
    film = tmp_path / "film.gif"
    core.start_recording(output=str(film), width=True, height=2)
    for _ in range(30):
        core.step_once()
    assert core.stop_recording() == str(film)
    assert film.stat().st_size > 0


def test_an_object_of_a_class_of_the_users_own_may_stand_for_a_controller(core, robot):
    class Driver:
        steps = 0

        def compute(self, agent, dt):
            self.steps += 1
            return False

    driver = Driver()
    robot.set_controller(driver)
    core.step_once()
    assert driver.steps == 1


@pytest.mark.parametrize("params", [3, None, fleet.SimObjectSpawnParams(), fleet.AgentSpawnParams])
def test_agent_is_made_from_parameters_of_agents_alone(core, params):
    with pytest.raises(InvalidArgumentError, match="of the class AgentSpawnParams"):
        fleet.Agent.from_params(params, sim_core=core)


def test_iterators_stand_for_lists_and_numpy_integers_for_numbers_of_links(core, robot):
    poses = [fleet.Pose.from_xyz(x, 0.0, 0.1) for x in (1.0, 2.0)]
    robot.set_path(iter(poses), auto_approach=False)
    assert list(robot.path) == poses
    arm = fleet.Agent.from_urdf("arm_robot", sim_core=core, use_fixed_base=True)
    assert arm._get_end_effector_link_index(np.int64(1)) == 1
    assert tools.resolve_link_index(arm.body_id, np.int64(1), core.client) == 1


def test_a_number_of_numpy_stands_for_all_axes():
    assert tools.normalize_vector_param(np.float32(2.0), "limit").tolist() == [2.0, 2.0, 2.0]


def test_models_to_skip_may_be_an_array(core):
    assert core.load_world({}, skip_models=np.array([])) == core.load_world({})


def test_a_tolerance_of_joints_may_be_an_array(core):
    arm = fleet.Agent.from_urdf("arm_robot", sim_core=core, use_fixed_base=True)
    count = arm.get_num_joints()
    assert arm.are_all_joints_at_targets([0.3] * count, np.full(count, 0.5))
    assert not arm.are_all_joints_at_targets([0.3] * count, np.full(count, 0.1))


def test_an_action_waits_with_an_object_that_knows_its_simulation_alone():
    class Stand:
        sim_core = None

    action = WaitAction(duration=0.5)
    results = [action.execute(Stand(), 0.3) for _ in range(3)]
    assert results[-1]
    assert not results[0]
    with pytest.raises(InvalidArgumentError, match="agent"):
        WaitAction(duration=0.5).execute("robot", 0.3)


def test_an_elevator_of_shapes_alone_and_a_seed_that_is_none_are_refused():
    with pytest.raises(NotSupportedError, match="ElevatorParams"):
        fleet.Elevator.from_mesh()
    with pytest.raises(InvalidArgumentError, match="seed"):
        BehaviorTree(root=None, seed=np.float32(2.0))
    with pytest.raises(InvalidArgumentError, match="sim_core"):
        fleet.AgentManager(sim_core=iter([]))


def test_lists_of_controllers_in_lists_are_refused(core):
    with pytest.raises(InvalidArgumentError, match="controller"):
        fleet.Agent.from_urdf("mobile_robot", sim_core=core, controller=[[], []])
