"""Visualizer settings and camera: kept without a window, and shared with the page of one."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.optional import optional_vector
from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.maths import camera_matrices

_WIDTH, _HEIGHT = 1024, 768
FOV = math.radians(90.0)
"""Vertical field of view of PyBullet's window [rad]."""
_NEAR, _FAR = 0.01, 1000.0
_HORIZON = 10000.0  # m: how far ahead the vectors along the sides of the window are
_DEFAULT_CAMERA = {"distance": 5.0, "yaw": 50.0, "pitch": -35.0, "target": (0.0, 0.0, 0.0)}


def configureDebugVisualizer(
    flag: int = -1,
    enable: int = -1,
    lightPosition: Sequence[float] | None = None,
    shadowMapResolution: int = -1,
    shadowMapWorldSize: int = -1,
    remoteSyncTransformInterval: float = -1.0,
    shadowMapIntensity: float = -1.0,
    rgbBackground: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Keep a visualizer setting (``COV_*``), light or background for when a view is opened."""
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    if flag >= 0:
        client.visualizer[flag] = enable
        if flag == c.COV_ENABLE_SINGLE_STEP_RENDERING and enable:
            for film in client.films:
                film.single_frame()
    keep_shadows(
        client, shadowMapResolution, shadowMapWorldSize, remoteSyncTransformInterval,
        shadowMapIntensity,
    )  # fmt: skip
    if lightPosition is not None or rgbBackground is not None:
        for name, value in (("lightPosition", lightPosition), ("rgbBackground", rgbBackground)):
            if (
                numbers := optional_vector(client, "configureDebugVisualizer", name, value, 3)
            ) is not None:
                client.camera[name] = numbers


def keep_shadows(
    client: Client, resolution: int, size: int, interval: float, intensity: float
) -> None:
    """Keep how shadows are drawn; what is negative stays as it was."""
    camera = client.camera
    if resolution >= 0:
        camera["shadowMapResolution"] = resolution
    if size >= 0:
        camera["shadowMapWorldSize"] = size
    if interval >= 0:
        camera["remoteSyncTransformInterval"] = interval
    if intensity >= 0:
        camera["shadowMapIntensity"] = intensity


def resetDebugVisualizerCamera(
    cameraDistance: float,
    cameraYaw: float,
    cameraPitch: float,
    cameraTargetPosition: Sequence[float],
    physicsClientId: int = 0,
) -> None:
    """Place the visualizer's camera: distance [m], yaw and pitch [deg], target [m]."""
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    target = vector(cameraTargetPosition, 3, "cameraTargetPosition needs 3 numbers")
    look_from(client, float(cameraDistance), float(cameraYaw), float(cameraPitch), target)


def look_from(
    client: Client, distance: float, yaw: float, pitch: float, target: tuple[float, ...]
) -> None:
    """Place a client's camera; see resetDebugVisualizerCamera."""
    camera = client.camera
    camera["distance"], camera["yaw"], camera["pitch"] = distance, yaw, pitch
    camera["target"] = target
    if client.window is not None:
        client.window.look(distance, yaw, pitch, target)


def getDebugVisualizerCamera(physicsClientId: int = 0) -> tuple[Any, ...]:
    """The visualizer's camera, in PyBullet's 12 fields.

    (width, height, view matrix, projection matrix, up, forward, horizontal, vertical, yaw [deg],
    pitch [deg], distance [m], target [m]).
    """
    return visualizer_camera(get_client(physicsClientId))


def y_is_up(client: Client) -> bool:
    """Whether the script has asked for y, not z, to be up on the page."""
    return bool(client.visualizer.get(c.COV_ENABLE_Y_AXIS_UP, 0))


def visualizer_angles(client: Client) -> tuple[float, float, float, tuple[float, ...]]:
    """Distance [m], yaw and pitch [deg], and target [m] of the camera as the script left it."""
    camera = {**_DEFAULT_CAMERA, **client.camera}
    return camera["distance"], camera["yaw"], camera["pitch"], camera["target"]


def visualizer_camera(client: Client) -> tuple[Any, ...]:
    """What getDebugVisualizerCamera says about a client."""
    camera = {**_DEFAULT_CAMERA, **client.camera}
    if client.window is not None:
        camera.update(client.window.camera())
    width, height = camera.get("width", _WIDTH), camera.get("height", _HEIGHT)
    yaw, pitch = camera["yaw"], camera["pitch"]
    distance, target = camera["distance"], camera["target"]
    axis = 1 if y_is_up(client) else 2
    return _camera_fields(width, height, yaw, pitch, distance, tuple(target), axis)


@functools.lru_cache(maxsize=16)  # scripts ask in every step, and seldom move it
def _camera_fields(
    width: int,
    height: int,
    yaw: float,
    pitch: float,
    distance: float,
    target: tuple[float, ...],
    axis: int,
) -> tuple[Any, ...]:
    view = camera_matrices.computeViewMatrixFromYawPitchRoll(
        target, distance, yaw, pitch, 0.0, axis
    )
    aspect = width / height
    projection = camera_matrices.computeProjectionMatrixFOV(math.degrees(FOV), aspect, _NEAR, _FAR)
    world_up = (0.0, 1.0, 0.0) if axis == 1 else (0.0, 0.0, 1.0)
    # the rows of a view matrix are right, up and backward in the world
    right, up = (view[0], view[4], view[8]), (view[1], view[5], view[9])
    forward = (-view[2], -view[6], -view[10])
    reach = 2.0 * math.tan(0.5 * FOV) * _HORIZON
    horizontal = tuple(reach * aspect * value for value in right)
    vertical = tuple(reach * value for value in up)
    return (
        width, height, view, projection, world_up, forward, horizontal, vertical, yaw,
        pitch, distance, target,
    )  # fmt: skip
