"""What of PhysX is refused, or told, and what stands for loops and mimicry."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade

from tests.isaac_core.physics.stages import (
    add_body,
    add_cartpole,
    add_cube,
    add_ground,
    metric_stage,
)
from unibody import notices
from unibody.errors import AssetError, NotSupportedError
from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors
from unibody.isaac_core.schemas import physx_schema


@pytest.fixture(autouse=True)
def _let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    physics.detach()
    monkeypatch.setattr(notices, "_told", set())


def _two_pendulums(stage: Any) -> None:
    """Two rods that hang side by side, 1 m apart, from one base; they turn about x."""
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, "/Robot").GetPrim())
    add_body(stage, "/Robot/base", (0.0, 0.0, 0.0), 5.0)
    fixed = UsdPhysics.FixedJoint.Define(stage, "/Robot/rootJoint")
    fixed.CreateBody1Rel().SetTargets(["/Robot/base"])
    for name, y in (("one", 0.0), ("two", 1.0)):
        add_body(stage, f"/Robot/{name}", (0.0, y, -0.5), 1.0)
        hinge = UsdPhysics.RevoluteJoint.Define(stage, f"/Robot/{name}Joint")
        hinge.CreateAxisAttr("X")
        hinge.CreateBody0Rel().SetTargets(["/Robot/base"])
        hinge.CreateBody1Rel().SetTargets([f"/Robot/{name}"])
        hinge.CreateLocalPos0Attr(Gf.Vec3f(0.0, y, 0.0))
        hinge.CreateLocalPos1Attr(Gf.Vec3f(0.0, 0.0, 0.5))


def _turned(speed: float) -> Any:
    """Positions of both joints after the first was pushed."""
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/Robot")
    view.set_dof_velocities(np.full((1, 2), speed), None)
    view.set_dof_actuation_forces(np.array([[2.0, 0.0]]), None)
    for _ in range(60):
        sim.step(1.0 / 120.0)
    return view.get_dof_positions()[0]


def test_hinge_that_closes_a_loop_makes_both_rods_of_a_parallelogram_turn_alike() -> None:
    stage = metric_stage()
    _two_pendulums(stage)
    add_body(stage, "/Robot/bar", (0.0, 0.5, -1.0), 0.5)
    for name, y, kept in (("one", -0.5, True), ("two", 0.5, False)):
        joint = UsdPhysics.RevoluteJoint.Define(stage, f"/Robot/{name}Bar")
        joint.CreateAxisAttr("X")
        joint.CreateBody0Rel().SetTargets([f"/Robot/{name}"])
        joint.CreateBody1Rel().SetTargets(["/Robot/bar"])
        joint.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, -0.5))
        joint.CreateLocalPos1Attr(Gf.Vec3f(0.0, y, 0.0))
        joint.CreateExcludeFromArticulationAttr(not kept)
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/Robot")
    names = view.shared_metatype.dof_names  # type: ignore[union-attr]
    one, two = names.index("oneJoint"), names.index("twoJoint")
    for _ in range(60):
        force = np.zeros((1, len(names)))
        force[0, one] = 2.0
        view.set_dof_actuation_forces(force, None)
        sim.step(1.0 / 120.0)
    angles = view.get_dof_positions()[0]
    # A parallelogram: both rods turn alike; without the loop the second one would hang still.
    assert abs(angles[one]) > 0.05
    np.testing.assert_allclose(angles[two], angles[one], atol=0.01)


def test_mimic_joint_follows_the_joint_that_it_names() -> None:
    stage = metric_stage()
    _two_pendulums(stage)
    prim = stage.GetPrimAtPath("/Robot/twoJoint")
    prim.AddAppliedSchema("PhysxMimicJointAPI:rotX")
    target = prim.CreateRelationship("physxMimicJoint:rotX:referenceJoint")
    target.SetTargets(["/Robot/oneJoint"])
    gearing = prim.CreateAttribute("physxMimicJoint:rotX:gearing", Sdf.ValueTypeNames.Float)
    gearing.Set(2.0)
    one, two = _turned(0.0)
    assert abs(one) > 1e-3
    # PhysX: q + gearing * q_reference = 0.
    np.testing.assert_allclose(two, -2.0 * one, atol=1e-3)


def test_loop_with_a_limit_and_spatial_tendons_are_refused_by_the_path_of_their_prim() -> None:
    stage = metric_stage()
    _two_pendulums(stage)
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/Robot/loop")
    joint.CreateBody0Rel().SetTargets(["/Robot/one"])
    joint.CreateBody1Rel().SetTargets(["/Robot/two"])
    joint.CreateExcludeFromArticulationAttr(True)
    joint.CreateLowerLimitAttr(-10.0)
    joint.CreateUpperLimitAttr(10.0)
    with pytest.raises(NotSupportedError, match="'loop', which closes a loop and has limits"):
        tensors.create_simulation_view("numpy")
    stage.RemovePrim("/Robot/loop")
    stage.GetPrimAtPath("/Robot/oneJoint").AddAppliedSchema("PhysxTendonAttachmentRootAPI:t")
    with pytest.raises(NotSupportedError, match=r"spatial tendon at /Robot/oneJoint.*fixed"):
        tensors.create_simulation_view("numpy")


def test_soft_limits_of_joints_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    stage = metric_stage()
    add_cartpole(stage, "/Robot")
    prim = stage.GetPrimAtPath("/Robot/cartJoint")
    limit = physx_schema.PhysxLimitAPI.Apply(prim, "linear")
    limit.CreateStiffnessAttr(100.0)
    limit.CreateDampingAttr(0.0)
    tensors.create_simulation_view("numpy")
    physics.detach()
    tensors.create_simulation_view("numpy")
    said = capsys.readouterr().err
    assert said.count("physxLimit:linear:stiffness is left out") == 1
    assert "damping is left out" not in said


def _sliding(stage: Any, combine: str, friction: float) -> float:
    """Speed of a cube after 0.2 s on the ground, from 2 m/s; the ground has friction 0.5."""
    material = UsdShade.Material.Define(stage, "/World/Material")
    api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    api.CreateStaticFrictionAttr(friction)
    api.CreateDynamicFrictionAttr(friction)
    mode = "physxMaterial:frictionCombineMode"
    material.GetPrim().CreateAttribute(mode, Sdf.ValueTypeNames.Token).Set(combine)
    cube = add_cube(stage, "/World/Cube", (0.0, 0.0, 0.5))
    bound = UsdShade.MaterialBindingAPI.Apply(cube)
    bound.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/Cube")
    for _ in range(10):
        sim.step(0.005)
    view.set_velocities(np.array([[2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]), None)
    for _ in range(40):
        sim.step(0.005)
    return float(view.get_velocities()[0, 0])


@pytest.mark.parametrize(
    ("combine", "whole"), [("average", 0.3), ("min", 0.1), ("multiply", 0.05), ("max", 0.5)]
)
def test_friction_combines_as_the_materials_of_a_stage_say(combine: str, whole: float) -> None:
    stage = metric_stage()
    add_ground(stage)
    found = _sliding(stage, combine, 0.1)
    # v = v0 - mu g t; the load of a soft contact swings by some hundredths.
    np.testing.assert_allclose(found, 2.0 - whole * 9.81 * 0.2, atol=0.04)


def test_warnings_of_a_view_are_told_unless_they_are_disabled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = metric_stage()
    add_cube(stage, "/World/Cube", (0.0, 0.0, 1.0))
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_rigid_body_view("/World/Cube")
    sim.enable_warnings(False)
    view.set_material_properties(np.array([[[0.9, 0.4, 0.0]]]), None)
    assert "static friction" not in capsys.readouterr().err
    sim.enable_warnings(True)
    view.set_material_properties(np.array([[[0.4, 0.4, 0.0]]]), None)
    assert "static friction" not in capsys.readouterr().err
    view.set_material_properties(np.array([[[0.9, 0.4, 0.0]]]), None)
    assert "static friction is left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        "get_spatial_tendon_offsets",
        "set_spatial_tendon_properties",
        "get_contact_offsets",
        "set_rest_offsets",
    ],
)
def test_absent_properties_of_articulations_are_refused_by_name(name: str) -> None:
    stage = metric_stage()
    add_cartpole(stage, "/Robot")
    view = tensors.create_simulation_view("numpy").create_articulation_view("/Robot")
    with pytest.raises(NotSupportedError, match=r"tendons|offsets"):
        getattr(view, name)()


def test_absent_views_and_offsets_are_refused_by_name() -> None:
    add_cube(metric_stage(), "/World/Cube", (0.0, 0.0, 1.0))
    sim = tensors.create_simulation_view("numpy")
    bodies = sim.create_rigid_body_view("/World/Cube")
    for name in ("soft_body", "volume_deformable_body", "particle_system", "particle_cloth"):
        with pytest.raises(NotSupportedError, match="of a stage"):
            getattr(sim, f"create_{name}_view")("/World/*")
    with pytest.raises(NotSupportedError, match="offsets"):
        bodies.get_rest_offsets()
    assert math.isfinite(float(bodies.get_masses()[0, 0]))


def test_transform_of_a_wrong_kind_is_an_error_with_the_name_of_the_stage() -> None:
    stage = metric_stage()
    prim = add_cube(stage, "/World/Cube", (0.0, 0.0, 1.0))
    prim.RemoveProperty("xformOp:translate")
    wrong = prim.CreateAttribute("xformOp:translate", Sdf.ValueTypeNames.String)
    wrong.Set("(5, 0, 0.1)")
    name = re.escape(stage.GetRootLayer().identifier)
    with pytest.raises(AssetError, match=f"{name}: cannot be read: Invalid combination"):
        tensors.create_simulation_view("numpy")
