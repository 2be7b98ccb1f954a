"""Many worlds on the CPU, against MuJoCo's own functions and against single worlds."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tests.core.engine.worlds.scenes import mixed, pendulum, walker
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.worlds import make_worlds
from unibody.errors import InvalidArgumentError

COUNT = 130  # more than one share of the threads
ALGEBRA = 1e-9  # float64 algebra along a few links


def scattered(worlds, seed=0):
    """Random coordinates and velocities in every world."""
    random = np.random.default_rng(seed)
    for row in range(worlds.count):
        qpos = np.array(worlds.qpos[row])
        mujoco.mj_integratePos(worlds.model, qpos, random.normal(size=worlds.model.nv), 0.7)
        worlds.qpos[row] = qpos
    worlds.qvel[:] = random.normal(size=worlds.qvel.shape)


def single(worlds, row):
    """One world as MuJoCo sees it, with all derived quantities."""
    model, data = worlds.model, mujoco.MjData(worlds.model)
    data.qpos[:], data.qvel[:] = worlds.qpos[row], worlds.qvel[row]
    data.mocap_pos[:], data.mocap_quat[:] = worlds.mocap_pos[row], worlds.mocap_quat[row]
    mujoco.mj_forward(model, data)
    return model, data


def test_poses_and_velocities_are_those_of_mujoco():
    worlds = make_worlds(mixed(), COUNT)
    scattered(worlds)
    worlds.kinematics()
    velocity = np.zeros(6)
    for row in range(0, COUNT, 13):
        model, data = single(worlds, row)
        np.testing.assert_allclose(worlds.xpos[row], data.xpos, atol=ALGEBRA)
        np.testing.assert_allclose(worlds.xipos[row], data.xipos, atol=ALGEBRA)
        dots = np.abs(np.sum(worlds.xquat[row] * data.xquat, axis=1))
        np.testing.assert_allclose(dots, 1.0, atol=ALGEBRA)
        for body in range(1, model.nbody):
            com, frame = np.array(data.xipos[body]), np.array(data.xpos[body])
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, velocity, 0)
            at_com = velocity[3:] + np.cross(velocity[:3], com - frame)
            np.testing.assert_allclose(worlds.angular[row, body], velocity[:3], atol=ALGEBRA)
            np.testing.assert_allclose(worlds.linear[row, body], at_com, atol=ALGEBRA)


@pytest.mark.parametrize("body", [1, 2])
def test_jacobians_are_those_of_mujoco(body):
    worlds = make_worlds(mixed(), 3)
    scattered(worlds)
    worlds.kinematics()
    record = worlds.records[body]
    found = worlds.jacobians(record)
    model, data = single(worlds, 1)
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    own = slice(record.dof, record.dof + record.nv)
    for link in range(len(record.links)):
        mujoco.mj_jacBodyCom(model, data, linear, angular, record.body + link)
        np.testing.assert_allclose(found[1, link, :3], linear[:, own], atol=ALGEBRA)
        np.testing.assert_allclose(found[1, link, 3:], angular[:, own], atol=ALGEBRA)


@pytest.mark.parametrize("body", [1, 2, 3])
def test_mass_matrices_are_those_of_mujoco(body):
    worlds = make_worlds(mixed(), 3)
    scattered(worlds)
    worlds.kinematics()
    record = worlds.records[body]
    model, data = single(worlds, 2)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    own = slice(record.dof, record.dof + record.nv)
    np.testing.assert_allclose(worlds.mass_matrices(record)[2], full[own, own], atol=ALGEBRA)


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_every_world_is_bit_for_bit_what_a_single_one_is(limit):
    """With joints that are held at their largest speed, and without."""
    many = make_worlds(walker() if limit else mixed(), 256)
    one = make_worlds(walker() if limit else mixed(), 1)
    for worlds in (many, one) if limit else ():
        worlds.drives[:, :, t.D_POSITION] = 0.7
        own = [link.body for link in worlds.records[1].links[1:]]
        worlds.parameter("body_user")[:, own, t.B_SPEED_LIMIT] = limit
    scattered(many)
    home = one.snapshot()
    start, speeds = many.qpos.copy(), many.qvel.copy()
    for _ in range(10):
        many.step(2)
    for row in range(256):
        one.restore(home)
        one.qpos[0], one.qvel[0] = start[row], speeds[row]
        for _ in range(10):
            one.step(2)
        assert np.array_equal(one.qpos[0], many.qpos[row])
        assert np.array_equal(one.qvel[0], many.qvel[row])


def test_results_do_not_depend_on_the_number_of_threads():
    results = []
    for threads in (1, 2, 5):
        worlds = make_worlds(mixed(), COUNT, threads=threads)
        scattered(worlds)
        worlds.step(5)
        worlds.kinematics()
        results.append((worlds.qpos.copy(), worlds.linear.copy(), worlds.contact_wrench.copy()))
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            assert np.array_equal(ours, theirs)


def test_a_parameter_of_one_world_acts_on_that_world_only():
    worlds = make_worlds(mixed(), 5)
    box = worlds.records[3]
    worlds.parameter("opt.gravity")[2] = (0.0, 0.0, -3.0)
    worlds.qpos[:, box.qpos + 2] = 5.0
    worlds.step(10)
    speeds = worlds.qvel[:, box.dof + 2]
    expected = np.full(5, -9.81 * 0.05)
    expected[2] = -3.0 * 0.05
    np.testing.assert_allclose(speeds, expected, rtol=1e-9)  # free fall, exact in v


def test_a_mass_of_one_world_changes_what_a_force_does_there():
    worlds = make_worlds(mixed(), 4)
    box = worlds.records[3]
    worlds.parameter("body_mass")[1, box.body] = 4.0
    worlds.parameters_changed()
    worlds.qpos[:, box.qpos + 2] = 5.0
    worlds.xfrc_applied[:, box.body, 0] = 2.0
    worlds.step(10)
    expected = np.array([2.0, 0.5, 2.0, 2.0]) * 0.05
    np.testing.assert_allclose(worlds.qvel[:, box.dof], expected, rtol=1e-6)


def test_reset_of_a_mask_touches_nothing_else():
    worlds = make_worlds(mixed(), 40)
    home = worlds.qpos.copy()
    scattered(worlds)
    worlds.step(3)
    moved = worlds.snapshot()
    mask = np.random.default_rng(3).random(40) < 0.5
    worlds.reset(mask)
    assert np.array_equal(worlds.qpos[mask], home[mask])
    assert np.all(worlds.qvel[mask] == 0.0)
    assert np.array_equal(worlds.snapshot()[~mask], moved[~mask])


def test_a_restored_snapshot_goes_on_bit_for_bit():
    worlds = make_worlds(mixed(), 6)
    scattered(worlds)
    worlds.step(5)
    state = worlds.snapshot()
    worlds.step(5)
    after = worlds.qpos.copy()
    worlds.restore(state)
    worlds.step(5)
    assert np.array_equal(worlds.qpos, after)


def test_a_box_at_rest_reports_its_weight_as_contact_force():
    worlds = make_worlds(mixed(), 2)
    box = worlds.records[3]
    worlds.step(200)
    wrench = worlds.contact_wrench[:, box.body]
    # 1 s of rest: what is left of the impact has decayed to well below 1e-3 of the weight
    np.testing.assert_allclose(wrench[:, :3], [[0.0, 0.0, 9.81]] * 2, atol=1e-2)
    np.testing.assert_allclose(wrench[:, 3:], 0.0, atol=1e-2)


def test_a_held_pendulum_reports_the_torque_that_holds_it():
    scene = pendulum()
    scene.options.report_forces = True
    worlds = make_worlds(scene, 2)
    joint = worlds.records[0].joints[1]
    worlds.drives[:, joint.drive, 1:4] = (2000.0, 200.0, 0.5 * np.pi)
    worlds.step(600)
    # held level: weight 2 kg * 9.81 at 0.5 m, less what the spring gives way to
    angle = worlds.qpos[:, joint.qpos]
    expected = 2.0 * 9.81 * 0.5 * np.sin(angle)
    np.testing.assert_allclose(worlds.dof_force[:, joint.dof], expected, rtol=1e-5)


@pytest.mark.parametrize("bad", [[7], [-1], np.zeros(3, dtype=bool)])
def test_a_world_that_is_not_there_is_refused(bad):
    worlds = make_worlds(pendulum(), 5)
    before = worlds.snapshot()
    with pytest.raises(InvalidArgumentError, match="worlds"):
        worlds.reset(bad)
    assert np.array_equal(worlds.snapshot(), before)


def test_an_unknown_parameter_is_refused():
    with pytest.raises(InvalidArgumentError, match="body_masss"):
        make_worlds(pendulum(), 2).parameter("body_masss")


def test_no_worlds_are_refused():
    with pytest.raises(InvalidArgumentError, match="count"):
        make_worlds(pendulum(), 0)
