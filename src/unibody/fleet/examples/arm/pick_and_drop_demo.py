"""An arm takes a box from one side and puts it on the other, with actions."""

from __future__ import annotations

from unibody import fleet
from unibody.fleet.actions.action import DropAction, JointAction, PickAction

REST = [0.0, 0.0, 0.0, 0.0]  # rad
OVER_BOX = [0.0, 0.9, 0.6, 0.0]
OVER_PLACE = [1.57, 0.9, 0.6, 0.0]


def main() -> None:
    """Do it once and say where the box is."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=0.01, physics=False)
    )
    arm = fleet.Agent.from_urdf(
        "arm_robot", pose=fleet.Pose.from_xyz(0.0, 0.0, 0.0), use_fixed_base=True, sim_core=core
    )
    hand = arm.get_num_joints() - 1
    box = fleet.SimObject.from_params(
        fleet.SimObjectSpawnParams(
            visual_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.05, 0.05, 0.05]),
            collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.05, 0.05, 0.05]),
            initial_pose=fleet.Pose.from_xyz(0.6, 0.0, 0.05),
            mass=0.0,
            pickable=True,
            name="box",
        ),
        sim_core=core,
    )
    place = fleet.Pose.from_xyz(0.0, 0.6, 0.05)
    arm.add_action_sequence(
        [
            JointAction(target_joint_positions=OVER_BOX),
            PickAction(target_object_id=box.body_id, use_approach=False, attach_link=hand),
            JointAction(target_joint_positions=OVER_PLACE),
            DropAction(drop_pose=place, use_approach=False),
            JointAction(target_joint_positions=REST),
        ]
    )
    while arm.get_current_action() is not None or not arm.is_action_queue_empty():
        core.step_once()
    x, y, z = box.get_pose().position
    print(f"the box is at ({x:.3f}, {y:.3f}, {z:.3f}) m after {core.sim_time:.1f} s")  # noqa: T201


if __name__ == "__main__":
    main()
