"""Forces lift three boxes: too little, just enough, and too much."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
from isaacsim.core.prims import RigidPrim

world = World()
world.scene.add_default_ground_plane()
for number in range(3):
    world.scene.add(
        DynamicCuboid(
            f"/World/box_{number}", f"box_{number}", position=[number, 0, 1.0], size=0.2, mass=1.0
        )
    )
boxes = RigidPrim("/World/box_*", "boxes")
world.scene.add(boxes)
world.reset()
lift = np.array([[0.0, 0.0, 9.81 * share] for share in (0.5, 1.0, 1.5)])
start = boxes.get_world_poses()[0][:, 2].copy()
for _ in range(20):
    boxes.apply_forces(lift)
    world.step(render=False)
moved = boxes.get_world_poses()[0][:, 2] - start
print("moved by", np.round(moved, 3))
assert moved[0] < -0.1
assert moved[2] > 0.1
speeds = boxes.get_linear_velocities()[:, 2]
assert abs(speeds[1] - speeds[[0, 2]].mean()) < 1e-3
app.close()
