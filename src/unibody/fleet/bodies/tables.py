"""The arrays all objects and controllers of a simulation live in.

An object is a row of ``bodies``, a controller a row of ``motions``; Python objects are views onto
their rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BODY = np.dtype(
    [
        ("pos", "f8", 3),  # m: of the base's centre of mass, world frame
        ("quat", "f8", 4),  # (x, y, z, w)
        ("vel", "f8", 3),  # m/s
        ("spin", "f8"),  # rad/s about z; while turning in place, about the axis of the turn
        ("low", "f8", 3),  # m: bounding box, valid where ``stale`` is 0
        ("high", "f8", 3),
        ("com", "f8", 7),  # T_base_com
        ("template", "i8"),  # row in the table of templates
        ("joint", "i8"),  # first of its joint positions
        ("user", "i8"),  # the object's number in its simulation
        ("body", "i8"),  # its number in the world
        ("moving", "u1"),  # on its way to a goal
        ("moved", "u1"),  # since the last collision check
        ("pending", "u1"),  # not yet written to the world: 1 pose and joints, 2 joints alone
        ("stale", "u1"),  # bounding box out of date
        ("frozen", "u1"),  # STATIC: does not move
        ("role", "u1"),  # 0: no collisions, 1: moves, 2: static
        ("simulated", "u1"),  # moved by the engine
        ("carries", "u1"),  # something is attached to it
        ("lifts", "u1"),  # it has a platform, on which others may stand
    ]
)
"""One object."""

MOTION = np.dtype(
    [
        ("body", "i8"),  # row of the object it moves
        ("mode", "i1"),  # 0 idle, 1 velocity, 2 pose
        ("kind", "i1"),  # 0 omnidirectional, 1 differential
        ("phase", "i1"),  # 0 rotate, 1 forward
        ("batch", "i1"),  # 1: belongs to a batch controller
        ("wanted", "i1"),  # direction as asked for: 0 forward, 1 backward, 2 auto
        ("side", "i1"),  # direction as taken: 0 forward, 1 backward
        ("align", "u1"),  # turn to the last waypoint's orientation at the end
        ("aligning", "u1"),
        ("here", "u1"),  # the waypoint is where the object is, wherever that will be
        ("flat", "u1"),  # keep the height
        ("ended", "u1"),  # the path came to its end in this step
        ("rotating", "u1"),  # there is a rotation profile
        ("going", "u1"),  # there is a translation profile
        ("per_axis_vel", "u1"),
        ("per_axis_accel", "u1"),
        ("vel", "f8", 3),  # m/s: limits
        ("accel", "f8", 3),  # m/s^2
        ("turn_vel", "f8"),  # rad/s
        ("turn_accel", "f8"),  # rad/s^2
        ("timeout", "f8"),  # s without a command until a velocity ends; 0: never
        ("quiet", "f8"),  # s since the last velocity command
        ("linear", "f8", 3),  # velocity command, body frame
        ("angular", "f8", 3),
        ("last_quat", "f8", 4),  # orientation at the end of the path
        ("goal", "f8", 3),
        ("goal_quat", "f8", 4),
        ("q0", "f8", 4),  # rotation: from
        ("q1", "f8", 4),  # to, on the short way round
        ("q_end", "f8", 4),  # to, as given
        ("dot", "f8"),
        ("theta", "f8"),
        ("sine", "f8"),
        ("angle", "f8"),
        ("turn_t", "f8", 4),  # s: start, end of acceleration, of constant speed, of it all
        ("turn_a", "f8"),
        ("from_", "f8", 3),  # translation: from
        ("way", "f8", 3),
        ("unit", "f8", 3),
        ("unit_body", "f8", 3),
        ("length", "f8"),
        ("go_t", "f8", 4),
        ("go_a", "f8"),
        ("path", "i8"),  # first waypoint in the pool
        ("room", "i8"),  # waypoints there is room for
        ("count", "i8"),
        ("index", "i8"),
    ]
)
"""One controller."""

_FIRST = 64  # rows there is room for at first
_WAYPOINT = 7  # position, quaternion
_JOINT = 5


class Rows:
    """A growing array of records.

    Attributes:
        data: All rows, in use or not. Growing puts a new array here.
    """

    def __init__(self, dtype: np.dtype[Any], first: int = _FIRST) -> None:
        self.data: NDArray[Any] = np.zeros(first, dtype=dtype)
        self._used = 0
        self._free: list[int] = []

    def take(self) -> int:
        """A row of zeros."""
        if self._free:
            row = self._free.pop()
            self.data[row] = np.zeros((), dtype=self.data.dtype)
            return row
        row = self._used
        self._used += 1
        if row == len(self.data):
            self.data = np.concatenate([self.data, np.zeros_like(self.data)])
        return row

    def take_many(self, count: int) -> NDArray[np.int64]:
        """So many rows of zeros that follow one another; the array grows no more than it has to."""
        first, self._used = self._used, self._used + count
        if self._used > len(self.data):
            grown = np.zeros(self._used, dtype=self.data.dtype)
            grown[:first] = self.data[:first]
            self.data = grown
        return np.arange(first, self._used)

    def give_back(self, row: int) -> None:
        """Let a row be used again."""
        self._free.append(row)


class Blocks:
    """A growing array of numbers in which blocks are reserved.

    Args:
        width: Numbers a place.
    """

    def __init__(self, width: int, first: int = _FIRST) -> None:
        self.data: NDArray[np.float64] = np.zeros((first, width))
        self._used = 0
        self._free: dict[int, list[int]] = {}

    def take(self, count: int) -> int:
        """Reserve ``count`` places in a row and return the first, filled with zeros."""
        if self._free.get(count):
            first = self._free[count].pop()
            self.data[first : first + count] = 0.0
            return first
        first = self._used
        self._used += count
        while self._used > len(self.data):
            self.data = np.concatenate([self.data, np.zeros_like(self.data)])
        return first

    def give_back(self, first: int, count: int) -> None:
        """Let a block be used again."""
        if count:
            self._free.setdefault(count, []).append(first)


class Tables:
    """All arrays of one simulation.

    Args:
        first: Rows there is room for at first.

    Attributes:
        bodies: The objects.
        motions: The controllers.
        waypoints: The paths of the controllers.
        joints: Of the objects: position, target, speed limit, 1 if there is a target, spare.
    """

    def __init__(self, first: int = _FIRST) -> None:
        self.bodies: Rows = Rows(BODY, first)
        self.motions: Rows = Rows(MOTION, first)
        self.waypoints: Blocks = Blocks(_WAYPOINT, first)
        self.joints: Blocks = Blocks(_JOINT, first)
