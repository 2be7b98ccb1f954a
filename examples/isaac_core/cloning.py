"""Nine cartpoles side by side, each pushed with another force."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.cloner import GridCloner
from isaacsim.core.prims import Articulation
from isaacsim.core.utils.stage import add_reference_to_stage
from isaacsim.storage.native import get_assets_root_path

world = World()
cloner = GridCloner(spacing=3.0, num_per_row=1)
cloner.define_base_env("/World/envs")
asset = get_assets_root_path() + "/Isaac/Robots/IsaacSim/Cartpole/cartpole.usd"
add_reference_to_stage(asset, "/World/envs/env_0/cartpole")
cloner.clone("/World/envs/env_0", cloner.generate_paths("/World/envs/env", 9))
carts = Articulation("/World/envs/*/cartpole", "carts")
world.scene.add(carts)
world.reset()
forces = np.zeros((9, carts.num_dof), np.float32)
forces[:, 0] = np.linspace(-4.0, 4.0, 9)
for _ in range(20):
    carts.set_joint_efforts(forces)
    world.step(render=False)
places = carts.get_joint_positions()[:, 0]
print("carts at", np.round(places, 3))
assert np.all(np.diff(places) > 0.0)
assert abs(places[4]) < 1e-3
assert np.allclose(places, -places[::-1], atol=1e-3)
app.close()
