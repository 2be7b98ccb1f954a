"""Keyboard, mouse and controller events: there is no window, so there are none."""

from __future__ import annotations

from unibody.bullet import constants as c
from unibody.bullet.client import get_client


def getKeyboardEvents(physicsClientId: int = 0) -> dict[int, int]:
    """Keys and their ``KEY_*`` states since the last call.

    Raises:
        error: Not connected.
    """
    get_client(physicsClientId)
    return {}


def getMouseEvents(physicsClientId: int = 0) -> tuple[tuple[int, float, float, int, int], ...]:
    """Mouse events since the last call: (type, x, y, button, state).

    Raises:
        error: Not connected.
    """
    get_client(physicsClientId)
    return ()


def getVREvents(
    deviceTypeFilter: int = c.VR_DEVICE_CONTROLLER,
    allAnalogAxes: int = 0,
    physicsClientId: int = 0,
) -> tuple[tuple[object, ...], ...]:
    """Events of controllers since the last call; no device is ever connected.

    Raises:
        error: Not connected.
    """
    get_client(physicsClientId)
    return ()
