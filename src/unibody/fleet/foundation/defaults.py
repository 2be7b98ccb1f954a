"""Default values of all parameters, and the environment variables that override them.

``PBF_<SECTION>_<KEY>`` replaces a default when the package is imported or `reload_defaults` is
called; a parameter without a default value cannot be set this way.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any

SIMULATION: dict[str, Any] = {
    "target_rtf": 1.0,
    "timestep": 0.1,
    "duration": 0,
    "gui": True,
    "physics": False,
    "monitor": True,
    "enable_monitor_gui": True,
    "log_level": "warn",
    "max_steps_per_frame": 10,
    "max_sleep_frames": 4.0,
    "gui_min_fps": 30,
    "enable_collision_shapes": False,
    "enable_structure_transparency": False,
    "enable_shadows": True,
    "enable_gui_panel": False,
    "ignore_static_collision": True,
    "enable_time_profiling": False,
    "profiling_interval": 100,
    "enable_memory_profiling": False,
    "enable_collision_color_change": False,
    "spatial_hash_cell_size_mode": "auto_initial",
    "collision_margin": 0.02,
    "multi_cell_threshold": 1.5,
    "enable_floor": True,
    "window_width": 1024,
    "window_height": 768,
    "monitor_width": 680,
    "monitor_height": 480,
    "monitor_x": -1,
    "monitor_y": -1,
    "collision_check_frequency": None,
    "collision_detection_method": None,
    "spatial_hash_cell_size": None,
    "camera_config": None,
    "lighting_config": None,
    "model_paths": None,
}
AGENT: dict[str, Any] = {"motion_mode": "differential", "use_fixed_base": False}
CONTROLLER: dict[str, Any] = {
    "max_linear_vel": 2.0,
    "max_linear_accel": 5.0,
    "max_angular_vel": 3.0,
    "max_angular_accel": 10.0,
    "cmd_vel_timeout": 0.0,
    "navigation_2d": False,
}
SIM_OBJECT: dict[str, Any] = {"mass": 0.0, "pickable": True, "collision_mode": "normal_3d"}
SHAPE: dict[str, Any] = {"radius": 0.5, "height": 1.0, "rgba_color": (0.8, 0.8, 0.8, 1.0)}
IK: dict[str, Any] = {
    "max_outer_iterations": 5,
    "convergence_threshold": 0.01,
    "max_inner_iterations": 200,
    "residual_threshold": 0.0001,
    "reachability_tolerance": 0.02,
}
_SECTIONS = {
    "simulation": SIMULATION,
    "agent": AGENT,
    "controller": CONTROLLER,
    "sim_object": SIM_OBJECT,
    "shape": SHAPE,
    "ik": IK,
}
_DEFAULTS = _SECTIONS
_BASELINE = copy.deepcopy(_SECTIONS)
NONE_SENTINEL_KEYS = frozenset(key for key, value in SIMULATION.items() if value is None)


def _truth(text: str) -> bool:
    return text.lower() in {"true", "1", "yes"}


_READERS: dict[type, Callable[[str], Any]] = {bool: _truth, int: int, float: float}


def _apply_env_overrides() -> None:
    for section, values in _SECTIONS.items():
        for key, default in values.items():
            text = os.environ.get(f"PBF_{section}_{key}".upper())
            if text is not None and default is not None:
                values[key] = _READERS.get(type(default), str)(text)


def get(section: str, key: str) -> Any:
    """The default of a parameter."""
    if key not in _SECTIONS.get(section, {}):
        raise KeyError(f"no default of {section!r}, {key!r}; sections: {', '.join(_SECTIONS)}")
    return _SECTIONS[section][key]


def reload_defaults() -> None:
    """Read the environment again."""
    _restore(copy.deepcopy(_BASELINE))
    _apply_env_overrides()


def _snapshot() -> dict[str, dict[str, Any]]:
    return copy.deepcopy(_SECTIONS)


def _restore(snapshot: dict[str, dict[str, Any]]) -> None:
    for section, values in snapshot.items():
        _SECTIONS[section].update(values)


_apply_env_overrides()
