"""Articulations of ``isaacsim.core.experimental`` are known before they play, and driven."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("warp")

from pxr import Gf, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core import handles
from unibody.isaac_core.cloners import GridCloner
from unibody.isaac_core.experimental import app, stage
from unibody.isaac_core.experimental.prims import Articulation, RigidPrim
from unibody.isaac_core.prims.current import RigidPrim as FormerRigidPrim
from unibody.isaac_core.simulation.simulation_manager import SimulationManager

STEP = 1.0 / 240.0


def _arm(path: str = "/World/arm") -> None:
    """A base that is held, with a link that turns about z, which gravity leaves alone."""
    stage.set_stage_units(meters_per_unit=1.0, kilograms_per_unit=1.0)
    now = handles.current_stage()
    root = UsdGeom.Xform.Define(now, path).GetPrim()
    UsdPhysics.ArticulationRootAPI.Apply(root)
    for name, place, mass in (("base", 0.0, 5.0), ("link", 0.5, 2.0)):
        body = UsdGeom.Xform.Define(now, f"{path}/{name}")
        body.AddTranslateOp().Set(Gf.Vec3d(place, 0.0, 0.0))
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        api = UsdPhysics.MassAPI.Apply(body.GetPrim())
        api.CreateMassAttr(mass)
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(0.1, 0.1, 0.1))
    held = UsdPhysics.FixedJoint.Define(now, f"{path}/held")
    held.CreateBody1Rel().SetTargets([f"{path}/base"])
    turns = UsdPhysics.RevoluteJoint.Define(now, f"{path}/turns")
    turns.CreateBody0Rel().SetTargets([f"{path}/base"])
    turns.CreateBody1Rel().SetTargets([f"{path}/link"])
    turns.CreateLocalPos1Attr(Gf.Vec3f(-0.5, 0.0, 0.0))
    turns.CreateAxisAttr("Z")
    turns.CreateLowerLimitAttr(-90.0)
    turns.CreateUpperLimitAttr(90.0)
    drive = UsdPhysics.DriveAPI.Apply(turns.GetPrim(), "angular")
    drive.CreateStiffnessAttr(np.deg2rad(20.0))
    drive.CreateDampingAttr(np.deg2rad(6.0))


def test_names_limits_and_gains_are_known_before_it_plays_and_nothing_moves() -> None:
    _arm()
    arm = Articulation("/World/arm")
    before = handles.current_stage().GetRootLayer().ExportToString()
    assert arm.dof_names == ["turns"]
    assert arm.link_names == ["base", "link"]
    assert arm.link_paths == [["/World/arm/base", "/World/arm/link"]]
    assert handles.current_stage().GetRootLayer().ExportToString() == before
    assert arm.get_dof_indices("turns").numpy().tolist() == [0]
    with pytest.raises(InvalidArgumentError, match="one of turns"):
        arm.get_dof_indices("elbow")
    lower, upper = arm.get_dof_limits()
    assert (lower.numpy().item(), upper.numpy().item()) == pytest.approx((-np.pi / 2, np.pi / 2))
    stiffness, damping = arm.get_dof_gains()
    assert (stiffness.numpy().item(), damping.numpy().item()) == pytest.approx((20.0, 6.0))
    with pytest.raises(UnibodyError, match="get_dof_positions of /World/arm needs a simulation"):
        arm.get_dof_positions()


def test_drives_reach_their_targets_and_modes_switch_gains() -> None:
    _arm()
    arm = Articulation("/World/arm")
    SimulationManager.setup_simulation(dt=STEP)
    app.play()
    arm.set_dof_position_targets(0.7)
    SimulationManager.step(steps=1200)
    assert arm.get_dof_positions().numpy().item() == pytest.approx(0.7, abs=1e-3)
    arm.switch_dof_control_mode("velocity")
    assert [one.numpy().item() for one in arm.get_dof_gains()] == pytest.approx([0.0, 6.0])
    arm.switch_dof_control_mode("position")
    assert [one.numpy().item() for one in arm.get_dof_gains()] == pytest.approx([20.0, 6.0])
    arm.set_dof_limits(upper=0.3)
    SimulationManager.step(steps=600)
    assert arm.get_dof_positions().numpy().item() < 0.35


def test_an_effort_speeds_a_joint_up_by_its_inertia() -> None:
    _arm()
    arm = Articulation("/World/arm")
    SimulationManager.setup_simulation(dt=STEP)
    app.play()
    arm.switch_dof_control_mode("effort")
    arm.set_dof_positions(0.0)
    arm.set_dof_velocities(0.0)
    arm.set_dof_efforts(1.2)
    SimulationManager.step()
    inertia = 0.1 + 2.0 * 0.5**2
    assert arm.get_mass_matrices().numpy().item() == pytest.approx(inertia, rel=1e-5)
    assert arm.get_dof_velocities().numpy().item() == pytest.approx(1.2 / inertia * STEP, rel=1e-4)


def test_a_state_by_default_that_was_set_before_it_plays_comes_back() -> None:
    _arm()
    arm = Articulation("/World/arm")
    assert arm.get_default_state() == (None,) * 7
    arm.set_default_state(dof_positions=[0.4], dof_velocities=0.0)
    app.play()
    arm.reset_to_default_state()
    assert arm.get_dof_positions().numpy().item() == pytest.approx(0.4)
    assert arm.get_dof_position_targets().numpy().item() == pytest.approx(0.4)
    assert arm.get_default_state()[4].numpy().item() == pytest.approx(0.4)


def test_clones_of_a_robot_itself_are_robots_by_their_first_bodies_too() -> None:
    _arm("/World/arms/arm_0")
    cloner = GridCloner(spacing=2.0)
    cloner.clone("/World/arms/arm_0", cloner.generate_paths("/World/arms/arm", 3))
    arms = Articulation("/World/arms/.*/base")
    assert len(arms) == 3
    assert arms.dof_names == ["turns"]
    app.play()
    arms.set_dof_positions([[0.1], [0.2], [0.3]])
    np.testing.assert_allclose(arms.get_dof_positions().numpy()[:, 0], [0.1, 0.2, 0.3])


def test_clones_of_a_body_itself_are_bodies() -> None:
    stage.set_stage_units(meters_per_unit=1.0)
    UsdGeom.Xform.Define(handles.current_stage(), "/World/bodies")
    cube = UsdGeom.Cube.Define(handles.current_stage(), "/World/bodies/body_0")
    UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
    cloner = GridCloner(spacing=5.0)
    cloner.clone("/World/bodies/body_0", cloner.generate_paths("/World/bodies/body", 2))
    bodies, former = RigidPrim("/World/bodies/.*"), FormerRigidPrim("/World/bodies/.*")
    app.play()
    apart = np.ptp(bodies.get_world_poses()[0].numpy(), axis=0)
    assert apart.max() == pytest.approx(5.0)
    np.testing.assert_allclose(former.get_world_poses()[0], bodies.get_world_poses()[0].numpy())
