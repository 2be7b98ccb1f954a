"""Worlds that several APIs of one process share under one number.

A script may drive the same world through two surfaces: one makes it, the other finds it by its
number. Neither has to know the other; both look here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from unibody.core.assets.description import Asset, Pose
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene
from unibody.errors import EngineError

MAX_SESSIONS = 1024


class IdPool:
    """Handles as Bullet hands them out: the one freed last comes back first."""

    def __init__(self, first: int = 0) -> None:
        self._next = first
        self._free: list[int] = []

    def take(self) -> int:
        """A handle that is not in use."""
        if self._free:
            return self._free.pop()
        self._next += 1
        return self._next - 1

    def give_back(self, handle: int) -> None:
        """Make a handle available again."""
        self._free.append(handle)


@dataclass(slots=True, eq=False, weakref_slot=True)
class Session:
    """One world under one number, with the bodies in it.

    Attributes:
        id: The number.
        scene: The world; a reset puts another one here.
        body_ids: Where the numbers of bodies come from.
        assets: The bodies as they were loaded, by number. The scene's own record of a body may be
            moved to its centre of mass.
        time_step: Of one step [s].
        edits: Counts bodies that came or went.
        resets: Counts worlds that were thrown away.
        before_use: Called before anybody but their owner looks at the scene: who keeps state
            outside of it brings it up to date here.
        on_watched: Called once somebody keeps state outside of the scene.
    """

    id: int
    scene: Scene
    body_ids: IdPool = field(default_factory=IdPool)
    assets: dict[int, Asset] = field(default_factory=dict[int, Asset])
    time_step: float = 1.0 / 240.0
    edits: int = 0
    resets: int = 0
    before_use: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    on_watched: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def add(
        self, body_id: int, asset: Asset, options: BodyOptions, loaded: Asset | None = None
    ) -> BodyRecord:
        """Add a body under a number taken from ``body_ids``.

        Args:
            body_id: The number.
            asset: What goes into the scene.
            options: How.
            loaded: The asset as loaded, if that differs.
        """
        record = self.scene.add(body_id, asset, options)
        self.note(body_id, loaded or asset)
        return record

    def note(self, body_id: int, asset: Asset) -> None:
        """Take note of a body that somebody put into the scene."""
        self.assets[body_id] = asset
        self.edits += 1

    def forget(self, body_id: int) -> None:
        """Take note that a body is no longer in the scene."""
        self.assets.pop(body_id, None)
        self.edits += 1

    def replace(self, scene: Scene) -> None:
        """Start over with an empty world."""
        self.scene = scene
        self.body_ids = IdPool()
        self.assets.clear()
        self.edits += 1
        self.resets += 1

    def watch(self, refresh: Callable[[], None]) -> None:
        """Have ``refresh`` called before anybody else looks at the scene."""
        self.before_use.append(refresh)
        for told in self.on_watched:
            told()

    def refresh(self) -> None:
        """Bring the scene up to date with all state that is kept outside of it."""
        for refresh in self.before_use:
            refresh()

    def base_frame(self, body_id: int) -> Pose:
        """``T_base_com``: where the centre of mass is in the base link's frame, as loaded."""
        return self.assets[body_id].links[0].inertial.pose


_sessions: dict[int, Session] = {}


def open_session(scene: Scene) -> Session:
    """A session under the lowest free number.

    Raises:
        EngineError: There are too many.
    """
    for number in range(MAX_SESSIONS):
        if number not in _sessions:
            session = _sessions[number] = Session(number, scene)
            return session
    raise EngineError(f"there are {MAX_SESSIONS} worlds already; close some")


def find_session(number: int) -> Session | None:
    """The session with a number, or None."""
    return _sessions.get(number)


def close_session(number: int) -> Session | None:
    """Take a session off the table; None if there was none."""
    return _sessions.pop(number, None)
