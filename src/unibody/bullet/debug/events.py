"""Keyboard, mouse and controller events, as the pages of the viewer report them."""

from __future__ import annotations

from unibody.bullet import constants as c
from unibody.bullet.clients.registry import get_client

_MOVED, _BUTTON = 1, 2  # event types
_NAMES = {
    "ArrowLeft": c.B3G_LEFT_ARROW,
    "ArrowRight": c.B3G_RIGHT_ARROW,
    "ArrowUp": c.B3G_UP_ARROW,
    "ArrowDown": c.B3G_DOWN_ARROW,
    "PageUp": c.B3G_PAGE_UP,
    "PageDown": c.B3G_PAGE_DOWN,
    "Home": c.B3G_HOME,
    "End": c.B3G_END,
    "Insert": c.B3G_INSERT,
    "Delete": c.B3G_DELETE,
    "Backspace": c.B3G_BACKSPACE,
    "Shift": c.B3G_SHIFT,
    "Control": c.B3G_CONTROL,
    "Alt": c.B3G_ALT,
    "Enter": c.B3G_RETURN,
    "Escape": 27,
    "Tab": 9,
    **{f"F{number}": c.B3G_F1 + number - 1 for number in range(1, 16)},
}


def getKeyboardEvents(physicsClientId: int = 0) -> dict[int, int]:
    """Keys and their ``KEY_*`` states since the last call; letters by their lower-case code.

    Raises:
        error: Not connected.
    """
    window = get_client(physicsClientId).window
    if window is None:
        return {}
    events: dict[int, int] = {}
    for name, state in window.viewer.inputs.keys().items():
        code = key_code(name)
        if code is not None:
            bits = c.KEY_IS_DOWN if state.down else 0
            bits |= c.KEY_WAS_TRIGGERED if state.pressed else 0
            bits |= c.KEY_WAS_RELEASED if state.released else 0
            events[code] = events.get(code, 0) | bits
    return events


def key_code(name: str) -> int | None:
    """PyBullet's code of a key by its name in the browser; None for a key it does not know."""
    if len(name) == 1 and ord(name) < 128:
        return ord(name.lower())
    return _NAMES.get(name)


def getMouseEvents(physicsClientId: int = 0) -> tuple[tuple[int, float, float, int, int], ...]:
    """Mouse events since the last call: (type, x, y, button, state).

    Type 1 is a movement, 2 a button (0 left, 1 middle, 2 right); x and y in pixels of the page.

    Raises:
        error: Not connected.
    """
    window = get_client(physicsClientId).window
    if window is None:
        return ()
    events: list[tuple[int, float, float, int, int]] = []
    for event in window.viewer.inputs.mouse():
        if event.kind == "move":
            events.append((_MOVED, event.x, event.y, -1, 0))
        elif event.kind in {"down", "up"}:  # PyBullet tells nothing of the wheel
            pressed = c.KEY_WAS_TRIGGERED | c.KEY_IS_DOWN
            state = pressed if event.kind == "down" else c.KEY_WAS_RELEASED
            events.append((_BUTTON, event.x, event.y, event.button, state))
    return tuple(events)


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
