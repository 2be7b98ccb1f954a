"""A function is called in every step, and a stop puts things back."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicSphere

world = World(physics_dt=1.0 / 120.0, rendering_dt=1.0 / 60.0)
ball = world.scene.add(DynamicSphere("/World/ball", "ball", position=[0.0, 0.0, 2.0], radius=0.1))
world.reset()
times = []
world.add_physics_callback("clock", times.append)
for _ in range(30):
    world.step(render=True)
fallen = 2.0 - ball.get_world_pose()[0][2]
print(f"{len(times)} steps of {times[0]:.4f} s, fallen {fallen:.3f} m")
assert len(times) == 60
assert abs(fallen - 0.5 * 9.81 * 0.5**2) < 0.06
world.remove_physics_callback("clock")
world.reset()
assert abs(ball.get_world_pose()[0][2] - 2.0) < 0.01
app.close()
