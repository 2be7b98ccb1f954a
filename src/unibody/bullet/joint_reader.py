"""GetJointStates' tuples, made by compiled code from one state of the world.

For unusual types, before a step, and where nothing can be compiled, the caller does it in Python.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types

from unibody.core.engine.addresses import addresses, force_addresses
from unibody.core.engine.builtins import functions, objects
from unibody.core.engine.builtins.functions import ENTRY, python_call
from unibody.core.engine.builtins.objects import boxed, integer_at, new_tuple, set_item
from unibody.core.engine.queries.compiled import compiled
from unibody.core.engine.rows import pointers
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64

if TYPE_CHECKING:
    from unibody.bullet.handles import Body
    from unibody.core.engine.world import World

NO_REACTION = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_NUMBER = 8  # bytes
_NOT_DONE = 0
_keep = types.ExternalFunction("Py_IncRef", types.void(types.int64))


@numba.njit(error_model="numpy")
def _joint_states(args: Pointer) -> int:
    """A tuple of (position, velocity, reaction, force) for each of some joints.

    Arguments: their number; address of three numbers a joint (int64): addresses of its position, of
    its velocity and of the row of its motor, 0 where it has none; addresses of the pointer to the
    forces of the rows, and of their number; what a force is multiplied with; the reaction.
    """
    count, table = integer_at(args, 0), pointer_i64(integer_at(args, 1))
    forces = pointer_f64(pointer_i64(integer_at(args, 2))[0])
    rows = pointer_i32(integer_at(args, 3))[0]
    scale = pointer_f64(args[4] + objects.FLOAT_AT)[0]
    made = new_tuple(count)
    for i in range(count):
        position, velocity, force = 0.0, 0.0, 0.0
        if table[3 * i] != 0:
            position = pointer_f64(table[3 * i])[0]
            velocity = pointer_f64(table[3 * i + 1])[0]
        if table[3 * i + 2] != 0:
            row = int(pointer_f64(table[3 * i + 2])[0])
            if 0 <= row < rows:
                force = forces[row] * scale
        state = new_tuple(4)
        set_item(state, 0, boxed(position))
        set_item(state, 1, boxed(velocity))
        _keep(args[5])
        set_item(state, 2, args[5])
        set_item(state, 3, boxed(force))
        set_item(made, i, state)
    return made


def _build(digest: str) -> Any:
    @numba.cfunc(ENTRY, cache=True)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            return _joint_states(pointer_i64(args))
        return python_call(self, args, count, names)

    return entry


@functools.cache
def _compiled() -> Callable[..., Any] | None:
    if not functions.layout_is_known():
        return None
    entry = compiled(
        "the reading of joints", _build, sys.modules[__name__], functions, objects, pointers
    )
    return functions.make_functions(entry, 1)[0]


class JointReader:
    """Reads the states of some joints of a body, for one generation of its world.

    Attributes:
        joints: Their numbers.
        generation: That generation.
    """

    __slots__ = ("_arguments", "_memory", "_read", "generation", "joints")

    def __init__(self, body: Body, world: World, joints: list[int]) -> None:
        self.joints = list(joints)
        self.generation = world.generation
        self._memory = np.zeros((len(joints), 3), dtype=np.int64)
        at, record = addresses(world), body.record
        for row, joint in zip(self._memory, joints, strict=True):
            q, v = body.coordinates_of(joint)
            if q >= 0:
                row[0], row[1] = at.qpos + _NUMBER * q, at.qvel + _NUMBER * v
            drive = body.drive_of_joint[joint]
            if drive >= 0:
                place = (record.drive + drive) * t.DRIVE_SIZE + t.D_ROW
                row[2] = at.userdata + _NUMBER * place
        self._arguments = (len(joints), self._memory.ctypes.data, *force_addresses(world))
        self._read = _compiled()

    def read(self, share: float) -> tuple[Any, ...] | None:
        """The tuples; motor forces are multiplied with ``share``. None: nothing is compiled."""
        read = self._read
        return None if read is None else read(*self._arguments, share, NO_REACTION)
