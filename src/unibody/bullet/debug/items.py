"""addUserDebugLine and its family: kept for a window, and answered as if one were there.

A ``DIRECT`` client has no window: nothing is kept, ids are -1 and no parameter can be read, as in
PyBullet. A ``GUI`` client without a window behaves like one whose window nobody touches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.vectors import vec3_or, vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.errors import error
from unibody.bullet.state.debug_items import (
    DebugItem,
    DebugLine,
    DebugParameter,
    DebugPoints,
    DebugText,
)
from unibody.core.assets.description import Vec3

_WHITE = (1.0, 1.0, 1.0)
_MAX_POINTS = 131_072  # PyBullet refuses more


def addUserDebugLine(
    lineFromXYZ: Sequence[float],
    lineToXYZ: Sequence[float],
    lineColorRGB: Sequence[float] = _WHITE,
    lineWidth: float = 1.0,
    lifeTime: float = 0.0,
    parentObjectUniqueId: int = -1,
    parentLinkIndex: int = -1,
    replaceItemUniqueId: int = -1,
    physicsClientId: int = 0,
) -> int:
    """Add a line and return its id; -1 without a window.

    Args:
        lineFromXYZ: Start, in the world or the parent link's frame [m].
        lineToXYZ: End [m].
        lineColorRGB: Each 0 to 1; a value that is not three numbers is taken as white.
        lineWidth: [pixels].
        lifeTime: Seconds of wall-clock time it stays; 0: until it is removed.
        parentObjectUniqueId: Body whose link it moves with; -1: none.
        parentLinkIndex: That link; -1: the base.
        replaceItemUniqueId: Id of an item it takes the place of.
        physicsClientId: The client.

    Raises:
        error: Not connected, or a position that is not three numbers.
    """
    client = clients.get(physicsClientId) or get_client(physicsClientId)
    start = vector(lineFromXYZ, 3, "Error converting lineFrom[3]")
    end = vector(lineToXYZ, 3, "Error converting lineTo[3]")
    if client.method != c.GUI:
        return -1
    color = vec3_or(lineColorRGB, _WHITE)
    parent = _parent(client, parentObjectUniqueId, parentLinkIndex)
    line = DebugLine(parent, _expiry(lifeTime), start, end, color, float(lineWidth))
    return client.debug.add(line, int(replaceItemUniqueId))


def addUserDebugPoints(
    pointPositions: Sequence[Sequence[float]],
    pointColorsRGB: Sequence[Sequence[float]],
    pointSize: float = 1.0,
    lifeTime: float = 0.0,
    parentObjectUniqueId: int = -1,
    parentLinkIndex: int = -1,
    replaceItemUniqueId: int = -1,
    physicsClientId: int = 0,
) -> int:
    """Add a cloud of points, (N, 3) [m], with (N, 3) colours, and return its id.

    See addUserDebugLine for the other arguments.

    Raises:
        error: Not connected, no point, too many, or not one colour for each point.
    """
    client = get_client(physicsClientId)
    count = _length(pointPositions)
    if count < 0:
        raise TypeError("expected a sequence of vertex positions")
    if _length(pointColorsRGB) != count:
        raise error("numColors must match numPositions.")
    if count > _MAX_POINTS:
        raise error("Number of vertices exceeds the maximum.")
    positions = _vec3s(pointPositions, "Error converting pointPositions[N][3]")
    colors = _vec3s(pointColorsRGB, "Error converting pointColorsRGB[N][3]")
    if not positions:
        raise error("pointPositions is empty.")
    parent = _parent(client, parentObjectUniqueId, parentLinkIndex)
    points = DebugPoints(parent, _expiry(lifeTime), positions, colors, float(pointSize))
    return _add(client, points, replaceItemUniqueId)


def addUserDebugText(
    text: str,
    textPosition: Sequence[float],
    textColorRGB: Sequence[float] = _WHITE,
    textSize: float = 1.0,
    lifeTime: float = 0.0,
    textOrientation: Sequence[float] | None = None,
    parentObjectUniqueId: int = -1,
    parentLinkIndex: int = -1,
    replaceItemUniqueId: int = -1,
    physicsClientId: int = 0,
) -> int:
    """Add a text and return its id; see addUserDebugLine for the other arguments.

    Args:
        text: The text.
        textPosition: In the world or the parent link's frame [m].
        textColorRGB: Each 0 to 1.
        textSize: Relative to the usual size.
        lifeTime: [s].
        textOrientation: (x, y, z, w); None: it always faces the camera.
        parentObjectUniqueId: Body whose link it moves with.
        parentLinkIndex: That link.
        replaceItemUniqueId: Id of an item it takes the place of.
        physicsClientId: The client.

    Raises:
        error: Not connected, or a vector of the wrong length.
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"argument 1 must be str, not {type(text).__name__}")
    client = clients.get(physicsClientId) or get_client(physicsClientId)
    position = vector(textPosition, 3, "Error converting textPositionObj[3]")
    color = vector(textColorRGB, 3, "Error converting textColorRGBObj[3]")
    turn = None
    if textOrientation is not None:
        turn = vector(textOrientation, 4, "Error converting textOrientation[4]")
    if client.method != c.GUI:
        return -1
    parent = _parent(client, parentObjectUniqueId, parentLinkIndex)
    item = DebugText(parent, _expiry(lifeTime), text, position, color, float(textSize), turn)
    return client.debug.add(item, int(replaceItemUniqueId))


def addUserDebugParameter(
    paramName: str,
    rangeMin: float = 0.0,
    rangeMax: float = 1.0,
    startValue: float = 0.0,
    physicsClientId: int = 0,
) -> int:
    """Add a slider, or a button if ``rangeMin > rangeMax``, and return its id.

    Raises:
        error: Not connected.
        TypeError: ``paramName`` is not a string.
    """
    if not isinstance(paramName, str):
        raise TypeError(f"argument 1 must be str, not {type(paramName).__name__}")
    client = get_client(physicsClientId)
    parameter = DebugParameter(paramName, float(rangeMin), float(rangeMax), float(startValue))
    if not _has_window(client):
        return -1
    unique_id = client.debug.add_parameter(parameter)
    if client.window is not None:
        client.window.add_parameter(unique_id, parameter)
    return unique_id


def readUserDebugParameter(itemUniqueId: int, physicsClientId: int = 0) -> float:
    """The present value of a slider; of a button its start value plus how often it was hit.

    Raises:
        error: Not connected, no such parameter, or no window.
    """
    parameter = get_client(physicsClientId).debug.parameters.get(itemUniqueId)
    if parameter is None:
        raise error("Failed to read parameter.")
    return parameter.value


def removeUserDebugItem(itemUniqueId: int, physicsClientId: int = 0) -> None:
    """Remove a line, a cloud of points or a text; an unknown id is ignored, as in PyBullet."""
    get_client(physicsClientId).debug.items.pop(itemUniqueId, None)


def removeAllUserDebugItems(physicsClientId: int = 0) -> None:
    """Remove all lines, points and texts; sliders and buttons stay."""
    get_client(physicsClientId).debug.clear_items()


def removeAllUserParameters(physicsClientId: int = 0) -> None:
    """Remove all sliders and buttons."""
    client = get_client(physicsClientId)
    client.debug.parameters.clear()
    if client.window is not None:
        client.window.remove_parameters()


def setDebugObjectColor(
    objectUniqueId: int,
    linkIndex: int,
    objectDebugColorRGB: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Give a link's wireframe a colour; None takes it back.

    An unknown body or link, and a colour that is not three numbers, change nothing, as in
    PyBullet.
    """
    client = get_client(physicsClientId)
    body = client.bodies.get(objectUniqueId)
    if body is None or not -1 <= linkIndex < body.joint_count:
        return
    if objectDebugColorRGB is None:
        client.debug.colors.pop((objectUniqueId, linkIndex), None)
        return
    try:
        color = _vec3(objectDebugColorRGB, "")
    except error:
        return
    client.debug.colors[(objectUniqueId, linkIndex)] = color


def _vec3(value: Any, message: str) -> Vec3:
    return vector(value, 3, message)


def _length(values: Any) -> int:
    """How many a sequence has; -1 if it is none."""
    try:
        return len(values) if hasattr(values, "__getitem__") else -1
    except TypeError:  # an array without dimensions
        return -1


def _vec3s(values: Any, message: str) -> tuple[Vec3, ...]:
    return tuple(_vec3(value, message) for value in values)


def _has_window(client: Client) -> bool:
    return client.method == c.GUI


def _expiry(life_time: float) -> float:
    return time.monotonic() + life_time if life_time > 0 else math.inf


def _parent(client: Client, body_id: int, link: int) -> tuple[int, int] | None:
    """The link an item moves with; one that does not exist counts as the world."""
    body = client.bodies.get(body_id)
    if body is None or not -1 <= link < body.joint_count:
        return None
    return (body_id, link)


def _add(client: Client, item: DebugItem, replace: int) -> int:
    return client.debug.add(item, int(replace)) if _has_window(client) else -1
