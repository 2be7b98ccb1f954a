"""The tensor API, on the CPU and on Warp's CPU device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

from tests.isaacgym.scenes import DT, GRAVITY, ROBOT, SLIDER
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi, gymtorch
from unibody.isaacgym.errors import ArgumentTypeError

# Tensors are float32; on Warp's device the state is, too.
CLOSE = 2e-4
MASS = 2.0


def implicit(x: float, v: float, k: float, b: float, x_t: float, v_t: float) -> tuple[float, float]:
    """One step with the force ``k (x_t - x+) + b (v_t - v+)`` at its end."""
    v = (MASS * v + DT * (k * (x_t - x) + b * v_t)) / (MASS + DT * b + DT * DT * k)
    return x + DT * v, v


@pytest.mark.parametrize("mode", ["POS", "VEL"])
@pytest.mark.parametrize("effort", [1e6, 3.0])
def test_a_drive_pulls_like_an_implicit_spring_and_damper_up_to_its_effort(
    stage: Any, mode: str, effort: float
) -> None:
    s = stage(3)
    actors = s.actors(s.asset(SLIDER.format(effort=effort), fix_base_link=True))
    gains = (400.0, 30.0) if mode == "POS" else (0.0, 80.0)
    s.drive(actors, getattr(gymapi, f"DOF_MODE_{mode}"), *gains)
    target = 0.5
    name = "dof_position_target" if mode == "POS" else "dof_velocity_target"
    s.set(name, np.full(3, target))
    x = v = 0.0
    for _ in range(30):
        s.step()
        wanted = (target, 0.0) if mode == "POS" else (0.0, target)
        new_x, new_v = implicit(x, v, *gains, *wanted)
        change = np.clip(MASS * (new_v - v) / DT, -effort, effort) * DT / MASS
        x, v = (
            (new_x, new_v) if abs(new_v - v) <= abs(change) else (x + DT * (v + change), v + change)
        )
        found = s.refreshed("dof_state")
        np.testing.assert_allclose(found[:, 0], x, atol=CLOSE)
        np.testing.assert_allclose(found[:, 1], v, atol=10 * CLOSE)


def test_efforts_last_one_frame_of_several_substeps(stage: Any) -> None:
    s = stage(2, substeps=4)
    actors = s.actors(s.asset(SLIDER.format(effort=1e6), fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    s.set("dof_actuation_force", [10.0, -6.0])
    s.step(5)
    expected = np.array([10.0, -6.0]) * DT / MASS
    np.testing.assert_allclose(s.refreshed("dof_state")[:, 1], expected, rtol=1e-4)


@pytest.mark.parametrize("effort", [1e30, 3e38, np.inf])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_absurd_effort_acts_as_a_very_large_one_and_in_its_environment_alone(
    stage: Any, effort: float, sign: float
) -> None:
    """The pushed joint moves at its largest speed, 100 rad/s.

    That is what is left of 1e7 Nm dt over an inertia of 0.02 kg m^2, 1e7 rad/s: single precision
    has 0.5 rad/s of that.
    """
    states = []
    for given in (effort, 1e7):
        s = stage(3, gravity=GRAVITY)
        actors = s.actors(s.asset(ROBOT), z=1.0)
        s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
        s.set("dof_actuation_force", [1.0, 0.0, sign * given, 0.0, 1.0, 0.0])
        s.step()
        states.append((s.refreshed("dof_state"), s.refreshed("actor_root_state")))
    np.testing.assert_array_equal(states[0][0], states[1][0])
    np.testing.assert_array_equal(states[0][1], states[1][1])
    dofs = states[0][0].reshape(3, 2, 2)
    assert dofs[1, 0, 1] == pytest.approx(sign * 100.0, abs=0.5)
    np.testing.assert_array_equal(dofs[0], dofs[2])


def test_an_effort_that_is_no_number_shows_in_its_environment_alone(stage: Any) -> None:
    s = stage(3)
    actors = s.actors(s.asset(ROBOT))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    s.set("dof_actuation_force", [1.0, 0.0, np.nan, 0.0, 1.0, 0.0])
    s.step()
    dofs = s.refreshed("dof_state").reshape(3, 2, 2)
    assert np.isnan(dofs[1]).all()
    assert np.isfinite(dofs[0]).all()
    np.testing.assert_array_equal(dofs[0], dofs[2])


def test_controls_of_another_mode_are_ignored(stage: Any) -> None:
    s = stage(1)
    actors = s.actors(s.asset(SLIDER.format(effort=1e6), fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_NONE, 0.0, 0.0)
    s.set("dof_actuation_force", [10.0])
    s.set("dof_position_target", [1.0])
    s.set("dof_velocity_target", [1.0])
    s.step(5)
    assert np.all(s.refreshed("dof_state") == 0.0)


def random_roots(count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    roots = random.normal(size=(count, 13))
    roots[:, 2] += 10.0
    roots[:, 3:7] = Rotation.random(count, random_state=seed).as_quat()
    return roots.astype(np.float32)


def test_root_states_come_back_as_they_were_set(stage: Any) -> None:
    s = stage(4)
    s.actors(s.asset(ROBOT))
    roots = random_roots(4)
    s.set("actor_root_state", roots)
    found = s.refreshed("actor_root_state")
    signs = np.sign(np.sum(found[:, 3:7] * roots[:, 3:7], axis=1, keepdims=True))
    found[:, 3:7] *= signs
    np.testing.assert_allclose(found, roots, atol=CLOSE)


def test_an_indexed_set_leaves_other_actors_alone(stage: Any) -> None:
    s = stage(5)
    s.actors(s.asset(ROBOT))
    before = s.refreshed("actor_root_state")
    s.set("actor_root_state", random_roots(5), actors=[3, 1])
    after = s.refreshed("actor_root_state")
    changed = np.any(before != after, axis=1)
    assert changed.tolist() == [False, True, False, True, False]
    s.set("dof_state", np.full((10, 2), 0.25), actors=[4])
    dofs = s.refreshed("dof_state").reshape(5, 4)
    assert np.all(dofs[:4] == 0.0)
    np.testing.assert_allclose(dofs[4], 0.25, atol=CLOSE)


def test_root_velocity_is_that_of_the_mass_centre(stage: Any) -> None:
    s = stage(1)
    s.actors(s.asset(ROBOT, fix_base_link=False))
    roots = random_roots(1)
    s.set("actor_root_state", roots)
    body = s.refreshed("rigid_body_state")[0]
    np.testing.assert_allclose(body[7:10], roots[0, 7:10], atol=CLOSE)
    np.testing.assert_allclose(body[10:13], roots[0, 10:13], atol=CLOSE)
    # the velocity of the frame's origin differs from it by the angular velocity times the arm
    arm = Rotation.from_quat(roots[0, 3:7]).apply([0.1, 0.05, -0.02])
    origin = roots[0, 7:10] - np.cross(roots[0, 10:13], arm)
    small = 1e-3
    params = s.gym.get_sim_params(s.sim)
    params.dt = small
    s.gym.set_sim_params(s.sim, params)
    s.step()
    moved = s.refreshed("actor_root_state")[0, :3] - roots[0, :3]
    np.testing.assert_allclose(moved / small, origin, atol=0.05)  # one explicit step of 1 ms


def test_positions_do_not_depend_on_where_an_environment_is(stage: Any) -> None:
    s = stage(4, gravity=GRAVITY)
    s.ground()
    s.actors(s.asset(ROBOT), z=1.0)
    s.step(20)
    roots = s.refreshed("actor_root_state")
    np.testing.assert_allclose(roots, np.tile(roots[:1], (4, 1)), atol=CLOSE)
    origins = [s.gym.get_env_origin(env) for env in s.envs]
    assert [(o.x, o.y) for o in origins] == [(0.0, 0.0), (2.0, 0.0), (4.0, 0.0), (0.0, 2.0)]


def test_contact_forces_of_a_box_at_rest_carry_its_weight(stage: Any) -> None:
    s = stage(2, gravity=GRAVITY, substeps=2)
    s.ground()
    options = gymapi.AssetOptions()
    options.density = 100.0
    s.actors(s.gym.create_box(s.sim, 0.2, 0.2, 0.2, options), z=0.1)
    s.tensor("net_contact_force")
    s.step(60)
    weight = 100.0 * 0.2**3 * GRAVITY
    expected = np.tile([0.0, 0.0, weight], (2, 1))
    np.testing.assert_allclose(s.refreshed("net_contact_force"), expected, atol=0.01 * weight)


def test_dof_forces_are_those_of_drives_and_efforts(stage: Any) -> None:
    s = stage(2, gravity=0.0)
    actors = s.actors(s.asset(SLIDER.format(effort=1e6), fix_base_link=True))
    for env, actor in zip(s.envs, actors, strict=True):
        s.gym.enable_actor_dof_force_sensors(env, actor)
    s.drive(actors, gymapi.DOF_MODE_POS, 0.0, 50.0)
    s.tensor("dof_force")
    s.set("dof_state", [[0.0, 1.0], [0.0, 2.0]])
    s.step()
    speeds = s.refreshed("dof_state")[:, 1]
    np.testing.assert_allclose(s.refreshed("dof_force"), -50.0 * speeds, rtol=1e-3)
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    s.set("dof_actuation_force", [4.0, 5.0])
    s.step()
    np.testing.assert_allclose(s.refreshed("dof_force"), [4.0, 5.0], rtol=1e-4)


@pytest.mark.parametrize("space", ["ENV_SPACE", "LOCAL_SPACE", "GLOBAL_SPACE"])
def test_a_force_on_a_body_lasts_one_frame_and_acts_in_its_space(stage: Any, space: str) -> None:
    s = stage(2)
    options = gymapi.AssetOptions()
    options.density, options.angular_damping = 1000.0, 0.0
    s.actors(s.gym.create_box(s.sim, 0.1, 0.1, 0.1, options))
    roots = s.refreshed("actor_root_state")
    turn = Rotation.from_euler("z", 90, degrees=True)
    roots[:, 3:7] = turn.as_quat()
    s.set("actor_root_state", roots)
    forces = gymtorch.unwrap_tensor(torch.tensor([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
    torques = gymtorch.unwrap_tensor(torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.001, 0.0]]))
    s.gym.apply_rigid_body_force_tensors(s.sim, forces, torques, getattr(gymapi, space))
    s.step(3)
    found = s.refreshed("rigid_body_state")
    inertia = 1.0 * 0.1**2 / 6.0
    linear = np.array([[DT, 0.0, 0.0], [2.0 * DT, 0.0, 0.0]])
    angular = np.array([[0.0, 0.0, 0.0], [0.0, 0.001 * DT / inertia, 0.0]])
    if space == "LOCAL_SPACE":
        linear, angular = turn.apply(linear), turn.apply(angular)
    np.testing.assert_allclose(found[:, 7:10], linear, atol=1e-5)
    np.testing.assert_allclose(found[:, 10:13], angular, atol=1e-4)


def test_a_force_at_a_point_turns_the_body(stage: Any) -> None:
    s = stage(2)
    options = gymapi.AssetOptions()
    options.density, options.angular_damping = 1000.0, 0.0
    s.actors(s.gym.create_box(s.sim, 0.1, 0.1, 0.1, options))
    forces = gymtorch.unwrap_tensor(torch.tensor([[0.0, 0.0, 1.0]] * 2))
    points = gymtorch.unwrap_tensor(torch.tensor([[0.05, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    s.gym.apply_rigid_body_force_at_pos_tensors(s.sim, forces, points, gymapi.ENV_SPACE)
    s.step()
    inertia = 1.0 * 0.1**2 / 6.0
    angular = s.refreshed("rigid_body_state")[:, 10:13]
    expected = [[0.0, -0.05 * DT / inertia, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(angular, expected, atol=1e-3)


def velocities(s: Any, coordinates: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Body velocities (bodies, 6) for a root velocity (6,) and DOF velocities."""
    roots = s.refreshed("actor_root_state")
    roots[0, 7:13] = coordinates[:6]
    s.set("actor_root_state", roots)
    dofs = s.refreshed("dof_state")
    dofs[:, 1] = coordinates[6:]
    s.set("dof_state", dofs)
    return s.refreshed("rigid_body_state")[:, 7:13]


def test_a_jacobian_gives_the_velocities_of_bodies(stage: Any) -> None:
    s = stage(1)
    s.actors(s.asset(ROBOT))
    s.set("actor_root_state", random_roots(1))
    s.set("dof_state", [[0.7, 0.0], [-0.3, 0.0]])
    jacobian = s.tensor("jacobian", "robot")
    assert tuple(jacobian.shape) == (1, 3, 6, 8)
    s.gym.refresh_jacobian_tensors(s.sim)
    rates = np.random.default_rng(1).normal(size=8)
    expected = jacobian[0].numpy() @ rates
    np.testing.assert_allclose(velocities(s, rates), expected, atol=5 * CLOSE)


def test_a_mass_matrix_gives_the_kinetic_energy(stage: Any) -> None:
    s = stage(1)
    s.actors(s.asset(ROBOT))
    s.set("actor_root_state", random_roots(1))
    s.set("dof_state", [[0.7, 0.0], [-0.3, 0.0]])
    matrix = s.tensor("mass_matrix", "robot").numpy()[0].astype(float)
    rates = np.random.default_rng(2).normal(size=8)
    found = velocities(s, rates).astype(float)
    energy = 0.0
    quats = s.refreshed("rigid_body_state")[:, 3:7]
    props = s.gym.get_actor_rigid_body_properties(s.envs[0], 0)
    for row, quat, prop in zip(found, quats, props, strict=True):
        local = Rotation.from_quat(quat).inv().apply(row[3:])
        tensor = np.array(
            [[c.x, c.y, c.z] for c in (prop.inertia.x, prop.inertia.y, prop.inertia.z)]
        )
        energy += 0.5 * prop.mass * row[:3] @ row[:3] + 0.5 * local @ tensor @ local
    assert 0.5 * rates @ matrix @ rates == pytest.approx(energy, rel=1e-3)


def test_a_fixed_base_has_no_row_and_no_columns(stage: Any) -> None:
    s = stage(2)
    s.actors(s.asset(ROBOT, fix_base_link=True))
    assert tuple(s.tensor("jacobian", "robot").shape) == (2, 2, 6, 2)
    assert tuple(s.tensor("mass_matrix", "robot").shape) == (2, 2, 2)


def test_a_tensor_of_unknown_actors_is_refused(stage: Any) -> None:
    s = stage(1)
    s.actors(s.asset(ROBOT))
    with pytest.raises(InvalidArgumentError, match="robot"):
        s.gym.acquire_jacobian_tensor(s.sim, "arm")


@pytest.mark.parametrize("bad", [[-1], [3], [0, 99]])
def test_an_index_that_does_not_exist_is_named_and_nothing_changes(stage: Any, bad: Any) -> None:
    s = stage(3)
    s.actors(s.asset(ROBOT))
    before = s.refreshed("actor_root_state")
    with pytest.raises(InvalidArgumentError, match="actor_indices"):
        s.set("actor_root_state", random_roots(3), actors=bad)
    assert np.array_equal(s.refreshed("actor_root_state"), before)


@pytest.mark.parametrize(
    ("values", "indices", "count", "message"),
    [
        (torch.zeros(2, 13), [0], 1, "shape"),
        (torch.zeros(3, 13, dtype=torch.float64), [0], 1, "float32|known|dtype"),
        (torch.zeros(3, 13, dtype=torch.int32), [0], 1, "dtype"),
        (torch.zeros(3, 13), [0], 2, "count"),
        (torch.zeros(3, 13), [0], -1, "count"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(
    stage: Any, values: Any, indices: Any, count: int, message: str
) -> None:
    s = stage(3)
    s.actors(s.asset(ROBOT))
    chosen = torch.tensor(indices, dtype=torch.int32)
    with pytest.raises((InvalidArgumentError, ArgumentTypeError), match=message):
        s.gym.set_actor_root_state_tensor_indexed(
            s.sim, gymtorch.unwrap_tensor(values), gymtorch.unwrap_tensor(chosen), count
        )


def test_indices_of_another_size_are_refused(stage: Any) -> None:
    s = stage(2)
    s.actors(s.asset(ROBOT))
    states = gymtorch.unwrap_tensor(torch.zeros(2, 13))
    chosen = gymtorch.unwrap_tensor(torch.tensor([0], dtype=torch.int64))
    with pytest.raises(ArgumentTypeError, match="int32"):
        s.gym.set_actor_root_state_tensor_indexed(s.sim, states, chosen, 1)


def test_two_actors_in_an_environment_have_rows_of_their_own(stage: Any) -> None:
    s = stage(3)
    robots = s.actors(s.asset(ROBOT, fix_base_link=True))
    boxes = s.actors(s.gym.create_box(s.sim, 0.1, 0.1, 0.1, None), "box", 2.0)
    assert s.tensor("actor_root_state").shape == (6, 13)
    assert s.tensor("rigid_body_state").shape == (12, 13)
    index = [
        s.gym.get_actor_index(env, box, gymapi.DOMAIN_SIM)
        for env, box in zip(s.envs, boxes, strict=True)
    ]
    assert index == [1, 3, 5]
    assert robots == [0, 0, 0]
    roots = s.refreshed("actor_root_state")
    np.testing.assert_allclose(roots[1::2, 2], 2.0)
    roots[5, 2] = 4.0
    s.set("actor_root_state", roots, actors=[5])
    assert s.refreshed("rigid_body_state")[11, 2] == pytest.approx(4.0)


def test_environments_of_different_kinds_share_the_tensors(stage: Any) -> None:
    s = stage(4)
    box = s.gym.create_box(s.sim, 0.1, 0.1, 0.1, None)
    robot = s.asset(ROBOT)
    pose = gymapi.Transform()
    for number, env in enumerate(s.envs):
        pose.p.z = float(number)
        s.gym.create_actor(env, robot if number % 2 else box, pose, "it", number, 0)
    assert s.tensor("rigid_body_state").shape == (8, 13)
    np.testing.assert_allclose(s.refreshed("actor_root_state")[:, 2], [0.0, 1.0, 2.0, 3.0])
    s.set("dof_state", np.arange(8, dtype=float).reshape(4, 2) / 10.0)
    expected = np.arange(8).reshape(4, 2) / 10.0
    np.testing.assert_allclose(s.refreshed("dof_state"), expected, atol=CLOSE)


def test_a_tensor_keeps_its_memory_when_an_environment_changes(stage: Any) -> None:
    s = stage(2)
    actors = s.actors(s.asset(ROBOT))
    dofs = s.tensor("dof_state")
    s.gym.set_actor_scale(s.envs[0], actors[0], 1.5)
    s.set("dof_state", np.full((4, 2), 0.5))
    s.gym.refresh_dof_state_tensor(s.sim)
    np.testing.assert_allclose(dofs.numpy(), 0.5, atol=CLOSE)
