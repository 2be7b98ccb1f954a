"""The page of a recorded run: its robots, a timeline, play and pause."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import AssetError
from unibody.fleet.convert import euler_from_quat
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.recording.event_reader import EventLog, LoggedObject, LoggedState
from unibody.fleet.recording.picture import logged_visuals, unit_quats
from unibody.fleet.window import page
from unibody.fleet.window.page import FleetPage, plain, triple

_STILL = 0.01  # m/s: slower is standing still
_AHEAD = 64  # steps that are read one by one rather than looked for
_FASTEST = 20.0  # times real time
_UNKNOWN = LoggedObject(-1, None, "SimObject", [0.2, 0.2, 0.2], [0.5, 0.5, 0.5, 1.0], [])


class Course:
    """Who collides and who does what, at any step of a log.

    Args:
        log: The recorded run.

    Attributes:
        pairs: Pairs that collide.
        actions: Name of the action each object does.
    """

    def __init__(self, log: EventLog) -> None:
        self._events = [(step, log.events(step)) for step in range(len(log))]
        self._events = [(step, events) for step, events in self._events if events]
        self._next = 0
        self._step = -1
        self.pairs: set[tuple[int, ...]] = set()
        self.actions: dict[int, str] = {}

    def go_to(self, step: int) -> None:
        """Take in what happened up to the end of a step."""
        if step < self._step:
            self._next = 0
            self.pairs.clear()
            self.actions.clear()
        self._step = step
        while self._next < len(self._events) and self._events[self._next][0] <= step:
            for event in self._events[self._next][1]:
                self._take(event)
            self._next += 1

    def _take(self, event: Any) -> None:
        if not isinstance(event, dict):
            return
        told = event.get("ids")
        if not isinstance(told, list) or not all(isinstance(number, int) for number in told):
            return
        name = event.get("event")
        if name == SimEvents.COLLISION_STARTED:
            self.pairs.add(tuple(told))
        elif name == SimEvents.COLLISION_ENDED:
            self.pairs.discard(tuple(told))
        elif name == SimEvents.ACTION_STARTED and told:
            self.actions[told[0]] = str(event.get("action"))
        elif name == SimEvents.ACTION_COMPLETED and told:
            self.actions.pop(told[0], None)


class ReplayView(FleetPage):
    """Plays a log on a page, where a slider sets the time.

    Robots are boxes as large as their bounding boxes were when they appeared. What a log does not
    hold is not shown: goals, and orders that are no actions, so that who waits for another robot on
    a path without an action counts as idle.

    Args:
        log: The recorded run.
        port: First port to try; 0: any.
        rate: Most pictures a second.

    Attributes:
        step: Number of the step that is shown, from 0 on in the log.
        time: That of the timeline [s].

    Raises:
        AssetError: The log has no complete step.
        InvalidArgumentError: The rate is not positive.
        NotSupportedError: viser is not installed.
    """

    def __init__(self, log: EventLog, *, port: int = 8080, rate: float = 20.0) -> None:
        if not len(log):
            raise AssetError(log.path, "", "has no complete step")
        super().__init__(port, rate, "fleet replay")
        self._log = log
        self._course = Course(log)
        self._running: Iterator[LoggedState] = log.states(0)
        self._now: LoggedState | None = None
        self._before: LoggedState | None = None
        self.step: int = -1
        self._ids: NDArray[np.int64] | None = None
        self._robots = np.zeros(0, dtype=bool)
        begin, end = float(log.times[0]), float(log.times[-1])
        add = self.viewer.controls.add_slider
        self._slider = add("Time [s]", begin, end, begin)
        self._speed = add("Speed [x]", 0.1, _FASTEST, 1.0)
        self._told = float(self._slider.value)
        self.time = begin
        self.show_floor()
        self.show_step(0)
        if self._now is not None:
            self.look_at(np.nan_to_num(self._now.positions))

    # --- time ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the page, once it was open, is closed."""
        last = time.monotonic()
        controls = self.viewer.controls
        while not self.closed:
            if controls.paused:
                controls.wait_while_paused(self._hold)
                last = time.monotonic()
                if controls.paused and self.viewer.watched:
                    self.step_on()
                continue
            now = time.monotonic()
            if self.viewer.watched:
                self.play(now - last)
            last = now
            time.sleep(max(self._period, self._due - time.monotonic()))

    def play(self, seconds: float) -> None:
        """Go on by a time of the clock; from where the slider was put, if it was."""
        if not self._follow_slider():
            self.time = min(self.time + seconds * float(self._speed.value), self._last)
            self.show_step(self.step_at(self.time))
            self._move_slider()

    def step_on(self) -> None:
        """Go on by one step."""
        self.show_step(min(self.step + 1, len(self._log) - 1))
        self.time = float(self._log.times[self.step])
        self._move_slider()

    @property
    def _last(self) -> float:
        return float(self._log.times[-1])

    def step_at(self, now: float) -> int:
        """The last step that has ended at a time [s]; the first one before that."""
        found = int(np.searchsorted(self._log.times, now + 1e-9, side="right")) - 1
        return min(max(found, 0), len(self._log) - 1)

    def _hold(self) -> bool:
        """While the page says pause."""
        if not self._follow_slider() and self.due():
            self.show_step(self.step)
        return self.viewer.watched

    def _follow_slider(self) -> bool:
        wanted = float(self._slider.value)
        if wanted == self._told:
            return False
        self.time: float
        self._told = self.time = wanted
        self.show_step(self.step_at(wanted))
        return True

    def _move_slider(self) -> None:
        self._slider.value = round(self.time, 3)
        self._told = float(self._slider.value)

    # --- one step ------------------------------------------------------------------------------

    def show_step(self, step: int) -> None:
        """Draw a step."""
        begin = time.monotonic()
        self._read(step)
        state = self._now
        if state is None:
            return
        if self._ids is None or not np.array_equal(state.ids, self._ids):
            self._take_in(state.ids)
        self._course.go_to(step)
        velocities = self._velocities(state)
        states = self._states(state, velocities)
        self.place(
            np.nan_to_num(state.positions), unit_quats(state.orientations), state.ids, states
        )
        self.say(state.time, states, self._details(state, velocities))
        self.drawn(begin)

    def _read(self, step: int) -> None:
        """Have the states of a step and of the one before."""
        if step == self.step:
            return
        if not self.step < step <= self.step + _AHEAD:
            first = max(step - 1, 0)
            self._running = self._log.states(first)
            self._now, self.step = None, first - 1
        while self.step < step:
            self._before, self._now = self._now, next(self._running)
            self.step += 1

    def _take_in(self, ids: NDArray[np.int64]) -> None:
        """Draw other objects."""
        self._ids = ids
        what = [self._log.objects.get(number, _UNKNOWN) for number in ids.tolist()]
        self._robots = np.array([one.kind != "SimObject" for one in what], dtype=bool)
        parts = logged_visuals(ids.tolist(), what)
        self.show(parts, range(len(parts)))

    def _velocities(self, state: LoggedState) -> NDArray[np.float64]:
        """By the difference to the step before, (n, 3) [m/s]."""
        before = self._before
        if before is None or not np.array_equal(before.ids, state.ids):
            return np.zeros_like(state.positions)
        passed = state.time - before.time
        return (state.positions - before.positions) / (passed if passed > 0.0 else math.inf)

    def _states(self, state: LoggedState, velocities: Any) -> NDArray[np.int64]:
        busy = np.isin(state.ids, list(self._course.actions))
        states = np.where(busy, page.WAITING, page.IDLE)
        states[np.linalg.norm(velocities, axis=1) > _STILL] = page.MOVING
        hit = [number for pair in self._course.pairs for number in pair]
        states[np.isin(state.ids, hit)] = page.COLLIDING
        states[~self._robots] = page.OWN
        return states

    def _details(self, state: LoggedState, velocities: Any) -> list[tuple[str, str]]:
        found = np.flatnonzero(state.ids == (-1 if self.selected is None else self.selected))
        if not len(found):
            return []
        place, number = int(found[0]), int(state.ids[found[0]])
        one = self._log.objects.get(number, _UNKNOWN)
        angles = euler_from_quat(unit_quats(state.orientations[[place]])[0].tolist())
        return [
            ("name", plain(one.name or one.kind)),
            ("number", str(number)),
            ("position [m]", triple(state.positions[place].tolist())),
            ("roll, pitch, yaw [deg]", triple(np.degrees(angles).tolist())),
            ("velocity [m/s]", triple(velocities[place].tolist())),
            ("action", plain(self._course.actions.get(number, "none"))),
            ("goal [m]", "not in the log"),
        ]
