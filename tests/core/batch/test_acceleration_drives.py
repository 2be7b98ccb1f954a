"""Drives that give accelerations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.core.batch.robots import ARM
from unibody.core.assets.description import Asset
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import load_urdf
from unibody.core.batch.batch import Batch
from unibody.core.batch.environment import Actor
from unibody.core.batch.exchange import on_host
from unibody.core.batch.kind import dof_records, kind_of
from unibody.core.batch.scene import SceneOptions
from unibody.core.batch.selection import select_actors
from unibody.core.engine.records.options import WorldOptions

SLIDER = """<robot name="slider">
  <link name="base"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
    ixz="0" iyz="0"/></inertial></link>
  <link name="cart"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0"
    ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="{effort}" velocity="50"/></joint>
</robot>"""
STIFFNESS, DAMPING, TARGET = 100.0, 4.0, 0.3  # 1/s^2, 1/s, m
STEP = 1e-4  # s


def _tree(folder, text: str) -> Asset:
    file = folder / "robot.urdf"
    file.write_text(text, encoding="utf-8")
    return load_urdf(file, search_path=SearchPath())


def _batch(tree: Asset, count: int, step: float, device: str = "cpu", substeps: int = 1) -> Batch:
    world = WorldOptions(timestep=step, gravity=(0.0, 0.0, 0.0))
    batch = Batch(SceneOptions(world), device=device, threads=1, substeps=substeps)
    kind = kind_of(tree, fixed=True)
    for number in range(count):
        env = batch.add_environment(name=f"env_{number}")
        records = dof_records(kind)
        records["acceleration"] = True
        env.join(Actor(env, kind, name="robot", dofs=records))
    return batch


# Arrays are in float32: 3e-8 of a number around 0.25; Warp adds up in float32, 300 steps.
@pytest.mark.parametrize(("device", "tolerance"), [("cpu", 3e-8), ("warp-cpu", 1e-5)])
def test_motion_of_an_acceleration_drive_is_that_of_an_oscillator_whatever_the_mass(
    tmp_path, device, tolerance
):
    count = 3
    batch = _batch(_tree(tmp_path, SLIDER.format(effort=1e6)), count, STEP, device)
    robots = select_actors(batch, "*")
    robots.bodies("cart").write("masses", np.array([[0.2], [1.0], [25.0]]))
    dofs = robots.dofs()
    dofs.write("stiffnesses", np.full((count, 1), STIFFNESS))
    dofs.write("dampings", np.full((count, 1), DAMPING))
    dofs.write("position_targets", np.full((count, 1), TARGET))
    steps = 1500 if device == "cpu" else 300
    for _ in range(steps):
        batch.step()
    given = dofs.read("positions")
    found = given if device == "cpu" else given.numpy()
    np.testing.assert_allclose(found[:, 0], found[0, 0], rtol=0.0, atol=tolerance)
    # x'' = k (target - x) - d x' from rest: decay d/2, angular frequency sqrt(k - d^2/4).
    decay = DAMPING / 2.0
    omega, time = math.sqrt(STIFFNESS - decay**2), steps * STEP
    swing = math.cos(omega * time) + decay / omega * math.sin(omega * time)
    expected = TARGET * (1.0 - math.exp(-decay * time) * swing)
    # A method of first order is off by about half a step of the motion at most: v h k h / v.
    bound = TARGET * math.sqrt(STIFFNESS) * STEP
    np.testing.assert_allclose(found[:, 0], expected, rtol=0.0, atol=bound)


def test_first_acceleration_of_a_jointed_arm_is_that_of_the_drive_alone(tmp_path):
    batch = _batch(_tree(tmp_path, ARM), 3, 1e-5)
    dofs = select_actors(batch, "*").dofs()
    pose = np.array([0.4, -0.9, 0.05])
    dofs.write("positions", np.tile(pose, (3, 1)))
    # In each environment one joint is driven; what it moves depends on the others' positions.
    dofs.write("stiffnesses", STIFFNESS * np.eye(3))
    dofs.write("position_targets", np.tile(pose, (3, 1)) + 0.01 * np.eye(3))
    batch.step()
    # Implicit springs: k h^2 = 1e-8 of the acceleration is missing, float32 holds 1e-7.
    expected = STIFFNESS * 0.01 * 1e-5
    np.testing.assert_allclose(np.diagonal(dofs.read("velocities")), expected, rtol=1e-5)
    dofs.write("velocities", np.zeros((3, 3)))
    moved = pose + np.array([0.0, 1.5, 0.2])
    dofs.write("positions", np.tile(moved, (3, 1)))
    dofs.write("position_targets", np.tile(moved, (3, 1)) + 0.01 * np.eye(3))
    batch.step()
    np.testing.assert_allclose(np.diagonal(dofs.read("velocities")), expected, rtol=1e-5)


@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
def test_inertia_that_an_acceleration_drive_moves_is_that_of_each_substep(tmp_path, device):
    tree, found = _tree(tmp_path, ARM), []
    for substeps in (1, 20):
        batch = _batch(tree, 2, 1e-3, device, substeps)
        dofs = select_actors(batch, "*").dofs()
        dofs.write("stiffnesses", np.full((2, 3), 400.0))
        dofs.write("position_targets", np.tile([0.5, 1.5, 0.1], (2, 1)))
        for _ in range(20 // substeps):
            batch.step()
        found.append(on_host(dofs.read("positions")))
    # The same steps, but for who counts them: equal bits.
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0][0, 1] > 0.04  # the arm has turned, so that other joints carry it otherwise


def test_largest_effort_of_an_acceleration_drive_is_a_force(tmp_path):
    batch = _batch(_tree(tmp_path, SLIDER.format(effort=3.0)), 2, 1e-3)
    robots = select_actors(batch, "*")
    masses = np.array([[0.5], [2.0]])
    robots.bodies("cart").write("masses", masses)
    dofs = robots.dofs()
    dofs.write("stiffnesses", np.full((2, 1), 1e4))
    dofs.write("position_targets", np.full((2, 1), 5.0))
    batch.step()
    np.testing.assert_allclose(dofs.read("velocities"), 3.0 / masses * 1e-3, rtol=1e-5)


def test_gains_of_acceleration_drives_are_read_as_they_were_written(tmp_path):
    batch = _batch(_tree(tmp_path, SLIDER.format(effort=1e6)), 2, 1e-3)
    dofs = select_actors(batch, "*").dofs()
    dofs.write("stiffnesses", np.array([[10.0], [20.0]]))
    batch.step()
    np.testing.assert_array_equal(dofs.read("stiffnesses"), [[10.0], [20.0]])
