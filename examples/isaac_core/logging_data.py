"""A logger writes what a ball does in each step, and reads it again."""

import os
import tempfile

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicSphere

world = World()
world.scene.add_default_ground_plane()
ball = world.scene.add(DynamicSphere("/World/ball", "ball", position=[0.0, 0.0, 1.0], radius=0.1))
logger = world.get_data_logger()
logger.add_data_frame_logging_func(
    lambda tasks, scene: {"height": float(scene.get_object("ball").get_world_pose()[0][2])}
)
world.reset()
logger.start()
for _ in range(50):
    world.step(render=False)
logger.pause()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "ball.json")
    logger.save(path)
    logger.reset()
    logger.load(path)
heights = [logger.get_data_frame(n).data["height"] for n in range(logger.get_num_of_data_frames())]
print(f"{len(heights)} frames, from {heights[0]:.3f} m to {heights[-1]:.3f} m")
assert len(heights) >= 49
assert heights[0] > 0.95
assert heights[-1] < 0.2
app.close()
