"""Friction of joints as a share of what they carry, on every device.

PhysX's rule: the largest friction is the coefficient times force plus torque that a joint
transmits, about the child's mass centre, without contacts and drives.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, numbers, put
from tests.core.engine.worlds.scenes import box, tree
from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds import make_worlds

pytest.importorskip("mujoco_warp")

DT, MASS, ARM, INERTIA = 0.01, 1.0, 0.5, 0.05  # of the arm about its mass centre
HINGED = INERTIA + MASS * ARM * ARM
# A row of friction that holds is soft by 1e-5 of its inverse mass (impedance.HARD).
HELD, FLOAT32 = 2e-5, 1e-5


def arm(friction, *, fixed=True, centre=ARM, gravity=0.0, loads=True):
    """A base and one link, whose mass centre lies ``centre`` below its hinge about y."""
    inertial = Inertial(MASS, Pose((0.0, 0.0, -centre)), (INERTIA,) * 3 + (0.0,) * 3)
    joint = Joint("hinge", JointType.CONTINUOUS, Pose(), (0.0, 1.0, 0.0), friction=friction)
    links = [box().links[0], Link("arm", 0, joint, inertial)]
    options = WorldOptions(timestep=DT, gravity=(0.0, 0.0, -gravity), joint_loads=loads)
    scene = Scene(options)
    scene.add(0, Asset("arm", links), BodyOptions(fixed=fixed))
    return scene


def speeds(worlds, effort):
    """Speeds of the hinge after one step under an effort."""
    put(worlds.qfrc_applied, np.full((worlds.count, 1), effort))
    worlds.step()
    return numbers(worlds.qvel)[:, 0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_friction_is_the_share_of_the_force_and_the_torque_that_an_effort_sets_free(device, share):
    worlds = make_worlds(arm(share), 2, device=device)
    effort = 0.7
    load = effort / HINGED * (MASS * ARM + INERTIA)  # force, then torque about the mass centre
    expected = DT * (effort - share * load) / HINGED
    np.testing.assert_allclose(speeds(worlds, effort), expected, rtol=FLOAT32)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("effort", [0.1, 100.0])
def test_no_effort_moves_a_joint_whose_friction_grows_with_it_as_fast(device, effort):
    worlds = make_worlds(arm(0.55), 1, device=device)  # 0.55 (0.5 + 0.05) > 0.3
    free = DT * effort / HINGED
    assert abs(speeds(worlds, effort)[0]) < HELD * free


@pytest.mark.parametrize("device", DEVICES)
def test_a_joint_of_a_robot_that_falls_freely_has_no_friction(device):
    worlds = make_worlds(arm(10.0, fixed=False, centre=0.0, gravity=9.81), 1, device=device)
    start = numbers(worlds.qvel)
    start[0, 6] = 2.0
    put(worlds.qvel, start)
    worlds.step(20)
    assert numbers(worlds.qvel)[0, 6] == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_coefficients_that_are_set_later_act_in_their_world_only(device):
    worlds = make_worlds(arm(0.0), 2, device=device)
    shares = numbers(worlds.parameter("dof_frictionloss"))
    shares[1] = 0.55
    put(worlds.parameter("dof_frictionloss"), shares)
    free, held = speeds(worlds, 1.0)
    assert free == pytest.approx(DT / HINGED, rel=FLOAT32)
    assert abs(held) < HELD * free


def test_a_tree_of_all_kinds_of_joints_carries_what_the_recursive_equations_say():
    asset = tree()
    for link in asset.links[1:]:
        link.joint.friction = 0.3
    scene = Scene(WorldOptions(timestep=DT, gravity=(1.0, 2.0, -9.81), joint_loads=True))
    scene.add(0, asset, BodyOptions(joint_damping=False))
    model, data = scene.world.model, scene.world.data
    random = np.random.default_rng(5)
    data.qvel[:] = random.normal(size=model.nv)
    data.qfrc_applied[6:] = random.normal(size=model.nv - 6)
    data.xfrc_applied[1:] = random.normal(size=(model.nbody - 1, 6))
    mujoco.mj_forward(model, data)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF
    limits = dict(zip(data.efc_id[rows], data.efc_frictionloss[rows], strict=True))
    free = mujoco.MjData(model)
    free.qpos[:], free.qvel[:] = data.qpos, data.qvel
    free.qfrc_applied[:], free.xfrc_applied[:] = data.qfrc_applied, data.xfrc_applied
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    mujoco.mj_forward(model, free)
    mujoco.mj_rnePostConstraint(model, free)
    assert limits
    for dof, limit in limits.items():
        body = model.dof_bodyid[dof]
        while model.body_mass[body] == 0.0:
            body += 1
        torque, force = free.cfrc_int[body, :3], free.cfrc_int[body, 3:]
        shift = free.subtree_com[model.body_rootid[body]] - free.xipos[body]
        load = np.linalg.norm(force) + np.linalg.norm(torque + np.cross(shift, force))
        assert limit == pytest.approx(0.3 * load, rel=1e-9)


def test_other_worlds_keep_the_friction_of_the_file():
    worlds = make_worlds(arm(0.2, loads=False), 1)
    assert speeds(worlds, 0.7)[0] == pytest.approx(DT * (0.7 - 0.2) / HINGED, rel=FLOAT32)
