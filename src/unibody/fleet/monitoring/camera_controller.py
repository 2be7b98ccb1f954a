"""Moving a camera with keys and mouse."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from unibody.core.engine.scene.sessions import Session, find_session

_MOVE, _BUTTON = 1, 2  # kinds of mouse events
_RIGHT = 2
_DOWN, _RELEASED = 3, 4
_KEY_IS_DOWN, _KEY_WAS_TRIGGERED = 1, 2
_NEAREST = 2.0  # m: closer than this the camera moves ahead instead
_LEAST_STEP = 0.5  # m
MouseEvent = tuple[int, int, int, int, int]
"""Kind, x, y, button, state."""


@dataclass
class Camera:
    """A camera that looks at a point.

    Attributes:
        distance: From that point [m].
        yaw: About the vertical [deg].
        pitch: Negative looks down [deg].
        target: The point [m].
    """

    distance: float = 10.0
    yaw: float = 0.0
    pitch: float = -30.0
    target: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])


_of_sessions: WeakKeyDictionary[Session, Camera] = WeakKeyDictionary()
_of_others: dict[int, Camera] = {}


def camera_of(client_id: int) -> Camera:
    """The camera of a client's window; made when first asked for, and gone with the client."""
    session = find_session(client_id)
    if session is None:
        return _of_others.setdefault(client_id, Camera())
    return _of_sessions.setdefault(session, Camera())


class CameraController:
    """Moves a camera: right button pans, ``=`` and ``-`` zoom, ``o`` looks from above.

    Args:
        client_id: Whose camera, or a camera itself.
        drag_sensitivity: Metres a pixel at a distance of one metre.
        zoom_speed: Factor on the steps of the zoom.
    """

    def __init__(
        self, client_id: int | Camera, drag_sensitivity: float = 0.01, zoom_speed: float = 1.0
    ) -> None:
        self.camera: Camera = client_id if isinstance(client_id, Camera) else camera_of(client_id)
        self._drag_sensitivity = drag_sensitivity
        self._zoom_speed = zoom_speed
        self._drag: tuple[int, int, list[float], float, float] | None = None

    def update(self, keys: dict[int, int], mouse_events: list[MouseEvent] | None = None) -> bool:
        """Take in what was pressed and moved; True if the camera moved."""
        moved = any([self._mouse(event) for event in mouse_events or ()])
        camera = self.camera
        step = max(_LEAST_STEP, camera.distance * 0.1 * self._zoom_speed)
        if keys.get(ord("="), 0) & _KEY_IS_DOWN:
            self._zoom_in(step)
            moved = True
        if keys.get(ord("-"), 0) & _KEY_IS_DOWN:
            camera.distance += step
            moved = True
        if keys.get(ord("o"), 0) & _KEY_WAS_TRIGGERED:
            camera.pitch, camera.yaw = -89.9, 0.0
            moved = True
        return moved

    def follow_target(self, target: Any) -> None:
        """Look at a point [m]."""
        self.camera.target = [float(value) for value in target]

    def _zoom_in(self, step: float) -> None:
        camera = self.camera
        camera.distance -= step
        if camera.distance >= _NEAREST:
            return
        ahead = _NEAREST - camera.distance
        yaw, pitch = math.radians(camera.yaw), math.radians(camera.pitch)
        look = (
            -math.sin(yaw) * math.cos(pitch), math.cos(yaw) * math.cos(pitch), math.sin(pitch),
        )  # fmt: skip
        camera.target = [t + ahead * d for t, d in zip(camera.target, look, strict=True)]
        camera.distance = _NEAREST

    def _mouse(self, event: MouseEvent) -> bool:
        kind, x, y, button, state = event
        camera = self.camera
        if kind == _BUTTON and button == _RIGHT:
            if state == _DOWN and self._drag is None:
                self._drag = (x, y, list(camera.target), camera.yaw, camera.pitch)
            elif state == _RELEASED:
                self._drag = None
            return False
        if kind != _MOVE or self._drag is None:
            return False
        x0, y0, origin, yaw, pitch = self._drag
        scale = self._drag_sensitivity * camera.distance
        dx, dy = scale * (x - x0), scale * (y - y0)
        yaw, pitch = math.radians(yaw), math.radians(pitch)
        right = (math.cos(yaw), math.sin(yaw), 0.0)
        up = (math.sin(yaw) * math.sin(pitch), -math.cos(yaw) * math.sin(pitch), math.cos(pitch))
        camera.target = [o - dx * r + dy * u for o, r, u in zip(origin, right, up, strict=True)]
        return True
