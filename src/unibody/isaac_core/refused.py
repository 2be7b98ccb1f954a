"""Names of Isaac Sim 6 that are refused, and the nearest thing that works in their place."""

from __future__ import annotations

_CORE = "isaacsim.core.experimental"
_MOTION = "isaacsim.robot_motion.experimental.motion_generation"
_RTX = "isaacsim.sensors.experimental.rtx"
_SOFT = "isaacsim.core.api and isaacsim.core.prims are here, whose DeformablePrim is simulated"
_CAMERAS = "isaacsim.sensors.camera.Camera gives pictures, distances, segmentations and points"
_LIDARS = "isaacsim.sensors.experimental.physics.RaycastSensor measures by rays"
_OBSTACLES = "Path, trajectories, controllers and states of robots are here"

_ARMS = "isaacsim.robot.manipulators.examples, with its classes of the same arms"

REFUSED: dict[str, dict[str, str]] = {
    f"{_CORE}.prims": {"DeformablePrim": _SOFT},
    f"{_CORE}.materials": dict.fromkeys(
        ("SurfaceDeformableMaterial", "VolumeDeformableMaterial"),
        "isaacsim.core.api.materials.deformable_material.DeformableMaterial",
    ),
    f"{_CORE}.actuators": dict.fromkeys(
        (
            "ActuatorConfig", "ArticulationActuators", "DCMotorClampingConfig", "DelayConfig",
            "MaxEffortClampingConfig", "NeuralControlConfig", "PDControlConfig",
            "PIDControlConfig", "PositionBasedClampingConfig", "add_actuator",
        ),
        "set_dof_gains and set_dof_max_efforts of Articulation set its drives",
    ),
    _MOTION: dict.fromkeys(
        (
            "ObstacleConfiguration", "ObstacleRepresentation", "ObstacleStrategy", "SceneQuery",
            "TrackableApi", "WorldBinding", "WorldInterface",
        ),
        _OBSTACLES,
    ),
    _RTX: {
        **dict.fromkeys(
            (
                "CameraSensor", "RtxCamera", "SingleViewDepthCameraSensor",
                "StructuredLightCamera", "TiledCameraSensor",
            ),
            _CAMERAS,
        ),
        **dict.fromkeys(
            ("Acoustic", "AcousticSensor", "Lidar", "LidarSensor", "Radar", "RadarSensor"),
            _LIDARS,
        ),
    },
    "isaacsim.robot.experimental.manipulators.examples.franka": dict.fromkeys(
        ("Franka", "FrankaFollowTarget", "FrankaPickPlace", "Stacking"), _ARMS
    ),
    "isaacsim.robot.experimental.manipulators.examples.universal_robots": dict.fromkeys(
        ("Stacking", "UR10", "UR10FollowTarget"), _ARMS
    ),
}  # fmt: skip
"""By module; other names of such a module are refused, too."""

MODULES: dict[str, str] = {
    f"{_CORE}.actuators": REFUSED[f"{_CORE}.actuators"]["ArticulationActuators"],
    _RTX: _CAMERAS,
    _MOTION: _OBSTACLES,
    "isaacsim.robot.experimental.manipulators": _ARMS,
    _CORE: "isaacsim.core.api, isaacsim.core.prims and isaacsim.core.utils are here",
}
"""What works in place of all else of a module and of those below it."""
