"""The same worlds on every device: MuJoCo's batch, Warp's CPU device, and CUDA where there is one.

mujoco-warp computes in float32 (2^-24 of each value a operation); over some hundred steps without
chaos that stays below ``FLOAT32``.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, assert_same, numbers, put
from tests.core.engine.worlds.scenes import mixed, pendulum
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.rule_table import DriveMode
from unibody.core.engine.worlds import make_worlds
from unibody.errors import InvalidArgumentError

pytest.importorskip("mujoco_warp")

FLOAT64, FLOAT32 = 1e-9, 1e-4
INERTIA, WEIGHT_ARM = 2.0 * 0.5**2 + 0.1, 2.0 * 9.81 * 0.5  # of the pendulum about its hinge
DT = 0.01


def tolerance(device):
    return FLOAT64 if device == "cpu" else FLOAT32


def implicit_pd(kp, kd, target, speed, limit, steps):
    """The pendulum under ``clamp(kp (target - q+) + kd (speed - v+))``, semi-implicit Euler."""
    q, v = 0.0, 0.0
    for _ in range(steps):
        free = v - DT * WEIGHT_ARM * math.sin(q) / INERTIA
        rate = DT * (kd + DT * kp) / INERTIA
        solved = (free + DT * (kp * (target - q) + kd * speed) / INERTIA) / (1.0 + rate)
        force = (solved - free) * INERTIA / DT
        v = free + DT * min(max(force, -limit), limit) / INERTIA
        q += DT * v
    return q, v


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("kp", "kd", "target", "speed", "limit"),
    [
        (40.0, 4.0, 1.0, 0.0, 100.0),  # position, free
        (4000.0, 40.0, -2.0, 0.0, 12.0),  # position, saturated until it arrives
        (0.0, 3.0, 0.0, 1.5, 100.0),  # velocity
        (0.0, 300.0, 0.0, 20.0, 11.0),  # velocity, saturated
        (0.0, 0.0, 0.0, 0.0, 100.0),  # no gains: a free swing
        (50.0, 5.0, 1.0, 0.0, 0.0),  # no force allowed: a free swing
    ],
)
def test_a_drive_is_the_implicit_pd_law_bounded_by_its_limit(device, kp, kd, target, speed, limit):
    worlds = make_worlds(pendulum(), 2, device=device)
    drives = numbers(worlds.drives)
    drives[:, 0, [t.D_KP, t.D_KD, t.D_POSITION, t.D_VELOCITY, t.D_LIMIT]] = [
        kp,
        kd,
        target,
        speed,
        limit,
    ]
    put(worlds.drives, drives)
    worlds.step(100)
    q, v = implicit_pd(kp, kd, target, speed, limit, 100)
    # the row's softness is exact; what differs is the solver's tolerance of 1e-8
    allowed = max(tolerance(device), 1e-7)
    np.testing.assert_allclose(numbers(worlds.qpos)[:, 0], q, atol=allowed, rtol=allowed)
    np.testing.assert_allclose(numbers(worlds.qvel)[:, 0], v, atol=10 * allowed, rtol=10 * allowed)


@pytest.mark.parametrize("device", DEVICES)
def test_a_torque_on_a_joint_without_a_drive_is_the_torque(device):
    worlds = make_worlds(pendulum(DriveMode.OFF), 2, device=device)
    put(worlds.qfrc_applied, np.array([[3.0], [-1.0]]))
    worlds.step(50)
    for row, torque in enumerate((3.0, -1.0)):
        q, v = 0.0, 0.0
        for _ in range(50):
            v += DT * (torque - WEIGHT_ARM * math.sin(q)) / INERTIA
            q += DT * v
        assert numbers(worlds.qpos)[row, 0] == pytest.approx(q, abs=tolerance(device))


@pytest.mark.parametrize("device", DEVICES[1:])
def test_devices_agree_on_contacts_drives_damping_and_limits(device):
    ours, theirs = make_worlds(mixed(), 3), make_worlds(mixed(), 3, device=device)
    for worlds in (ours, theirs):
        for _ in range(25):
            worlds.step(2)
        worlds.kinematics()
    for name in ("qpos", "xpos", "xipos"):
        np.testing.assert_allclose(
            numbers(getattr(theirs, name)), getattr(ours, name), atol=FLOAT32, err_msg=name
        )
    for name in ("qvel", "linear", "angular"):
        np.testing.assert_allclose(
            numbers(getattr(theirs, name)), getattr(ours, name), atol=1e-3, err_msg=name
        )
    # forces amplify by mass / dt what velocities differ by
    for name in ("contact_wrench", "dof_force"):
        np.testing.assert_allclose(
            numbers(getattr(theirs, name)), getattr(ours, name), atol=0.05, err_msg=name
        )


@pytest.mark.parametrize("device", DEVICES[1:])
def test_devices_agree_on_jacobians_and_mass_matrices(device):
    ours, theirs = make_worlds(mixed(), 2), make_worlds(mixed(), 2, device=device)
    ours.kinematics()
    theirs.kinematics()
    for body in (1, 2, 3):
        record = ours.records[body]
        np.testing.assert_allclose(
            numbers(theirs.jacobians(record)), ours.jacobians(record), atol=FLOAT32
        )
        np.testing.assert_allclose(
            numbers(theirs.mass_matrices(record)), ours.mass_matrices(record), atol=FLOAT32
        )


@pytest.mark.parametrize("device", DEVICES)
def test_reset_puts_back_the_chosen_worlds_only(device):
    worlds = make_worlds(mixed(), 8, device=device)
    home = numbers(worlds.qpos)
    worlds.step(20)
    moved = numbers(worlds.snapshot())
    mask = np.array([True, False] * 4)
    worlds.reset(mask)
    np.testing.assert_array_equal(numbers(worlds.qpos)[mask], home[mask])
    np.testing.assert_array_equal(numbers(worlds.snapshot())[~mask], moved[~mask])


@pytest.mark.parametrize("device", DEVICES)
def test_a_restored_snapshot_goes_on_bit_for_bit(device):
    worlds = make_worlds(mixed(), 2, device=device)
    worlds.step(10)
    state = worlds.snapshot()
    worlds.step(10)
    after = numbers(worlds.qpos)
    worlds.restore(state)
    worlds.step(10)
    assert_same(numbers(worlds.qpos), after, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["body_mass", "opt.gravity", "geom_friction"])
def test_a_parameter_acts_on_its_world_only(device, name):
    """Two equal worlds stay equal; the one with another value goes another way."""
    worlds = make_worlds(mixed(), 3, device=device)
    values = numbers(worlds.parameter(name))
    values[1] *= 0.5
    put(worlds.parameter(name), values)
    worlds.parameters_changed()
    box = worlds.records[3]
    speeds = numbers(worlds.qvel)
    speeds[:, box.dof] = 1.0  # slides along the plane
    speeds[:, worlds.records[2].dof + 2] = 2.0
    put(worlds.qvel, speeds)
    put(worlds.qfrc_applied, np.full(speeds.shape, 0.1))
    worlds.step(20)
    qpos = numbers(worlds.qpos)
    assert_same(qpos[0], qpos[2], device)
    assert np.abs(qpos[0] - qpos[1]).max() > 1e-4


@pytest.mark.parametrize("device", DEVICES)
def test_constants_that_follow_from_masses_are_those_of_the_world(device):
    worlds = make_worlds(mixed(), 3, device=device)
    masses = numbers(worlds.parameter("body_mass"))
    masses[2] *= 4.0
    put(worlds.parameter("body_mass"), masses)
    before = np.array(numbers(worlds.parameter("body_invweight0")))  # it may be a view
    worlds.parameters_changed([2])
    after = numbers(worlds.parameter("body_invweight0"))
    np.testing.assert_allclose(after[:2], before[:2], rtol=1e-5)
    box = worlds.records[3].body
    np.testing.assert_allclose(after[2, box, 0], before[2, box, 0] / 4.0, rtol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_restitution_of_a_world_bounces_there(device):
    worlds = make_worlds(mixed(), 2, device=device)
    box = worlds.records[3]
    users = numbers(worlds.parameter("geom_user"))
    users[1, :, t.G_RESTITUTION] = 0.9
    put(worlds.parameter("geom_user"), users)
    qpos = numbers(worlds.qpos)
    qpos[:, box.qpos + 2] = 0.6
    put(worlds.qpos, qpos)
    worlds.step(70)  # 0.32 s to the ground
    speed = numbers(worlds.qvel)[:, box.dof + 2]
    assert abs(speed[0]) < 0.3  # what pushes it out of the ground again
    # e^2 of the two surfaces: 0.81 of 3.13 m/s, less gravity since
    assert speed[1] > 1.5


@pytest.mark.parametrize("name", ["tpu:0", "warp-gpu"])
def test_an_unknown_device_is_refused(name):
    with pytest.raises(InvalidArgumentError, match=name):
        make_worlds(pendulum(), 2, device=name)


@pytest.mark.parametrize("device", DEVICES[1:])
def test_devices_agree_on_a_soft_contact_that_is_seen_ahead(device):
    """What falls onto a spring is not held before it touches."""
    heights = []
    for name in ("cpu", device):
        scene = mixed()
        scene.world.model.geom_margin[:] = 0.05
        worlds = make_worlds(scene, 1, device=name)
        users = numbers(worlds.parameter("geom_user"))
        users[:, :, [t.G_STIFFNESS, t.G_DAMPING]] = [2000.0, 30.0]
        put(worlds.parameter("geom_user"), users)
        box = worlds.records[3]
        qpos = numbers(worlds.qpos)
        qpos[:, box.qpos + 2] = 0.14
        put(worlds.qpos, qpos)
        fall = []
        for _ in range(60):
            worlds.step(1)
            fall.append(numbers(worlds.qpos)[0, box.qpos + 2])
        heights.append(fall)
    np.testing.assert_allclose(heights[1], heights[0], atol=FLOAT32)
    assert min(heights[0]) < 0.0995  # it went into the spring
