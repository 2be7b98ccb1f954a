"""Fixed tendons of a stage, and their properties in views."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Sdf, UsdGeom, UsdPhysics

from tests.isaac_core.physics.stages import add_body, metric_stage
from unibody.errors import AssetError, NotSupportedError
from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors
from unibody.isaac_core.schemas import physx_schema

LENGTHS = (2.0, -1.0)  # m/rad: of the tendon by each hinge
RATIO = 0.5  # of forces at hinges by LENGTHS
MASS, ARM, GRAVITY = 1.0, 0.5, 9.81


@pytest.fixture(autouse=True)
def _let_go() -> None:
    physics.detach()


def _two_rods(stage: Any, root: str) -> None:
    """Two rods that hang from one base and turn about x, and a tendon over both hinges."""
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, root).GetPrim())
    add_body(stage, f"{root}/base", (0.0, 0.0, 0.0), 5.0)
    fixed = UsdPhysics.FixedJoint.Define(stage, f"{root}/rootJoint")
    fixed.CreateBody1Rel().SetTargets([f"{root}/base"])
    for number, (name, length) in enumerate(zip(("one", "two"), LENGTHS, strict=True)):
        add_body(stage, f"{root}/{name}", (0.0, number, -ARM), MASS)
        hinge = UsdPhysics.RevoluteJoint.Define(stage, f"{root}/{name}Joint")
        hinge.CreateAxisAttr("X")
        hinge.CreateBody0Rel().SetTargets([f"{root}/base"])
        hinge.CreateBody1Rel().SetTargets([f"{root}/{name}"])
        hinge.CreateLocalPos0Attr(Gf.Vec3f(0.0, number, 0.0))
        hinge.CreateLocalPos1Attr(Gf.Vec3f(0.0, 0.0, ARM))
        kind = physx_schema.PhysxTendonAxisAPI
        if number == 0:
            first = physx_schema.PhysxTendonAxisRootAPI.Apply(hinge.GetPrim(), "pull")
            first.CreateStiffnessAttr(8.0)
            first.CreateDampingAttr(0.1)
            first.CreateRestLengthAttr(0.2)
            first.CreateOffsetAttr(0.05)
            axis = kind(hinge.GetPrim(), "pull")
        else:
            axis = kind.Apply(hinge.GetPrim(), "pull")
        axis.CreateGearingAttr([math.radians(length)])
        axis.CreateForceCoefficientAttr([RATIO * length])


def _at_rest(view: Any, sim: Any) -> Any:
    view.set_dof_dampings(np.full((view.count, 2), 1.5), None)
    for _ in range(480):
        sim.step(1.0 / 60.0)
    return view.get_dof_positions().astype(float)


def _residuals(angles: Any, stiffness: float, rest: float, offset: float) -> Any:
    """Torques at both hinges: of the tendon and of gravity [Nm]."""
    pull = stiffness * (angles @ np.array(LENGTHS) + offset - rest)
    return RATIO * np.outer(pull, LENGTHS) + MASS * GRAVITY * ARM * np.sin(angles)


def test_fixed_tendon_pulls_at_both_hinges_by_its_length_and_its_force_coefficients() -> None:
    stage = metric_stage()
    _two_rods(stage, "/Robot")
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/Robot")
    assert view.max_fixed_tendons == 1
    angles = _at_rest(view, sim)
    assert angles[0, 0] > 0.04  # it is pulled away from hanging
    # What is left of the motion after 8 s, and float32: 1e-5 of 5 Nm.
    np.testing.assert_allclose(_residuals(angles, 8.0, 0.2, 0.05), 0.0, atol=1e-4)


def test_properties_of_fixed_tendons_are_read_and_set_world_by_world() -> None:
    stage = metric_stage()
    UsdGeom.Xform.Define(stage, "/World/envs/env_0")
    UsdGeom.Xform.Define(stage, "/World/envs/env_1")
    _two_rods(stage, "/World/envs/env_0/Robot")
    layer = stage.GetRootLayer()
    Sdf.CopySpec(layer, "/World/envs/env_0/Robot", layer, "/World/envs/env_1/Robot")
    sim = tensors.create_simulation_view("numpy")
    view = sim.create_articulation_view("/World/envs/*/Robot")
    names = ("stiffnesses", "dampings", "limit_stiffnesses", "limits", "rest_lengths", "offsets")
    given = [getattr(view, f"get_fixed_tendon_{name}")() for name in names]
    plain = [array.reshape(2, -1)[0, 0] for array in given]
    largest = np.finfo(np.float32).max
    np.testing.assert_allclose(plain, [8.0, 0.1, 0.0, -largest, 0.2, 0.05], rtol=1e-6)
    assert given[3].shape == (2, 1, 2)
    given[0][1], given[4][1], given[5][1] = 20.0, -0.3, 0.1
    assert view.set_fixed_tendon_properties(*given, np.array([1]))
    np.testing.assert_allclose(view.get_fixed_tendon_stiffnesses()[:, 0], [8.0, 20.0])
    angles = _at_rest(view, sim)
    np.testing.assert_allclose(_residuals(angles[:1], 8.0, 0.2, 0.05), 0.0, atol=1e-4)
    np.testing.assert_allclose(_residuals(angles[1:], 20.0, -0.3, 0.1), 0.0, atol=1e-4)


def test_bounds_of_a_fixed_tendon_are_held_by_its_limit_stiffness() -> None:
    stage = metric_stage()
    _two_rods(stage, "/Robot")
    first = physx_schema.PhysxTendonAxisRootAPI(stage.GetPrimAtPath("/Robot/oneJoint"), "pull")
    first.CreateStiffnessAttr(0.0)
    first.CreateLimitStiffnessAttr(30.0)
    first.CreateLowerLimitAttr(0.3)
    sim = tensors.create_simulation_view("numpy")
    angles = _at_rest(sim.create_articulation_view("/Robot"), sim)
    # Hanging rods have the length 0.05: the bound pulls as a spring from 0.3 on.
    np.testing.assert_allclose(_residuals(angles, 30.0, 0.3, 0.05), 0.0, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "problem", "kind"),
    [
        (
            lambda one, two: two.CreateGearingAttr([0.0]) and one.CreateGearingAttr([0.0]),
            "no joint changes the length of the tendon 'pull'",
            AssetError,
        ),
        (
            lambda one, two: one.CreateForceCoefficientAttr([-9.0]),
            "the tendon 'pull', which pushes where it is to pull",
            NotSupportedError,
        ),
        (
            lambda one, two: physx_schema.PhysxTendonAxisRootAPI.Apply(two.GetPrim(), "pull"),
            "the tendon 'pull' has 2 joints with PhysxTendonAxisRootAPI, for 1",
            AssetError,
        ),
    ],
)
def test_tendon_that_cannot_be_is_refused_by_name(change: Any, problem: str, kind: Any) -> None:
    stage = metric_stage()
    _two_rods(stage, "/Robot")
    axes = [
        physx_schema.PhysxTendonAxisAPI(stage.GetPrimAtPath(f"/Robot/{name}Joint"), "pull")
        for name in ("one", "two")
    ]
    change(*axes)
    with pytest.raises(kind, match=problem):
        tensors.create_simulation_view("numpy")


def test_tendon_that_is_switched_off_does_not_act() -> None:
    stage = metric_stage()
    _two_rods(stage, "/Robot")
    first = physx_schema.PhysxTendonAxisRootAPI(stage.GetPrimAtPath("/Robot/oneJoint"), "pull")
    first.CreateTendonEnabledAttr(False)
    view = tensors.create_simulation_view("numpy").create_articulation_view("/Robot")
    assert view.max_fixed_tendons == 0
    assert view.get_fixed_tendon_limits().shape == (1, 0, 2)
