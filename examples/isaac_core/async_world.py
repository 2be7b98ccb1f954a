"""A coroutine plays, waits for updates of the app, and pauses."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import omni.kit.app
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicSphere


async def fall():
    world = World()
    await world.initialize_simulation_context_async()
    ball = world.scene.add(DynamicSphere("/World/ball", "ball", position=[0, 0, 3.0], radius=0.1))
    await world.reset_async()
    await world.play_async()
    start = ball.get_world_pose()[0][2]
    for _ in range(30):
        await omni.kit.app.get_app().next_update_async()
    await world.pause_async()
    return start, ball.get_world_pose()[0][2]


start, end = app.run_coroutine(fall())
print(f"from {start:.3f} m to {end:.3f} m")
assert 0.9 < start - end < 1.6
app.close()
