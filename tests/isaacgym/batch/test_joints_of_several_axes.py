"""Ball and planar joints are joints of three degrees of freedom each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.isaacgym.scenes import Stage, open_stage
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

FLOAT32 = 1e-5
ANGLES = np.array([0.3, -0.2, 0.5, 0.7], np.float32)  # a ball joint's, then a hinge's below it
MASS = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.3"/>'
BALL = (
    f'<mujoco><worldbody><body name="base">{MASS}<body name="arm" pos="0 0 0.4">'
    f'<joint name="b" type="ball" range="0 60"/>{MASS}<body name="tip" pos="0.3 0 0">'
    f'<joint name="h" axis="0 0 1"/>{MASS}</body></body></body></worldbody></mujoco>'
)
PLANAR = (
    '<robot name="r"><link name="base"/><link name="puck"><inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="p" type="planar"><parent link="base"/><child link="puck"/><axis xyz="0 0 1"/>'
    "</joint></robot>"
)


def ball_stage(folder: Path, *, fixed: bool) -> tuple[Stage, list[int]]:
    (folder / "ball.xml").write_text(BALL)
    s = open_stage(folder, 2)
    options = gymapi.AssetOptions()
    options.fix_base_link, options.angular_damping = fixed, 0.0
    return s, s.actors(s.gym.load_asset(s.sim, str(folder), "ball.xml", options))


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
def test_a_ball_joint_turns_by_its_rotation_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, fixed: bool
) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s, _ = ball_stage(tmp_path, fixed=fixed)
    s.set("dof_state", np.stack([np.tile(ANGLES, 2), np.zeros(8)], axis=-1))
    assert s.refreshed("dof_state")[:, 0] == pytest.approx(np.tile(ANGLES, 2))
    bodies = s.refreshed("rigid_body_state").reshape(2, 3, 13)
    ball = Rotation.from_rotvec(ANGLES[:3].astype(float))
    hinge = ball * Rotation.from_euler("Z", float(ANGLES[3]))
    for world in range(2):
        for body, wanted in ((1, ball), (2, hinge)):
            turn = Rotation.from_quat(bodies[world, body, 3:7]) * wanted.inv()
            assert turn.magnitude() < FLOAT32
        assert bodies[world, 2, :3] == pytest.approx(
            np.array([0.0, 0.0, 0.4]) + ball.apply([0.3, 0.0, 0.0]), abs=FLOAT32
        )
    s.gym.destroy_sim(s.sim)


def test_drives_of_a_ball_joint_reach_their_targets(tmp_path: Path) -> None:
    s, actors = ball_stage(tmp_path, fixed=True)
    s.drive(actors, gymapi.DOF_MODE_POS, 100.0, 20.0)
    targets = np.concatenate([ANGLES, -ANGLES])
    s.set("dof_position_target", targets)
    s.step(200)
    assert s.refreshed("dof_state")[:, 0] == pytest.approx(targets, abs=1e-3)
    s.gym.destroy_sim(s.sim)


@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
def test_a_ball_joint_is_held_at_its_range_about_each_axis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s, actors = ball_stage(tmp_path, fixed=True)
    limits = s.gym.get_actor_dof_properties(s.envs[0], actors[0])
    assert limits["hasLimits"].tolist() == [True, True, True, False]
    assert limits["upper"][:3] == pytest.approx(np.pi / 3)
    assert limits["lower"][:3] == pytest.approx(-np.pi / 3)
    s.drive(actors, gymapi.DOF_MODE_POS, 100.0, 20.0)
    targets = np.tile(np.array([1.4, -0.3, -1.5, 2.0], np.float32), 2)
    s.set("dof_position_target", targets)
    s.step(200)
    held = np.tile([np.pi / 3, -0.3, -np.pi / 3, 2.0], 2)
    # the drives press against limits whose rows are soft by 1e-5 of an inverse mass
    assert s.refreshed("dof_state")[:, 0] == pytest.approx(held, abs=2e-3)
    s.gym.destroy_sim(s.sim)


def test_a_planar_joint_is_pushed_along_its_axes(tmp_path: Path) -> None:
    """A force of 2 N on 2 kg for 0.1 s of steps at the end of which speeds count."""
    s = open_stage(tmp_path, 1)
    actors = s.actors(s.asset(PLANAR, fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    for _ in range(10):
        s.set("dof_actuation_force", [2.0, -4.0, 0.5])
        s.step()
    speeds = s.refreshed("dof_state")[:, 1]
    dt = float(s.gym.get_sim_params(s.sim).dt)
    assert speeds == pytest.approx(np.array([1.0, -2.0, 0.5]) * 10 * dt, rel=1e-5)
    s.gym.destroy_sim(s.sim)
