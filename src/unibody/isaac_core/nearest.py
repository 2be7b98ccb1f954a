"""What works in place of Isaac Sim's and Kit's modules that are not here."""

from __future__ import annotations

from unibody.isaac_core.refused import MODULES, REFUSED

_CAMERA = (
    "isaacsim.sensors.camera.Camera takes pictures, depths, labels and boxes while the script "
    "moves the prims"
)
_ARTICULATION = "isaacsim.core.prims.SingleArticulation reads and drives joints"
_ROS = "a callback of World.add_physics_callback can publish with rclpy"
_GRAPH = "World.add_physics_callback calls a function in every step"
_LIDAR = "isaacsim.sensors.physx.RotatingLidarPhysX is here"
_POLICY = (
    "add_reference_to_stage and isaacsim.core.prims.SingleArticulation run a robot by a policy"
)
_URDF = "`unibody convert robot.urdf robot.usd` writes a stage for add_reference_to_stage"
_MJCF = "`unibody convert robot.xml robot.usd` writes a stage for add_reference_to_stage"
_WINDOW = "SimulationApp({'headless': False}) opens a page with the stage, Play, Pause and Step"
_CORTEX = "controllers of isaacsim.robot.manipulators and RmpFlow of motion_generation are here"
_SAMPLE = "a script of its own makes a World, and calls reset and step"
_MOVES = "set_world_poses of isaacsim.core.prims.XFormPrim moves prims in a callback of the world"
_PHYSX = "omni.physics.tensors and the views of isaacsim.core.prims read and write the simulation"

_OF_FAMILIES = {
    "omni.replicator": _CAMERA,
    "isaacsim.replicator": _CAMERA,
    "omni.syntheticdata": _CAMERA,
    "omni.isaac.synthetic_utils": _CAMERA,
    "omni.kit.viewport": _CAMERA,
    "omni.isaac.dynamic_control": _ARTICULATION,
    "omni.isaac.ros_bridge": _ROS,
    "omni.isaac.ros2_bridge": _ROS,
    "isaacsim.ros1": _ROS,
    "isaacsim.ros2": _ROS,
    "omni.graph": _GRAPH,
    "isaacsim.core.nodes": _GRAPH,
    "omni.isaac.core_nodes": _GRAPH,
    "isaacsim.sensors.rtx": _LIDAR,
    "omni.isaac.range_sensor": _LIDAR,
    "isaacsim.sensors.physx": _LIDAR,
    "omni.isaac.quadruped": _POLICY,
    "isaacsim.robot.policy": _POLICY,
    "omni.isaac.urdf": _URDF,
    "omni.importer.urdf": _URDF,
    "isaacsim.asset.importer.urdf": _URDF,
    "omni.isaac.mjcf": _MJCF,
    "omni.importer.mjcf": _MJCF,
    "isaacsim.asset.importer.mjcf": _MJCF,
    "omni.ui": _WINDOW,
    "omni.appwindow": _WINDOW,
    "carb.input": _WINDOW,
    "omni.isaac.cortex": _CORTEX,
    "isaacsim.cortex": _CORTEX,
    "omni.isaac.examples": _SAMPLE,
    "isaacsim.examples": _SAMPLE,
    "omni.anim": _MOVES,
    "omni.isaac.conveyor": _MOVES,
    "isaacsim.asset.gen.conveyor": _MOVES,
    "omni.physx": _PHYSX,
    **MODULES,
}
"""Beginnings of names, and what works in place of what they name."""

_OF_ALL_OTHERS = "docs/coverage.md lists what of Isaac core exists here"


_OF_COMMANDS = {
    "URDF": _URDF,
    "MJCF": _MJCF,
    "IsaacSensorCreateRtx": _LIDAR,
    "RangeSensorCreate": _LIDAR,
}
"""Beginnings of commands' names, and what works in place of the commands."""


def nearest(name: str) -> str:
    """The nearest thing that works to what a full name of the originals means.

    What is known of the name itself comes first, then the longest family of names.
    """
    module, _, last = name.rpartition(".")
    if last in REFUSED.get(module, {}):
        return REFUSED[module][last]
    families = [family for family in _OF_FAMILIES if f"{name}.".startswith(f"{family}.")]
    return _OF_FAMILIES[max(families, key=len)] if families else _OF_ALL_OTHERS


def nearest_to_command(name: str) -> str | None:
    """The nearest thing that works to a command of Isaac Sim; None for those of no known kind."""
    return next((it for begin, it in _OF_COMMANDS.items() if name.startswith(begin)), None)
