"""What a script does in every frame stays on the device of the worlds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.isaacgym.scenes import ROBOT, open_stage
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
