"""Cameras, input events, timers."""

from __future__ import annotations

from unibody.isaacgym.types.constants import DEFAULT_VIEWER_HEIGHT, DEFAULT_VIEWER_WIDTH
from unibody.isaacgym.types.fields import UINT32, Bool, Float, Int, Struct, Text


class CameraProperties(Struct):
    """A camera.

    Attributes:
        width: [pixels]
        height: [pixels]
        horizontal_fov: Angle from left to right [degrees].
        near_plane: [m]
        far_plane: [m]
        supersampling_horizontal: Samples a pixel.
        supersampling_vertical: Samples a pixel.
        use_collision_geometry: Collision shapes are drawn, not visual ones.
        enable_tensors: Images can be had as tensors.
    """

    __slots__ = ()
    width = Int(DEFAULT_VIEWER_WIDTH, UINT32)
    height = Int(DEFAULT_VIEWER_HEIGHT, UINT32)
    horizontal_fov = Float(90.0)
    near_plane = Float(0.001)
    far_plane = Float(2_000_000.0)
    supersampling_horizontal = Int(1, UINT32)
    supersampling_vertical = Int(1, UINT32)
    use_collision_geometry = Bool(False)
    enable_tensors = Bool(False)


class ActionEvent(Struct):
    """An input the script has subscribed to."""

    __slots__ = ()
    _action = Text("")
    _value = Float()

    @property
    def action(self) -> str:
        """Name the script gave it."""
        return self._action

    @property
    def value(self) -> float:
        """One when a key or button goes down, zero when it comes up."""
        return self._value


class PerformanceTimers(Struct):
    """Time spent since the last query [s]."""

    __slots__ = ()
    frame_idling = Float()
    graphics_image_retrieval = Float()
    graphics_sensor_rendering = Float()
    graphics_viewer_rendering = Float()
    physics_data_movement = Float()
    physics_sim = Float()
    total_time = Float()


class Version(Struct):
    """Version of the API."""

    __slots__ = ()
    major = Int(0)
    minor = Int(0)
