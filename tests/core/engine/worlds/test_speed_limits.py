"""Joints at their largest speed, on every device."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, assert_same, numbers, put
from tests.core.engine.worlds.scenes import pendulum, walker
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.worlds import make_worlds

wp = pytest.importorskip("warp")
pytest.importorskip("mujoco_warp")

INERTIA, WEIGHT_ARM = 2.0 * 0.5**2 + 0.1, 2.0 * 9.81 * 0.5  # of the pendulum about its hinge
DT, LIMIT = 0.01, 2.0  # s, rad/s
FLOAT32 = 1e-4


def limit_speeds(worlds, limits):
    """Give all bodies of each world a largest speed of their joints; 0: none."""
    users = numbers(worlds.parameter("body_user"))
    users[:, 1:, t.B_SPEED_LIMIT] = np.reshape(limits, (-1, 1))
    put(worlds.parameter("body_user"), users)


def walkers(device, limits):
    """Trees on a plane whose drives push all joints far away, each world to its own side."""
    worlds = make_worlds(walker(), len(limits), device=device)
    users = numbers(worlds.parameter("body_user"))
    own = [link.body for link in worlds.records[1].links[1:]]
    users[:, own, t.B_SPEED_LIMIT] = np.reshape(limits, (-1, 1))
    put(worlds.parameter("body_user"), users)
    aim(worlds, 1.5)
    return worlds


def aim(worlds, far):
    drives = numbers(worlds.drives)
    sides = np.where(np.arange(drives.shape[0]) % 2, -1.0, 1.0)
    drives[:, :, t.D_POSITION] = far * sides[:, None] * np.linspace(-1.0, 1.0, drives.shape[1])
    put(worlds.drives, drives)


@pytest.mark.parametrize("device", DEVICES)
def test_a_drive_holds_its_joint_at_its_largest_speed_until_it_brakes_itself(device):
    worlds = make_worlds(pendulum(speed_limits=True), 2, device=device)
    drives = numbers(worlds.drives)
    kp, kd, target = 400.0, 20.0, 1.0
    drives[:, 0, [t.D_KP, t.D_KD, t.D_POSITION, t.D_LIMIT]] = [kp, kd, target, 1e4]
    put(worlds.drives, drives)
    limit_speeds(worlds, [LIMIT, 0.0])
    q, v = 0.0, 0.0
    for step in range(100):
        worlds.step(1)
        free = v - DT * WEIGHT_ARM * np.sin(q) / INERTIA
        own = (free + DT * kp * (target - q) / INERTIA) / (1.0 + DT * (kd + DT * kp) / INERTIA)
        v = min(own, LIMIT)
        q += DT * v
        # what holds is soft: 1e-4 of the speed that it takes away, 15 rad/s
        expected = [pytest.approx(v, abs=2e-3), pytest.approx(q, abs=2e-3)]
        assert [numbers(worlds.qvel)[0, 0], numbers(worlds.qpos)[0, 0]] == expected, step
    assert v < 0.1 * LIMIT  # it has arrived
    assert q == pytest.approx(target, abs=0.1)


@pytest.mark.parametrize("device", DEVICES)
def test_a_drive_that_needs_no_holding_is_left_alone(device):
    """The second world has no limit, and goes the way that it goes without the others."""
    worlds, free = walkers(device, [LIMIT, 0.0]), walkers(device, [0.0, 0.0])
    for _ in range(20):
        worlds.step(1)
        free.step(1)
    assert_same(numbers(worlds.qpos)[1], numbers(free.qpos)[1], device)
    assert np.abs(numbers(worlds.qvel)[0, 6:]).max() <= LIMIT * 1.001
    assert np.abs(numbers(free.qvel)[0, 6:]).max() > 3.0 * LIMIT


@pytest.mark.parametrize("device", DEVICES[1:])
def test_devices_agree_on_joints_that_are_held_while_others_stand_on_the_ground(device):
    ours, theirs = walkers("cpu", [LIMIT, LIMIT, 4.0]), walkers(device, [LIMIT, LIMIT, 4.0])
    for _ in range(30):
        ours.step(1)
        theirs.step(1)
    np.testing.assert_allclose(numbers(theirs.qpos), ours.qpos, atol=FLOAT32)
    np.testing.assert_allclose(numbers(theirs.qvel), ours.qvel, atol=20 * FLOAT32)
    # 1e4 times the inertia a second is what a row holds with: float32 leaves 1e-3 of the force
    scale = np.abs(ours.dof_force).max()
    np.testing.assert_allclose(numbers(theirs.dof_force), ours.dof_force, atol=0.01 * scale)


def test_a_recorded_step_is_the_step():
    """On a GPU steps are graphs, recorded once: whatever was read then would stay as it was."""
    direct, recorded = (walkers("warp-cpu", [LIMIT, 0.0, 4.0]) for _ in range(2))
    recorded._records = True
    for frame in range(12):
        for worlds in (direct, recorded):
            aim(worlds, 1.5 if frame % 4 < 2 else -1.5)
            if frame == 6:
                limit_speeds(worlds, [0.0, LIMIT, LIMIT])
            worlds.step(2)
            worlds.kinematics()
    for name in ("qpos", "qvel", "xpos", "linear", "dof_force", "contact_wrench"):
        expected = numbers(getattr(direct, name))
        np.testing.assert_array_equal(numbers(getattr(recorded, name)), expected, err_msg=name)


def test_nothing_is_allocated_or_read_where_a_graph_loops(monkeypatch):
    """CUDA takes no memory within the loop of a graph, and the host does not see it run."""
    worlds = walkers("warp-cpu", [LIMIT])
    worlds.step(2)  # whatever is made once has been made
    inside, found = [0], []
    loop, take = wp.capture_while, type(wp.get_device("cpu").get_allocator()).allocate

    def watched(condition, while_body, **arguments):
        def body(**given):
            inside[0] += 1
            while_body(**given)
            inside[0] -= 1

        loop(condition, while_body=body, **arguments)

    def taking(self, size):
        if inside[0]:
            found.append(size)
        return take(self, size)

    monkeypatch.setattr(wp, "capture_while", watched)
    monkeypatch.setattr(type(wp.get_device("cpu").get_allocator()), "allocate", taking)
    held = worlds._limits.held
    looks = []
    monkeypatch.setattr(
        held, "_look", lambda *given, look=held._look: (looks.append(1), look(*given))
    )
    worlds.step(1)
    assert len(looks) > 1  # it was solved again
    assert found == []


@pytest.mark.parametrize("device", DEVICES)
def test_a_free_body_turns_within_its_limit_about_each_axis_of_the_world(device):
    worlds = make_worlds(walker(), 1, device=device)
    users = numbers(worlds.parameter("body_user"))
    users[:, 1:, t.B_TURN_LIMIT] = LIMIT
    put(worlds.parameter("body_user"), users)
    qpos, qvel = numbers(worlds.qpos), numbers(worlds.qvel)
    # high up, turned by 45 degrees about z
    qpos[0, 2:7] = 5.0, np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8)
    qvel[0, 3:6] = 1.3 * LIMIT, 0.0, 0.0  # about its own axes: 0.92 of the limit about x and y
    put(worlds.qpos, qpos)
    put(worlds.qvel, qvel)
    worlds.step(1)
    assert numbers(worlds.qvel)[0, 3] == pytest.approx(1.3 * LIMIT, rel=0.02)  # its legs swing
    qvel[0, 3:6] = 2.0 * LIMIT, 0.0, 0.0
    put(worlds.qpos, qpos)
    put(worlds.qvel, qvel)
    worlds.step(1)
    own = [numbers(worlds.qvel)[0, 3], numbers(worlds.qvel)[0, 4]]
    assert own == pytest.approx([np.sqrt(2.0) * LIMIT, 0.0], abs=1e-3 * LIMIT)
