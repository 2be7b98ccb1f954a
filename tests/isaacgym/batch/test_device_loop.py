"""What a script does in every frame stays on the device of the worlds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.isaacgym.scenes import ROBOT, Stage, open_stage
from unibody.isaacgym import gymapi, gymtorch
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

TENSORS = (
    "actor_root_state",
    "dof_state",
    "rigid_body_state",
    "net_contact_force",
    "dof_force",
    "force_sensor",
)


def test_a_frame_brings_nothing_to_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import warp as wp

    monkeypatch.setenv(DEVICE_VARIABLE, "warp-cpu")
    s = open_stage(tmp_path, 2, gravity=9.81)
    s.ground()
    asset = s.asset(ROBOT)
    s.gym.create_asset_force_sensor(asset, 0, gymapi.Transform(), gymapi.ForceSensorProperties())
    actors = s.actors(asset, "robot", 0.5)
    for env, actor in zip(s.envs, actors, strict=True):
        s.gym.enable_actor_dof_force_sensors(env, actor)
    s.drive(actors, gymapi.DOF_MODE_POS, 50.0, 2.0)
    s.gym.prepare_sim(s.sim)
    for name in TENSORS:
        s.tensor(name)
    for name in ("jacobian", "mass_matrix"):
        s.tensor(name, "robot")
    bodies, dofs = s.gym.get_sim_rigid_body_count(s.sim), s.gym.get_sim_dof_count(s.sim)
    targets, push = torch.full((dofs,), 0.1), torch.ones((bodies, 3))

    def frame() -> None:
        for name in ("position_target", "actuation_force"):
            setter = getattr(s.gym, f"set_dof_{name}_tensor")
            setter(s.sim, gymtorch.unwrap_tensor(targets))
        s.gym.apply_rigid_body_force_tensors(
            s.sim, gymtorch.unwrap_tensor(push), None, gymapi.ENV_SPACE
        )
        s.gym.simulate(s.sim)
        s.gym.fetch_results(s.sim, True)
        for name in TENSORS:
            getattr(s.gym, f"refresh_{name}_tensor")(s.sim)
        s.gym.refresh_jacobian_tensors(s.sim)
        s.gym.refresh_mass_matrix_tensors(s.sim)

    frame()  # what is made once is made now
    copies: list[Any] = []
    original = wp.array.numpy

    def noted(array: Any) -> Any:
        copies.append(array)
        return original(array)

    monkeypatch.setattr(wp.array, "numpy", noted)
    monkeypatch.setattr(wp.array, "assign", lambda array, _: copies.append(array))
    frame()
    assert not copies
    monkeypatch.undo()
    s.gym.destroy_sim(s.sim)


def wander(s: Stage, actors: list[int], frame: int) -> None:
    """One frame of a script that drives, pushes, resets and randomises."""
    gym, sides = s.gym, torch.tensor([1.0, -1.0, 0.5, 0.2])
    s.set("dof_position_target", (1.2 if frame % 4 < 2 else -1.2) * sides)
    push = torch.zeros((6, 3))
    push[3, 2] = 8.0
    gym.apply_rigid_body_force_tensors(s.sim, gymtorch.unwrap_tensor(push), None, gymapi.ENV_SPACE)
    if frame == 3:
        s.set("actor_root_state", s.refreshed("actor_root_state") + 0.01, [1])
        s.set("dof_state", np.full((4, 2), 0.2), [1])
    if frame == 5:
        bodies = gym.get_actor_rigid_body_properties(s.envs[1], actors[1])
        bodies[0].mass = 7.0
        gym.set_actor_rigid_body_properties(s.envs[1], actors[1], bodies, True)
        shapes = gym.get_actor_rigid_shape_properties(s.envs[0], actors[0])
        shapes[0].friction, shapes[0].restitution = 0.2, 0.5
        gym.set_actor_rigid_shape_properties(s.envs[0], actors[0], shapes)
    if frame == 7:
        dofs = gym.get_actor_dof_properties(s.envs[0], actors[0])
        dofs["friction"], dofs["velocity"], dofs["stiffness"] = 0.1, 4.0, 80.0
        gym.set_actor_dof_properties(s.envs[0], actors[0], dofs)
    if frame == 9:
        params = gym.get_sim_params(s.sim)
        params.gravity = gymapi.Vec3(0.5, 0.0, -5.0)
        gym.set_sim_params(s.sim, params)
    s.step()


def test_a_recorded_frame_is_the_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU a step is a graph that was recorded once; Warp records on its CPU device, too."""
    monkeypatch.setenv(DEVICE_VARIABLE, "warp-cpu")
    robot = ROBOT.replace('velocity="100"', 'velocity="2"')
    stages = []
    for recorded in (False, True):
        s = open_stage(tmp_path, 2, gravity=9.81, substeps=2)
        s.ground()
        actors = s.actors(s.asset(robot), "robot", 0.06)
        s.drive(actors, gymapi.DOF_MODE_POS, 300.0, 10.0)
        for name in TENSORS[:5]:
            s.tensor(name)
        s.gym.prepare_sim(s.sim)
        for group in s.sim.groups:
            group.worlds._records = recorded
        stages.append((s, actors))
    fastest = 0.0
    for frame in range(12):
        for s, actors in stages:
            wander(s, actors, frame)
        for name in TENSORS[:5]:
            direct, replayed = (s.refreshed(name) for s, _ in stages)
            np.testing.assert_array_equal(replayed, direct, err_msg=f"{name} in frame {frame}")
        fastest = max(fastest, np.abs(stages[1][0].refreshed("dof_state")[:, 1]).max())
    assert 1.99 < fastest < 4.1  # joints were held at their largest speed
    for s, _ in stages:
        s.gym.destroy_sim(s.sim)
