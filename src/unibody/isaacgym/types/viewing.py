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
    width: Int = Int(DEFAULT_VIEWER_WIDTH, UINT32)
    height: Int = Int(DEFAULT_VIEWER_HEIGHT, UINT32)
    horizontal_fov: Float = Float(90.0)
    near_plane: Float = Float(0.001)
    far_plane: Float = Float(2_000_000.0)
    supersampling_horizontal: Int = Int(1, UINT32)
    supersampling_vertical: Int = Int(1, UINT32)
    use_collision_geometry: Bool = Bool(False)
    enable_tensors: Bool = Bool(False)


class ActionEvent(Struct):
    """An input the script has subscribed to."""

    __slots__ = ()
    _action: Text = Text("")
    _value: Float = Float()

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
    frame_idling: Float = Float()
    graphics_image_retrieval: Float = Float()
    graphics_sensor_rendering: Float = Float()
    graphics_viewer_rendering: Float = Float()
    physics_data_movement: Float = Float()
    physics_sim: Float = Float()
    total_time: Float = Float()


class Version(Struct):
    """Version of the API."""

    __slots__ = ()
    major: Int = Int(0)
    minor: Int = Int(0)
