"""Names, handles and numbers of an environment's parts, and what is read and set by handle.

Two environments hold two robots each: handles count within an environment, numbers in the domain
that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import DT, ROBOT, Stage, open_stage
from unibody.isaacgym import gymapi

BODIES, JOINTS = ["base", "upper", "lower"], ["a_shoulder", "b_elbow"]
DOMAINS = (gymapi.DOMAIN_ACTOR, gymapi.DOMAIN_ENV, gymapi.DOMAIN_SIM)
FLOAT32 = 1e-5


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    s = open_stage(tmp_path, 2)
    asset = s.asset(ROBOT)
    s.actors(asset, "first")
    s.actors(asset, "second", z=1.0)
    s.gym.prepare_sim(s.sim)
    yield s
    s.gym.destroy_sim(s.sim)


def test_a_simulation_counts_its_parts_its_frames_and_its_time(stage: Stage) -> None:
    gym, sim, env = stage.gym, stage.sim, stage.envs[0]
    assert (gym.get_env_count(sim), gym.get_sim_actor_count(sim)) == (2, 4)
    assert (gym.get_sim_joint_count(sim), gym.get_env_joint_count(env)) == (8, 4)
    assert (gym.get_env_dof_count(env), gym.get_sim_force_sensor_count(sim)) == (4, 0)
    assert (gym.get_frame_count(sim), gym.get_sim_time(sim)) == (0, 0.0)
    gym.set_sim_device(sim)
    stage.step(3)
    assert gym.get_frame_count(sim) == 3
    assert gym.get_sim_time(sim) == pytest.approx(3 * DT)
    assert gym.get_elapsed_time(sim) > 0.0
    assert (gym.get_version().major, gym.get_version().minor) >= (1, 0)
    gym.destroy_env(stage.envs[0])
    assert (gym.get_env_count(sim), gym.get_sim_actor_count(sim)) == (1, 2)


def test_actors_are_found_by_name(stage: Stage) -> None:
    gym, env = stage.gym, stage.envs[1]
    handle = gym.find_actor_handle(env, "second")
    assert gym.get_actor_name(env, handle) == "second"
    found = [gym.find_actor_index(env, "second", domain) for domain in DOMAINS[1:]]
    assert found == [1, 3]
    asset = gym.get_actor_asset(env, handle)
    assert gym.get_asset_rigid_body_names(asset) == BODIES


@pytest.mark.parametrize(
    ("kind", "names"), [("rigid_body", BODIES), ("joint", JOINTS), ("dof", JOINTS)]
)
def test_parts_are_found_by_name_and_number(stage: Stage, kind: str, names: list[str]) -> None:
    gym, env, size = stage.gym, stage.envs[1], len(names)
    of = {name: getattr(gym, name) for name in dir(gym)}
    assert of[f"get_actor_{kind}_names"](env, 1) == names
    assert of[f"get_actor_{kind}_dict"](env, 1) == {name: k for k, name in enumerate(names)}
    for k, name in enumerate(names):
        handle = of[f"find_actor_{kind}_handle"](env, 1, name)
        assert handle == of[f"get_actor_{kind}_handle"](env, 1, k) == size + k
        wanted = [k, size + k, 3 * size + k]
        assert [of[f"find_actor_{kind}_index"](env, 1, name, d) for d in DOMAINS] == wanted
        assert [of[f"get_actor_{kind}_index"](env, 1, k, d) for d in DOMAINS] == wanted
        assert of[f"find_actor_{kind}_handle"](env, 1, "nothing") == gymapi.INVALID_HANDLE
    if kind != "dof":
        short = "rigid" if kind == "rigid_body" else kind
        handle = of[f"get_{short}_handle"](env, "second", names[-1])
        assert handle == 2 * size - 1
        assert of[f"get_{short}_name"](env, handle) == names[-1]


def test_shapes_belong_to_bodies(stage: Stage) -> None:
    ranges = stage.gym.get_actor_rigid_body_shape_indices(stage.envs[0], 1)
    assert ranges[0].start == 0
    assert [part.count for part in ranges] == [1, 0, 0]


def test_bodies_are_read_and_set_by_handle(stage: Stage) -> None:
    """As in the tensors; one handle, or one of each environment."""
    gym, envs = stage.gym, stage.envs
    root = gym.get_actor_root_rigid_body_handle(envs[1], 1)
    assert root == len(BODIES)
    gym.set_rigid_linear_velocity(envs[1], root, gymapi.Vec3(1.0, 2.0, 3.0))
    gym.set_rigid_angular_velocity(envs[1], root, gymapi.Vec3(0.1, 0.2, 0.3))
    stage.step()
    bodies = stage.refreshed("rigid_body_state").reshape(2, 6, 13)
    assert np.abs(bodies[1, 3:, 7:]).min() > 0.0 and not bodies[0, :, 7:].any()
    for handle in range(6):
        pose = gym.get_rigid_transform(envs[1], handle)
        speed = gym.get_rigid_linear_velocity(envs[1], handle)
        spin = gym.get_rigid_angular_velocity(envs[1], handle)
        found = [
            pose.p.x, pose.p.y, pose.p.z, pose.r.x, pose.r.y, pose.r.z, pose.r.w,
            speed.x, speed.y, speed.z, spin.x, spin.y, spin.z,
        ]  # fmt: skip
        assert found == pytest.approx(bodies[1, handle], abs=FLOAT32)
    vectors: dict[str, Any] = {
        "linear": gym.get_vec_rigid_linear_velocity(envs, root),
        "angular": gym.get_vec_rigid_angular_velocity(envs, [root, root]),
    }
    for place, found in zip((7, 10), vectors.values(), strict=True):
        rows = np.array([[row[axis] for axis in "xyz"] for row in found])
        assert rows == pytest.approx(bodies[:, root, place : place + 3], abs=FLOAT32)
    places = gym.get_vec_rigid_transform(envs, root)
    assert [float(row["p"]["z"]) for row in places] == pytest.approx(bodies[:, root, 2].tolist())


def test_joints_are_read_by_handle(stage: Stage) -> None:
    gym, env = stage.gym, stage.envs[1]
    states = np.arange(1.0, 17.0).reshape(8, 2) / 40.0
    stage.set("dof_state", states)
    bodies = stage.refreshed("rigid_body_state").reshape(2, 6, 13)[1]
    frames, poses = gym.get_actor_dof_frames(env, 1), gym.get_actor_joint_transforms(env, 1)
    for handle in range(4):
        position, speed = (float(value) for value in states[4 + handle])
        assert gym.get_joint_position(env, handle) == pytest.approx(position)
        assert gym.get_dof_position(env, handle) == pytest.approx(position)
        assert gym.get_joint_velocity(env, handle) == pytest.approx(speed)
        assert gym.get_dof_velocity(env, handle) == pytest.approx(speed)
    for k in range(2):
        pose, frame = gym.get_joint_transform(env, 2 + k), gym.get_dof_frame(env, 2 + k)
        assert [pose.p.x, pose.p.y, pose.p.z] == pytest.approx(bodies[4 + k, :3], abs=FLOAT32)
        assert [float(poses["p"][k][axis]) for axis in "xyz"] == pytest.approx(
            bodies[4 + k, :3], abs=FLOAT32
        )
        axis = [frame.axis.x, frame.axis.y, frame.axis.z]
        assert np.linalg.norm(axis) == pytest.approx(1.0)
        assert [float(frames["axis"][k][name]) for name in "xyz"] == pytest.approx(axis)
    both = gym.get_vec_actor_dof_states(stage.envs, 1, gymapi.STATE_ALL)
    assert both["pos"].tolist() == pytest.approx(states[[2, 3, 6, 7], 0].tolist())


def test_targets_are_set_and_read_one_by_one(stage: Stage) -> None:
    """Targets of a kind that the mode of a degree of freedom does not take stay zero."""
    gym, env = stage.gym, stage.envs[1]
    props = gym.get_actor_dof_properties(env, 1)
    props["driveMode"][:] = gymapi.DOF_MODE_POS, gymapi.DOF_MODE_VEL
    props["stiffness"][:], props["damping"][:] = (200.0, 0.0), (40.0, 50.0)
    gym.set_actor_dof_properties(env, 1, props)
    gym.set_dof_target_position(env, 2, 0.2)
    gym.set_dof_target_velocity(env, 3, 0.1)
    assert gym.get_dof_target_position(env, 2) == pytest.approx(0.2)
    assert gym.get_dof_target_velocity(env, 3) == pytest.approx(0.1)
    gym.set_joint_target_position(env, 2, 0.3)
    gym.set_joint_target_velocity(env, 3, -0.2)
    assert gym.get_joint_target_position(env, 2) == pytest.approx(0.3)
    assert gym.get_joint_target_velocity(env, 3) == pytest.approx(-0.2)
    assert gym.get_actor_dof_position_targets(env, 1)[0] == pytest.approx(0.3)
    assert gym.get_actor_dof_velocity_targets(env, 1)[1] == pytest.approx(-0.2)
    stage.step(100)
    state = gym.get_actor_dof_states(env, 1, gymapi.STATE_ALL)
    assert state["pos"][0] == pytest.approx(0.3, abs=0.02)
    assert state["vel"][1] == pytest.approx(-0.2, abs=0.02)


def test_an_effort_on_one_degree_of_freedom_acts_for_a_frame_and_is_reported(stage: Stage) -> None:
    gym, env = stage.gym, stage.envs[0]
    props = gym.get_actor_dof_properties(env, 0)
    props["driveMode"][:] = gymapi.DOF_MODE_EFFORT
    gym.set_actor_dof_properties(env, 0, props)
    gym.enable_actor_dof_force_sensors(env, 0)
    gym.apply_dof_effort(env, 0, 1.5)
    gym.apply_dof_effort(env, 0, 0.5)
    stage.step()
    assert gym.get_actor_dof_forces(env, 0).tolist() == pytest.approx([2.0, 0.0])
    stage.step()
    assert gym.get_actor_dof_forces(env, 0).tolist() == pytest.approx([0.0, 0.0])
    assert gym.get_dof_velocity(env, 0) > 0.0
    assert gym.get_dof_velocity(env, 2) == 0.0


def test_timers_tell_what_steps_take(stage: Stage) -> None:
    gym, sim = stage.gym, stage.sim
    timers = gym.create_performance_timers(sim)
    stage.step(2)
    first = gym.get_performance_timers(sim, timers)
    assert first.physics_sim > 0.0
    assert gym.get_performance_timers(sim, timers).physics_sim == 0.0
    gym.destroy_performance_timers(sim, timers)


def test_colours_and_numbers_of_bodies_are_read_and_taken_back(stage: Stage) -> None:
    gym, env = stage.gym, stage.envs[0]
    before = gym.get_rigid_body_color(env, 1, 0, gymapi.MESH_VISUAL)
    gym.set_rigid_body_color(env, 1, 0, gymapi.MESH_VISUAL, gymapi.Vec3(0.1, 0.2, 0.3))
    gym.set_rigid_body_segmentation_id(env, 1, 0, 7)
    now = gym.get_rigid_body_color(env, 1, 0, gymapi.MESH_VISUAL)
    assert [now.x, now.y, now.z] == pytest.approx([0.1, 0.2, 0.3])
    assert gym.get_rigid_body_segmentation_id(env, 1, 0) == 7
    gym.reset_actor_materials(env, 1, gymapi.MESH_VISUAL)
    again = gym.get_rigid_body_color(env, 1, 0, gymapi.MESH_VISUAL)
    assert (again.x, again.y, again.z) == (before.x, before.y, before.z)
