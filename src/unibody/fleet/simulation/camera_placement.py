"""Where the camera of a simulation goes."""

from __future__ import annotations

from typing import Any

from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.monitoring.camera_controller import Camera

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
_NEAREST_CAMERA = 1.0  # m


def camera_as_stated(
    config: dict[str, Any], positions: list[list[float]] | None, core: Any
) -> Camera | None:
    """The camera a configuration asks for.

    Args:
        config: See `MultiRobotSimulationCore.setup_camera`.
        positions: What to look at; None: all objects [m].
        core: The simulation.

    Returns:
        None if it asks for none, or there is nothing to look at; then the log is told.
    """
    mode = config.get("camera_mode", "auto")
    if mode == "manual":
        return _camera(
            config.get("camera_distance", 10.0),
            config.get("camera_yaw", 0),
            config.get("camera_pitch", -89),
            config.get("camera_target", [0, 0, 0]),
        )
    if mode != "auto":
        logger.warning(f"Unknown camera_mode '{mode}'. Valid modes: ('manual', 'auto')")
        return None
    if positions:
        columns = list(zip(*positions, strict=True))
        center = [sum(column) / len(column) for column in columns]
        extent = [max(column) - min(column) for column in columns]
    elif core._sim_objects:
        center, extent = core.compute_scene_bounds()
    else:
        logger.warning("Auto camera mode requested but no objects in simulation")
        return None
    top_down = config.get("camera_view_type", "top_down") == "top_down"
    widest = max(extent[:2] if top_down else extent)
    distance = max(widest * config.get("camera_auto_scale", 0.8), _NEAREST_CAMERA)
    yaw, pitch = (0, -89) if top_down else (45, -30)
    return _camera(distance, yaw, pitch, center)


def _camera(distance: float, yaw: float, pitch: float, target: Any) -> Camera:
    return Camera(float(distance), float(yaw), float(pitch), [float(value) for value in target])
