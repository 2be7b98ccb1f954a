"""A lidar that turns measures the walls of a corridor."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid, FixedCuboid
from isaacsim.sensors.physx import RotatingLidarPhysX

world = World()
world.scene.add_default_ground_plane()
size = np.array([20.0, 0.2, 3.0])
for name, y in (("left", 2.1), ("right", -1.1)):
    world.scene.add(FixedCuboid(f"/World/{name}", name, position=np.array([0, y, 1.5]), scale=size))
world.scene.add(DynamicCuboid("/World/box", "box", position=np.array([5.0, 0.0, 0.5]), size=1.0))
lidar = world.scene.add(
    RotatingLidarPhysX(
        "/World/lidar", "lidar", rotation_frequency=0, position=np.array([0, 0, 0.8])
    )
)
lidar.set_fov((360.0, 1.0))
lidar.set_valid_range((0.4, 30.0))
lidar.add_linear_depth_data_to_frame()
lidar.add_azimuth_data_to_frame()
world.reset()
for _ in range(3):
    world.step(render=False)
frame = lidar.get_current_frame()
depth = frame["linear_depth"][:, 0]
nearest = {
    name: depth[np.argmin(np.abs(frame["azimuth"] - angle))]
    for name, angle in (("left", np.pi / 2), ("right", -np.pi / 2), ("ahead", 0.0))
}
print({name: round(float(value), 3) for name, value in nearest.items()})
assert abs(nearest["left"] - 2.0) < 0.01
assert abs(nearest["right"] - 1.0) < 0.01
assert abs(nearest["ahead"] - 4.5) < 0.01
app.close()
