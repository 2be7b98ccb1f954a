"""Snapshots: the same steps follow, bit by bit, and what does not fit is refused unchanged."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.fleet.actions import action
from unibody.fleet.agents.agent_manager import AgentManager
from unibody.fleet.bodies import tables as table

AT = fleet.Pose.from_xyz


def make_core(**params):
    chosen = {"timestep": 0.05, "physics": False, **params}
    return fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, target_rtf=0, **chosen)
    )


@pytest.fixture
def core():
    made = make_core()
    yield made
    bullet.disconnect(made.client)


def box_shape(half=0.2):
    return fleet.ShapeParams(shape_type="box", half_extents=[half] * 3)


def robot(core, x, y, kind="omni", mass=0.0, **controller):
    return fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            visual_shape=box_shape(),
            collision_shape=box_shape(),
            initial_pose=AT(x, y, 0.3),
            mass=mass,
            controller={"type": kind, "max_linear_vel": 1.5, **controller},
        ),
        sim_core=core,
    )


def populate(core):
    """Robots on paths, at work, on random walks, in a batch; an arm; one that carries."""
    for number in range(6):
        kind = ("omni", "differential")[number % 2]
        robot(core, 0.0, number, kind).set_path(
            [AT(2.0, number, 0.3), AT(2.0, 0.5 * number, 0.3), AT(0.0, 3.0, 0.3)]
        )
    busy = robot(core, 5.0, 0.0)
    load = fleet.SimObject.from_mesh(
        box_shape(0.1), box_shape(0.1), pose=AT(5.8, 0.0, 0.3), sim_core=core
    )
    busy.add_action_sequence(
        [
            action.WaitAction(2.0),
            action.PickAction(target_object_id=load.body_id, use_approach=False),
            action.MoveAction(fleet.Path([AT(6.0, 0.5, 0.3)])),
            action.DropAction(drop_pose=AT(6.0, 1.0, 0.3), use_approach=False),
        ]
    )
    wanderer = robot(core, -5.0, 0.0)
    wanderer.add_controller(fleet.controllers.RandomWalkController(radius=2.0, wait_range=(0.2, 1)))
    manager = AgentManager(sim_core=core, fleet_controller={"type": "batch_omni"})
    for number in range(3):
        member = robot(core, -9.0, number)
        manager.add_object(member)
        member.set_goal_pose(AT(-7.0, 2.0 - number, 0.3))
    arm = fleet.Agent.from_urdf("arm_robot", pose=AT(0, -3, 0), use_fixed_base=True, sim_core=core)
    arm.set_all_joints_targets([0.8] * arm.get_num_joints())


def state(core):
    """All that can be read of a simulation, and the rows behind it but for places in pools."""
    core._physics_world.read()
    rows = [obj._row for obj in core.sim_objects]
    drivers = [c for agent in core.agents for c in agent._controllers if hasattr(c, "_m")]
    motions = core._tables.motions.data[[driver._m for driver in drivers]]
    left_out = {"path", "room"}
    return {
        "clock": (core.sim_time, core.step_count, core.collision_count),
        "pairs": core.get_active_collision_pairs(),
        "bodies": [
            core._tables.bodies.data[rows][name].tobytes()
            for name in table.BODY.names
            if name != "pending"
        ],
        "motions": [motions[n].tobytes() for n in table.MOTION.names if n not in left_out],
        "joints": [
            [agent.get_joint_state(i)[0] for i in range(agent.get_num_joints())]
            for agent in core.agents
        ],
        "queues": [
            (agent.get_action_queue_size(), type(agent.get_current_action()).__name__)
            for agent in core.agents
        ],
        "carried": [[one.object_id for one in obj.attached_objects] for obj in core.sim_objects],
    }


def run(core, steps):
    found = []
    for _ in range(steps):
        core.step_once()
        found.append(state(core))
    return found


def test_the_same_hundred_steps_follow_a_restored_snapshot_bit_by_bit(core):
    random.seed(4)
    populate(core)
    run(core, 50)
    snapshot, before = core.snapshot(), state(core)
    assert (snapshot.step, snapshot.time) == (50, pytest.approx(2.5))
    first = run(core, 100)
    assert first[-1] != before
    for _ in range(2):
        core.restore(snapshot)
        assert state(core) == before
        assert run(core, 100) == first
    assert any(any(one["carried"]) for one in first)  # picked up and put down on the way
    assert not any(first[-1]["carried"])


def test_new_orders_given_after_a_snapshot_are_forgotten(core):
    agent = robot(core, 0.0, 0.0)
    agent.set_path([AT(3.0, 0.0, 0.3)])
    run(core, 5)
    snapshot, before = core.snapshot(), state(core)
    expected = run(core, 60)
    core.restore(snapshot)
    agent.set_path([AT(0.1 * i, 1.0, 0.3) for i in range(40)])
    agent.add_action(action.WaitAction(5.0))
    agent.set_collision_mode(fleet.CollisionMode.DISABLED)
    run(core, 20)
    core.restore(snapshot)
    assert state(core) == before
    assert agent.path[-1].position == [3.0, 0.0, 0.3]
    assert agent.collision_mode is fleet.CollisionMode.NORMAL_3D
    assert run(core, 60) == expected


def test_the_picture_of_the_engine_follows_a_restored_snapshot(core):
    agent = robot(core, 0.0, 0.0)
    agent.set_goal_pose(AT(3.0, 0.0, 0.3))
    snapshot = core.snapshot()
    run(core, 40)
    moved = bullet.getBasePositionAndOrientation(agent.body_id, physicsClientId=core.client)[0]
    core.restore(snapshot)
    back = bullet.getBasePositionAndOrientation(agent.body_id, physicsClientId=core.client)[0]
    assert moved[0] > 0.5
    assert back == pytest.approx((0.0, 0.0, 0.3))


def test_bodies_the_engine_moves_fall_the_same_way_again():
    core = make_core(physics=True, timestep=1 / 240)
    try:
        for number in range(4):
            robot(core, 0.05 * number, 0.0, mass=1.0).set_pose(AT(0.05 * number, 0.0, 1 + number))
        robot(core, 3.0, 0.0).set_goal_pose(AT(0.0, 0.0, 0.3))
        run(core, 50)
        snapshot = core.snapshot()
        first = run(core, 150)
        core.restore(snapshot)
        assert run(core, 150) == first
    finally:
        bullet.disconnect(core.client)


def test_a_snapshot_of_another_fleet_is_refused_and_nothing_changes(core):
    robot(core, 0.0, 0.0).set_goal_pose(AT(3.0, 0.0, 0.3))
    other = make_core()
    try:
        robot(other, 0.0, 0.0)
        strange = other.snapshot()
        run(core, 5)
        before = state(core)
        for wrong in (strange, None, {"poses": []}):
            with pytest.raises(InvalidArgumentError, match="snapshot"):
                core.restore(wrong)
            assert state(core) == before
    finally:
        bullet.disconnect(other.client)


def test_a_snapshot_with_other_objects_is_refused_with_their_numbers(core):
    gone = robot(core, 0.0, 0.0)
    snapshot = core.snapshot()
    came = robot(core, 2.0, 0.0)
    core.remove_object(gone)
    run(core, 3)
    before = state(core)
    told = f"came {came.object_id}, went {gone.object_id}"
    with pytest.raises(InvalidArgumentError, match=told):
        core.restore(snapshot)
    assert state(core) == before


def test_no_snapshot_is_taken_in_the_middle_of_a_step(core):
    robot(core, 0.0, 0.0)
    problems = []

    def callback(sim, _dt):
        with pytest.raises(InvalidArgumentError, match="middle of a step") as problem:
            sim.snapshot()
        problems.append(problem)

    core.register_callback(callback)
    core.step_once()
    assert len(problems) == 1


def test_what_holds_an_iterator_is_refused_by_name(core):
    agent = robot(core, 0.0, 0.0)
    agent.user_data["next"] = itertools.count()
    with pytest.raises(NotSupportedError, match="count"):
        core.snapshot()


def test_random_numbers_of_objects_are_put_back(core):
    agent = robot(core, 0.0, 0.0)
    agent.user_data.update(plain=random.Random(3), array=np.random.default_rng(3), log=[])
    snapshot = core.snapshot()

    def draw():
        agent.user_data["log"].append(1)
        return agent.user_data["plain"].random(), agent.user_data["array"].random()

    first = draw()
    core.restore(snapshot)
    assert agent.user_data["log"] == []
    assert draw() == first
