"""Drives of joints, as a stage states them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pxr import UsdPhysics

from tests.isaac_core.physics.stages import add_cartpole, add_environments, metric_stage
from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors


@pytest.fixture(autouse=True)
def _let_go() -> None:
    physics.detach()


def test_acceleration_drive_of_a_stage_moves_a_cart_alike_whatever_its_mass() -> None:
    stiffness, damping, target, dt = 60.0, 5.0, 0.2, 5e-4
    stage = metric_stage()
    add_environments(stage, 2)
    add_cartpole(stage, "/World/envs/env_0/Robot")
    joint = stage.GetPrimAtPath("/World/envs/env_0/Robot/cartJoint")
    drive = UsdPhysics.DriveAPI(joint, "linear")
    drive.CreateTypeAttr("acceleration")
    drive.CreateStiffnessAttr(stiffness)
    drive.CreateDampingAttr(damping)
    drive.CreateMaxForceAttr(1e6)
    sim = tensors.create_simulation_view("numpy")
    sim.set_gravity((0.0, 0.0, 0.0))
    view = sim.create_articulation_view("/World/envs/*/Robot")
    names = tensors.DofDriveType
    np.testing.assert_array_equal(
        view.get_drive_types(), [[names["Acceleration"], names["None"]]] * 2
    )
    masses = view.get_masses().copy()
    masses[1, 1:] *= 40.0  # the cart and the pole
    view.set_masses(masses, np.arange(2))
    view.set_dof_position_targets(np.tile([target, 0.0], (2, 1)), None)
    sim.step(dt)
    # The pole follows as it likes; the cart accelerates by stiffness * error, implicitly.
    first = stiffness * target * dt / (1.0 + dt * (damping + dt * stiffness))
    np.testing.assert_allclose(view.get_dof_velocities()[:, 0], first, rtol=1e-5)
    view.set_dof_positions(np.tile([0.0, math.pi / 2.0], (2, 1)), None)
    view.set_dof_velocities(np.zeros((2, 2)), None)
    sim.step(dt)  # with the pole along the rail the cart moves both
    np.testing.assert_allclose(view.get_dof_velocities()[:, 0], first, rtol=1e-5)
    np.testing.assert_allclose(view.get_dof_stiffnesses(), [[stiffness, 0.0]] * 2)
