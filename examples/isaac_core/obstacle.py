"""The Cobotta's gripper stops before an obstacle that its target is in."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import VisualCuboid
from isaacsim.core.api.robots import Robot
from isaacsim.core.utils.stage import add_reference_to_stage
from isaacsim.robot_motion.motion_generation import ArticulationMotionPolicy
from isaacsim.robot_motion.motion_generation.interface_config_loader import (
    load_supported_motion_policy_config,
)
from isaacsim.robot_motion.motion_generation.lula import RmpFlow
from isaacsim.storage.native import get_assets_root_path

world = World()
world.scene.add_default_ground_plane()
asset = get_assets_root_path() + "/Isaac/Robots/Denso/CobottaPro900/cobotta_pro_900.usd"
add_reference_to_stage(asset, "/World/arm")
arm = world.scene.add(Robot("/World/arm", "arm"))
wall = VisualCuboid("/World/wall", "wall", position=np.array([0.65, 0.0, 0.5]), size=0.3)
world.reset()
flow = RmpFlow(**load_supported_motion_policy_config("Cobotta_Pro_900", "RMPflow"))
mover = ArticulationMotionPolicy(arm, flow)


def end_after(steps, target):
    flow.set_end_effector_target(np.array(target))
    for _ in range(steps):
        flow.update_world()
        mover.move()
        world.step(render=False)
    joints = arm.get_joint_positions()[[arm.get_dof_index(n) for n in flow.get_active_joints()]]
    return flow.get_end_effector_pose(joints)[0]


free = end_after(300, [0.4, 0.0, 0.5])
print(f"without an obstacle the gripper is at {np.round(free, 3)}")
assert np.linalg.norm(free - [0.4, 0.0, 0.5]) < 0.02
flow.add_obstacle(wall)
stopped = end_after(300, [0.6, 0.0, 0.5])
print(f"before the wall it stops at {np.round(stopped, 3)}; the wall begins at 0.5")
assert stopped[0] < 0.5
app.close()
