"""Keys and mouse buttons of all pages, collected until a script asks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unibody.viewer.guard import Input

_MOST_EVENTS = 1000  # of a script that never asks


@dataclass(frozen=True, slots=True)
class MouseEvent:
    """One event of the mouse.

    Attributes:
        kind: "move", "down", "up" or "wheel".
        x, y: Where, in pixels of the page from its upper left corner.
        button: 0 left, 1 middle, 2 right, -1 for a movement.
        width, height: Size of the page [pixels].
        turn: Of the wheel, towards the user [notches].
    """

    kind: str
    x: float
    y: float
    button: int
    width: float
    height: float
    turn: float = 0.0


@dataclass(slots=True)
class KeyState:
    """What happened to a key since it was last asked for."""

    down: bool = False
    pressed: bool = False
    released: bool = False
    name: str = ""


class Inputs:
    """The state of keys, and events of the mouse; safe against the server's thread.

    Attributes:
        on_press: Called with the name of each key that goes down, in the server's thread.
    """

    def __init__(self) -> None:
        self.on_press: Callable[[str], None] = lambda _key: None
        self._lock = threading.Lock()
        # by page and place on the keyboard: a key may get another name while it is held
        self._keys: dict[tuple[str, str], KeyState] = {}
        self._mouse: list[MouseEvent] = []

    def take(self, message: Input) -> None:
        """Take one message of a page in; what is not understood is left out."""
        kind, page = message.get("type"), str(message.get("page", ""))
        pressed = ""
        with self._lock:
            if kind in {"keydown", "keyup"} and isinstance(message.get("key"), str):
                code, name = message.get("code"), message["key"][:32]
                place = code[:32] if isinstance(code, str) and code else name
                if self._take_key((page, place), name, kind == "keydown"):
                    pressed = name
            elif kind in {"mousedown", "mouseup", "mousemove", "mousewheel"}:
                self._take_mouse(kind.removeprefix("mouse"), message)
            elif kind == "blur":
                for (owner, _), state in self._keys.items():
                    if owner == page and state.down:
                        state.down, state.released = False, True
        if pressed:
            self.on_press(pressed)

    def _take_key(self, key: tuple[str, str], name: str, down: bool) -> bool:
        """Note a key; whether it went down."""
        state = self._keys.setdefault(key, KeyState(name=name))
        if down and not state.down:
            state.down = state.pressed = True
            state.name = name
            return True
        if not down:
            state.down, state.released = False, True
        return False

    def _take_mouse(self, kind: str, message: Input) -> None:
        place = _numbers(message.get("at"), 4)
        button = message.get("button", -1)
        if place is None or not isinstance(button, int) or len(self._mouse) >= _MOST_EVENTS:
            return
        turn = message.get("turn", 0.0)
        turn = float(turn) if isinstance(turn, int | float) else 0.0
        x, y, width, height = place
        self._mouse.append(MouseEvent(kind, x, y, button, width, height, turn))

    def keys(self) -> dict[str, KeyState]:
        """Keys that are down or changed since the last call, by the name the browser gives them."""
        with self._lock:
            found: dict[str, KeyState] = {}
            for state in self._keys.values():
                seen = found.setdefault(state.name, KeyState(name=state.name))
                seen.down |= state.down
                seen.pressed |= state.pressed
                seen.released |= state.released
                state.pressed = state.released = False
            self._keys = {key: state for key, state in self._keys.items() if state.down}
            return {k: s for k, s in found.items() if s.down or s.pressed or s.released}

    def mouse(self) -> list[MouseEvent]:
        """Events of the mouse since the last call."""
        with self._lock:
            events, self._mouse = self._mouse, []
            return events


def _numbers(value: Any, count: int) -> tuple[float, ...] | None:
    if not isinstance(value, list) or len(value) != count:
        return None
    if not all(isinstance(number, (int, float)) for number in value):
        return None
    return tuple(float(number) for number in value)
