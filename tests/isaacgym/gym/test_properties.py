"""Properties of actors at run time: they act on their environment, and on no other."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from tests.isaacgym.scenes import DT, GRAVITY, ROBOT, SLIDER, open_stage
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym import gymapi, gymtorch
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

CLOSE = 2e-4


def boxes(s: Any, size: float = 0.2, z: float = 0.1) -> list[int]:
    options = gymapi.AssetOptions()
    options.density, options.angular_damping = 125.0, 0.0  # 1 kg
    return s.actors(s.gym.create_box(s.sim, size, size, size, options), "box", z)


def push(s: Any, force: float) -> np.ndarray[Any, Any]:
    """Speeds of all boxes after a force of one frame along x on each."""
    for env in s.envs:
        s.gym.apply_body_forces(env, 0, gymapi.Vec3(force, 0.0, 0.0))
    s.step()
    return s.refreshed("rigid_body_state")[:, 7]


HOIST = """
<robot name="hoist">
  <link name="base"><inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
    ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="prismatic">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-40" upper="40" effort="200" velocity="0.5"/>
  </joint>
</robot>
"""


@pytest.mark.parametrize("late", [False, True])
def test_a_mass_changes_what_a_force_does_in_its_environment(stage: Any, late: bool) -> None:
    s = stage(3)
    actors = boxes(s)
    if late:
        s.step()
    props = s.gym.get_actor_rigid_body_properties(s.envs[1], actors[1])
    props[0].mass *= 4.0
    assert s.gym.set_actor_rigid_body_properties(s.envs[1], actors[1], props, True)
    found = s.gym.get_actor_rigid_body_properties(s.envs[1], actors[1])[0]
    assert found.mass == pytest.approx(4.0)
    assert found.inertia.x.x == pytest.approx(4.0 * 0.2**2 / 6.0)
    np.testing.assert_allclose(push(s, 6.0), np.array([6.0, 1.5, 6.0]) * DT, rtol=1e-4)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("sizes", list(itertools.permutations((0.2, 0.3, 0.4))))
def test_a_mass_scales_the_moments_of_a_long_box_about_its_own_axes(
    sizes: tuple[float, float, float], stage: Any, late: bool
) -> None:
    s = stage(2)
    options = gymapi.AssetOptions()
    options.angular_damping = 0.0
    actors = s.actors(s.gym.create_box(s.sim, *sizes, options), "box")
    if late:
        s.step()
    props = s.gym.get_actor_rigid_body_properties(s.envs[1], actors[1])
    before = props[0].mass
    props[0].mass *= 2.0
    s.gym.set_actor_rigid_body_properties(s.envs[1], actors[1], props, True)
    impulse = np.array([0.01, 0.02, 0.03])
    torques = torch.zeros((2, 3)) + torch.tensor(impulse / DT, dtype=torch.float32)
    s.gym.apply_rigid_body_force_tensors(
        s.sim, None, gymtorch.unwrap_tensor(torques), gymapi.ENV_SPACE
    )
    s.step()
    squares = np.square(sizes)
    moments = before * (squares.sum() - squares) / 12.0
    spin = s.refreshed("actor_root_state")[:, 10:13]
    np.testing.assert_allclose(spin, [impulse / moments, impulse / moments / 2.0], rtol=1e-3)


@pytest.mark.parametrize("late", [False, True])
def test_products_of_inertia_turn_a_light_box_about_other_axes(stage: Any, late: bool) -> None:
    s = stage(1)
    options = gymapi.AssetOptions()
    options.angular_damping = 0.0
    (box,) = s.actors(s.gym.create_box(s.sim, 0.02, 0.03, 0.04, options), "box")
    if late:
        s.step()
    props = s.gym.get_actor_rigid_body_properties(s.envs[0], box)
    wide = props[0].inertia
    share = 0.2 * wide.x.x
    wide.x.y = wide.y.x = share
    s.gym.set_actor_rigid_body_properties(s.envs[0], box, props, False)
    inertia = np.diag([wide.x.x, wide.y.y, wide.z.z])
    inertia[0, 1] = inertia[1, 0] = share
    impulse = inertia @ np.array([0.1, 0.0, 0.0])
    torques = torch.tensor(impulse[None] / DT, dtype=torch.float32)
    s.gym.apply_rigid_body_force_tensors(
        s.sim, None, gymtorch.unwrap_tensor(torques), gymapi.ENV_SPACE
    )
    s.step()
    spin = s.refreshed("actor_root_state")[0, 10:13]
    np.testing.assert_allclose(spin, [0.1, 0.0, 0.0], atol=1e-3)


@pytest.mark.parametrize("late", [False, True])
def test_a_mass_centre_moves_what_a_force_turns_about(stage: Any, late: bool) -> None:
    s = stage(2)
    actors = boxes(s)
    if late:
        s.step()
    props = s.gym.get_actor_rigid_body_properties(s.envs[0], actors[0])
    props[0].com = gymapi.Vec3(0.0, 0.05, 0.0)
    s.gym.set_actor_rigid_body_properties(s.envs[0], actors[0], props, False)
    for env in s.envs:
        at = gymapi.Vec3(0.0, 0.0, 0.1)
        s.gym.apply_body_force_at_pos(env, 0, gymapi.Vec3(1.0, 0.0, 0.0), at, gymapi.ENV_SPACE)
    s.step()
    spin = s.refreshed("rigid_body_state")[:, 12]
    inertia = 0.2**2 / 6.0
    np.testing.assert_allclose(spin, [0.05 * DT / inertia, 0.0], atol=1e-4)


@pytest.mark.parametrize("late", [False, True])
def test_friction_of_an_environment_decides_there_whether_a_box_slides(
    stage: Any, late: bool
) -> None:
    s = stage(2, gravity=GRAVITY, substeps=2)
    s.ground(friction=0.8)
    actors = boxes(s)
    if late:
        s.step(10)
    props = s.gym.get_actor_rigid_shape_properties(s.envs[1], actors[1])
    props[0].friction = 0.0  # the pair has the mean, 0.4
    s.gym.set_actor_rigid_shape_properties(s.envs[1], actors[1], props)
    if not late:
        first = s.gym.get_actor_rigid_shape_properties(s.envs[0], actors[0])
        first[0].friction = 0.8
        s.gym.set_actor_rigid_shape_properties(s.envs[0], actors[0], first)
        s.step(10)
    for _ in range(30):
        for env in s.envs:
            s.gym.apply_body_forces(env, 0, gymapi.Vec3(6.0, 0.0, 0.0))
        s.step()
    speeds = s.refreshed("rigid_body_state")[:, 7]
    assert abs(speeds[0]) < 0.01  # 6 N on 1 kg: held by 0.8 g, or by 0.9 g
    assert speeds[1] == pytest.approx((6.0 - 0.4 * GRAVITY) * 30 * DT, rel=0.05)


def test_restitution_of_both_decides_how_high_a_box_bounces(stage: Any) -> None:
    s = stage(2, gravity=GRAVITY, substeps=8)
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    plane.restitution = 0.5
    s.gym.add_ground(s.sim, plane)
    options = gymapi.AssetOptions()
    options.angular_damping = 0.0
    balls = s.actors(s.gym.create_sphere(s.sim, 0.1, options), "ball", 1.1)
    for env, ball, e in zip(s.envs, balls, (0.1, 0.9), strict=True):
        props = s.gym.get_actor_rigid_shape_properties(env, ball)
        props[0].restitution = e
        s.gym.set_actor_rigid_shape_properties(env, ball, props)
    heights = []
    for _ in range(60):
        s.step()
        heights.append(s.refreshed("rigid_body_state")[:, 2] - 0.1)
    fall = int(np.argmin(np.array(heights)[:35, 1]))
    top = np.array(heights)[fall:].max(axis=0)
    np.testing.assert_allclose(top, [0.3**2, 0.7**2], rtol=0.06)  # the mean of both, squared


@pytest.mark.parametrize("late", [False, True])
def test_gains_and_limits_of_an_actor_are_its_own(stage: Any, late: bool) -> None:
    s = stage(3)
    actors = s.actors(s.asset(SLIDER.format(effort=1e6), fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_VEL, 0.0, 1e5)
    s.set("dof_velocity_target", [1.0, 1.0, 1.0])
    if late:
        s.step()
    props = s.gym.get_actor_dof_properties(s.envs[1], actors[1])
    props["damping"] = 0.0
    s.gym.set_actor_dof_properties(s.envs[1], actors[1], props)
    props = s.gym.get_actor_dof_properties(s.envs[2], actors[2])
    props["upper"] = 0.1
    s.gym.set_actor_dof_properties(s.envs[2], actors[2], props)
    s.step(30)
    positions = s.refreshed("dof_state")[:, 0]
    assert positions[0] == pytest.approx(30 * DT, abs=0.03)
    assert positions[2] == pytest.approx(0.1, abs=0.002)
    if not late:
        assert positions[1] == 0.0


def test_armature_adds_to_the_inertia_of_a_joint(stage: Any) -> None:
    s = stage(2)
    actors = s.actors(s.asset(SLIDER.format(effort=1e6), fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    props = s.gym.get_actor_dof_properties(s.envs[1], actors[1])
    props["armature"] = 3.0
    s.gym.set_actor_dof_properties(s.envs[1], actors[1], props)
    s.set("dof_actuation_force", [10.0, 10.0])
    s.step()
    expected = np.array([10.0 / 2.0, 10.0 / 5.0]) * DT
    np.testing.assert_allclose(s.refreshed("dof_state")[:, 1], expected, rtol=1e-4)


@pytest.mark.parametrize("late", [False, True])
def test_a_scaled_actor_is_larger_and_heavier(stage: Any, late: bool) -> None:
    s = stage(2, gravity=GRAVITY, substeps=2)
    s.ground()
    actors = boxes(s, z=0.3)
    if late:
        s.step()
    s.gym.set_actor_scale(s.envs[1], actors[1], 2.0)
    assert s.gym.get_actor_scale(s.envs[1], actors[1]) == 2.0
    assert s.gym.get_actor_rigid_body_properties(s.envs[1], actors[1])[0].mass == pytest.approx(8.0)
    s.step(60)
    heights = s.refreshed("rigid_body_state")[:, 2]
    np.testing.assert_allclose(heights, [0.1, 0.2], atol=2e-3)
    assert len(s.sim.groups) == 1


@pytest.mark.parametrize("late", [False, True])
def test_joints_of_a_scaled_robot_are_further_apart(stage: Any, late: bool) -> None:
    s = stage(3)
    actors = s.actors(s.asset(ROBOT, fix_base_link=True))
    if late:
        s.step()
    s.gym.set_actor_scale(s.envs[1], actors[1], 1.5)
    s.set("dof_state", np.tile([[0.4, 0.0], [0.1, 0.0]], (3, 1)))
    found = s.refreshed("rigid_body_state").reshape(3, 3, 13)[:, :, :3]
    np.testing.assert_allclose(found[1, 1], 1.5 * found[0, 1], atol=CLOSE)
    along = found[0, 2] - found[0, 1]
    assert not np.allclose(along, 0.0)
    np.testing.assert_allclose(found[2], found[0], atol=CLOSE)
    # the slider's position is a length that nobody has scaled
    rest = s.refreshed("dof_state")
    rest[:, 0] = 0.0
    s.set("dof_state", rest)
    found = s.refreshed("rigid_body_state").reshape(3, 3, 13)[:, :, :3]
    np.testing.assert_allclose(found[1], 1.5 * found[0], atol=CLOSE)


def test_gravity_is_switched_off_for_a_body_or_an_asset(stage: Any) -> None:
    s = stage(2, gravity=GRAVITY)
    options = gymapi.AssetOptions()
    options.disable_gravity = True
    boxes(s, z=5.0)
    floating = s.gym.create_box(s.sim, 0.1, 0.1, 0.1, options)
    s.actors(floating, "floating", 9.0)
    s.step(10)
    heights = s.refreshed("actor_root_state")[:, 2]
    assert heights[1] == pytest.approx(9.0)
    assert heights[0] < 5.0 - 0.1


def test_gravity_changes_with_the_parameters_of_the_simulation(stage: Any) -> None:
    s = stage(2, gravity=GRAVITY)
    boxes(s, z=5.0)
    s.step()
    params = s.gym.get_sim_params(s.sim)
    params.gravity = gymapi.Vec3(0.0, 0.0, 1.0)
    before = s.refreshed("rigid_body_state")[:, 9]
    s.gym.set_sim_params(s.sim, params)
    s.step()
    after = s.refreshed("rigid_body_state")[:, 9]
    np.testing.assert_allclose(after - before, DT, rtol=1e-3)


@pytest.mark.parametrize(
    ("groups", "filters", "collide"),
    [
        ((0, 0), (0, 0), True),
        ((0, 1), (0, 0), False),
        ((0, -1), (0, 0), True),
        ((0, 0), (1, 1), False),
        ((0, 0), (1, 2), True),
        ((0, 0), (3, 2), False),
    ],
)
def test_groups_and_filters_decide_what_collides(
    stage: Any, groups: Any, filters: Any, collide: bool
) -> None:
    s = stage(1)
    ball = s.gym.create_sphere(s.sim, 0.1, None)
    pose = gymapi.Transform()
    for number in range(2):
        pose.p.x = 0.5 * number
        s.gym.create_actor(s.envs[0], ball, pose, "ball", groups[number], filters[number])
    roots = s.refreshed("actor_root_state")
    roots[0, 7] = 2.0
    s.set("actor_root_state", roots)
    s.step(30)
    speeds = s.refreshed("actor_root_state")[:, 7]
    assert bool(abs(speeds[1]) > 0.1) == collide


def test_a_filter_that_is_changed_later_is_heeded(stage: Any) -> None:
    s = stage(1, gravity=GRAVITY)
    s.ground()
    actors = boxes(s, z=0.1)
    s.step(5)
    pose = gymapi.Transform()
    pose.p.z = 0.5
    s.gym.create_actor(s.envs[0], s.gym.create_sphere(s.sim, 0.05, None), pose, "ball", 0, 2)
    props = s.gym.get_actor_rigid_shape_properties(s.envs[0], actors[0])
    props[0].filter = 2
    s.gym.set_actor_rigid_shape_properties(s.envs[0], actors[0], props)
    s.step(60)
    heights = s.refreshed("actor_root_state")[:, 2]
    np.testing.assert_allclose(heights, [0.1, 0.05], atol=3e-3)  # the ball fell through the box


def test_an_attractor_pulls_a_point_to_its_target(stage: Any) -> None:
    s = stage(2)
    boxes(s, z=0.0)
    props = gymapi.AttractorProperties()
    props.stiffness, props.damping = 200.0, 30.0
    props.axes = gymapi.AXIS_TRANSLATION
    props.rigid_handle = 0
    handles = []
    for number, env in enumerate(s.envs):
        props.target.p = gymapi.Vec3(0.5, float(number), 0.0)
        handles.append(s.gym.create_rigid_body_attractor(env, props))
    s.step(300)
    places = s.refreshed("rigid_body_state")[:, :2]
    np.testing.assert_allclose(places, [[0.5, 0.0], [0.5, 1.0]], atol=1e-3)
    target = gymapi.Transform()
    target.p = gymapi.Vec3(-0.5, 0.0, 0.0)
    s.gym.set_attractor_target(s.envs[1], handles[1], target)
    s.step(300)
    places = s.refreshed("rigid_body_state")[:, :2]
    np.testing.assert_allclose(places, [[0.5, 0.0], [-0.5, 0.0]], atol=1e-3)


def test_an_attractor_of_all_axes_turns_a_body(stage: Any) -> None:
    s = stage(1)
    boxes(s, z=0.0)
    props = gymapi.AttractorProperties()
    props.stiffness, props.damping = 100.0, 20.0
    props.axes = gymapi.AXIS_ALL
    props.rigid_handle = 0
    turn = Rotation.from_euler("xyz", [0.3, -0.4, 0.8])
    props.target.r = gymapi.Quat(*turn.as_quat())
    s.gym.create_rigid_body_attractor(s.envs[0], props)
    s.step(400)
    found = Rotation.from_quat(s.refreshed("rigid_body_state")[0, 3:7])
    assert (found.inv() * turn).magnitude() < 5e-3


def test_an_attractor_of_some_axes_of_rotation_is_not_supported(stage: Any) -> None:
    s = stage(1)
    boxes(s)
    props = gymapi.AttractorProperties()
    props.axes, props.rigid_handle = gymapi.AXIS_TWIST, 0
    with pytest.raises(NotSupportedError, match="AXIS_ROTATION"):
        s.gym.create_rigid_body_attractor(s.envs[0], props)


def test_a_sensor_of_a_body_at_rest_reads_nothing_in_all_and_its_weight_of_contacts(
    stage: Any,
) -> None:
    s = stage(2, gravity=GRAVITY, substeps=2)
    s.ground()
    options = gymapi.AssetOptions()
    options.density = 125.0
    box = s.gym.create_box(s.sim, 0.2, 0.2, 0.2, options)
    for forward, solver in ((True, True), (False, True), (True, False)):
        props = gymapi.ForceSensorProperties()
        props.enable_forward_dynamics_forces = forward
        props.enable_constraint_solver_forces = solver
        pose = gymapi.Transform()
        pose.p = gymapi.Vec3(0.1, 0.0, 0.0)
        s.gym.create_asset_force_sensor(box, 0, pose, props)
    s.actors(box, z=0.1)
    s.tensor("force_sensor")
    s.step(60)
    found = s.refreshed("force_sensor").reshape(2, 3, 6)
    weight = GRAVITY
    forces = [[0.0, 0.0, 0.0], [0.0, 0.0, weight], [0.0, 0.0, -weight]]
    # at 0.1 m beside the mass centre the weight turns by 0.1 m times it
    torques = [[0.0, 0.0, 0.0], [0.0, 0.1 * weight, 0.0], [0.0, -0.1 * weight, 0.0]]
    for world in found:
        np.testing.assert_allclose(world[:, :3], forces, atol=0.02 * weight)
        np.testing.assert_allclose(world[:, 3:], torques, atol=0.02 * weight)
    sensor = s.gym.get_actor_force_sensor(s.envs[1], 0, 1)
    assert sensor.get_global_index() == 4
    assert sensor.get_forces().force.z == pytest.approx(weight, rel=0.02)


def test_a_sensor_of_a_pushed_body_reads_the_push(stage: Any) -> None:
    s = stage(1)
    options = gymapi.AssetOptions()
    options.density = 125.0
    box = s.gym.create_box(s.sim, 0.2, 0.2, 0.2, options)
    pose = gymapi.Transform()
    turn = Rotation.from_euler("z", 90, degrees=True)
    pose.r = gymapi.Quat(*turn.as_quat())
    s.gym.create_asset_force_sensor(box, 0, pose)
    s.actors(box)
    s.tensor("force_sensor")
    s.gym.apply_body_forces(s.envs[0], 0, gymapi.Vec3(3.0, 0.0, 0.0))
    s.step()
    np.testing.assert_allclose(s.refreshed("force_sensor")[0, :3], [0.0, -3.0, 0.0], atol=1e-2)


@pytest.mark.parametrize("name", ["damping", "friction"])
def test_a_property_of_a_file_beyond_float32_is_the_largest_one_and_holds_the_joint(
    stage: Any, name: str
) -> None:
    s = stage(1)
    slider = SLIDER.format(effort=1e6)
    text = slider.replace("</joint>", f'<dynamics {name}="1e100"/></joint>')
    assert text != slider
    actors = s.actors(s.asset(text, fix_base_link=True))
    props = s.gym.get_actor_dof_properties(s.envs[0], actors[0])
    assert props[name] == np.finfo(np.float32).max
    s.set("dof_actuation_force", [10.0])
    s.step(2)
    assert s.refreshed("dof_state")[0].tolist() == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("name", ["stiffness", "effort", "armature", "velocity", "friction"])
def test_a_negative_property_is_named_and_nothing_changes(stage: Any, name: str) -> None:
    s = stage(1)
    actors = s.actors(s.asset(ROBOT))
    props = s.gym.get_actor_dof_properties(s.envs[0], actors[0])
    before = props.copy()
    props[name] = -1.0
    with pytest.raises(InvalidArgumentError, match=name):
        s.gym.set_actor_dof_properties(s.envs[0], actors[0], props)
    assert np.array_equal(s.gym.get_actor_dof_properties(s.envs[0], actors[0]), before)


def test_properties_of_another_kind_or_number_are_refused(stage: Any) -> None:
    s = stage(1)
    actor = (s.envs[0], s.actors(s.asset(ROBOT))[0])
    with pytest.raises(ArgumentTypeError):
        s.gym.set_actor_dof_properties(*actor, np.zeros(2))
    bodies = s.gym.get_actor_rigid_body_properties(*actor)
    with pytest.raises(InvalidArgumentError, match="3 items"):
        s.gym.set_actor_rigid_body_properties(*actor, bodies[:2])
    bodies[1].mass = -1.0
    with pytest.raises(InvalidArgumentError, match="mass"):
        s.gym.set_actor_rigid_body_properties(*actor, bodies)
    shapes = s.gym.get_actor_rigid_shape_properties(*actor)
    shapes[0].friction = -0.5
    with pytest.raises(InvalidArgumentError, match="friction"):
        s.gym.set_actor_rigid_shape_properties(*actor, shapes)


def test_no_joint_and_no_body_is_faster_than_it_may_be(stage: Any) -> None:
    s = stage(1)
    actors = s.actors(s.asset(ROBOT, max_angular_velocity=3.0, max_linear_velocity=2.0))
    props = s.gym.get_actor_dof_properties(s.envs[0], actors[0])
    props["velocity"] = 0.5, 0.25
    s.gym.set_actor_dof_properties(s.envs[0], actors[0], props)
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    fastest = 0.0
    for _ in range(30):
        for body in range(3):
            force, torque = gymapi.Vec3(0.0, 200.0, 0.0), gymapi.Vec3(50.0, 0.0, 0.0)
            s.gym.apply_body_forces(s.envs[0], body, force, torque)
        s.set("dof_actuation_force", [20.0, -80.0])
        s.step()
        root = s.refreshed("actor_root_state")[0]
        dofs = s.refreshed("dof_state")[:, 1]
        assert np.all(np.abs(dofs) <= np.array([0.5, 0.25]) + 1e-5)
        assert np.all(np.abs(root[10:13]) <= 3.0 * np.sqrt(3.0) + 1e-4)
        fastest = max(fastest, abs(float(dofs[1])))
    assert fastest == pytest.approx(0.25, abs=1e-4)


@pytest.mark.parametrize("mode", [gymapi.DOF_MODE_NONE, gymapi.DOF_MODE_EFFORT])
@pytest.mark.parametrize("late", [False, True])
def test_gains_of_flex_act_only_where_a_target_is_followed(
    tmp_path: Path, mode: Any, late: bool
) -> None:
    """In PhysX they always do."""
    moved = {}
    for engine in (gymapi.SIM_FLEX, gymapi.SIM_PHYSX):
        s = open_stage(tmp_path, 1, engine=engine)
        actors = s.actors(s.asset(ROBOT, fix_base_link=True))
        s.drive(actors, gymapi.DOF_MODE_POS, 100.0, 10.0)
        if late:
            s.gym.prepare_sim(s.sim)
        s.drive(actors, mode, 100.0, 10.0)
        s.set("dof_state", [[0.3, 0.0], [0.2, 0.0]])
        s.step(10)
        moved[engine] = s.refreshed("dof_state")[:, 0] - np.array([0.3, 0.2], np.float32)
        s.gym.destroy_sim(s.sim)
    assert np.abs(moved[gymapi.SIM_FLEX]).max() < 1e-6
    assert np.abs(moved[gymapi.SIM_PHYSX]).min() > 0.01


@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
def test_joints_at_their_largest_speed_give_no_momentum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    """The rest is of steps of a millisecond; cutting the speeds alone gives 1.8 kg m/s."""
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s = open_stage(tmp_path, 1, substeps=16)
    (actor,) = s.actors(s.asset(ROBOT))
    table = s.gym.get_actor_dof_properties(s.envs[0], actor)
    table["velocity"].fill(2.0)
    table["hasLimits"].fill(False)
    table["driveMode"].fill(gymapi.DOF_MODE_EFFORT)
    s.gym.set_actor_dof_properties(s.envs[0], actor, table)
    bodies = s.gym.get_actor_rigid_body_properties(s.envs[0], actor)
    masses = np.array([body.mass for body in bodies])
    for frame in range(40):
        s.set("dof_actuation_force", [5.0 * (-1) ** (frame // 10), 8.0 * (-1) ** (frame // 7)])
        s.step()
        assert np.abs(s.refreshed("dof_state")[:, 1]).max() <= 2.0 + 1e-3
    momentum = masses @ s.refreshed("rigid_body_state")[:, 7:10]
    assert np.abs(momentum).max() < 0.02
    s.gym.destroy_sim(s.sim)


@pytest.mark.parametrize("mode", [gymapi.DOF_MODE_POS, gymapi.DOF_MODE_EFFORT])
def test_what_stands_does_not_feel_that_an_arm_on_it_moves_at_its_largest_speed(
    tmp_path: Path, mode: Any
) -> None:
    """An arm at constant speed needs no force: the ground carries the weight, and nothing hops."""
    s = open_stage(tmp_path, 1, gravity=GRAVITY)
    s.ground()
    (actor,) = s.actors(s.asset(HOIST))
    gains = (1000.0, 10.0) if mode == gymapi.DOF_MODE_POS else (0.0, 0.0)
    s.drive([actor], mode, *gains)
    s.set("actor_root_state", [[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0] + [0.0] * 6])
    if mode == gymapi.DOF_MODE_POS:
        s.set("dof_position_target", [1.0])
    weight = GRAVITY * (4.0 + 1.0)
    heights, forces = [], []
    for _ in range(60):
        s.set("dof_actuation_force", [80.0] if mode == gymapi.DOF_MODE_EFFORT else [0.0])
        s.step()
        heights.append(float(s.refreshed("actor_root_state")[0, 2]))
        forces.append(float(s.refreshed("net_contact_force")[0, 2]))
        assert s.refreshed("dof_state")[0, 1] <= 0.5 * (1.0 + 2e-3)
    assert s.refreshed("dof_state")[0, 1] == pytest.approx(0.5, rel=2e-3)
    assert np.ptp(heights[20:]) < 1e-3
    assert forces[-30:] == pytest.approx([weight] * 30, rel=0.01)
    s.gym.destroy_sim(s.sim)
