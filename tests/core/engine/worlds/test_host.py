"""Worlds of a device with their arrays in host memory."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, numbers, put
from tests.core.engine.worlds.scenes import mixed
from unibody.core.engine.worlds import make_host_worlds, make_worlds

pytest.importorskip("mujoco_warp")

ON_DEVICES = pytest.mark.parametrize("device", DEVICES[1:])
NAMES = ("qpos", "qvel", "xpos", "linear", "contact_wrench", "dof_force", "drives")


@ON_DEVICES
def test_what_is_written_into_host_arrays_acts_as_what_is_written_on_the_device(device) -> None:
    host = make_host_worlds(mixed(), 3, device=device)
    there = make_worlds(mixed(), 3, device=device)
    force = np.linspace(0.0, 2.0, host.qfrc_applied.size, dtype=np.float32)
    force = force.reshape(host.qfrc_applied.shape)
    host.qfrc_applied[:] = force
    host.qpos[1, 0] += 0.25
    put(there.qfrc_applied, force)
    put(there.qpos, host.qpos)
    mass = 2.0 * host.parameter("body_mass")
    host.parameter("body_mass")[:] = mass
    put(there.parameter("body_mass"), mass)
    for worlds in (host, there):
        worlds.parameters_changed()
        worlds.step_and_place(12)
    for name in NAMES:
        found = getattr(host, name)
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, numbers(getattr(there, name)), err_msg=name)


@ON_DEVICES
def test_a_reset_of_some_worlds_leaves_what_was_written_into_the_others(device) -> None:
    worlds = make_host_worlds(mixed(), 4, device=device)
    home = worlds.qpos.copy()
    worlds.step(5)
    kept = worlds.snapshot()
    worlds.qpos[2, 0] = 0.5
    moved = worlds.qpos.copy()
    worlds.reset(np.array([True, True, False, False]))
    np.testing.assert_array_equal(worlds.qpos[:2], home[:2])
    np.testing.assert_array_equal(worlds.qpos[2:], moved[2:])
    worlds.restore(kept)
    worlds.qpos[2, 0] = 0.5
    np.testing.assert_array_equal(worlds.qpos, moved)


def test_host_worlds_of_the_processor_are_the_worlds_themselves() -> None:
    assert type(make_host_worlds(mixed(), 1)) is type(make_worlds(mixed(), 1))
