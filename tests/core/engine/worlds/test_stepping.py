"""Steps of many worlds are those of MuJoCo's own batch, bit for bit."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco.batch import Batch, SimulationError

from tests.core.engine.worlds.scenes import mixed, walker
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.worlds import make_worlds

COUNT = 70  # more than the threads take at once


def scattered(worlds):
    """Random coordinates, velocities and targets in every world."""
    random = np.random.default_rng(1)
    for row in range(worlds.count):
        qpos = np.array(worlds.qpos[row])
        mujoco.mj_integratePos(worlds.model, qpos, random.normal(size=worlds.model.nv), 0.3)
        worlds.qpos[row] = qpos
    worlds.qvel[:] = random.normal(size=worlds.qvel.shape)
    worlds.drives[:, :, t.D_POSITION] = random.normal(size=worlds.drives.shape[:2])


@pytest.mark.parametrize("scene", [mixed, walker])
def test_states_and_forces_are_those_of_mujocos_batch(scene):
    worlds = make_worlds(scene(), COUNT)
    scattered(worlds)
    batch = Batch(worlds.model, nsim=COUNT)
    batch.state[:] = worlds.snapshot()
    reported = batch.bind("sensordata")
    for substeps in (1, 2, 5):
        worlds.step(substeps)
        batch.step(nstep=substeps)
        assert np.array_equal(worlds.snapshot(), batch.state)
    wrenches = worlds.contact_wrench.reshape(COUNT, -1)
    ours = np.concatenate([wrenches, worlds.dof_force], axis=1)
    assert np.array_equal(ours, reported[:, : ours.shape[1]])
    assert np.any(wrenches != 0.0)


def test_worlds_with_masses_frictions_and_gravities_of_their_own_are_those_of_mujocos_batch():
    worlds = make_worlds(mixed(), COUNT)
    scattered(worlds)
    batch = Batch(worlds.model, nsim=COUNT)
    batch.state[:] = worlds.snapshot()
    random = np.random.default_rng(2)
    for name in ("body_mass", "body_inertia", "geom_friction", "opt.gravity"):
        values = worlds.parameter(name)
        values[:] *= random.uniform(0.5, 2.0, (COUNT,) + (1,) * (values.ndim - 1))
        batch.expand(name)[:] = values
    worlds.parameters_changed()
    batch.set_const()
    for _ in range(5):
        worlds.step(2)
        batch.step(nstep=2)
    assert np.array_equal(worlds.snapshot(), batch.state)
    worlds.parameter("opt.gravity")[3] = batch.expand("opt.gravity")[3] = (1.0, 2.0, 3.0)
    worlds.step()
    batch.step()
    assert np.array_equal(worlds.snapshot(), batch.state)


def test_poses_after_a_step_with_kinematics_are_those_of_kinematics_after_a_step():
    one, other = make_worlds(mixed(), COUNT), make_worlds(mixed(), COUNT)
    scattered(one)
    other.restore(one.snapshot())
    one.step(3)
    one.kinematics()
    other.step_and_place(3)
    for name in ("qpos", "xpos", "xquat", "xipos", "linear", "angular"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_some_worlds_names_them_and_stops_no_other(threads):
    worlds = make_worlds(mixed(), COUNT, threads=threads)
    scattered(worlds)
    right = make_worlds(mixed(), COUNT)
    right.restore(worlds.snapshot())
    right.step()
    solver = worlds.parameter("opt.solver")
    kept = solver.copy()
    wrong = [3, 4, COUNT - 1]
    solver[wrong] = 99
    before = worlds.snapshot()
    with pytest.raises(SimulationError, match="solver") as caught:
        worlds.step()
    assert caught.value.ids.tolist() == wrong
    others = np.setdiff1d(np.arange(COUNT), wrong)
    assert np.array_equal(worlds.snapshot()[others], right.snapshot()[others])
    assert np.array_equal(worlds.snapshot()[wrong], before[wrong])
    solver[:] = kept
    worlds.restore(before)
    worlds.step()
    assert np.array_equal(worlds.snapshot(), right.snapshot())
