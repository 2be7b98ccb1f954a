"""What scripts add to builders for MuJoCo alone, and actuators of files on sites and cranks."""

from __future__ import annotations

from typing import Any

import mujoco as native
import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.solvers import SolverMuJoCo, mujoco


def _hinge(builder: Any, key: str = "hinge") -> tuple[int, int]:
    body = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), key=key)
    joint = builder.add_joint_revolute(-1, body, axis=(0.0, 0.0, 1.0))
    builder.add_articulation([joint])
    return body, joint


def _values(builder: Any, name: str) -> Any:
    return builder.custom_attributes[f"mujoco:{name}"].values


def test_actuators_have_the_gains_of_their_kind() -> None:
    builder = newton.ModelBuilder()
    target = mujoco.ActuatorTarget.joint(_hinge(builder)[1])
    mujoco.add_actuator_motor(builder, target, ctrlrange=(-2.0, 2.0), ctrllimited=True)
    mujoco.add_actuator_position(builder, target, kp=10.0, kv=2.0)
    mujoco.add_actuator_velocity(builder, target, kv=3.0)
    compiled = SolverMuJoCo(builder.finalize()).mj_model
    np.testing.assert_allclose(compiled.actuator_gainprm[:, 0], [1.0, 10.0, 3.0])
    expected = [[0, 0, 0], [0, -10, -2], [0, 0, -3]]
    np.testing.assert_allclose(compiled.actuator_biasprm[:, :3], expected)
    assert compiled.actuator_ctrllimited.tolist() == [1, 0, 0]


def test_a_motor_of_direct_current_has_the_parameters_that_mujoco_works_out() -> None:
    builder = newton.ModelBuilder()
    target = mujoco.ActuatorTarget.joint(_hinge(builder)[1])
    motor = {"nominal": (24.0, 1.2, 100.0), "damping": (0.001,), "cogging": (0.1, 6.0, 0.2)}
    row = mujoco.add_actuator_dcmotor(builder, target, input="pos", **motor)
    text = '<dcmotor nominal="24 1.2 100" damping="0.001" cogging="0.1 6 0.2" input="pos"/>'
    spec = native.MjSpec.from_string(f"<mujoco><actuator>{text}</actuator></mujoco>")
    for name in ("gainprm", "biasprm", "dynprm"):
        found = _values(builder, f"actuator_{name}")[row]
        np.testing.assert_allclose(found, getattr(spec.actuators[0], name), rtol=1e-6, atol=1e-7)
    with pytest.raises(NotImplementedError, match="input='torque'"):
        mujoco.add_actuator_dcmotor(builder, target, resistance=1.0, input="torque")


def test_targets_of_another_world_or_without_an_axis_are_refused() -> None:
    builder = newton.ModelBuilder()
    builder.begin_world()
    _, foreign = _hinge(builder)
    builder.end_world()
    builder.begin_world()
    ball = builder.add_joint_ball(-1, builder.add_link(mass=1.0))
    builder.add_articulation([ball])
    with pytest.raises(ValueError, match="belongs to world 0"):
        mujoco.add_actuator_motor(builder, mujoco.ActuatorTarget.joint(foreign))
    with pytest.raises(ValueError, match="gear"):
        mujoco.add_actuator_motor(builder, mujoco.ActuatorTarget.joint(ball))
    builder.end_world()


def test_copies_of_builders_drive_their_own_joints() -> None:
    part = newton.ModelBuilder()
    body, joint = _hinge(part)
    site = part.add_site(body)
    tendon = mujoco.add_tendon_fixed(part, [(joint, 2.0)])
    for target in (
        mujoco.ActuatorTarget.joint(joint),
        mujoco.ActuatorTarget.tendon(tendon),
        mujoco.ActuatorTarget.site(site, refsite=site),
        mujoco.ActuatorTarget.body(body),
    ):
        mujoco.add_actuator_motor(part, target)
    scene = newton.ModelBuilder()
    _hinge(scene, "first")
    scene.add_builder(part)
    scene.add_builder(part)
    found = scene.finalize().mujoco.actuator_trnid.numpy().tolist()
    own = [[1, -1], [0, -1], [0, 0], [1, -1]]
    assert found == [*own, [2, -1], [1, -1], [1, 1], [2, -1]]


@pytest.mark.parametrize(("relpose", "offset"), [(None, 0.5), (wp.transform_identity(), 0.0)])
def test_welds_without_a_pose_hold_bodies_where_they_are(relpose: Any, offset: float) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    places = [wp.transform(wp.vec3(x, 0.0, 0.0), wp.quat_identity()) for x in (0.0, 0.5)]
    bodies = [builder.add_body(xform=at, mass=1.0, inertia=wp.mat33(np.eye(3))) for at in places]
    mujoco.add_equality_weld(builder, *bodies, relpose=relpose)
    model = builder.finalize()
    solver = SolverMuJoCo(model, disable_contacts=True)
    first, second = model.state(), model.state()
    for _ in range(200):
        solver.step(first, second, model.control(), None, 0.002)
        first, second = second, first
    at = first.body_q.numpy()[:, 0]
    assert at[1] - at[0] == pytest.approx(offset, abs=1e-5)


def test_lengths_of_tendons_follow_polynomials_of_others() -> None:
    builder = newton.ModelBuilder()
    first, second = (
        mujoco.add_tendon_fixed(builder, [(_hinge(builder, str(i))[1], 1.0)]) for i in range(2)
    )
    mujoco.add_equality_tendon(builder, first, second, polycoef=(0.0, 0.5))
    compiled = SolverMuJoCo(builder.finalize()).mj_model
    assert compiled.eq_type.tolist() == [native.mjtEq.mjEQ_TENDON]
    assert (compiled.eq_obj1id[0], compiled.eq_obj2id[0]) == (0, 1)
    np.testing.assert_allclose(compiled.eq_data[0, :5], [0.0, 0.5, 0.0, 0.0, 0.0])


def test_equalities_refuse_what_they_set_themselves_and_leave_nothing_behind() -> None:
    builder = newton.ModelBuilder()
    bodies = [builder.add_body(mass=1.0) for _ in range(2)]
    for given, error in (
        ({"mujoco:equality_constraint_world": 1}, ValueError),
        ({"test:missing": 1}, AttributeError),
    ):
        with pytest.raises(error):
            mujoco.add_equality_connect(builder, *bodies, custom_attributes=given)
    with pytest.raises(ValueError, match="two distinct bodies"):
        mujoco.add_equality_weld(builder, bodies[0], bodies[0])
    assert not builder.equality_constraint_type
    assert mujoco.add_equality_connect(builder, *bodies, solref=(0.05, 1.0)) == 0


CRANK = """<mujoco><worldbody><site name="slider" pos="0.3 0 0"/><body>
<joint name="hinge" axis="0 0 1"/><geom size="0.1"/><site name="crank" pos="0.1 0 0"/></body>
</worldbody><actuator>
<general cranksite="crank" slidersite="slider" cranklength="0.4" gear="2"/>
<motor site="crank" refsite="slider" gear="0 0 0 0 0 3"/>
<dcmotor joint="hinge" motorconst="0.05" resistance="2" inductance="0.01" damping="0.7 0.2"/>
<muscle joint="hinge" force="1" lengthrange="0.5 1.5"/></actuator></mujoco>"""


@pytest.mark.parametrize("sites", [True, False])
def test_actuators_of_files_on_sites_cranks_and_motors_are_mujocos_own(sites: bool) -> None:
    builder = newton.ModelBuilder()
    builder.add_mjcf(CRANK, ctrl_direct=True)
    ours = SolverMuJoCo(builder.finalize(), include_sites=sites).mj_model
    theirs = native.MjModel.from_xml_string(CRANK)
    assert ours.nu == theirs.nu == 4
    names = "trntype trnid dyntype gaintype biastype gear dynprm gainprm biasprm lengthrange"
    for name in f"{names} cranklength damping".split():
        of = (getattr(model, f"actuator_{name}") for model in (ours, theirs))
        np.testing.assert_allclose(*of, rtol=1e-6, atol=1e-7, err_msg=name)


def test_bodies_with_a_diagonal_inertia_keep_their_frame() -> None:
    builder = newton.ModelBuilder()
    sizes = (4.0e-5, 2.6e-5, 5.0e-5)  # in no order: MuJoCo would turn a full tensor
    body = builder.add_link(mass=0.1, inertia=wp.mat33(np.diag(sizes)))
    builder.add_articulation([builder.add_joint_free(child=body)])
    compiled = SolverMuJoCo(builder.finalize()).mj_model
    assert compiled.body_simple[1] == 1
    np.testing.assert_allclose(compiled.body_inertia[1], sizes, rtol=1e-6)
    np.testing.assert_allclose(compiled.body_iquat[1], [1.0, 0.0, 0.0, 0.0])


def test_ratios_of_impedance_that_are_not_positive_are_mujocos_own() -> None:
    part = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(part)
    _hinge(part)
    builder = newton.ModelBuilder()
    builder.replicate(part, 3)
    model = builder.finalize()
    model.mujoco.impratio.assign(np.array([0.0, -1.0, 2.0], np.float32))
    solver = SolverMuJoCo(model)
    np.testing.assert_allclose(solver.mjw_model.opt.impratio.numpy(), [1.0, 1.0, 2.0])


def test_ratios_of_impedance_are_those_of_the_model_where_contacts_are_given() -> None:
    part = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(part)
    _hinge(part)
    model = part.finalize(device="cpu")
    model.mujoco.impratio.assign(np.array([4.0], np.float32))
    solver = SolverMuJoCo(model, use_mujoco_contacts=False)
    # mujoco-warp holds one over the root of the ratio.
    np.testing.assert_allclose(solver.mjw_model.opt.impratio_invsqrt.numpy(), [0.5])
