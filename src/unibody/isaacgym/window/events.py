"""From the inputs of a page to the events a script has subscribed to."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

from unibody.isaacgym.cameras.events import Event
from unibody.isaacgym.types.inputs import KeyboardInput, MouseInput
from unibody.viewer.inputs import KeyState, MouseEvent

# Keys of the API by the names browsers have for them, without shift on a US keyboard.
_NAMED = {
    "SPACE": (" ",),
    "APOSTROPHE": ("'", '"'),
    "COMMA": (",", "<"),
    "MINUS": ("-", "_"),
    "PERIOD": (".", ">"),
    "SLASH": ("/", "?"),
    "SEMICOLON": (";", ":"),
    "EQUAL": ("=", "+"),
    "LEFT_BRACKET": ("[", "{"),
    "BACKSLASH": ("\\", "|"),
    "RIGHT_BRACKET": ("]", "}"),
    "GRAVE_ACCENT": ("`", "~"),
    "ESCAPE": ("escape",),
    "TAB": ("tab",),
    "ENTER": ("enter",),
    "BACKSPACE": ("backspace",),
    "INSERT": ("insert",),
    "DEL": ("delete",),
    "RIGHT": ("arrowright",),
    "LEFT": ("arrowleft",),
    "DOWN": ("arrowdown",),
    "UP": ("arrowup",),
    "PAGE_UP": ("pageup",),
    "PAGE_DOWN": ("pagedown",),
    "HOME": ("home",),
    "END": ("end",),
    "CAPS_LOCK": ("capslock",),
    "SCROLL_LOCK": ("scrolllock",),
    "NUM_LOCK": ("numlock",),
    "PRINT_SCREEN": ("printscreen",),
    "PAUSE": ("pause",),
    "NUMPAD_DEL": (".", "delete"),
    "NUMPAD_DIVIDE": ("/",),
    "NUMPAD_MULTIPLY": ("*",),
    "NUMPAD_SUBTRACT": ("-",),
    "NUMPAD_ADD": ("+",),
    "NUMPAD_ENTER": ("enter",),
    "NUMPAD_EQUAL": ("=",),
    "LEFT_SHIFT": ("shift",),
    "LEFT_CONTROL": ("control",),
    "LEFT_ALT": ("alt",),
    "LEFT_SUPER": ("meta",),
    "RIGHT_SHIFT": ("shift",),
    "RIGHT_CONTROL": ("control",),
    "RIGHT_ALT": ("alt", "altgraph"),
    "RIGHT_SUPER": ("meta",),
    "MENU": ("contextmenu",),
}
_SHIFTED_DIGITS = ")!@#$%^&*("
_BUTTONS = {
    0: MouseInput.MOUSE_LEFT_BUTTON,
    1: MouseInput.MOUSE_MIDDLE_BUTTON,
    2: MouseInput.MOUSE_RIGHT_BUTTON,
    3: MouseInput.MOUSE_BACK_BUTTON,
    4: MouseInput.MOUSE_FORWARD_BUTTON,
}


@functools.cache
def key_names(key: KeyboardInput) -> tuple[str, ...]:
    """What browsers call a key, in lower case.

    They do not tell the keys of the number pad from the others with the same sign, nor the left
    shift from the right one.
    """
    name = key.name.removeprefix("KEY_")
    if name in _NAMED:
        return _NAMED[name]
    number = name.removeprefix("NUMPAD_")
    if number.isdigit():
        digit = number
        return (digit, _SHIFTED_DIGITS[int(digit)]) if number == name else (digit,)
    return (name.lower(),)  # a letter, or F1 to F12


def events_of(
    keys: Mapping[str, KeyState],
    moves: Sequence[MouseEvent],
    before: MouseEvent | None,
    key_actions: Mapping[int, Sequence[str]],
    mouse_actions: Mapping[int, Sequence[str]],
) -> list[Event]:
    """What happened, of what was subscribed to.

    Args:
        keys: Those that changed, by their names.
        moves: Of the mouse, in order.
        before: The mouse's last event before these.
        key_actions: Actions by ``KeyboardInput``.
        mouse_actions: Actions by ``MouseInput``.

    Returns:
        Keys and buttons: 1 when they go down, 0 when they come up. The wheel: notches. Movements:
        shares of the page's width or height.
    """
    found: list[Event] = []
    for key, actions in key_actions.items():
        for name in key_names(KeyboardInput(key)):
            states = [state for pressed, state in keys.items() if pressed.lower() == name]
            for value in (v for state in states for v in _changes(state)):
                found += [Event(action, value) for action in actions]
    for event in moves:
        for what, value in _inputs(event, before):
            found += [Event(action, value) for action in mouse_actions.get(int(what), ())]
        before = event
    return found


def _changes(state: KeyState) -> tuple[float, ...]:
    """1 for down and 0 for up, in the order that ends in how the key is now."""
    if state.pressed and state.released:
        return (0.0, 1.0) if state.down else (1.0, 0.0)
    return (1.0,) if state.pressed else (0.0,) if state.released else ()


def _inputs(event: MouseEvent, before: MouseEvent | None) -> Iterator[tuple[MouseInput, float]]:
    if event.kind == "wheel":
        if event.turn:
            down = event.turn > 0.0
            what = MouseInput.MOUSE_SCROLL_DOWN if down else MouseInput.MOUSE_SCROLL_UP
            yield what, abs(event.turn)
        return
    if event.kind != "move":
        if event.button in _BUTTONS:
            yield _BUTTONS[event.button], float(event.kind == "down")
        return
    if before is None:
        return
    right = (event.x - before.x) / max(event.width, 1.0)
    down = (event.y - before.y) / max(event.height, 1.0)
    if right:
        yield (
            (MouseInput.MOUSE_MOVE_RIGHT if right > 0.0 else MouseInput.MOUSE_MOVE_LEFT),
            abs(right),
        )
    if down:
        yield (MouseInput.MOUSE_MOVE_DOWN if down > 0.0 else MouseInput.MOUSE_MOVE_UP), abs(down)
