"""Environments of `omni.isaac.gym`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from unibody.errors import NotSupportedError
from unibody.isaac_core.cloners import GridCloner
from unibody.isaac_core.functions.prims import define_prim
from unibody.isaac_core.learning.rl_task import RLTaskInterface
from unibody.isaac_core.learning.vec_env import VecEnvBase
from unibody.isaac_core.objects import DynamicCuboid
from unibody.isaac_core.prims import RigidPrimView
from unibody.isaac_core.world.world import World

ENVS = 33  # collision groups have 30 bits


class Fall(RLTaskInterface):
    """Boxes that stand on the ground, each in an environment, all at one place."""

    _num_envs, _num_actions, _num_observations, _num_states, _num_agents = ENVS, 1, 1, 0, 1
    observation_space = action_space = SimpleNamespace()

    def set_up_scene(self, scene: Any) -> None:
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        define_prim("/World/envs/env_0")
        DynamicCuboid("/World/envs/env_0/box", "box", position=np.array([0.0, 0.0, 0.5]), size=1.0)
        cloner = GridCloner(spacing=0.0)
        cloner.define_base_env("/World/envs")
        paths = cloner.generate_paths("/World/envs/env", ENVS)
        cloner.clone("/World/envs/env_0", paths)
        cloner.filter_collisions(
            "/physicsScene", "/World/collisions", paths, ["/World/defaultGroundPlane"]
        )
        self.boxes = RigidPrimView("/World/envs/.*/box", "boxes", reset_xform_properties=False)
        scene.add(self.boxes)

    def reset(self) -> None:
        self.boxes.set_velocities(np.zeros((ENVS, 6)))

    def pre_physics_step(self, actions: Any) -> None:
        self.actions = actions

    def get_observations(self) -> Any:
        return self.boxes.get_world_poses()[0][:, 2:]

    def post_physics_step(self) -> tuple[Any, Any, Any, Any]:
        return self.get_observations(), np.zeros(ENVS), np.zeros(ENVS, bool), {"steps": 1}


def test_more_environments_than_collision_groups_have_bits_stand_on_one_ground() -> None:
    World.clear_instance()
    env = VecEnvBase(headless=True)
    task = Fall("fall")
    env.set_task(task, sim_params={"dt": 0.01})
    env.reset()
    for _ in range(19):
        env.step(np.zeros((ENVS, 1)))
    heights, _, _, extras = env.step(np.zeros((ENVS, 1)))
    # at rest a box sinks less than a millimetre into what it stands on
    np.testing.assert_allclose(heights, 0.5, atol=1e-3)
    assert (env.num_envs, env.sim_frame_count, extras) == (ENVS, 20, {"steps": 1})
    assert env.world.get_physics_dt() == pytest.approx(0.01)


def test_pictures_for_other_computers_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="enable_livestream"):
        VecEnvBase(headless=True, enable_livestream=True)
