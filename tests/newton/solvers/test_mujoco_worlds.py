"""SolverMuJoCo: worlds that differ, what belongs to all worlds, and joints with anchors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from tests.newton.later import found_later
from unibody import newton
from unibody.newton.solvers import SolverMuJoCo


def _robot(joint: str = "revolute", shapes: tuple[str, ...] = ("box",)) -> Any:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    added = getattr(builder, f"add_joint_{joint}")(-1, body)
    builder.add_articulation([added])
    for shape in shapes:
        getattr(builder, f"add_shape_{shape}")(body)
    return builder


@pytest.mark.parametrize(
    ("robots", "told"),
    [
        ((_robot(), _robot("prismatic")), "Joint types mismatch at position 0"),
        ((_robot(), _robot(shapes=("sphere",))), "Shape types mismatch at position 0"),
        ((_robot(), _robot(shapes=("box", "sphere"))), "World 0 has 1 shapes, but world 1 has 2"),
    ],
)
def test_unlike_worlds_are_refused_where_one_model_of_all_is_asked_for(
    robots: Any, told: str
) -> None:
    builder = newton.ModelBuilder()
    for robot in robots:
        builder.add_world(robot)
    model = builder.finalize(device="cpu")
    with pytest.raises(ValueError, match=told):
        SolverMuJoCo(model, separate_worlds=True)
    SolverMuJoCo(model)  # in groups


def test_a_free_joint_between_anchors_has_the_pose_and_velocity_of_its_body() -> None:
    builder = newton.ModelBuilder(gravity=-10.0)
    body = builder.add_link(mass=1.0, com=(0.1, 0.0, 0.0), inertia=np.eye(3))
    parent = wp.transform((0.5, 0.6, 0.7), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 1.2))
    child = wp.transform((0.0, 0.3, 0.0), wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.4))
    joint = builder.add_joint_free(body, parent_xform=parent, child_xform=child)
    builder.add_articulation([joint])
    model = builder.finalize(device="cpu")
    state = model.state()
    state.joint_qd.assign([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    before, speed = (array.numpy()[body, :3].copy() for array in (state.body_q, state.body_qd))
    SolverMuJoCo(model).step(state, state, None, None, 0.01)
    wanted = speed + np.array([0.0, 0.0, -0.1])
    np.testing.assert_allclose(state.body_qd.numpy()[body, :3], wanted, atol=1e-6)
    # a symplectic step; float32
    moved = state.body_q.numpy()[body, :3] - before
    np.testing.assert_allclose(moved, wanted * 0.01, atol=1e-6)


def test_what_belongs_to_all_worlds_has_a_gravity_of_its_own_after_1_0() -> None:
    found = found_later(
        """
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, -2.0))
        builder.add_body(mass=1.0, inertia=wp.mat33(np.eye(3)))
        builder.begin_world(gravity=(0.0, 0.0, -5.0))
        builder.add_body(mass=1.0, inertia=wp.mat33(np.eye(3)))
        builder.end_world()
        kept, builder.world_gravity[0][2] = builder.gravity, -4.0
        turned = newton.ModelBuilder(up_axis="y")
        turned.up_axis = newton.Axis.X
        model = builder.finalize(device="cpu")
        state, told = model.state(), wp.zeros(2, dtype=wp.vec3)
        solver = newton.solvers.SolverMuJoCo(model)
        solver.step(state, state, None, None, 0.1)
        solver.coupling_eval_gravity_acceleration(told, None)
        speeds = state.body_qd.numpy()[:, 2]
        rows = [speeds, told.numpy()[:, 2], list(turned.gravity), list(kept)]
        found = [[round(float(x), 5) for x in row] for row in rows]
        """
    )
    assert found == [[-0.2, -0.4], [-2.0, -4.0], [-9.81, 0.0, 0.0], [0.0, 0.0, -2.0]]


def test_friction_has_its_limit_exactly_after_1_0_and_smoothing_is_deprecated() -> None:
    found = found_later(
        """
        builder = newton.ModelBuilder()
        cfg = newton.ModelBuilder.ShapeConfig(mu=0.5, kf=1e5, ke=1e4, kd=0.0)
        builder.add_ground_plane(cfg=cfg)
        body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.099), wp.quat_identity()))
        builder.add_shape_sphere(body, radius=0.1, cfg=cfg)
        model = builder.finalize(device="cpu")
        found = []
        for solver_type in (newton.solvers.SolverSemiImplicit, newton.solvers.SolverFeatherstone):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                solver = solver_type(model, friction_smoothing=3.0)
            state = model.state()
            state.joint_qd.assign([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
            newton.eval_fk(model, state.joint_q, state.joint_qd, state)
            contacts = model.collide(state)
            model.set_gravity((0.0, 0.0, 0.0))
            solver.step(state, state, None, contacts, 1e-4)
            change = state.body_qd.numpy()[0, :3] - [0.3, 0.0, 0.0]
            found.append([len(told), round(float(-change[0] / change[2]), 3)])
        """
    )
    assert found == [[1, 0.5], [1, 0.5]]


def test_dampings_follow_the_inertia_of_each_world_where_ratios_are_stated() -> None:
    robot = newton.ModelBuilder()
    robot.add_mjcf(
        '<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/>'
        '</body></worldbody><actuator><position joint="j" kp="10" dampratio="1"/></actuator>'
        "</mujoco>",
        ctrl_direct=True,
    )
    builder = newton.ModelBuilder()
    for _ in range(2):
        builder.add_world(robot)
    builder.joint_armature = [0.0] * builder.joint_dof_count
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model)
    before = solver.mjw_model.actuator_biasprm.numpy()[:, 0, 2]
    model.body_mass.assign(model.body_mass.numpy() * [1.0, 4.0])
    model.body_inertia.assign(model.body_inertia.numpy() * np.array([1.0, 4.0])[:, None, None])
    solver.notify_model_changed(newton.solvers.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)
    after = solver.mjw_model.actuator_biasprm.numpy()[:, 0, 2]
    assert (before < 0.0).all()
    # critical damping is 2 sqrt(kp M)
    np.testing.assert_allclose(after, before * [1.0, 2.0], rtol=1e-5)


def test_a_free_joint_between_bodies_is_told_by_its_name() -> None:
    builder = newton.ModelBuilder()
    bodies = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    joints = [builder.add_joint_fixed(-1, bodies[0])]
    joints.append(builder.add_joint_free(bodies[1], parent=bodies[0], key="floater"))
    builder.add_articulation(joints)
    model = builder.finalize(device="cpu")
    with pytest.warns(UserWarning, match="floater"), pytest.raises(ValueError):
        SolverMuJoCo(model)


def test_room_for_rows_is_told_on_the_cpu_as_mujoco_warp_would_have_it() -> None:
    model = _robot().finalize(device="cpu")
    rooms = [SolverMuJoCo(model, backend=name).mjw_data.njmax for name in ("cpu", "warp")]
    assert rooms[0] == rooms[1] > 0
    assert SolverMuJoCo(model, njmax=77).mjw_data.njmax == 77
