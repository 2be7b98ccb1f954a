"""A cube falls onto the ground and comes to rest there."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid

world = World()
world.scene.add_default_ground_plane()
cube = world.scene.add(
    DynamicCuboid(
        "/World/cube", "cube", position=[0.0, 0.0, 1.0], size=0.5, color=np.array([1.0, 0.3, 0.0])
    )
)
world.reset()
for _ in range(180):
    world.step(render=False)
height = cube.get_world_pose()[0][2]
speed = np.linalg.norm(cube.get_linear_velocity())
print(f"height {height:.3f} m, speed {speed:.4f} m/s")
assert abs(height - 0.25) < 2e-3
assert speed < 1e-2
app.close()
