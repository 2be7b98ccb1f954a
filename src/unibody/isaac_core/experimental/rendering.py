"""``isaacsim.core.rendering_manager``: frames without physics, and the camera of the window."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import viewports
from unibody.isaac_core.kit import app, timeline
from unibody.isaac_core.simulation.manager import simulation

__all__ = ["RenderingEvent", "RenderingManager", "ViewportManager"]


class RenderingEvent(enum.Enum):
    """What frames tell of."""

    NEW_FRAME = "isaacsim.rendering.new_frame"


_numbers = itertools.count()
_subscriptions: dict[int, Any] = {}


class RenderingManager:
    """Frames of the app."""

    @classmethod
    def render(cls) -> None:
        """Make a frame in which the physics rests."""
        simulation.update_without_physics()

    @classmethod
    def set_dt(cls, dt: float) -> None:
        """Set the time of a frame [s].

        Raises:
            InvalidArgumentError: It is not positive.
        """
        if not dt > 0.0:
            raise InvalidArgumentError("dt", dt, "a positive time")
        timeline.get_timeline_interface().set_time_codes_per_second(1.0 / dt)
        app.get_app().frame_time = float(dt)

    @classmethod
    def get_dt(cls) -> float:
        """Time of a frame [s]."""
        return app.get_app().frame_time

    @classmethod
    def register_callback(
        cls, event: RenderingEvent, *, callback: Callable[[Any], Any], order: int = 0
    ) -> int:
        """Call a function with the event of each new frame.

        Returns:
            Number by which `deregister_callback` ends that.

        Raises:
            InvalidArgumentError: There is no such event.
        """
        if event is not RenderingEvent.NEW_FRAME:
            raise InvalidArgumentError("event", event, "RenderingEvent.NEW_FRAME")
        stream = app.get_app().get_post_update_event_stream()
        number = next(_numbers)
        _subscriptions[number] = stream.create_subscription_to_pop(callback, order)
        return number

    @classmethod
    def deregister_callback(cls, uid: int) -> None:
        """End calls.

        Raises:
            InvalidArgumentError: There are none of that number.
        """
        if uid not in _subscriptions:
            raise InvalidArgumentError("uid", uid, "a number that register_callback gave")
        _subscriptions.pop(uid).unsubscribe()

    @classmethod
    def deregister_all_callbacks(cls) -> None:
        """End all calls."""
        for number in list(_subscriptions):
            cls.deregister_callback(number)


class ViewportManager:
    """The camera that a window shows."""

    @classmethod
    def set_camera_view(
        cls, camera: Any, *, eye: Any = None, target: Any = None, relative_tracking: bool = False
    ) -> None:
        """Let a camera look from a point at another one.

        Args:
            camera: It, or its path.
            eye: (3,) where it is.
            target: (3,) what it looks at.
            relative_tracking: Only False.

        Raises:
            InvalidArgumentError: One of the points is missing, or the view is to track.
        """
        if relative_tracking:
            raise InvalidArgumentError("relative_tracking", True, "False")
        if eye is None or target is None:
            raise InvalidArgumentError("eye and target", (eye, target), "two points")
        path = camera if isinstance(camera, str) else camera.GetPath().pathString
        viewports.set_camera_view(eye=eye, target=target, camera_prim_path=path)
