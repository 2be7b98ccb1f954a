"""A Franka that carries a cube to its place: Isaac core's API."""

import sys

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.utils.rotations import euler_angles_to_quat
from isaacsim.robot.manipulators.examples.franka.controllers import PickPlaceController
from isaacsim.robot.manipulators.examples.franka.tasks import PickPlace
from isaacsim.sensors.camera import Camera
from PIL import Image

world = World(stage_units_in_meters=1.0)
task = PickPlace(name="task", target_position=np.array([0.35, -0.35, 0.0257]))
world.add_task(task)
world.reset()
names = {key: one["value"] for key, one in task.get_params().items()}
arm = world.scene.get_object(names["robot_name"])
controller = PickPlaceController("controller", gripper=arm.gripper, robot_articulation=arm)
camera = Camera("/World/camera", resolution=(960, 600))
world.reset()
camera.initialize()
turn = euler_angles_to_quat(np.array([0.0, 19.0, 140.0]), degrees=True)
camera.set_world_pose(np.array([3.0, -2.3, 1.7]), turn)
for _ in range(150):
    seen = world.get_observations()
    action = controller.forward(
        picking_position=seen[names["cube_name"]]["position"],
        placing_position=seen[names["cube_name"]]["target_position"],
        current_joint_positions=seen[names["robot_name"]]["joint_positions"],
    )
    arm.apply_action(action)
    world.step(render=False)
for _ in range(3):
    world.step(render=True)
Image.fromarray(camera.get_rgb()).save(sys.argv[1])
app.close()
