"""A stage is saved after a while of simulation, and its cube is where it was."""

import os
import tempfile

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
from isaacsim.core.utils.stage import save_stage
from pxr import Usd, UsdGeom

world = World()
world.scene.add_default_ground_plane()
cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0, 0, 1.0], size=0.5))
world.reset()
for _ in range(100):
    world.step(render=False)
place = cube.get_world_pose()[0]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "scene.usd")
    save_stage(path, save_and_reload_in_place=False)
    stage = Usd.Stage.Open(path)
    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath("/World/cube"))
    saved = matrix.ExtractTranslation()
print(f"the cube is at {place}, saved at {saved}")
assert max(abs(a - b) for a, b in zip(place, saved)) < 1e-6
app.close()
