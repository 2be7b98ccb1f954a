"""A robot with two wheels drives ahead, then turns on the spot."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.utils.rotations import quat_to_euler_angles
from isaacsim.robot.wheeled_robots.controllers.differential_controller import DifferentialController
from isaacsim.robot.wheeled_robots.robots import WheeledRobot
from isaacsim.storage.native import get_assets_root_path

world = World()
world.scene.add_default_ground_plane()
robot = world.scene.add(
    WheeledRobot(
        prim_path="/World/robot",
        name="robot",
        wheel_dof_names=["left_wheel_joint", "right_wheel_joint"],
        create_robot=True,
        usd_path=get_assets_root_path() + "/Isaac/Robots/NVIDIA/Jetbot/jetbot.usd",
        position=np.array([0.0, 0.0, 0.02]),
    )
)
world.reset()
controller = DifferentialController("drive", wheel_radius=0.03, wheel_base=0.1125)
for _ in range(120):
    robot.apply_wheel_actions(controller.forward(command=[0.1, 0.0]))
    world.step(render=False)
ahead = robot.get_world_pose()[0]
for _ in range(60):
    robot.apply_wheel_actions(controller.forward(command=[0.0, np.pi / 4]))
    world.step(render=False)
place, turn = robot.get_world_pose()
yaw = quat_to_euler_angles(turn)[2]
print(f"drove {ahead[0]:.3f} m, then turned by {yaw:.3f} rad")
assert 0.15 < ahead[0] < 0.22
assert abs(ahead[1]) < 0.02
assert 0.4 < yaw < 1.0
app.close()
