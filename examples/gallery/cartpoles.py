"""Sixteen cartpoles, cloned on a stage: Isaac core's API."""

import sys

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.cloner import GridCloner
from isaacsim.core.prims import Articulation
from isaacsim.core.utils.rotations import euler_angles_to_quat
from isaacsim.core.utils.stage import add_reference_to_stage
from isaacsim.sensors.camera import Camera
from isaacsim.storage.native import get_assets_root_path
from PIL import Image

world = World()
world.scene.add_default_ground_plane(z_position=-1.0)
cloner = GridCloner(spacing=3.0)
cloner.define_base_env("/World/envs")
asset = get_assets_root_path() + "/Isaac/Robots/IsaacSim/Cartpole/cartpole.usd"
add_reference_to_stage(asset, "/World/envs/env_0/cartpole")
cloner.clone("/World/envs/env_0", cloner.generate_paths("/World/envs/env", 16))
carts = Articulation("/World/envs/*/cartpole", "carts")
world.scene.add(carts)
camera = Camera("/World/camera", resolution=(960, 600))
world.reset()
camera.initialize()
turn = euler_angles_to_quat(np.array([0.0, 28.5, 135.0]), degrees=True)
camera.set_world_pose(np.array([30.0, -30.0, 24.0]), turn)
forces = np.zeros((16, carts.num_dof), np.float32)
forces[:, 0] = np.linspace(-30.0, 30.0, 16)
for _ in range(8):
    carts.set_joint_efforts(forces)
    world.step(render=False)
for _ in range(3):
    world.step(render=True)
Image.fromarray(camera.get_rgb()).save(sys.argv[1])
app.close()
