"""An IMU reads nothing while its body falls, and gravity once it lies on the ground."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
from isaacsim.sensors.physics import IMUSensor

world = World()
world.scene.add_default_ground_plane()
world.scene.add(DynamicCuboid("/World/box", "box", position=[0, 0, 2.0], size=0.2))
imu = world.scene.add(IMUSensor("/World/box/imu", "imu", translation=np.zeros(3)))
world.reset()
for _ in range(10):
    world.step(render=False)
falling = np.linalg.norm(imu.get_current_frame()["lin_acc"])
for _ in range(200):
    world.step(render=False)
resting = np.array(imu.get_current_frame()["lin_acc"])
print(f"falling: {falling:.3f} m/s^2, resting: {np.round(resting, 2)}")
assert falling < 0.5
assert np.allclose(resting, [0.0, 0.0, 9.81], atol=0.3)
app.close()
