"""Keys and mouse events under the names a program gives them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.viewer.inputs import Inputs

MOUSE = ("left", "middle", "right", "move", "wheel")
_BUTTONS = {0: "left", 1: "middle", 2: "right"}


class ActionEvent(NamedTuple):
    """Something a program asked to hear of.

    Attributes:
        action: The name it was subscribed under.
        value: 1 for a key or button that went down, 0 for one that went up; how far the mouse
            moved, as a share of the page's width, or the wheel turned, in notches.
    """

    action: str
    value: float


class Actions:
    """What a program subscribed to.

    Args:
        inputs: Of the page.

    Attributes:
        mouse_position: Where the mouse was when events were last polled, as shares of the page;
            (0, 0) is its upper left corner.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._keys: dict[str, list[str]] = {}
        self._mouse: dict[str, list[str]] = {}
        self.mouse_position = (0.0, 0.0)
        self._seen = False  # the mouse

    def subscribe_key(self, key: str, action: str) -> None:
        """See ``Display.subscribe_key``."""
        self._keys.setdefault(key.lower(), []).append(action)

    def subscribe_mouse(self, what: str, action: str) -> None:
        """See ``Display.subscribe_mouse``."""
        if what not in MOUSE:
            raise InvalidArgumentError("what", what, f"one of {', '.join(MOUSE)}")
        self._mouse.setdefault(what, []).append(action)

    def poll(self) -> list[ActionEvent]:
        """What happened since the last call, of what was subscribed to."""
        found: list[ActionEvent] = []
        for name, state in self._inputs.keys().items():
            for action in self._keys.get(name.lower(), ()):
                found += [ActionEvent(action, 1.0)] * state.pressed
                found += [ActionEvent(action, 0.0)] * state.released
        for event in self._inputs.mouse():
            x, y = event.x / max(event.width, 1.0), event.y / max(event.height, 1.0)
            kind, value = _BUTTONS.get(event.button, ""), float(event.kind == "down")
            if event.kind == "move":
                before = self.mouse_position if self._seen else (x, y)
                kind, value = "move", float(np.hypot(x - before[0], y - before[1]))
            elif event.kind == "wheel":
                kind, value = "wheel", event.turn
            self.mouse_position: tuple[float, float] = (x, y)
            self._seen = True
            found += [ActionEvent(action, value) for action in self._mouse.get(kind, ())]
        return found
