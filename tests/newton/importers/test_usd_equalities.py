"""Couplings of joints by MuJoCo's schemas in stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from unibody import newton
from unibody.newton import dialect
from unibody.newton.exceptions import NewtonWarning
from unibody.newton.solvers import SolverMuJoCo

Usd = pytest.importorskip("pxr.Usd")

BODY = 'def Cube "{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{}}\n'
STAGE = """#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 1
)
def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    %s
    def PhysicsRevoluteJoint "leader" {
        rel physics:body0 = </r/base>
        rel physics:body1 = </r/a>
    }
    def PhysicsRevoluteJoint "follower" (prepend apiSchemas = ["MjcEqualityJointAPI"]) {
        rel physics:body0 = </r/base>
        rel physics:body1 = </r/b>
        %s
    }
}"""
MIMIC = "rel newton:mimicJoint = </r/leader>\nfloat newton:mimicCoef0 = 90\n"


@pytest.fixture(autouse=True)
def later() -> Iterator[None]:
    dialect.choose("1", "1")
    yield
    dialect.choose("0.2", "0.2")


def read(stated: str) -> newton.Model:
    stage: Any = Usd.Stage.CreateInMemory()
    bodies = "".join(BODY.format(name) for name in ("base", "a", "b"))
    stage.GetRootLayer().ImportFromString(STAGE % (bodies, stated))
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_usd(stage)
    return builder.finalize(device="cpu")


@pytest.mark.parametrize(
    ("stated", "polycoef", "enabled"),
    [
        ("rel mjc:target = </r/leader>", [0, 1, 0, 0, 0], True),
        ("rel mjc:target = </r/leader>\ndouble mjc:coef0 = 0.5", [0.5, 1, 0, 0, 0], True),
        (f"{MIMIC}double mjc:coef2 = 0.1", [np.pi / 2, 1, 0.1, 0, 0], True),
        (f"{MIMIC}bool newton:mimicEnabled = false", [np.pi / 2, 1, 0, 0, 0], False),
    ],
)
def test_couplings_that_are_no_mimics_are_equality_constraints(
    stated: str, polycoef: list[float], enabled: bool
) -> None:
    model = read(stated)
    assert model.equality_constraint_joint1.numpy().tolist() == [
        model.joint_key.index("/r/follower")
    ]
    assert model.equality_constraint_joint2.numpy().tolist() == [model.joint_key.index("/r/leader")]
    found = SolverMuJoCo(model).mj_model
    np.testing.assert_allclose(found.eq_data[:, :5], [polycoef], rtol=1e-6)
    assert found.eq_active0.tolist() == [enabled]


def test_linear_couplings_of_newtons_schema_stay_joints_that_follow_in_all_solvers() -> None:
    model = read(MIMIC)
    assert model.equality_constraint_count == 0
    follower = model.joint_key.index("/r/follower")
    assert model.joint_mimic_joint.numpy()[follower] == model.joint_key.index("/r/leader")


def test_couplings_without_a_joint_are_left_out_with_a_warning() -> None:
    with pytest.warns(NewtonWarning, match="MjcEqualityJointAPI on /r/follower: no joint was not"):
        assert read("").equality_constraint_count == 0
