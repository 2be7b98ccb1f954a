"""Corrections of positions: joints outside their limits, limbs inside of one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from tests.isaacgym.scenes import DEVICES, DT, GRAVITY, ROBOT, open_stage
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

SUBSTEPS = 4  # of 1/240 s
KEPT = 0.8  # of an error, a step
ABSURD = 10e3  # N, 50 times the weight of the legs
JOINTS = "".join(
    f'<joint axis="{axis}" range="-60 60" armature="0.01"/>' for axis in ("1 0 0", "0 0 1", "0 1 0")
)
LEG = """
<body name="{side}_thigh" pos="0 {y} -.04">{joints}
  <geom fromto="0 0 0 0 0 -.34" size=".06"/>
  <body name="{side}_shin" pos="0 0 -.4">
    <joint axis="0 -1 0" range="-160 2" armature="0.01"/>
    <geom fromto="0 0 0 0 0 -.3" size=".049"/>
    <body name="{side}_foot" pos="0 0 -.39">
      <joint axis="0 1 0" pos="0 0 .08" range="-50 50" armature="0.01"/>
      <geom fromto="-.07 -.02 0 .14 -.02 0" size=".027"/>
      <geom fromto="-.07 .02 0 .14 .02 0" size=".027"/>
    </body>
  </body>
</body>
"""
LEGS = """
<mujoco model="legs">
  <compiler angle="degree"/>
  <default><geom type="capsule" condim="1"/></default>
  <worldbody>
    <body name="pelvis"><freejoint/><geom fromto="0 -.07 0 0 .07 0" size=".09"/>{legs}</body>
  </worldbody>
</mujoco>
"""

STILT = """
<mujoco>
  <worldbody>
    <body name="body"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/>
      <body pos="-.3 0 -.9"><joint type="slide" axis="0 0 -1" range="0 1"/>
        <geom type="box" size=".05 .5 .1" mass="1"/></body>
      <body pos=".3 0 -.9"><joint type="slide" axis="0 0 -1" range="0 1"/>
        <geom type="box" size=".05 .5 .1" mass="1"/></body>
    </body>
  </worldbody>
</mujoco>
"""
OUTSIDE = 0.2  # m


def legs_file() -> str:
    legs = (LEG.format(side=s, y=y, joints=JOINTS) for s, y in (("right", -0.1), ("left", 0.1)))
    return LEGS.format(legs="".join(legs))


def momentum(s: Any, masses: Any) -> Any:
    return masses @ s.refreshed("rigid_body_state")[:, 7:10]


@pytest.mark.parametrize("outside", [0.5, -0.5])
def test_a_joint_outside_its_limits_comes_back_and_has_no_speed_of_it(
    stage: Any, outside: float
) -> None:
    """A fifth of the error goes in each step of 1/240 s: 24 rad/s, of which nothing stays."""
    s = stage(2, substeps=SUBSTEPS)
    s.actors(s.asset(ROBOT, fix_base_link=True))
    limit = np.copysign(2.0, outside)
    s.set("dof_state", [[limit + outside, 0.0], [0.0, 0.0], [0.3, 0.0], [0.1, 0.0]])
    error, found = outside, s.refreshed("dof_state")
    for _ in range(10):
        s.step()
        found = s.refreshed("dof_state")
        error *= KEPT**SUBSTEPS
        # rows of limits are soft by 1e-5 of their inverse mass (impedance.HARD); the second
        # joint is moved by the first one's acceleration and has no limit near, nor a speed
        assert found[0, 0] - limit == pytest.approx(error, abs=2e-3)
        assert np.abs(found[:2, 1]).max() < 2e-3
    np.testing.assert_allclose(found[2:], [[0.3, 0.0], [0.1, 0.0]], atol=1e-6)


def test_a_robot_with_a_joint_outside_its_limits_neither_moves_away_nor_turns(stage: Any) -> None:
    """Its links turn against one another: the mass centre of all stays where it is."""
    s = stage(1, substeps=SUBSTEPS)
    (actor,) = s.actors(s.asset(ROBOT))
    bodies = s.gym.get_actor_rigid_body_properties(s.envs[0], actor)
    masses = np.array([body.mass for body in bodies])
    s.set("dof_state", [[2.5, 0.0], [0.0, 0.0]])
    s.step(20)
    assert s.refreshed("dof_state")[0, 0] == pytest.approx(2.0, abs=1e-3)
    states = s.refreshed("rigid_body_state")
    assert np.abs(states[:, 7:]).max() < 5e-3
    assert np.abs(momentum(s, masses)).max() < 1e-3


def test_what_presses_a_joint_against_its_limit_stops_there(stage: Any) -> None:
    s = stage(1, substeps=SUBSTEPS)
    actors = s.actors(s.asset(ROBOT, fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    s.set("dof_state", [[2.2, 3.0], [0.0, 0.0]])
    for _ in range(30):
        s.set("dof_actuation_force", [5.0, 0.0])
        s.step()
    found = s.refreshed("dof_state")[0]
    assert found[0] == pytest.approx(2.0, abs=1e-3)
    assert found[1] == pytest.approx(0.0, abs=2e-3)


def test_a_leg_outside_its_limits_lifts_the_body_off_the_ground_that_it_stands_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The foot stays on the ground, from where the correction cannot push it down."""
    heights = []
    for device in DEVICES:
        monkeypatch.setenv(DEVICE_VARIABLE, device)
        s = open_stage(tmp_path, 1, gravity=GRAVITY, substeps=SUBSTEPS)
        s.ground()
        (tmp_path / "stilt.xml").write_text(STILT)
        asset = s.gym.load_asset(s.sim, str(tmp_path), "stilt.xml", gymapi.AssetOptions())
        s.actors(asset, z=1.0)
        s.step(10)
        root = s.refreshed("actor_root_state")
        root[0, 2] -= OUTSIDE
        s.set("actor_root_state", root)
        s.set("dof_state", [[-OUTSIDE, 0.0]] * 2)
        s.step(5)
        body, *feet = s.refreshed("rigid_body_state")[:, 2]
        kept = KEPT ** (5 * SUBSTEPS) * OUTSIDE
        # the legs bear the body: a limit is soft by 1e-5 of its inverse mass, a contact by 1e-3
        assert body == pytest.approx(1.0 - kept, abs=2e-3)
        assert feet == pytest.approx([0.1, 0.1], abs=2e-3)
        assert np.abs(s.refreshed("rigid_body_state")[:, 7:]).max() < 0.02
        heights.append(body)
        s.gym.destroy_sim(s.sim)
    assert heights[0] == pytest.approx(heights[1], abs=1e-4)


def test_legs_that_begin_inside_of_one_another_come_apart(stage: Any) -> None:
    """In plain MuJoCo, whose contacts have no friction in this file, no pose stays locked."""
    count, frames = 128, 30
    s = stage(count, substeps=2)
    (s.folder / "legs.xml").write_text(legs_file())
    asset = s.gym.load_asset(s.sim, str(s.folder), "legs.xml", gymapi.AssetOptions())
    s.actors(asset)
    dofs = s.gym.get_asset_dof_count(asset)
    start = np.zeros((count, dofs, 2))
    start[..., 0] = np.random.default_rng(3).uniform(-0.25, 0.25, (count, dofs))
    s.set("dof_state", start.reshape(-1, 2))
    largest = []
    for _ in range(frames):
        s.step()
        forces = s.refreshed("net_contact_force").reshape(count, -1, 3)
        largest.append(np.linalg.norm(forces, axis=-1).max(axis=-1))
    ours = np.array(largest) > ABSURD
    plain = plain_forces(start[..., 0], frames) > ABSURD
    assert ours.mean() <= plain.mean() + 0.005
    assert not ours[10:].any()


def plain_forces(starts: Any, frames: int) -> Any:
    """The largest net contact force on a body, (frames, worlds) [N]."""
    model = mujoco.MjModel.from_xml_string(legs_file())
    model.opt.timestep, model.opt.gravity = 0.5 * DT, (0.0, 0.0, 0.0)
    found = np.zeros((frames, len(starts)))
    wrench = np.zeros(6)
    for world, start in enumerate(starts):
        data = mujoco.MjData(model)
        data.qpos[7:] = start
        for frame in range(frames):
            mujoco.mj_step(model, data, 2)
            net = np.zeros((model.nbody, 3))
            for number in range(data.ncon):
                mujoco.mj_contactForce(model, data, number, wrench)
                contact = data.contact[number]
                force = contact.frame.reshape(3, 3).T @ wrench[:3]
                net[model.geom_bodyid[contact.geom1]] -= force
                net[model.geom_bodyid[contact.geom2]] += force
            found[frame, world] = np.linalg.norm(net, axis=-1).max()
    return found


def test_a_recorded_step_corrects_what_a_step_corrects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU a step is a graph that was recorded once; Warp records on its CPU device, too."""
    monkeypatch.setenv(DEVICE_VARIABLE, "warp-cpu")
    (tmp_path / "legs.xml").write_text(legs_file())
    states = []
    for recorded in (False, True):
        s = open_stage(tmp_path, 12)
        asset = s.gym.load_asset(s.sim, str(tmp_path), "legs.xml", gymapi.AssetOptions())
        s.actors(asset)
        dofs = s.gym.get_asset_dof_count(asset)
        start = np.zeros((12, dofs, 2))
        start[..., 0] = np.random.default_rng(5).uniform(-0.3, 0.3, (12, dofs))
        start[:3, 0, 0] = 1.5  # outside, by half a radian
        s.gym.prepare_sim(s.sim)
        s.sim.groups[0].worlds._records = recorded
        s.set("dof_state", start.reshape(-1, 2))
        s.step(6)
        states.append([s.refreshed(name) for name in ("actor_root_state", "dof_state")])
        s.gym.destroy_sim(s.sim)
    for direct, replayed in zip(*states, strict=True):
        np.testing.assert_array_equal(replayed, direct)
    assert states[0][1].reshape(12, -1, 2)[:3, 0, 0].max() < 1.2


@pytest.mark.parametrize("lost", [np.nan, np.inf])
def test_joints_that_were_lost_to_numbers_that_are_not_finite_can_be_set_again(
    stage: Any, lost: float
) -> None:
    """The solver begins at its last solution, which is not finite then."""
    s = stage(1, substeps=SUBSTEPS)
    s.actors(s.asset(ROBOT, fix_base_link=True))
    s.set("dof_state", [[lost, 0.0], [0.0, 0.0]])
    s.step()
    s.set("dof_state", [[2.5, 0.0], [0.0, 0.0]])  # outside its limits: there is a row to solve for
    s.step()
    assert s.refreshed("dof_state")[0] == pytest.approx([2.0 + 0.5 * KEPT**SUBSTEPS, 0.0], abs=2e-3)
