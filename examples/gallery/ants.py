"""Thirty-six ants, an environment each, with random torques: Isaac Gym's API."""

import sys
from pathlib import Path

import torch
from isaacgym import gymapi, gymtorch

gym = gymapi.acquire_gym()
params = gymapi.SimParams()
params.up_axis = gymapi.UP_AXIS_Z
params.gravity = gymapi.Vec3(0, 0, -9.81)
sim = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
ground = gymapi.PlaneParams()
ground.normal = gymapi.Vec3(0, 0, 1)
gym.add_ground(sim, ground)
assets = Path(__file__).parents[1] / "isaacgym" / "assets"
options = gymapi.AssetOptions()
options.default_dof_drive_mode = gymapi.DOF_MODE_EFFORT
ant = gym.load_asset(sim, str(assets), "ant.xml", options)
bodies = gym.get_asset_rigid_body_count(ant)
generator = torch.Generator().manual_seed(0)
for number in range(36):
    env = gym.create_env(sim, gymapi.Vec3(-1.5, -1.5, 0), gymapi.Vec3(1.5, 1.5, 3), 6)
    actor = gym.create_actor(env, ant, gymapi.Transform(p=gymapi.Vec3(0, 0, 0.7)), "ant", number, 0)
    color = gymapi.Vec3(*(0.3 + 0.6 * torch.rand(3, generator=generator)).tolist())
    for body in range(bodies):
        gym.set_rigid_body_color(env, actor, body, gymapi.MESH_VISUAL, color)
viewer = gym.create_viewer(sim, gymapi.CameraProperties())
gym.viewer_camera_look_at(viewer, None, gymapi.Vec3(-3.5, -4, 4.5), gymapi.Vec3(4, 3.5, 0))
gym.prepare_sim(sim)
for _ in range(60):
    efforts = 30 * torch.rand(36 * 8, generator=generator) - 15
    gym.set_dof_actuation_force_tensor(sim, gymtorch.unwrap_tensor(efforts))
    gym.simulate(sim)
    gym.fetch_results(sim, True)
gym.step_graphics(sim)
gym.write_viewer_image_to_file(viewer, sys.argv[1])
