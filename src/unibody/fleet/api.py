"""The names of PyBulletFleet's package."""

from __future__ import annotations

from unibody.fleet.agents.agent import (
    Agent,
    AgentSpawnParams,
    IKParams,
)
from unibody.fleet.agents.agent_manager import (
    AgentManager,
    GridSpawnParams,
    SimObjectManager,
)
from unibody.fleet.behavior_trees.behavior_tree import (
    AgentActionId,
    AgentBehaviorTree,
    BehaviorTree,
    BehaviorTreeNodeType,
    NavigationAdapter,
    NavigationStatus,
    PyBulletFleetNavigationAdapter,
    TickResult,
    WorkerActionId,
    WorkerBehaviorTree,
)
from unibody.fleet.controllers import (
    PatrolController,
    RandomWalkController,
)
from unibody.fleet.controllers.controller import (
    Controller,
    DifferentialController,
    KinematicController,
    OmniController,
    create_controller,
    create_controller_from_entry,
    register_controller,
)
from unibody.fleet.devices.door import (
    Door,
    DoorParams,
)
from unibody.fleet.devices.elevator import (
    Elevator,
    ElevatorParams,
)
from unibody.fleet.fleet_commands.commands import (
    DEFAULT_ATTACH_SEARCH_RADIUS,
    FLEET_COMMAND_EVENT,
    CommandAck,
    CommandEvent,
    RobotActionCommand,
    RobotAttachCommand,
    RobotGoalCommand2D,
    RobotGoalCommand3D,
    RobotJointPositionsCommand,
    RobotNamedJointPositionsCommand,
)
from unibody.fleet.fleet_commands.fleet_api import (
    FleetCommandDispatcher,
    FleetStateProvider,
)
from unibody.fleet.fleet_commands.states import (
    RobotState2D,
    RobotState3D,
)
from unibody.fleet.foundation import argument_checks
from unibody.fleet.foundation.events import (
    EventBus,
    SimEvents,
)
from unibody.fleet.foundation.loggers import (
    LogLevelManager,
)
from unibody.fleet.foundation.types import (
    ActionStatus,
    CollisionDetectionMethod,
    CollisionMode,
    ControllerMode,
    DoorState,
    MotionMode,
    MovementDirection,
    PosePhase,
    SpatialHashCellSizeMode,
)
from unibody.fleet.models.robot_models import (
    ModelEntry,
    RobotProfile,
    add_search_path,
    auto_detect_profile,
    detect_robot_type,
    discover_models,
    get_search_paths,
    list_all_models,
    register_model,
    remove_search_path,
    resolve_model,
    resolve_urdf,
    unregister_model,
)
from unibody.fleet.monitoring.gui_commands import (
    GuiCommand,
    GuiCommandType,
    MonitorEntity,
    MonitorFrame,
    SelectedEntityMonitorState,
)
from unibody.fleet.objects.entity_registry import (
    register_entity_class,
)
from unibody.fleet.objects.sim_object import (
    ShapeParams,
    SimObject,
    SimObjectSpawnParams,
)
from unibody.fleet.objects.tools import (
    body_to_world_velocity_2d,
    body_to_world_velocity_3d,
    grid_to_world,
    normalize_vector_param,
    world_to_grid,
)
from unibody.fleet.parameters.config_files import (
    load_yaml_config,
)
from unibody.fleet.parameters.registries import (
    PluginRegistry,
)
from unibody.fleet.plugins.agent_plugin import (
    AgentPlugin,
    create_agent_plugin,
    list_agent_plugins,
    register_agent_plugin,
)
from unibody.fleet.plugins.battery_plugin import (
    BatteryPlugin,
)
from unibody.fleet.plugins.sim_plugin import (
    SimPlugin,
    create_sim_plugin,
    create_sim_plugin_from_entry,
    list_sim_plugins,
    register_sim_plugin,
)
from unibody.fleet.recording.recorder import (
    SimulationRecorder,
)
from unibody.fleet.simulation.core import (
    MultiRobotSimulationCore,
    SimulationParams,
)
from unibody.fleet.spatial.geometry import (
    Path,
    Pose,
    quat_angle_between,
    quat_from_rotvec,
    quat_multiply,
    quat_slerp_batch,
    quat_to_rot_matrix,
    rotate_vector,
)
from unibody.fleet.world_files.sdf_loader import (
    load_mesh_directory,
    load_rmf_world,
    load_sdf_world,
    load_sdf_world_file,
    resolve_sdf_to_urdf,
)
from unibody.fleet.world_files.usd_loader import (
    UsdImportDiagnostic,
    UsdImportOptions,
    UsdImportReport,
    load_usd_world,
)

__version__ = "0.8.0"  # of the API it speaks

__all__ = [
    "DEFAULT_ATTACH_SEARCH_RADIUS",
    "FLEET_COMMAND_EVENT",
    "ActionStatus",
    "Agent",
    "AgentActionId",
    "AgentBehaviorTree",
    "AgentManager",
    "AgentPlugin",
    "AgentSpawnParams",
    "BatteryPlugin",
    "BehaviorTree",
    "BehaviorTreeNodeType",
    "CollisionDetectionMethod",
    "CollisionMode",
    "CommandAck",
    "CommandEvent",
    "Controller",
    "ControllerMode",
    "DifferentialController",
    "Door",
    "DoorParams",
    "DoorState",
    "Elevator",
    "ElevatorParams",
    "EventBus",
    "FleetCommandDispatcher",
    "FleetStateProvider",
    "GridSpawnParams",
    "GuiCommand",
    "GuiCommandType",
    "IKParams",
    "KinematicController",
    "LogLevelManager",
    "ModelEntry",
    "MonitorEntity",
    "MonitorFrame",
    "MotionMode",
    "MovementDirection",
    "MultiRobotSimulationCore",
    "NavigationAdapter",
    "NavigationStatus",
    "OmniController",
    "Path",
    "PatrolController",
    "PluginRegistry",
    "Pose",
    "PosePhase",
    "PyBulletFleetNavigationAdapter",
    "RandomWalkController",
    "RobotActionCommand",
    "RobotAttachCommand",
    "RobotGoalCommand2D",
    "RobotGoalCommand3D",
    "RobotJointPositionsCommand",
    "RobotNamedJointPositionsCommand",
    "RobotProfile",
    "RobotState2D",
    "RobotState3D",
    "SelectedEntityMonitorState",
    "ShapeParams",
    "SimEvents",
    "SimObject",
    "SimObjectManager",
    "SimObjectSpawnParams",
    "SimPlugin",
    "SimulationParams",
    "SimulationRecorder",
    "SpatialHashCellSizeMode",
    "TickResult",
    "UsdImportDiagnostic",
    "UsdImportOptions",
    "UsdImportReport",
    "WorkerActionId",
    "WorkerBehaviorTree",
    "__version__",
    "add_search_path",
    "auto_detect_profile",
    "body_to_world_velocity_2d",
    "body_to_world_velocity_3d",
    "create_agent_plugin",
    "create_controller",
    "create_controller_from_entry",
    "create_sim_plugin",
    "create_sim_plugin_from_entry",
    "detect_robot_type",
    "discover_models",
    "get_search_paths",
    "grid_to_world",
    "list_agent_plugins",
    "list_all_models",
    "list_sim_plugins",
    "load_mesh_directory",
    "load_rmf_world",
    "load_sdf_world",
    "load_sdf_world_file",
    "load_usd_world",
    "load_yaml_config",
    "normalize_vector_param",
    "quat_angle_between",
    "quat_from_rotvec",
    "quat_multiply",
    "quat_slerp_batch",
    "quat_to_rot_matrix",
    "register_agent_plugin",
    "register_controller",
    "register_entity_class",
    "register_model",
    "register_sim_plugin",
    "remove_search_path",
    "resolve_model",
    "resolve_sdf_to_urdf",
    "resolve_urdf",
    "rotate_vector",
    "unregister_model",
    "world_to_grid",
]

argument_checks.install(
    globals(),
    (
        "actions.action",
        "actions.action_parser",
        "parameters.config_files",
        "parameters.controller_params",
        "parameters.registries",
        "controllers.batch_base",
        "controllers.batch_differential",
        "controllers.batch_omni",
        "monitoring.data_monitor",
        "monitoring.camera_controller",
        "objects.entity_registry",
        "spatial.geometry",
        "models.robot_models",
        "objects.tools",
        "foundation.defaults",
        "foundation.types",
        "recording.event_reader",
        "world_files.sdf_loader",
    ),
)
