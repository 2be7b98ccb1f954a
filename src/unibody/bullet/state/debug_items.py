"""Lines, points, texts, sliders and colours that a script asked a window to show."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from unibody.core.assets.description import Vec3


@dataclass(slots=True)
class DebugItem:
    """What all items have in common.

    Attributes:
        parent: Body id and link index (-1: base) whose link frame the item is given in; None:
            the world frame.
        expires: ``time.monotonic()`` at which it vanishes [s]; infinite: it stays.
    """

    parent: tuple[int, int] | None
    expires: float


@dataclass(slots=True)
class DebugLine(DebugItem):
    """A line segment; positions [m], width [pixels]."""

    start: Vec3
    end: Vec3
    color: Vec3
    width: float


@dataclass(slots=True)
class DebugPoints(DebugItem):
    """A cloud of points, each with its colour; positions [m], size [pixels]."""

    positions: tuple[Vec3, ...]
    colors: tuple[Vec3, ...]
    size: float


@dataclass(slots=True)
class DebugText(DebugItem):
    """A text; position [m], size relative to the usual one.

    ``orientation`` is (x, y, z, w), or None for a text that always faces the camera.
    """

    text: str
    position: Vec3
    color: Vec3
    size: float
    orientation: tuple[float, ...] | None


@dataclass(slots=True)
class DebugParameter:
    """A slider, or a button where ``low > high``; a button's value counts how often it was hit."""

    name: str
    low: float
    high: float
    value: float

    @property
    def is_button(self) -> bool:
        """Whether it is a button."""
        return self.low > self.high


@dataclass(slots=True)
class DebugStore:
    """The debug items of one client.

    Attributes:
        items: Lines, points and texts by id.
        parameters: Sliders and buttons by id; ids are shared with the items.
        colors: Wireframe colours by body id and link index.
    """

    items: dict[int, DebugItem] = field(default_factory=dict[int, DebugItem])
    parameters: dict[int, DebugParameter] = field(default_factory=dict[int, DebugParameter])
    colors: dict[tuple[int, int], Vec3] = field(default_factory=dict[tuple[int, int], Vec3])
    _next: int = 0
    _first_expiry: float = math.inf

    def add(self, item: DebugItem, replace: int = -1) -> int:
        """Take an item in, in the place of ``replace`` if that is not negative; return its id."""
        self._drop_expired()
        unique_id = replace if replace >= 0 else self._take_id()
        self.items[unique_id] = item
        self._first_expiry = min(self._first_expiry, item.expires)
        return unique_id

    def add_parameter(self, parameter: DebugParameter) -> int:
        """Take a slider or button in and return its id."""
        unique_id = self._take_id()
        self.parameters[unique_id] = parameter
        return unique_id

    def visible(self) -> Iterator[tuple[int, DebugItem]]:
        """The items that have not expired, with their ids."""
        self._drop_expired()
        return iter(self.items.items())

    def clear_items(self) -> None:
        """Remove lines, points and texts; ids start again at 0, as they do in PyBullet."""
        self.items.clear()
        self._next = 0
        self._first_expiry = math.inf

    def forget_body(self, body_id: int) -> None:
        """A body is gone: its colours go with it."""
        for key in [key for key in self.colors if key[0] == body_id]:
            del self.colors[key]

    def _take_id(self) -> int:
        while self._next in self.parameters or self._next in self.items:
            self._next += 1
        self._next += 1
        return self._next - 1

    def _drop_expired(self) -> None:
        now = time.monotonic()
        if now < self._first_expiry:
            return
        self.items = {key: item for key, item in self.items.items() if item.expires > now}
        self._first_expiry = min((item.expires for item in self.items.values()), default=math.inf)
