"""A contact sensor on a box reads the weight that presses it onto the ground."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
from isaacsim.sensors.physics import ContactSensor

world = World()
world.scene.add_default_ground_plane()
box = world.scene.add(DynamicCuboid("/World/box", "box", position=[0, 0, 0.3], size=0.4, mass=2.0))
sensor = world.scene.add(ContactSensor("/World/box/sensor", "sensor", translation=np.zeros(3)))
world.reset()
world.step(render=False)
in_air = sensor.get_current_frame()["in_contact"]
for _ in range(180):
    world.step(render=False)
frame = sensor.get_current_frame()
print(f"in the air: {in_air}; at rest: {frame['force']:.2f} N")
assert not in_air
assert frame["in_contact"]
assert abs(frame["force"] - 2.0 * 9.81) < 0.5
app.close()
