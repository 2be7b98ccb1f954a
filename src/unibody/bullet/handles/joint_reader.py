"""States of several joints of a body, read and written by compiled code.

For unusual types, before a step, and where nothing can be compiled, the caller does it in Python.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from unibody.bullet.substeps.joint_sensors import NO_REACTION
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.world.addresses import addresses, force_addresses
from unibody.machine_code import pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call, short_cut
from unibody.machine_code.calls.objects import (
    all_finite,
    boxed,
    boxed_numbers,
    integer_at,
    items_of,
    keep,
    new_tuple,
    read_numbers,
    set_item,
    word_at,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64

if TYPE_CHECKING:
    from unibody.bullet.state.client_state import ClientState
    from unibody.core.engine.records.body import BodyRecord
    from unibody.core.engine.world.world import World

_NUMBER = 8  # bytes
_NOT_DONE = 0
_COUNT, _FORCES, _ROWS, _NESTED, _HEAD = range(5)  # places in a plan; then come the joints
_PLACES = 4  # of a joint


class ReadBody(Protocol):
    """What a reader asks of a body; ``handles.body`` says what it means."""

    @property
    def client(self) -> ClientState:
        """Whose body it is."""
        ...

    @property
    def id(self) -> int:
        """Its id."""
        ...

    @property
    def record(self) -> BodyRecord:
        """The body in the engine."""
        ...

    @property
    def drive_of_joint(self) -> list[int]:
        """The motor of each joint; -1: none."""
        ...

    @property
    def retained_torques(self) -> dict[int, float]:
        """What motors without a force did last."""
        ...

    def coordinates_of(self, joint: int) -> tuple[int, int]:
        """Where the position and velocity of a joint are in the world; -1: fixed."""
        ...


class _Functions(NamedTuple):
    """The compiled functions. They return None where they have done nothing."""

    read: Callable[..., Any]
    write: Callable[..., Any]


@kernel
def _shown(value: float, nested: bool, moves: bool) -> int:
    """A number of a joint, or a tuple of it: an empty one of a joint that does not move."""
    if not nested:
        return boxed(value)
    made = new_tuple(1 if moves else 0)
    if moves:
        set_item(made, 0, boxed(value))
    return made


@kernel
def _joint_states(args: Pointer) -> int:
    """A tuple of (position, velocity, reaction, force) for each of some joints.

    Arguments: address of the plan; what a force is multiplied with; the reaction of joints without
    a sensor. The plan (int64): number of joints; addresses of the pointer to the forces of the
    rows, and of their number; 1 if all but the reaction are tuples of one number, and empty ones
    of a joint that does not move; and for each joint the addresses of its position, of its
    velocity, of the row of its motor and of its reaction, 0 where it has none.
    """
    plan = pointer_i64(integer_at(args, 0))
    count, nested = plan[_COUNT], plan[_NESTED] != 0
    forces, rows = pointer_f64(pointer_i64(plan[_FORCES])[0]), pointer_i32(plan[_ROWS])[0]
    scale = pointer_f64(args[1] + objects.FLOAT_AT)[0]
    made = new_tuple(count)
    for i in range(count):
        at = _HEAD + _PLACES * i
        position, velocity, force = 0.0, 0.0, 0.0
        moves = plan[at] != 0
        if moves:
            position = pointer_f64(plan[at])[0]
            velocity = pointer_f64(plan[at + 1])[0]
        if plan[at + 2] != 0:
            row = int(pointer_f64(plan[at + 2])[0])
            if 0 <= row < rows:
                force = forces[row] * scale
        state = new_tuple(4)
        set_item(state, 0, _shown(position, nested, moves))
        set_item(state, 1, _shown(velocity, nested, moves))
        if plan[at + 3] == 0:
            keep(args[2])
            set_item(state, 2, args[2])
        else:
            set_item(state, 2, boxed_numbers(pointer_f64(plan[at + 3]), 6))
        set_item(state, 3, _shown(force, nested, moves))
        set_item(made, i, state)
    return made


@kernel
def _write_joints(known: Pointer, args: Pointer) -> int:
    """Set the positions and velocities of some joints with one axis.

    Arguments: address of the plan of `_joint_states`, address of room for two numbers a joint, and
    a sequence of sequences of one number each for the positions and for the velocities.
    """
    plan, numbers = pointer_i64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    count = plan[_COUNT]
    for k in range(2):
        items = items_of(known, args[2 + k], count)
        if items == 0:
            return _NOT_DONE
        for i in range(count):
            if not read_numbers(known, word_at(items + _NUMBER * i), 1, numbers, k * count + i):
                return _NOT_DONE
    if not all_finite(numbers, 0, 2 * count):
        return _NOT_DONE
    for i in range(count):
        at = _HEAD + _PLACES * i
        pointer_f64(plan[at])[0] = numbers[i]
        pointer_f64(plan[at + 1])[0] = numbers[count + i]
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
    if functions.builtins_work():
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
        given: The tuple that a call named them by, whose items need no second look; None: none.
        generation: That generation.
        writable: All of the joints move.
    """

    __slots__ = (
        "_at", "_functions", "_numbers", "_plan", "_rest", "_sensors", "generation", "given",
        "joints", "writable",
    )  # fmt: skip

    def __init__(
        self, body: ReadBody, world: World, joints: list[int], *, nested: bool = False
    ) -> None:
        self.joints: list[int] = list(joints)
        self.generation: int = world.generation
        self.given: Any = None
        self._sensors = _sensors_of(body.client)
        count = len(joints)
        plan = self._plan = np.zeros(_HEAD + _PLACES * count, dtype=np.int64)
        plan[_COUNT], plan[_NESTED] = count, nested
        plan[_FORCES], plan[_ROWS] = force_addresses(world)
        self._numbers = np.zeros(2 * count)
        at, record, sensors = addresses(world), body.record, body.client.joint_sensors
        for row, joint in zip(plan[_HEAD:].reshape(count, _PLACES), joints, strict=True):
            q, v = body.coordinates_of(joint)
            if q >= 0:
                row[0], row[1] = at.qpos + _NUMBER * q, at.qvel + _NUMBER * v
            drive = body.drive_of_joint[joint]
            if drive >= 0:
                place = (record.drive + drive) * t.DRIVE_SIZE + t.D_ROW
                row[2] = at.userdata + _NUMBER * place
            if sensors is not None:
                row[3] = sensors.sensors.address(body.id, joint + 1)
        self.writable: bool = bool(plan[_HEAD::_PLACES].all())
        self._rest = ((0.0,),) * count
        self._at = int(plan.ctypes.data)
        self._functions = _compiled()

    def serves(self, body: ReadBody, world: World) -> bool:
        """Whether it was made for the world as it is, and for its sensors."""
        return self.generation == world.generation and self._sensors == _sensors_of(body.client)

    def read(self, share: float) -> tuple[Any, ...] | None:
        """The tuples; motor forces are multiplied with ``share``. None: nothing is compiled."""
        return self._functions.read(self._at, share, NO_REACTION)

    def write(self, positions: Any, velocities: Any) -> bool | None:
        """Set positions and velocities, each a sequence of sequences of one number.

        Velocities of None bring the joints to rest. None, and nothing done, for other forms.
        """
        if not self.writable:
            return None
        speeds = self._rest if velocities is None else velocities
        return self._functions.write(self._at, self._numbers.ctypes.data, positions, speeds)


def _sensors_of(client: ClientState) -> int:
    """Which of its sensors a client has had noted; -1: it has none."""
    sensors = client.joint_sensors
    return -1 if sensors is None else sensors.sensors.revision


def is_live(body: ReadBody, world: World) -> bool:
    """Whether what the last step left behind in memory is what a reader is to tell."""
    client = body.client
    if client.joint_sensors is not None and client.parameters.jointFeedbackMode:
        return False
    return world.forces_live and not body.retained_torques
