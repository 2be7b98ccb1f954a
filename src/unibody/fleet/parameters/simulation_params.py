"""Parameters of a simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from unibody.fleet.foundation.defaults import SIMULATION as D
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.foundation.types import CollisionDetectionMethod, SpatialHashCellSizeMode
from unibody.fleet.parameters.config_files import dataclass_from_dict
from unibody.fleet.parameters.yaml_reader import read_yaml, refuse

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
ALIASES = {"camera_config": "camera", "lighting_config": "lighting"}
_POSITIVE = ("timestep", "profiling_interval", "max_steps_per_frame", "multi_cell_threshold")
_NOT_NEGATIVE = ("target_rtf", "duration", "collision_margin", "max_sleep_frames")
_CELL_SIZE_MODE = SpatialHashCellSizeMode(D["spatial_hash_cell_size_mode"])
_OPTIONAL = ("collision_check_frequency", "spatial_hash_cell_size")


@dataclass
class SimulationParams:
    """Parameters of a simulation.

    Attributes:
        target_rtf: Simulated seconds a second; 0: as fast as possible.
        timestep: Of one step [s].
        duration: Of a run [s of simulation]; 0: until stopped.
        gui: Show it.
        physics: Let the engine move what has mass.
        monitor: Keep figures of the run; with ``enable_monitor_gui`` in a window.
        collision_check_frequency: Checks a second; None: every step; 0: none.
        log_level: How much is logged.
        max_steps_per_frame: Most steps without a look at the clock.
        max_sleep_frames: Longest sleep, in steps.
        gui_min_fps: Least pictures a second.
        ignore_static_collision: Leave pairs with static objects out.
        collision_margin: Distance that counts as a collision [m].
        collision_detection_method: What counts; None: contacts with physics, else the distance.
        spatial_hash_cell_size_mode: Where the cell size of the collision grid comes from.
        spatial_hash_cell_size: It, where it is constant [m].
        enable_floor: Put a plane at height 0.
        camera_config: ``camera`` in a file.
        lighting_config: ``lighting`` in a file.
        model_paths: Folders to look for models in.
    """

    target_rtf: float = D["target_rtf"]
    timestep: float = D["timestep"]
    duration: float = D["duration"]
    gui: bool = D["gui"]
    physics: bool = D["physics"]
    monitor: bool = D["monitor"]
    enable_monitor_gui: bool = D["enable_monitor_gui"]
    collision_check_frequency: float | None = None
    log_level: str = D["log_level"]
    max_steps_per_frame: int = D["max_steps_per_frame"]
    max_sleep_frames: float = D["max_sleep_frames"]
    gui_min_fps: int = D["gui_min_fps"]
    enable_collision_shapes: bool = D["enable_collision_shapes"]
    enable_structure_transparency: bool = D["enable_structure_transparency"]
    enable_shadows: bool = D["enable_shadows"]
    enable_gui_panel: bool = D["enable_gui_panel"]
    ignore_static_collision: bool = D["ignore_static_collision"]
    enable_time_profiling: bool = D["enable_time_profiling"]
    profiling_interval: int = D["profiling_interval"]
    enable_memory_profiling: bool = D["enable_memory_profiling"]
    enable_collision_color_change: bool = D["enable_collision_color_change"]
    spatial_hash_cell_size_mode: SpatialHashCellSizeMode = _CELL_SIZE_MODE
    spatial_hash_cell_size: float | None = None
    collision_detection_method: CollisionDetectionMethod | None = None
    collision_margin: float = D["collision_margin"]
    multi_cell_threshold: float = D["multi_cell_threshold"]
    enable_floor: bool = D["enable_floor"]
    camera_config: dict[str, Any] | None = None
    lighting_config: dict[str, Any] | None = None
    model_paths: list[str] | None = None
    window_width: int = D["window_width"]
    window_height: int = D["window_height"]
    monitor_width: int = D["monitor_width"]
    monitor_height: int = D["monitor_height"]
    monitor_x: int = D["monitor_x"]
    monitor_y: int = D["monitor_y"]

    def __post_init__(self) -> None:
        method: Any = self.collision_detection_method
        if isinstance(method, str):
            allowed = [item.value for item in CollisionDetectionMethod]
            if method not in allowed:
                logger.warning(
                    "Unknown collision_detection_method %r; falling back to physics-based "
                    "default. Valid values: %s",
                    method,
                    allowed,
                )
                method = None
            else:
                method = CollisionDetectionMethod(method)
        if method is None:
            contacts = CollisionDetectionMethod.CONTACT_POINTS
            method = contacts if self.physics else CollisionDetectionMethod.CLOSEST_POINTS
        self.collision_detection_method = method
        self.camera_config = {} if self.camera_config is None else self.camera_config
        self.lighting_config = {} if self.lighting_config is None else self.lighting_config
        self.model_paths = [] if self.model_paths is None else self.model_paths

    @classmethod
    def from_config(cls, config_path: str = "config.yaml") -> SimulationParams:
        """Read them from a YAML file, from its section ``simulation`` if it has one.

        Raises:
            ConfigError: The file is not YAML, or a value is not allowed.
        """
        config = read_yaml(config_path)
        return cls.from_dict(config.get("simulation") or config)

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> SimulationParams:
        """Make them from a dictionary; other keys are passed over.

        Raises:
            ConfigError: A value is not allowed.
        """
        check_values(config)
        return dataclass_from_dict(cls, config, aliases=ALIASES)


def known_keys() -> set[str]:
    """The keys of a section ``simulation``."""
    return {ALIASES.get(item.name, item.name) for item in fields(SimulationParams)}


def check_values(config: dict[str, Any]) -> None:
    """See that the values of a section ``simulation`` are allowed.

    Raises:
        ConfigError: One is not; the message names its line and what is allowed.
    """
    for name in (*_POSITIVE, *_NOT_NEGATIVE, *_OPTIONAL):
        value = config.get(name)
        if value is None and (name in _OPTIONAL or name not in config):
            continue
        lowest = "> 0" if name in (*_POSITIVE, "spatial_hash_cell_size") else ">= 0"
        fine = (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and math.isfinite(value)
            and (value > 0 if lowest == "> 0" else value >= 0)
        )
        if not fine:
            refuse(config, name, f"{name}={value!r} is not allowed: expected a number {lowest}")
    mode = config.get("spatial_hash_cell_size_mode")
    allowed = [item.value for item in SpatialHashCellSizeMode]
    if isinstance(mode, str) and mode not in allowed:
        name = "spatial_hash_cell_size_mode"
        refuse(config, name, f"{name}={mode!r} is not allowed: expected one of {allowed}")
