"""Joint impedance controllers and their dynamics, against MuJoCo's own equations of motion."""

from __future__ import annotations

import re
from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import controllers
from unibody.newton.inverse_dynamics import (
    eval_inverse_dynamics_force,
    eval_inverse_dynamics_passive,
)
from unibody.newton.selection import ArticulationView

CLOSE = 2e-4  # float32 (1.2e-7), sums of about ten terms of up to 100 N m
ARM = """
<mujoco>
  <worldbody>
    <body pos="0 0 1" quat="0.9 0.1 0.3 0.2">
      <joint name="lift" type="hinge" axis="0 1 0" armature="0.05"/>
      <geom type="box" size="0.2 0.03 0.04" pos="0.2 0 0.01" density="900"/>
      <body pos="0.4 0 0" quat="0.8 0.3 0 0.1">
        <joint name="reach" type="slide" axis="1 0 0" armature="0.1"/>
        <geom type="box" size="0.1 0.05 0.02" pos="0.1 0.02 0" density="1500"/>
        <body pos="0.2 0 0">
          <joint name="turn" type="hinge" axis="0 0 1" pos="0.02 0 0" armature="0.02"/>
          <geom type="box" size="0.15 0.02 0.06" pos="0.1 0 0.03" density="1200"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
Q = np.array([0.4, 0.1, -0.7])
QD = np.array([1.5, -0.6, 2.5])


def _mujoco() -> tuple[Any, Any]:
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = Q, QD
    mujoco.mj_forward(model, data)
    return model, data


def _mass_matrix(model: Any, data: Any) -> np.ndarray:
    full = np.zeros((3, 3))
    for column, unit in enumerate(np.eye(3)):
        mujoco.mj_mulM(model, data, full[column], unit)
    return full


def _arms(count: int = 1) -> tuple[Any, Any]:
    """A model of arms, and its state at Q and QD."""
    arm = newton.ModelBuilder()
    arm.add_mjcf(ARM)
    builder = newton.ModelBuilder()
    for _ in range(count):
        builder.add_builder(arm)
    model = builder.finalize(device="cpu")
    state = model.state()
    state.joint_q.assign(np.tile(Q, count))
    state.joint_qd.assign(np.tile(QD, count))
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    return model, state


def _array(values: Any) -> wp.array:
    return wp.array(np.asarray(values, np.float32), dtype=float, device="cpu")


def test_terms_of_inverse_dynamics_are_those_of_mujoco() -> None:
    model, state = _arms(2)
    matrix = wp.zeros((2, 3, 3), dtype=float, device="cpu")
    gravity, coriolis = _array(np.ones(6)), _array(np.ones(6))
    mask = wp.array([False, True], dtype=bool, device="cpu")
    eval_inverse_dynamics_passive(
        model,
        state,
        mass_matrix=matrix,
        gravity_force=gravity,
        coriolis_force=coriolis,
        mask=mask,
    )
    reference, data = _mujoco()
    full = _mass_matrix(reference, data)
    both = data.qfrc_bias.copy()
    data.qvel[:] = 0.0
    mujoco.mj_forward(reference, data)
    held = data.qfrc_bias.copy()
    np.testing.assert_allclose(matrix.numpy(), [np.zeros((3, 3)), full], atol=CLOSE)
    np.testing.assert_allclose(gravity.numpy(), [0, 0, 0, *held], atol=CLOSE)
    np.testing.assert_allclose(coriolis.numpy(), [0, 0, 0, *(both - held)], atol=CLOSE)
    assert np.abs(both - held).max() > 1.0


def test_forces_for_accelerations_are_those_of_mujoco_for_articulations_of_a_view() -> None:
    model, state = _arms(2)
    view = ArticulationView(model, "*")
    matrix = wp.zeros((2, 3, 3), dtype=float, device="cpu")
    gravity, coriolis, forces = (_array(np.ones(6)) for _ in range(3))
    view.eval_inverse_dynamics_passive(
        state, mass_matrix=matrix, gravity_force=gravity, coriolis_force=coriolis
    )
    wanted = np.array([2.0, -1.0, 4.0])
    view.eval_inverse_dynamics_force(
        state,
        mass_matrix=matrix,
        joint_qdd=_array(np.tile(wanted, 2)),
        coriolis_force=coriolis,
        gravity_force=gravity,
        joint_f=forces,
        mask=wp.array([[False, True]], dtype=bool, device="cpu"),
    )
    reference, data = _mujoco()
    asked = _mass_matrix(reference, data) @ wanted + data.qfrc_bias
    np.testing.assert_allclose(forces.numpy(), [0, 0, 0, *asked], atol=CLOSE)


def test_the_wrench_that_holds_a_free_body_is_in_the_world_however_its_parent_is_turned() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link()
    builder.add_shape_box(body, hx=0.3, hy=0.2, hz=0.1)
    turned = wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, -1.0)), 0.8)
    joint = builder.add_joint_free(child=body, parent_xform=wp.transform((0.1, 0, 0), turned))
    builder.add_articulation([joint])
    model = builder.finalize(device="cpu")
    state = model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    mass = float(model.body_mass.numpy()[0])
    matrix = wp.zeros((1, 6, 6), dtype=float, device="cpu")
    gravity, coriolis, forces = (_array(np.zeros(6)) for _ in range(3))
    eval_inverse_dynamics_passive(
        model, state, mass_matrix=matrix, gravity_force=gravity, coriolis_force=coriolis
    )
    np.testing.assert_allclose(gravity.numpy(), [0, 0, 9.81 * mass, 0, 0, 0], atol=CLOSE * mass)
    along = np.array([1.0, 0.0, 0.0])  # of the parent's frame
    eval_inverse_dynamics_force(
        model,
        state,
        mass_matrix=matrix,
        joint_qdd=_array([*along, 0, 0, 0]),
        coriolis_force=coriolis,
        gravity_force=gravity,
        joint_f=forces,
    )
    pushed = mass * np.array(wp.quat_rotate(turned, wp.vec3(*along))) + [0, 0, 9.81 * mass]
    np.testing.assert_allclose(forces.numpy()[:3], pushed, atol=CLOSE * mass)


def test_an_arm_with_all_terms_accelerates_as_its_springs_and_dampers_ask() -> None:
    model, state = _arms(2)
    stiffness, damping = _array(np.linspace(50, 100, 6)), 7.0
    controller = controllers.ControllerJointImpedance(
        model, stiffness=stiffness, damping=damping, has_qdd_feedforward=True
    )
    inputs, outputs = controller.input(), controller.output()
    inputs.joint_q, inputs.joint_qd = state.joint_q, state.joint_qd
    wanted_q, wanted_qd = np.array([0.5, 0.2, -0.9]), np.array([1.0, 0.0, 2.0])
    inputs.joint_q_des.assign(np.tile(wanted_q, 2))
    inputs.joint_qd_des.assign(np.tile(wanted_qd, 2))
    inputs.joint_qdd.assign(np.full(6, 0.3))
    control = model.control()
    outputs.joint_f = control.joint_f[controller.qd_start]
    controller.step(inputs=inputs, outputs=outputs, dt=0.01)
    reference, data = _mujoco()
    for arm in range(2):
        data.qfrc_applied[:] = control.joint_f.numpy()[3 * arm : 3 * arm + 3]
        mujoco.mj_forward(reference, data)
        gains = np.linspace(50, 100, 6)[3 * arm : 3 * arm + 3]
        demand = gains * (wanted_q - Q) + damping * (wanted_qd - QD) + 0.3
        # Forces are right within CLOSE, and the smallest inertia is above 0.02 kg m².
        np.testing.assert_allclose(data.qacc, demand, atol=CLOSE / 0.01)


def test_joints_that_are_not_controlled_still_load_the_controlled_ones() -> None:
    model, state = _arms(2)
    controller = controllers.ControllerJointImpedance(
        model,
        joints=["turn", re.compile("li.*")],
        articulations=[1],
        stiffness=None,
        damping=0.0,
        use_coriolis_compensation=False,
    )
    assert controller.qd_start.numpy().tolist() == [5, 3]
    assert controller.controlled_robot_count == 1
    inputs, outputs = controller.input(), controller.output()
    inputs.joint_q, inputs.joint_qd = state.joint_q, state.joint_qd
    inputs.joint_q_des.assign([Q[2] + 0.1, Q[0] - 0.2])
    inputs.stiffness.assign([10.0, 20.0])
    controller.step(inputs=inputs, outputs=outputs, dt=0.01)
    reference, data = _mujoco()
    full = _mass_matrix(reference, data)
    data.qvel[:] = 0.0
    mujoco.mj_forward(reference, data)
    block = full[np.ix_([2, 0], [2, 0])]
    expected = block @ [10.0 * 0.1, 20.0 * -0.2] + data.qfrc_bias[[2, 0]]
    np.testing.assert_allclose(outputs.joint_f.numpy(), expected, atol=CLOSE)


def test_a_controller_without_a_model_reads_the_dynamics_of_its_inputs() -> None:
    counts = wp.array([1, 2], dtype=wp.int32, device="cpu")
    controller = controllers.ControllerJointImpedanceModelFree(
        controlled_dofs_per_robot=counts,
        stiffness=2.0,
        damping=3.0,
        use_coriolis_compensation=False,
        device="cpu",
    )
    inputs, outputs = controller.input(), controller.output()
    inputs.joint_q_des.assign([1.0, 2.0, 3.0])
    inputs.joint_qd.assign([1.0, 1.0, 0.0])
    inputs.gravity_force.assign([0.5, 0.0, -0.5])
    matrix = np.array([[[2.0, 9.0], [9.0, 9.0]], [[1.0, 0.5], [0.5, 3.0]]])
    inputs.mass_matrix.assign(matrix)
    controller.step(inputs=inputs, outputs=outputs, dt=0.01)
    # Demands are [-1, 1, 6]; the padding of the first robot's matrix counts for nothing.
    np.testing.assert_allclose(outputs.joint_f.numpy(), [-1.5, 4.0, 18.0], rtol=1e-6)


def test_wrong_arguments_of_controllers_are_named() -> None:
    model, _ = _arms()
    make = controllers.ControllerJointImpedance
    with pytest.raises(ValueError, match="joints has 'wrist'"):
        make(model, joints="wrist", stiffness=1.0, damping=1.0)
    with pytest.raises(ValueError, match="articulations has 3"):
        make(model, articulations=[3], stiffness=1.0, damping=1.0)
    with pytest.raises(ValueError, match=r"stiffness has shape \(2,\): it must have \(3,\)"):
        make(model, stiffness=_array([1, 2]), damping=1.0)
    controller = make(model, stiffness=1.0, damping=1.0)
    inputs, outputs = controller.input(), controller.output()
    inputs.damping = _array([1, 2, 3])
    with pytest.raises(ValueError, match=r"inputs\.damping is set.*damping=None"):
        controller.step(inputs=inputs, outputs=outputs, dt=0.01)
    with pytest.raises(NotSupportedError, match="ControllerDifferentialIK"):
        controllers.ControllerDifferentialIK(model)


def test_joints_of_several_coordinates_are_left_out_unless_they_are_asked_for() -> None:
    builder = newton.ModelBuilder()
    base = builder.add_link(mass=1.0, inertia=np.diag([0.1, 0.1, 0.1]))
    arm = builder.add_link(mass=1.0, inertia=np.diag([0.1, 0.1, 0.1]))
    joints = [builder.add_joint_free(base), builder.add_joint_revolute(base, arm, axis="y")]
    builder.add_articulation(joints)
    model = builder.finalize(device="cpu")
    controller = controllers.ControllerJointImpedance(model, stiffness=1.0, damping=1.0)
    assert controller.q_start.numpy().tolist() == [7]
    assert controller.qd_start.numpy().tolist() == [6]
    with pytest.raises(ValueError, match=r"joints has 0 \(FREE\)"):
        controllers.ControllerJointImpedance(model, joints=[0], stiffness=1.0, damping=1.0)


def test_gradients_go_through_the_law_where_they_are_asked_for() -> None:
    controller = controllers.ControllerJointImpedanceModelFree(
        controlled_dofs_per_robot=wp.array([2], dtype=wp.int32, device="cpu"),
        stiffness=30.0,
        damping=4.0,
        use_gravity_compensation=False,
        use_coriolis_compensation=False,
        use_inertia_decoupling=False,
        device="cpu",
        requires_grad=True,
    )
    inputs, outputs = controller.input(), controller.output()
    inputs.joint_q.assign([0.3, -0.2])
    tape = wp.Tape()
    with tape:
        controller.step(inputs=inputs, outputs=outputs, dt=0.01)
    tape.backward(grads={outputs.joint_f: _array([1.0, 10.0])})
    # f = k (q* - q) + d (qd* - qd)
    np.testing.assert_allclose(inputs.joint_q.grad.numpy(), [-30.0, -300.0], rtol=1e-6)
    np.testing.assert_allclose(inputs.joint_qd.grad.numpy(), [-4.0, -40.0], rtol=1e-6)
