"""UR10 follows a target by inverse kinematics."""

from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import numpy as np
from isaacsim.core.api import World
from isaacsim.robot.manipulators.examples.universal_robots import KinematicsSolver
from isaacsim.robot.manipulators.examples.universal_robots.tasks import FollowTarget

world = World()
world.add_task(FollowTarget("task", target_position=np.array([0.2, 0.6, 0.4]), attach_gripper=True))
world.reset()
names = {key: one["value"] for key, one in world.get_task("task").get_params().items()}
arm = world.scene.get_object(names["robot_name"])
solver = KinematicsSolver(arm, attach_gripper=True)
for place in ([0.2, 0.6, 0.4], [-0.2, 0.6, 0.5]):
    world.scene.get_object(names["target_name"]).set_world_pose(np.array(place))
    for _ in range(90):
        target = world.get_observations()[names["target_name"]]
        action, reached = solver.compute_inverse_kinematics(
            target["position"], target["orientation"]
        )
        assert reached
        arm.apply_action(action)
        world.step(render=False)
    end, _ = solver.compute_end_effector_pose()
    print(f"the cup is at {np.round(end, 3)}, the target at {place}")
    assert np.linalg.norm(end - place) < 0.02
app.close()
