"""UR10 brings a cube to its place with a suction cup."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.robot.manipulators.examples.universal_robots.controllers import PickPlaceController
from isaacsim.robot.manipulators.examples.universal_robots.tasks import PickPlace

world = World()
task = PickPlace()
world.add_task(task)
world.reset()
names = {key: one["value"] for key, one in task.get_params().items()}
arm = world.scene.get_object(names["robot_name"])
controller = PickPlaceController("controller", arm.gripper, arm)
while not controller.is_done():
    seen = world.get_observations()
    cube = seen[names["cube_name"]]
    joints = seen[names["robot_name"]]["joint_positions"]
    arm.apply_action(
        controller.forward(
            cube["position"], cube["target_position"], joints, np.array([0, 0, 0.02])
        )
    )
    world.step(render=False)
cube = world.get_observations()[names["cube_name"]]
print(f"the cube is at {cube['position']}, it was to be at {cube['target_position']}")
assert np.linalg.norm(cube["position"] - cube["target_position"]) < 0.01
app.close()
