"""What worlds would step with, solved in compiled code, is what MuJoCo finds world by world."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.scenes import mixed, walker
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.worlds import make_worlds
from unibody.core.engine.worlds.solutions import CORIOLIS, PlainSolver, Wanted

COUNT = 40
ALL = Wanted(("xpos", "xmat", "cfrc_int", "cacc"), contacts=True)


def _begun(scene):
    worlds = make_worlds(scene(), COUNT)
    random = np.random.default_rng(1)
    worlds.qvel[:] = 0.3 * random.normal(size=worlds.qvel.shape)
    worlds.drives[:, :, t.D_POSITION] = random.normal(size=worlds.drives.shape[:2])
    worlds.step(60)
    return worlds


@pytest.mark.parametrize("scene", [mixed, walker])
def test_forces_and_contacts_of_all_worlds_are_those_of_each(scene):
    worlds = _begun(scene)
    random = np.random.default_rng(2)
    worlds.parameter("body_mass")[:] *= random.uniform(0.5, 2.0, (COUNT, 1))
    worlds.parameters_changed()
    states = worlds.host_states()
    found = worlds.solve(ALL, states)
    expected = PlainSolver(worlds).solve(ALL, states)
    for name in ALL.fields:
        np.testing.assert_array_equal(found.fields[name], expected.fields[name])
    for ours, theirs in zip(found.contacts, expected.contacts, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert len(found.contacts.worlds) > COUNT // 2
    assert found.contacts.forces.any()


def test_forces_of_velocities_are_the_bias_without_what_rest_has():
    import mujoco

    worlds = _begun(mixed)
    found = worlds.solve(CORIOLIS).fields["qfrc_bias"]
    np.testing.assert_allclose(
        found, PlainSolver(worlds).solve(CORIOLIS, worlds.host_states()).fields["qfrc_bias"]
    )
    model, data = worlds.model, mujoco.MjData(worlds.model)
    worlds.copy_into(3, model, data)
    mujoco.mj_forward(model, data)
    moving = data.qfrc_bias.copy()
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(found[3], moving - data.qfrc_bias, atol=1e-9)  # of forces near 1e2
    assert np.abs(found[3]).max() > 1e-3


def test_states_of_before_are_solved_and_the_present_ones_stay():
    worlds = _begun(walker)
    states = worlds.host_states()
    before = worlds.solve(ALL).contacts
    worlds.step(20)
    now = worlds.snapshot()
    after = worlds.solve(ALL).contacts
    for ours, theirs in zip(worlds.solve(ALL, states).contacts, before, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(after.points, before.points)
    np.testing.assert_array_equal(worlds.snapshot(), now)


def test_a_world_with_more_contacts_than_there_was_room_for_has_them_all(monkeypatch):
    from unibody.core.engine.worlds import solving

    monkeypatch.setattr(solving, "_FIRST_MOST", 1)
    worlds = _begun(mixed)
    found = worlds.solve(ALL).contacts
    expected = PlainSolver(worlds).solve(ALL, worlds.host_states()).contacts
    np.testing.assert_array_equal(found.points, expected.points)
