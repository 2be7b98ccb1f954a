"""MuJoCo's tendons and actuators in stages."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from unibody import newton
from unibody.errors import AssetError
from unibody.newton import dialect
from unibody.newton.solvers import SolverMuJoCo

Usd = pytest.importorskip("pxr.Usd")

ARM = """#usda 1.0
(upAxis = "Z")
def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {{
    def Cube "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{}}
    def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{}}
    def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{}}
    def PhysicsRevoluteJoint "ja" {{
        rel physics:body0 = </r/base>
        rel physics:body1 = </r/a>
    }}
    def PhysicsRevoluteJoint "jb" {{
        rel physics:body0 = </r/base>
        rel physics:body1 = </r/b>
    }}
    def MjcActuator "first" {{
        rel mjc:target = </r/rope>
        double[] mjc:gear = [3]
        double mjc:ctrlRange:max = 2
    }}
    def MjcActuator "second" {{
        rel mjc:target = </r/jb>
    }}
    def MjcTendon "rope" {{
        token mjc:type = "{kind}"
        rel mjc:path = [</r/ja>, </r/jb>]
        int[] mjc:path:indices = [1, 0]
        double[] mjc:path:coef = {coef}
        double mjc:stiffness = 7
        token mjc:limited = "true"
        double mjc:range:max = 0.5
    }}
}}
"""


def read(kind: str = "fixed", coef: str = "[0.25, 0.75]") -> newton.ModelBuilder:
    stage: Any = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(ARM.format(kind=kind, coef=coef))
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_usd(stage)
    return builder


def test_fixed_tendons_and_actuators_on_them_reach_mujoco() -> None:
    model = read().finalize(device="cpu")
    joints = [model.joint_key.index(f"/r/{name}") for name in ("jb", "ja")]
    assert model.mujoco.tendon_joint.numpy().tolist() == joints
    assert model.mujoco.actuator_target_label == ["/r/rope", "/r/jb"]
    found = SolverMuJoCo(model).mj_model
    assert (found.ntendon, found.nu) == (1, 2)
    assert found.tendon_stiffness.tolist() == [7.0]
    np.testing.assert_allclose(found.tendon_range, [[0.0, 0.5]])
    np.testing.assert_allclose(found.wrap_prm, [0.25, 0.75])
    assert found.actuator_gear[:, 0].tolist() == [3.0, 1.0]
    assert found.actuator_ctrllimited.tolist() == [1, 0]
    np.testing.assert_allclose(found.actuator_ctrlrange[0], [0.0, 2.0])


def test_degrees_of_freedom_have_the_paths_of_their_joints() -> None:
    builder = read()
    labels = builder.custom_attributes["mujoco:joint_dof_label"].values
    first = builder.joint_qd_start[builder.joint_key.index("/r/jb")]
    assert labels[first] == "/r/jb"


def test_a_tendon_whose_numbers_do_not_fit_is_refused_and_one_of_another_type_left_out() -> None:
    with pytest.raises(AssetError, match="1 coefficients of 2"):
        read(coef="[1]")
    with pytest.warns(UserWarning, match="/r/rope: tendons of stages other than fixed"):
        builder = read(kind="spatial")
    assert not builder.custom_attributes["mujoco:tendon_type"].values


def test_kinds_of_actuators_have_mujocos_numbers() -> None:
    kinds = 'token mjc:dynType = "{0}"\n token mjc:gainType = "{1}"\n token mjc:biasType = "{1}"'
    text = ARM.format(kind="fixed", coef="[0.25, 0.75]")
    text = text.replace("rel mjc:target = </r/rope>", f"rel mjc:target = </r/rope>\n{kinds}")
    found = []
    for words in (("user", "user"), ("dcmotor", "dcmotor"), ("filterexact", "affine")):
        stage: Any = Usd.Stage.CreateInMemory()
        stage.GetRootLayer().ImportFromString(
            text.replace("{0}", words[0]).replace("{1}", words[1])
        )
        builder = newton.ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        builder.add_usd(stage)
        names = [f"mujoco:actuator_{part}type" for part in ("dyn", "gain", "bias")]
        found.append([builder.custom_attributes[name].values[0] for name in names])
    dyn, gain, bias = mujoco.mjtDyn, mujoco.mjtGain, mujoco.mjtBias
    assert found == [
        [dyn.mjDYN_USER, gain.mjGAIN_USER, bias.mjBIAS_USER],
        [dyn.mjDYN_DCMOTOR, gain.mjGAIN_DCMOTOR, bias.mjBIAS_DCMOTOR],
        [dyn.mjDYN_FILTEREXACT, gain.mjGAIN_AFFINE, bias.mjBIAS_AFFINE],
    ]


def test_an_actuator_inherits_a_share_of_the_range_of_its_joint_and_states_its_lengths() -> None:
    text = ARM.format(kind="fixed", coef="[0.25, 0.75]")
    stated = "double mjc:inheritRange = 0.8\n double mjc:lengthRange:min = -0.3\n"
    text = text.replace("mjc:target = </r/jb>", f"mjc:target = </r/jb>\n{stated}")
    limits = "float physics:lowerLimit = -90\n float physics:upperLimit = 30\n"
    text = text.replace("physics:body1 = </r/b>", f"physics:body1 = </r/b>\n{limits}")
    stage: Any = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_usd(stage)
    model = builder.finalize(device="cpu")
    found = SolverMuJoCo(model).mj_model
    # 0.8 of 60 degrees on either side of -30
    np.testing.assert_allclose(found.actuator_ctrlrange[1], np.radians([-78.0, 18.0]), rtol=1e-5)
    np.testing.assert_allclose(model.mujoco.actuator_lengthrange.numpy()[1], [-0.3, 0.0])


def test_groups_of_shapes_and_the_discrete_integrator_reach_mujoco() -> None:
    stage: Any = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString("""#usda 1.0
        def PhysicsScene "scene" {
            uniform token mjc:option:integrator = "discrete"
        }
        def Cube "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
            int mjc:group = 3
        }""")
    dialect.choose("1", "1")
    try:
        builder = newton.ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        builder.add_usd(stage)
        found = SolverMuJoCo(builder.finalize(device="cpu")).mj_model
    finally:
        dialect.choose("0.2", "0.2")
    assert found.geom_group.tolist() == [3]
    assert found.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE


def test_servos_of_stages_are_targets_of_joints_and_limits_count_from_references() -> None:
    servo = """
        token mjc:biasType = "affine"
        double[] mjc:gainPrm = [12]
        double[] mjc:biasPrm = [0, -12, -3]
    """
    text = ARM.format(kind="fixed", coef="[0.25, 0.75]")
    text = text.replace("mjc:target = </r/jb>", f"mjc:target = </r/jb>\n{servo}")
    text = text.replace("mjc:target = </r/rope>", "mjc:target = </r/b/tip>\n")
    site = 'def Sphere "tip" (prepend apiSchemas = ["MjcSiteAPI"]) {}\n'
    cube = 'def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {'
    text = text.replace(cube + "}", cube + "\n" + site + "}")
    limits = "float physics:lowerLimit = -90\n float physics:upperLimit = 90\n float mjc:ref = 30"
    text = text.replace("physics:body1 = </r/b>", f"physics:body1 = </r/b>\n{limits}")
    stage: Any = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    dialect.choose("1", "1")
    try:
        builder = newton.ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        builder.add_usd(stage)
        model = builder.finalize(device="cpu")
        solver = SolverMuJoCo(model)
    finally:
        dialect.choose("0.2", "0.2")
    dof = model.joint_qd_start.numpy()[model.joint_key.index("/r/jb")]
    assert model.joint_act_mode.numpy()[dof] == newton.ActuatorMode.POSITION
    assert model.joint_target_ke.numpy()[dof] == 12.0
    assert model.joint_target_kd.numpy()[dof] == 3.0
    assert sorted(model.mujoco.ctrl_source.numpy()) == [0, 1]
    lower, upper = model.joint_limit_lower.numpy()[dof], model.joint_limit_upper.numpy()[dof]
    np.testing.assert_allclose([lower, upper], np.radians([-120.0, 60.0]), rtol=1e-6)
    kinds = [mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_SITE]
    assert sorted(solver.mj_model.actuator_trntype) == kinds
    joint = solver.mjc_jnt_to_newton_dof.numpy()[0].tolist().index(dof)
    found = solver.mj_model.jnt_range[joint]
    np.testing.assert_allclose(found, np.radians([-90.0, 90.0]), rtol=1e-6)
