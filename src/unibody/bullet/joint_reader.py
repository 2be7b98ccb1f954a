"""States of several joints of a body, read and written by compiled code.

For unusual types, before a step, and where nothing can be compiled, the caller does it in Python.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unibody.core.engine.addresses import addresses, force_addresses
from unibody.core.engine.builtins import functions, objects
from unibody.core.engine.builtins.functions import ENTRY, known_of, python_call, short_cut
from unibody.core.engine.builtins.objects import (
    boxed,
    integer_at,
    items_of,
    keep,
    new_tuple,
    read_numbers,
    set_item,
    word_at,
)
from unibody.core.engine.queries.compiled import compiled
from unibody.core.engine.rows import pointers
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64
from unibody.machine_code import numba
from unibody.machine_code.kept import kept_entry

if TYPE_CHECKING:
    from unibody.bullet.handles import Body
    from unibody.core.engine.world import World

NO_REACTION = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_NUMBER = 8  # bytes
_NOT_DONE = 0


class _Functions(NamedTuple):
    """The compiled functions. They return None where they have done nothing."""

    read: Callable[..., Any]
    write: Callable[..., Any]


@numba.njit(error_model="numpy")
def _shown(value: float, nested: bool, moves: bool) -> int:
    """A number of a joint, or a tuple of it: an empty one of a joint that does not move."""
    if not nested:
        return boxed(value)
    made = new_tuple(1 if moves else 0)
    if moves:
        set_item(made, 0, boxed(value))
    return made


@numba.njit(error_model="numpy")
def _joint_states(args: Pointer) -> int:
    """A tuple of (position, velocity, reaction, force) for each of some joints.

    Arguments: their number; address of three numbers a joint (int64): addresses of its position, of
    its velocity and of the row of its motor, 0 where it has none; addresses of the pointer to the
    forces of the rows, and of their number; what a force is multiplied with; the reaction; 1 if
    all but the reaction are tuples of one number, and empty ones of a joint that does not move.
    """
    count, table, nested = (
        integer_at(args, 0),
        pointer_i64(integer_at(args, 1)),
        integer_at(args, 6),
    )
    forces = pointer_f64(pointer_i64(integer_at(args, 2))[0])
    rows = pointer_i32(integer_at(args, 3))[0]
    scale = pointer_f64(args[4] + objects.FLOAT_AT)[0]
    made = new_tuple(count)
    for i in range(count):
        position, velocity, force = 0.0, 0.0, 0.0
        moves = table[3 * i] != 0
        if moves:
            position = pointer_f64(table[3 * i])[0]
            velocity = pointer_f64(table[3 * i + 1])[0]
        if table[3 * i + 2] != 0:
            row = int(pointer_f64(table[3 * i + 2])[0])
            if 0 <= row < rows:
                force = forces[row] * scale
        state = new_tuple(4)
        set_item(state, 0, _shown(position, nested != 0, moves))
        set_item(state, 1, _shown(velocity, nested != 0, moves))
        keep(args[5])
        set_item(state, 2, args[5])
        set_item(state, 3, _shown(force, nested != 0, moves))
        set_item(made, i, state)
    return made


@numba.njit(error_model="numpy")
def _write_joints(known: Pointer, args: Pointer) -> int:
    """Set the positions and velocities of some joints with one axis.

    Arguments: the first two of `_joint_states`, address of room for two numbers a joint, and a
    sequence of sequences of one number each for the positions and for the velocities.
    """
    count, table = integer_at(args, 0), pointer_i64(integer_at(args, 1))
    numbers = pointer_f64(integer_at(args, 2))
    for k in range(2):
        items = items_of(known, args[3 + k], count)
        if items == 0:
            return _NOT_DONE
        for i in range(count):
            if not read_numbers(known, word_at(items + _NUMBER * i), 1, numbers, k * count + i):
                return _NOT_DONE
    for i in range(count):
        pointer_f64(table[3 * i])[0] = numbers[i]
        pointer_f64(table[3 * i + 1])[0] = numbers[count + i]
    return boxed(True)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            if short_cut(self) == 0:
                return _joint_states(pointer_i64(args))
            done = _write_joints(known_of(self), pointer_i64(args))
            if done != _NOT_DONE:
                return done
        return python_call(self, args, count, names)

    return entry


@functools.cache
def _compiled() -> _Functions:
    sources = (sys.modules[__name__], functions, objects, pointers)
    entry = None
    if functions.layout_is_known():
        entry = compiled("the reading of joints", _build, *sources)
    return _Functions(*functions.make_functions(entry, len(_Functions._fields)))


class JointReader:
    """Reads and writes the states of some joints of a body, for one generation of its world.

    Args:
        body: The body.
        world: The running world.
        joints: Numbers of joints with one axis or none.
        nested: States are those of getJointStatesMultiDof.

    Attributes:
        joints: Their numbers.
        generation: That generation.
        writable: All of the joints move.
    """

    __slots__ = (
        "_arguments", "_functions", "_memory", "_numbers", "_rest", "generation", "joints",
        "nested", "writable",
    )  # fmt: skip

    def __init__(
        self, body: Body, world: World, joints: list[int], *, nested: bool = False
    ) -> None:
        self.joints = list(joints)
        self.generation = world.generation
        self.nested = int(nested)
        self._memory = np.zeros((len(joints), 3), dtype=np.int64)
        self._numbers = np.zeros(2 * len(joints))
        at, record = addresses(world), body.record
        for row, joint in zip(self._memory, joints, strict=True):
            q, v = body.coordinates_of(joint)
            if q >= 0:
                row[0], row[1] = at.qpos + _NUMBER * q, at.qvel + _NUMBER * v
            drive = body.drive_of_joint[joint]
            if drive >= 0:
                place = (record.drive + drive) * t.DRIVE_SIZE + t.D_ROW
                row[2] = at.userdata + _NUMBER * place
        self.writable = bool(self._memory[:, 0].all())
        self._rest = ((0.0,),) * len(joints)
        self._arguments = (len(joints), self._memory.ctypes.data, *force_addresses(world))
        self._functions = _compiled()

    def read(self, share: float) -> tuple[Any, ...] | None:
        """The tuples; motor forces are multiplied with ``share``. None: nothing is compiled."""
        return self._functions.read(*self._arguments, share, NO_REACTION, self.nested)

    def write(self, positions: Any, velocities: Any) -> bool | None:
        """Set positions and velocities, each a sequence of sequences of one number.

        Velocities of None bring the joints to rest. None, and nothing done, for other forms.
        """
        if not self.writable:
            return None
        count, table = self._arguments[:2]
        speeds = self._rest if velocities is None else velocities
        return self._functions.write(count, table, self._numbers.ctypes.data, positions, speeds)
