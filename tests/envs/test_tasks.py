"""What tasks are about: robots stand, scripts reach the goals."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import unibody.envs  # noqa: E402, F401
from unibody.envs.rotations import rotate, rotate_back, up_axis, yaw_of, yaw_quat  # noqa: E402


def test_rotations_turn_vectors_as_matrices_do() -> None:
    from scipy.spatial.transform import Rotation

    turns = Rotation.random(20, rng=np.random.default_rng(0))
    quat = turns.as_quat(scalar_first=True)
    vectors = np.random.default_rng(1).normal(size=(20, 3))
    assert rotate(quat, vectors) == pytest.approx(turns.apply(vectors), abs=1e-12)
    assert rotate_back(quat, vectors) == pytest.approx(turns.inv().apply(vectors), abs=1e-12)
    assert up_axis(quat) == pytest.approx(turns.inv().apply([0.0, 0.0, 1.0]), abs=1e-12)
    angles = np.linspace(-3.0, 3.0, 7)
    assert yaw_of(yaw_quat(angles)) == pytest.approx(angles, abs=1e-12)


@pytest.mark.parametrize("name", ["unibody/Ant-v0", "unibody/QuadrupedFlat-v0"])
def test_a_robot_on_four_legs_stands_without_actions(name: str) -> None:
    env = gymnasium.make_vec(name, num_envs=4)
    env.reset(seed=0)
    still = np.zeros(env.action_space.shape, np.float32)
    for _ in range(60):
        _, _, ends, _, _ = env.step(still)
        assert not ends.any()
    assert np.abs(env.sim.linear[:, env.task.base]).max() < 0.1


def test_a_robot_stands_on_the_rough_lane_of_its_level() -> None:
    env = gymnasium.make_vec("unibody/QuadrupedRough-v0", num_envs=6)
    env.sim.level[:] = np.arange(6)
    env.reset(seed=0)
    for _ in range(50):
        _, _, ends, _, infos = env.step(np.zeros((6, 12), np.float32))
        assert not ends.any()
    assert infos["level"].tolist() == [0, 1, 2, 3, 4, 5]
    y = env.sim.xpos[:, env.task.base, 1]
    assert np.round((y + 12.0) / 4.0 - 0.5).tolist() == [0, 1, 2, 3, 4, 5]
    assert env.sim.xpos[:, env.task.base, 2].min() > 0.2


def test_worlds_change_their_level_by_how_far_they_got() -> None:
    env = gymnasium.make_vec("unibody/QuadrupedRough-v0", num_envs=2, max_episode_steps=20)
    env.reset(seed=0)
    env.sim.level[:] = 2
    env.task.command[:] = (0.5, 0.0, 0.0)
    for _ in range(20):
        env.sim.qvel[0, 0] = 0.6  # pushed along
        _, _, _, cuts, _ = env.step(np.zeros((2, 12), np.float32))
    assert cuts.all()
    assert env.sim.level.tolist() == [3, 1]


def test_a_script_picks_the_block_up_and_holds_it_at_the_goal() -> None:
    env = gymnasium.make_vec("unibody/PickAndPlace-v0", num_envs=16)
    env.reset(seed=0)
    task, sim = env.task, env.sim
    for number in range(95):
        grip, block = task.grip(sim), sim.xpos[:, task.block]
        above = block + np.array([0.0, 0.0, 0.10])
        hold = number >= 38
        wanted = above if number < 20 else block if not hold else grip
        if number >= 48:
            wanted = task.goal + (grip - block)
        ahead = wanted - grip - (task.target - sim.qpos[:, task.axes.qpos])
        action = np.concatenate([ahead / 0.02, np.full((16, 1), -1.0 if hold else 1.0)], axis=1)
        _, _, _, _, infos = env.step(np.clip(action, -1.0, 1.0).astype(np.float32))
    assert infos["is_success"].mean() >= 15 / 16


def test_a_rover_drives_straight_and_turns_left() -> None:
    env = gymnasium.make("unibody/Navigation-v0").unwrapped
    env.reset(seed=0)
    task, sim = env.vector.task, env.vector.sim
    task.posts[:], task.goal[:] = 50.0, 40.0
    for _ in range(20):
        env.step(np.array([1.0, 0.0], np.float32))
    # 8 rad/s of wheels of 7 cm
    speed = np.linalg.norm(sim.linear[0, task.base, :2])
    assert speed == pytest.approx(8.0 * 0.07, rel=0.1)
    before = yaw_of(sim.xquat[:, task.base])[0]
    for _ in range(5):
        env.step(np.array([0.0, 1.0], np.float32))
    assert 0.1 < (yaw_of(sim.xquat[:, task.base])[0] - before) % (2.0 * np.pi) < 1.5


def test_beams_of_the_rover_measure_the_distance_of_a_post() -> None:
    env = gymnasium.make("unibody/Navigation-v0").unwrapped
    env.reset(seed=0)
    task, sim = env.vector.task, env.vector.sim
    place, yaw = sim.xpos[0, task.base, :2], yaw_of(sim.xquat[:, task.base])[0]
    task.posts[:] = 50.0
    task.posts[0, 0] = place + 1.5 * np.array([np.cos(yaw), np.sin(yaw)])
    beams = 3.0 * task.observe(sim)[0, 5:]
    assert beams[0] == pytest.approx(1.5 - 0.12, abs=1e-9)  # a post counts as a circle of 12 cm
    assert (beams[1:] == 3.0).all()


def test_an_arm_goes_where_the_targets_of_its_joints_are() -> None:
    env = gymnasium.make_vec("unibody/Reach-v0", num_envs=3)
    env.reset(seed=0)
    for _ in range(8):
        env.step(np.full((3, 6), 0.5, np.float32))
    for _ in range(25):
        env.step(np.zeros((3, 6), np.float32))
    off = env.task.target - env.sim.qpos[:, env.task.joints.qpos]
    # PD drives hang below their targets by torque over stiffness: at most 25 Nm / 400 Nm/rad
    assert np.abs(off).max() < 0.07
