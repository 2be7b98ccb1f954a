"""Motion against its closed form, and the grid against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from unibody import bullet, fleet
from unibody.fleet.collisions.near_pairs import pairs_among

DT = 0.05


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=DT, physics=False)
    )
    made.set_collision_check_frequency(0)
    yield made
    bullet.disconnect(made.client)


def robot(core, x=0.0, **limits):
    params = fleet.AgentSpawnParams(
        collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.1, 0.1]),
        initial_pose=fleet.Pose.from_xyz(x, 0.0, 0.1),
        mass=0.0,
        motion_mode="omnidirectional",
        **limits,
    )
    return fleet.Agent.from_params(params, sim_core=core)


def trapezoid(t, distance, speed, accel):
    """Way covered after ``t`` by a motion from rest to rest."""
    rise = min(speed / accel, np.sqrt(distance / accel))
    top = accel * rise
    flat = (distance - top * rise) / top
    if t <= rise:
        return 0.5 * accel * t * t
    if t <= rise + flat:
        return 0.5 * top * rise + top * (t - rise)
    left = max(0.0, 2 * rise + flat - t)
    return distance - 0.5 * accel * left * left


def test_an_omnidirectional_robot_follows_the_trapezoid_to_a_millimetre(core):
    agent = robot(core, controller={"max_linear_vel": 1.0, "max_linear_accel": 0.5})
    agent.set_goal_pose(fleet.Pose.from_xyz(4.0, 0.0, 0.1))
    offsets = []
    for step in range(1, 160):
        core.step_once()
        offsets.append((step * DT, agent.get_pose().position[0]))
    # the profile may start at the beginning or at the end of the first step
    best = min(
        max(abs(x - trapezoid(max(t - late, 0.0), 4.0, 1.0, 0.5)) for t, x in offsets)
        for late in (0.0, DT)
    )
    assert best < 1e-3
    assert agent.get_pose().position[0] == pytest.approx(4.0, abs=1e-6)


def test_every_agent_is_a_row_and_moves_by_itself(core):
    agents = [robot(core, x=float(k)) for k in range(20)]
    for agent in agents[::2]:
        x = agent.get_pose().position[0]
        agent.set_goal_pose(fleet.Pose.from_xyz(x, 3.0, 0.1))
    for _ in range(400):
        core.step_once()
    ends = np.array([agent.get_pose().position for agent in agents])
    np.testing.assert_allclose(ends[::2, 1], 3.0, atol=1e-3)
    np.testing.assert_allclose(ends[1::2, 1], 0.0, atol=1e-9)


@pytest.mark.parametrize("cell", [0.3, 1.0, 5.0])
def test_the_grid_finds_the_pairs_that_brute_force_finds(cell):
    random = np.random.default_rng(int(10 * cell))
    n = 600
    kind = np.dtype(
        [("low", float, 3), ("high", float, 3), ("moved", np.uint8), ("role", np.uint8)]
    )
    bodies = np.zeros(n, dtype=kind)
    bodies["low"] = random.uniform(-5.0, 5.0, (n, 3))
    bodies["high"] = bodies["low"] + random.uniform(0.05, 1.5, (n, 3))
    bodies["moved"] = random.random(n) < 0.7
    found = pairs_among(bodies, np.arange(n), cell, 0.0, False)
    low, high = bodies["low"], bodies["high"]
    touch = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    touch &= bodies["moved"][:, None].astype(bool) | bodies["moved"][None].astype(bool)
    first, second = np.nonzero(np.triu(touch, 1))
    assert {tuple(pair) for pair in found.tolist()} == set(
        zip(first.tolist(), second.tolist(), strict=True)
    )
    assert len(found) == len(first)


def test_an_unknown_key_of_a_file_is_named_with_its_line(tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text("simulation:\n  timestep: 0.1\n  timestepp: 0.2\n")
    with pytest.raises(Exception, match="timestepp") as caught:
        fleet.MultiRobotSimulationCore.from_yaml(str(file))
    assert "3" in str(caught.value)
