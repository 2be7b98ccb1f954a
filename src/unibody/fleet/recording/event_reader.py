"""Reading the files `event_log` writes; a file may be damaged, cut off, or not ours at all."""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.files import open_regular
from unibody.errors import AssetError, InvalidArgumentError
from unibody.fleet.recording.event_log import (
    EVENTS,
    HEAD,
    MAGIC,
    OBJECTS,
    RECORD,
    REMOVED,
    STATE,
    STEP,
)

MAX_RECORD = 256 * 1024 * 1024  # bytes
MAX_OBJECTS = 10_000_000


@dataclass
class LoggedObject:
    """An object of a log.

    Attributes:
        object_id: Its number.
        name: Its name.
        kind: Name of its class.
        size: Edges of its bounding box when it appeared [m].
        color: Red, green, blue, opacity, 0 to 1.
        joints: Names of its joints.
    """

    object_id: int
    name: str | None
    kind: str
    size: list[float]
    color: list[float]
    joints: list[str]


@dataclass
class LoggedState:
    """All objects at the end of a step.

    Attributes:
        step: Number of the step in its simulation, from 0 on.
        time: At its end [s].
        ids: Numbers of the objects, (n,).
        positions: Of their centres of mass [m], (n, 3).
        orientations: (x, y, z, w), (n, 4).
        joints: Joint positions by object [rad or m].
        events: What happened in the step: ``event``, ``ids`` and more.
    """

    step: int
    time: float
    ids: NDArray[np.int64]
    positions: NDArray[np.float64]
    orientations: NDArray[np.float64]
    joints: dict[int, list[float]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)


class EventLog:
    """A recorded run.

    Args:
        path: The file.

    Raises:
        AssetError: It cannot be read, or is no such file.

    Attributes:
        path: The file.
        head: ``timestep`` [s], version and more.
        objects: All objects there ever were, by number.
        times: Time at the end of each complete step [s], (steps,).
        lost_bytes: Bytes at the end of the file that belong to no complete step.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                if size < len(MAGIC):
                    raise AssetError(path, "", f"is no event log: {size} bytes long")
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as problem:
            raise AssetError(path, "", f"cannot be read: {problem}") from problem
        if self._data[: len(MAGIC)] != MAGIC:
            raise AssetError(path, "", f"is no event log: it does not begin with {MAGIC!r}")
        self.head: dict[str, Any] = {}
        self.objects: dict[int, LoggedObject] = {}
        self._steps: list[list[tuple[int, int, int]]] = []  # kind, begin, end of each record
        self._whole: list[int] = []
        times: list[float] = []
        self.lost_bytes: int = self._scan(times)
        self.times: NDArray[Any] = np.array(times)

    def __len__(self) -> int:
        """Number of complete steps."""
        return len(self._steps)

    def close(self) -> None:
        """Close the file."""
        self._data.close()

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Kind, begin and end of the contents of each whole record."""
        at, size = len(MAGIC), len(self._data)
        while at + RECORD.size <= size:
            length, check, kind = RECORD.unpack_from(self._data, at)
            begin, end = at + RECORD.size, at + RECORD.size + length
            if length > MAX_RECORD or end > size:
                return
            if zlib.crc32(self._data[begin:end], zlib.crc32(bytes([kind]))) != check:
                return
            yield kind, begin, end
            at = end

    def _scan(self, times: list[float]) -> int:
        step: list[tuple[int, int, int]] = []
        whole_end = len(MAGIC)
        for kind, begin, end in self._records():
            step.append((kind, begin, end))
            if kind == HEAD:
                self.head = self._json(begin, end, dict)
                whole_end, step = end, []
            elif kind == STATE:
                if end - begin < STEP.size:
                    raise AssetError(self.path, f"step {len(self._steps)}", "has another length")
                _, now, whole, poses, joints = STEP.unpack_from(self._data, begin)
                if end - begin != STEP.size + 64 * poses + 24 * joints:
                    raise AssetError(self.path, f"step {len(self._steps)}", "has another length")
                if whole:
                    self._whole.append(len(self._steps))
                for told, first, last in step:
                    if told == OBJECTS:
                        self._take_in(self._json(first, last, list))
                self._steps.append(step)
                times.append(now)
                whole_end, step = end, []
        return len(self._data) - whole_end

    def _json(self, begin: int, end: int, kind: type) -> Any:
        try:
            value = json.loads(self._data[begin:end])
        except (ValueError, RecursionError) as problem:
            raise AssetError(self.path, f"bytes {begin} to {end}", str(problem)) from problem
        if not isinstance(value, kind):
            raise AssetError(self.path, f"bytes {begin} to {end}", f"expected a {kind.__name__}")
        return value

    def _take_in(self, described: list[Any]) -> None:
        for item in described:
            try:
                made = LoggedObject(
                    int(item["id"]),
                    item["name"],
                    str(item["type"]),
                    [float(value) for value in item["size"]],
                    [float(value) for value in item["color"]],
                    [str(name) for name in item["joints"]],
                )
            except (KeyError, TypeError, ValueError) as problem:
                raise AssetError(self.path, "", f"not a described object: {item!r}") from problem
            self.objects[made.object_id] = made
            if len(self.objects) > MAX_OBJECTS:
                raise AssetError(self.path, "", f"more than {MAX_OBJECTS} objects")

    # --- states --------------------------------------------------------------------------------

    def state(self, step: int) -> LoggedState:
        """All objects at the end of a step; -1 is the last complete one.

        Raises:
            InvalidArgumentError: There is no such step.
        """
        count = len(self._steps)
        index = step + count if step < 0 else step
        if not 0 <= index < count:
            raise InvalidArgumentError("step", step, f"0 to {count - 1}, or -{count} to -1")
        begin = max((at for at in self._whole if at <= index), default=0)
        return deque(self.states(begin, index + 1), maxlen=1)[0]

    def events(self, step: int) -> list[Any]:
        """What happened in a step: ``event``, ``ids`` and more each; as the file states it."""
        found: list[Any] = []
        for kind, begin, end in self._steps[step]:
            if kind == EVENTS:
                found += self._json(begin, end, list)
        return found

    def states(self, begin: int = 0, end: int | None = None) -> Iterator[LoggedState]:
        """The states of steps ``begin`` to ``end``, one after the other."""
        poses: dict[int, NDArray[np.float64]] = {}
        joints: dict[tuple[int, int], float] = {}
        start = max((at for at in self._whole if at <= begin), default=0)
        for index in range(start, len(self._steps) if end is None else end):
            events = self._advance(index, poses, joints)
            if index >= begin:
                yield self._state(index, poses, joints, events)

    def _advance(self, index: int, poses: Any, joints: Any) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        for kind, begin, end in self._steps[index]:
            if kind == EVENTS:
                events += self._json(begin, end, list)
            elif kind == REMOVED:
                gone = set(self._json(begin, end, list))
                for number in gone:
                    poses.pop(number, None)
                for key in [key for key in joints if key[0] in gone]:
                    del joints[key]
            elif kind == STATE:
                _, _, _, moved, turned = STEP.unpack_from(self._data, begin)
                raw = self._data[begin + STEP.size : end]
                ids = np.frombuffer(raw, "<i8", moved)
                values = np.frombuffer(raw, "<f8", 7 * moved, 8 * moved).reshape(-1, 7)
                places = np.frombuffer(raw, "<i8", 2 * turned, 64 * moved).reshape(-1, 2)
                angles = np.frombuffer(raw, "<f8", turned, 64 * moved + 16 * turned)
                poses.update(zip(ids.tolist(), values, strict=True))
                joints.update(zip(map(tuple, places.tolist()), angles.tolist(), strict=True))
        return events

    def _state(self, index: int, poses: Any, joints: Any, events: Any) -> LoggedState:
        number, now, *_ = STEP.unpack_from(self._data, self._steps[index][-1][1])
        table = np.array(list(poses.values())).reshape(-1, 7)
        grouped: dict[int, list[float]] = {}
        for (owner, _), value in sorted(joints.items()):
            grouped.setdefault(owner, []).append(value)
        ids = np.array(list(poses), dtype=np.int64)
        return LoggedState(number, now, ids, table[:, :3], table[:, 3:], grouped, events)
