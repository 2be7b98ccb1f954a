"""No call on the fleet ends in an error out of its depth, and the simulation steps afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibody import bullet, fleet
from unibody.errors import InvalidArgumentError

CALLS = Path(__file__).with_name("hostile_calls.py")
COUNT = 2_000
EXAMPLES = 1 if settings().derandomize else 25  # of `make test`, and of `make fuzz`


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**31) if EXAMPLES > 1 else st.just(7))
@pytest.mark.slow
def test_hostile_calls_end_in_an_error_raised_on_purpose_and_steps_go_on(tmp_path_factory, seed):
    # A process of its own: a call may register things, or bring the process down.
    done = subprocess.run(
        [sys.executable, str(CALLS), str(seed), str(COUNT)],
        cwd=tmp_path_factory.mktemp("calls"), capture_output=True, text=True, check=False,
        timeout=900,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    last = done.stderr.splitlines()[-1:]
    assert lines, f"the process ended with {done.returncode} in {last}"
    assert lines[-1] == f"DONE {COUNT} 0", "\n".join(lines[:20])


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
