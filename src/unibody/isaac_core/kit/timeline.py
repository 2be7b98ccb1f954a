"""The timeline: whether the simulation plays, and at which time."""

from __future__ import annotations

import enum

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit.events import EventStream


class TimelineEventType(enum.IntEnum):
    """What happens to a timeline, with the numbers of the original."""

    PLAY = 0
    PAUSE = 1
    STOP = 2
    CURRENT_TIME_CHANGED = 3
    CURRENT_TIME_TICKED = 4
    LOOP_MODE_CHANGED = 5
    START_TIME_CHANGED = 6
    END_TIME_CHANGED = 7
    TIME_CODE_PER_SECOND_CHANGED = 8
    AUTO_UPDATE_CHANGED = 9
    PREROLLING_CHANGED = 10


class Timeline:
    """A clock that plays, pauses and stops. Changes are made, and told, at once."""

    def __init__(self) -> None:
        self._events = EventStream("timeline")
        self._playing = False
        self._stopped = True
        self._time = 0.0
        self._start, self._end = 0.0, 100.0 / 24.0
        self._rate = 24.0
        self._looping = True
        self._auto_update = True

    def get_timeline_event_stream(self) -> EventStream:
        """The stream that tells what happens."""
        return self._events

    def play(
        self, start_timecode: float = 0, end_timecode: float = 0, looping: bool = True
    ) -> None:
        """Let the time run.

        Args:
            start_timecode: First frame, where the last one is later.
            end_timecode: Last frame; 0 leaves the range as it is.
            looping: Whether the time begins again at the end of such a range.
        """
        if end_timecode > start_timecode:
            self.set_start_time(start_timecode / self._rate)
            self.set_end_time(end_timecode / self._rate)
            self.set_looping(looping)
        if not self._playing:
            self._playing, self._stopped = True, False
            self._tell(TimelineEventType.PLAY)

    def pause(self) -> None:
        """Hold the time where it is."""
        if self._playing:
            self._playing = False
            self._tell(TimelineEventType.PAUSE)

    def stop(self) -> None:
        """Hold the time, and go back to its start."""
        if not self._stopped:
            self._playing, self._stopped = False, True
            self._time = self._start
            self._tell(TimelineEventType.STOP)

    def commit(self) -> None:
        """Carry out what was asked for; here that has been done."""

    def commit_silently(self) -> None:
        """The same as `commit`: nothing waits."""

    def is_playing(self) -> bool:
        """Whether the time runs."""
        return self._playing

    def is_stopped(self) -> bool:
        """Whether it was stopped, and not played since."""
        return self._stopped

    def get_current_time(self) -> float:
        """The time [s]."""
        return self._time

    def set_current_time(self, time_in_s: float) -> None:
        """Set the time [s]."""
        self._time = float(time_in_s)
        self._tell(TimelineEventType.CURRENT_TIME_CHANGED)

    def get_start_time(self) -> float:
        """Where the time begins [s]."""
        return self._start

    def set_start_time(self, start_time: float) -> None:
        """Set where the time begins [s]."""
        self._start = float(start_time)
        self._tell(TimelineEventType.START_TIME_CHANGED)

    def get_end_time(self) -> float:
        """Where the time ends [s]."""
        return self._end

    def set_end_time(self, end_time: float) -> None:
        """Set where the time ends [s]."""
        self._end = float(end_time)
        self._tell(TimelineEventType.END_TIME_CHANGED)

    def get_time_codes_per_seconds(self) -> float:
        """Frames a second."""
        return self._rate

    get_time_codes_per_second = get_time_codes_per_seconds

    def set_time_codes_per_second(self, time_codes_per_second: float) -> None:
        """Set the frames a second, which is how much time one update takes.

        Raises:
            InvalidArgumentError: It is not positive.
        """
        if not time_codes_per_second > 0:
            raise InvalidArgumentError(
                "time_codes_per_second", time_codes_per_second, "a positive number"
            )
        self._rate = float(time_codes_per_second)
        self._tell(TimelineEventType.TIME_CODE_PER_SECOND_CHANGED)

    set_target_framerate = set_time_codes_per_second

    def is_looping(self) -> bool:
        """Whether the time begins again at its end."""
        return self._looping

    def set_looping(self, looping: bool) -> None:
        """Set whether the time begins again at its end."""
        self._looping = bool(looping)
        self._tell(TimelineEventType.LOOP_MODE_CHANGED)

    def is_auto_updating(self) -> bool:
        """Whether updates of the app move the time."""
        return self._auto_update

    def set_auto_update(self, auto_update: bool) -> None:
        """Set whether updates of the app move the time."""
        self._auto_update = bool(auto_update)
        self._tell(TimelineEventType.AUTO_UPDATE_CHANGED)

    def time_to_time_code(self, time: float) -> float:
        """The frame of a time."""
        return time * self._rate

    def time_code_to_time(self, time_code: float) -> float:
        """The time of a frame [s]."""
        return time_code / self._rate

    def forward_one_frame(self) -> None:
        """Move on by one frame."""
        self.set_current_time(self._time + 1.0 / self._rate)

    def rewind_one_frame(self) -> None:
        """Move back by one frame."""
        self.set_current_time(self._time - 1.0 / self._rate)

    def tick(self, dt: float) -> None:
        """Move on by what an update of the app takes, if the time runs.

        Args:
            dt: Of the update [s].
        """
        if not (self._playing and self._auto_update):
            return
        self._time += dt
        payload = {"dt": dt, "currentTime": self._time}
        self._events.dispatch(TimelineEventType.CURRENT_TIME_TICKED, payload=payload)

    def reset(self) -> None:
        """Go back to a timeline that never played; nobody is told."""
        events = self._events
        self.__init__()
        self._events = events

    def _tell(self, kind: TimelineEventType) -> None:
        self._events.dispatch(kind, payload={"currentTime": self._time})


_timeline = Timeline()


def get_timeline_interface(timeline_name: str = "") -> Timeline:
    """The timeline of the process.

    Raises:
        InvalidArgumentError: A timeline of another name was asked for.
    """
    if timeline_name:
        raise InvalidArgumentError("timeline_name", timeline_name, "'', the one timeline there is")
    return _timeline
