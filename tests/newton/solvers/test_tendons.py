"""Tendons in SolverMuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from unibody import newton
from unibody.newton.solvers import SolverMuJoCo
from unibody.newton.solvers.flags import SolverNotifyFlags

TENDONS = """<mujoco><compiler angle="radian"/>
<option timestep="0.002" gravity="0 0 0" integrator="implicitfast"/>
<default><joint armature="0.05"/></default>
<worldbody><site name="s0" pos="0 0.1 0.6"/>
 <geom name="post" type="sphere" size="0.05" pos="0 0.1 0.3"/>
 <body name="a"><joint name="ja" axis="1 0 0"/>
  <geom type="capsule" fromto="0 0 0 0 0.5 0" size="0.04" mass="1"/>
  <site name="s1" pos="0 0.4 0"/></body>
 <body name="b" pos="1 0 0"><joint name="jb" type="slide" axis="0 0 1"/>
  <geom size="0.1" mass="2"/></body></worldbody>
<tendon>
 <fixed name="coupling" stiffness="30" damping="0.5" springlength="0.2">
  <joint joint="ja" coef="1"/><joint joint="jb" coef="-2"/></fixed>
 <spatial name="rope" stiffness="80" springlength="0.3">
  <site site="s0"/><geom geom="post"/><site site="s1"/></spatial>
</tendon>
<actuator><motor tendon="rope" gear="-1"/></actuator></mujoco>"""


def model_of(worlds: int = 1) -> newton.Model:
    robot = newton.ModelBuilder(gravity=0.0)
    SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(TENDONS)
    if worlds == 1:
        return robot.finalize(device="cpu")
    builder = newton.ModelBuilder(gravity=0.0)
    for _ in range(worlds):
        builder.add_world(robot)
    return builder.finalize(device="cpu")


def test_fixed_and_spatial_tendons_move_as_in_mujoco() -> None:
    plain = mujoco.MjModel.from_xml_string(TENDONS)
    plain.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(plain)
    data.ctrl[0] = 5.0
    model = model_of()
    solver = SolverMuJoCo(model, disable_contacts=True)
    assert solver.mj_model.ntendon == 2
    state, control = model.state(), model.control()
    control.mujoco.ctrl.fill_(5.0)
    for _ in range(200):
        mujoco.mj_step(plain, data)
        solver.step(state, state, control, None, 0.002)
    assert np.abs(data.qpos).max() > 0.02  # they do move
    # states go through float32 after each step: 1e-7 of it, 200 times
    np.testing.assert_allclose(state.joint_q.numpy(), data.qpos, atol=5e-5)


def test_worlds_have_tendons_of_their_own_whose_numbers_may_change() -> None:
    model = model_of(worlds=2)
    assert model.mujoco.tendon_joint_adr.numpy().tolist() == [0, 0, 2, 2]
    shapes = model.mujoco.tendon_wrap_shape.numpy().reshape(2, 3)
    assert (shapes[1] > shapes[0]).all()
    solver = SolverMuJoCo(model)
    assert solver.mjc_tendon_to_newton_tendon.numpy().tolist() == [[0, 1], [2, 3]]
    model.mujoco.tendon_stiffness.assign(np.array([1.0, 2.0, 3.0, 4.0], np.float32))
    solver.notify_model_changed(SolverNotifyFlags.TENDON_PROPERTIES)
    stiffness = solver.mjw_model.tendon_stiffness.numpy()
    np.testing.assert_allclose(stiffness, [[1.0, 2.0], [3.0, 4.0]])


def test_gains_of_actuators_of_the_scripts_control_may_change_in_each_world() -> None:
    model = model_of(worlds=2)
    solver = SolverMuJoCo(model)
    gains = model.mujoco.actuator_gainprm.numpy()
    gains[:, 0] = [7.0, 8.0]
    model.mujoco.actuator_gainprm.assign(gains)
    solver.notify_model_changed(SolverNotifyFlags.ACTUATOR_PROPERTIES)
    np.testing.assert_allclose(solver.mjw_model.actuator_gainprm.numpy()[:, 0, 0], [7.0, 8.0])
    assert solver.mjc_actuator_ctrl_source.numpy().tolist() == [SolverMuJoCo.CtrlSource.CTRL_DIRECT]
    assert solver.mjc_actuator_to_newton_idx.numpy().tolist() == [0]
    assert solver.mjc_actuator_to_newton_actuator_idx.numpy().tolist() == [0]


def test_a_site_that_is_not_there_is_left_out_of_a_tendon_with_a_warning() -> None:
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    text = TENDONS.replace('<site site="s1"/>', '<site site="nowhere"/>').replace(
        '<actuator><motor tendon="rope" gear="-1"/></actuator>', ""
    )
    with pytest.warns(UserWarning, match="unknown site 'nowhere'"):
        builder.add_mjcf(text)
    assert builder.custom_attributes["mujoco:tendon_wrap_num"].values == [0, 2]


def test_a_tendon_whose_path_is_out_of_bounds_is_left_out_with_a_warning() -> None:
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(TENDONS.replace('<actuator><motor tendon="rope" gear="-1"/></actuator>', ""))
    builder.custom_attributes["mujoco:tendon_wrap_adr"].values[1] = 99
    with pytest.warns(UserWarning, match="out of bounds"):
        solver = SolverMuJoCo(builder.finalize(device="cpu"))
    assert solver.mj_model.ntendon == 1
