"""Two boxes get the same push; the one with less friction slides farther."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.materials import PhysicsMaterial
from isaacsim.core.api.objects import DynamicCuboid

world = World()
world.scene.add_default_ground_plane(static_friction=0.5, dynamic_friction=0.5)
boxes = []
for name, y, friction in (("rough", 0.0, 0.9), ("smooth", 1.0, 0.1)):
    material = PhysicsMaterial(
        f"/World/Materials/{name}", static_friction=friction, dynamic_friction=friction
    )
    boxes.append(
        world.scene.add(
            DynamicCuboid(
                f"/World/{name}",
                name,
                position=np.array([0.0, y, 0.1]),
                size=0.2,
                physics_material=material,
            )
        )
    )
world.reset()
for _ in range(30):
    world.step(render=False)
for box in boxes:
    box.set_linear_velocity(np.array([2.0, 0.0, 0.0]))
for _ in range(240):
    world.step(render=False)
rough, smooth = (float(box.get_world_pose()[0][0]) for box in boxes)
# v^2 / (2 mu g), with the mean of both frictions: 0.7 and 0.3
print(f"rough: {rough:.3f} m, smooth: {smooth:.3f} m")
assert abs(rough - 2.0**2 / (2 * 0.7 * 9.81)) < 0.04
assert abs(smooth - 2.0**2 / (2 * 0.3 * 9.81)) < 0.08
app.close()
