"""Constraints that give way, against the implicit step of a spring and a damper."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.scenes import box
from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import ConstraintKind, Spring
from unibody.core.engine.worlds import make_worlds

DT = 0.01
MASS = 2.0

# The rows are solved to 1e-8 in float64, and in float32 to its precision.
DEVICES = [("cpu", 1e-6), ("warp-cpu", 1e-4)]


def hung(spring: Spring) -> Scene:
    """A box whose centre is pulled to where it is at first, without gravity."""
    scene = Scene(WorldOptions(timestep=DT))
    scene.add(0, box(MASS), BodyOptions())
    held = scene.add_constraint(ConstraintKind.POINT, (0, 0), None, Pose(), Pose())
    held.spring = spring
    return scene


def numbers(array: object) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.numpy()


def implicit(x: float, v: float, k: float, b: float) -> tuple[float, float]:
    """One step with the force ``-k x+ - b v+`` at its end."""
    v = (MASS * v - DT * k * x) / (MASS + DT * b + DT * DT * k)
    return x + DT * v, v


@pytest.mark.parametrize(("device", "close"), DEVICES)
@pytest.mark.parametrize(("stiffness", "damping"), [(200.0, 5.0), (0.0, 30.0), (5e6, 5e3)])
def test_a_spring_pulls_with_the_force_of_the_end_of_the_step(device, close, stiffness, damping):
    worlds = make_worlds(hung(Spring(stiffness, damping)), 3, device=device)
    start = numbers(worlds.qvel)
    start[:, 1] = 0.5
    if device != "cpu":
        worlds.qvel.assign(start)
    x, v = 0.0, 0.5
    for _ in range(20):
        worlds.step()
        x, v = implicit(x, v, stiffness, damping)
        np.testing.assert_allclose(numbers(worlds.qpos)[:, 1], x, atol=close)
        np.testing.assert_allclose(numbers(worlds.qvel)[:, 1], v, atol=close)


@pytest.mark.parametrize(("device", "close"), DEVICES)
def test_a_free_row_has_no_force(device, close):
    worlds = make_worlds(hung(Spring(1e4, 10.0, free=0b001)), 1, device=device)
    start = numbers(worlds.qvel)
    start[0, :3] = 0.5, 0.0, 0.0
    if device != "cpu":
        worlds.qvel.assign(start)
    worlds.step(10)
    np.testing.assert_allclose(numbers(worlds.qvel)[0, :3], [0.5, 0.0, 0.0], atol=close)


@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
def test_within_its_bounds_a_coupling_leaves_joints_alone_and_outside_it_pulls(device):
    def arm(name: str) -> Link:
        inertial = Inertial(MASS, Pose((0.0, 0.0, -0.5)), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
        return Link(name, 0, Joint(name, JointType.CONTINUOUS, Pose(), (0.0, 1.0, 0.0)), inertial)

    scene = Scene(WorldOptions(timestep=DT))
    scene.add(0, Asset("two", [Link("base"), arm("a"), arm("b")]), BodyOptions(fixed=True))
    held = scene.add_constraint(ConstraintKind.GEAR, (0, 1), (0, 2), Pose(), Pose())
    held.spring = Spring(bound_stiffness=50.0, lower=-0.2, upper=0.2)
    worlds = make_worlds(scene, 2, device=device)
    qpos = numbers(worlds.qpos)
    qpos[:, 0] = 0.1, 0.4
    if device != "cpu":
        worlds.qpos.assign(qpos)
    worlds.step()
    speeds = numbers(worlds.qvel)
    assert np.all(speeds[0] == 0.0)
    assert speeds[1, 0] < -1e-2
    assert speeds[1, 1] > 1e-2


def test_a_world_may_have_a_spring_of_its_own():
    worlds = make_worlds(hung(Spring(100.0, 0.0)), 3)
    worlds.equalities[1, 0, t.E_STIFFNESS] = 400.0
    worlds.qpos[:, 0] = 0.1
    worlds.step()
    expected = [implicit(0.1, 0.0, k, 0.0)[1] for k in (100.0, 400.0, 100.0)]
    np.testing.assert_allclose(worlds.qvel[:, 0], expected, atol=1e-6)


@pytest.mark.parametrize(("device", "close"), DEVICES)
def test_a_point_keeps_its_target_when_masses_change(device, close):
    scene = Scene(WorldOptions(timestep=DT))
    scene.add(0, box(MASS), BodyOptions())
    held = scene.add_constraint(
        ConstraintKind.POINT, (0, 0), None, Pose(), Pose((0.5, 0.2, 0.3), (1.0, 0.0, 0.0, 0.0))
    )
    held.spring = Spring(100.0, 30.0)
    worlds = make_worlds(scene, 2, device=device)
    masses = numbers(worlds.parameter("body_mass"))
    masses[1] *= 2.0
    if device != "cpu":
        worlds.parameter("body_mass").assign(masses)
    worlds.parameters_changed([1])
    worlds.step(300)
    np.testing.assert_allclose(
        numbers(worlds.qpos)[:, :3], [[0.5, 0.2, 0.3]] * 2, atol=1e-3 + close
    )
