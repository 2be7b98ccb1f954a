"""A camera above a red cube: its colour, its distance, and where it is in the picture."""

import sys

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
from isaacsim.core.utils.rotations import euler_angles_to_quat
from isaacsim.sensors.camera import Camera

world = World()
world.scene.add_default_ground_plane()
red = np.array([1.0, 0.0, 0.0])
world.scene.add(
    DynamicCuboid("/World/cube", "cube", position=[0.3, 0.2, 0.25], size=0.5, color=red)
)
camera = Camera(
    "/World/camera",
    position=np.array([0.0, 0.0, 4.0]),
    orientation=euler_angles_to_quat(np.array([0.0, np.pi / 2, 0.0])),
    resolution=(320, 240),
)
world.reset()
camera.initialize()
camera.add_distance_to_image_plane_to_frame()
for _ in range(10):
    world.step(render=True)
((column, row),) = camera.get_image_coords_from_world_points(np.array([[0.3, 0.2, 0.5]]))
pixel = camera.get_rgb()[int(row), int(column)]
depth = camera.get_depth()[int(row), int(column)]
print(f"at ({column:.0f}, {row:.0f}) the colour is {pixel}, the distance {depth:.3f} m")
assert pixel[0] > 150
assert pixel[1] < 30
assert abs(depth - 3.5) < 0.01
if len(sys.argv) > 1:
    from PIL import Image

    Image.fromarray(camera.get_rgb()).save(sys.argv[1])
app.close()
