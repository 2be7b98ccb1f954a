"""Solutions of many worlds, as a task for threads of compiled code."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from pathlib import Path
from typing import Any, Final

import mujoco
import numpy as np
from mujoco.batch import SimulationError
from numpy.typing import NDArray

from unibody.core.engine.library.layout import layout, offsets_of
from unibody.core.engine.rules.callbacks import installation, libmujoco
from unibody.core.engine.worlds import stepping
from unibody.core.engine.worlds.solutions import (
    ContactTable,
    Raw,
    Solution,
    Wanted,
    table_of,
)
from unibody.core.engine.worlds.stepping import Stepper, put_fields, taken
from unibody.core.engine.worlds.task_threads import TaskThreads
from unibody.machine_code import types
from unibody.machine_code.compiled import telling
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry, provide_symbol
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64

# Places in the array of arguments.
AT, MODEL, DATA, STATE, STRIDE, SPEC = range(6)  # AT: the world that each part is at
OWN, OWN_COUNT, NEXT, CHUNK, COUNT = range(6, 11)
BIAS_ALONE, FIELDS, FIELD_COUNT = 11, 12, 13  # FIELDS: address of rows of FIELD_SIZE
COUNTS, ROWS, MOST = 14, 15, 16  # of contacts: how many a world has, their rows, and their most
NCON, CONTACT, C_SIZE, C_DIST, C_POS, C_FRAME, C_GEOM, C_FRICTION = range(17, 25)  # in MuJoCo
QVEL, BIAS, APPLIED, NV = 25, 26, 27, 28
SIZE: Final = 29
F_PLACE, F_NUMBERS, F_OUT = range(3)  # in mjData; numbers of a world; where the first world's go
FIELD_SIZE: Final = 3
R_GEOMS, R_DISTANCE, R_POINT, R_FRAME, R_FORCE, R_FRICTION = 0, 2, 3, 6, 15, 21
ROW_SIZE: Final = 22

_FRAME = 9
_FIRST_MOST = 16  # contacts of a world that there is room for at first
_WORD, _SHORT = types.int64, types.int32
_FUNCTIONS = {
    name: types.ExternalFunction(name, types.void(_WORD, _WORD, *more))
    for name, more in {
        "mj_setState": (_WORD, _SHORT),
        "mj_forwardSkip": (_SHORT, _SHORT),
        "mj_rnePostConstraint": (),
        "mj_contactForce": (_SHORT, _WORD),
        "mj_kinematics": (),
        "mj_comPos": (),
        "mj_comVel": (),
        "mj_rne": (_SHORT, _WORD),
    }.items()
}
_set_state, _forward = _FUNCTIONS["mj_setState"], _FUNCTIONS["mj_forwardSkip"]
_wrenches, _contact_force = _FUNCTIONS["mj_rnePostConstraint"], _FUNCTIONS["mj_contactForce"]
_kinematics, _com_pos = _FUNCTIONS["mj_kinematics"], _FUNCTIONS["mj_comPos"]
_com_vel, _rne = _FUNCTIONS["mj_comVel"], _FUNCTIONS["mj_rne"]


@kernel
def _solve_bias(a: Pointer, m: int, d: int) -> None:
    """Forces of the velocities: the bias without that at rest."""
    _kinematics(m, d)
    _com_pos(m, d)
    _com_vel(m, d)
    moving = pointer_i64(d + a[BIAS])[0]
    resting = pointer_i64(d + a[APPLIED])[0]  # of the state, of which nothing else is used
    _rne(m, d, 0, moving)
    speeds = pointer_f64(pointer_i64(d + a[QVEL])[0])
    for i in range(a[NV]):
        speeds[i] = 0.0
    _com_vel(m, d)
    _rne(m, d, 0, resting)
    bias, at_rest = pointer_f64(moving), pointer_f64(resting)
    for i in range(a[NV]):
        bias[i] -= at_rest[i]


@kernel
def _put_contacts(a: Pointer, m: int, d: int, w: int) -> None:
    """Write the contacts of a world, as many as there is room for."""
    count = pointer_i32(d + a[NCON])[0]
    pointer_i64(a[COUNTS])[w] = count
    first = pointer_i64(d + a[CONTACT])[0]
    for k in range(min(int(count), a[MOST])):
        contact = first + k * a[C_SIZE]
        place = a[ROWS] + 8 * ROW_SIZE * (w * a[MOST] + k)
        row = pointer_f64(place)
        geoms = pointer_i32(contact + a[C_GEOM])
        row[R_GEOMS], row[R_GEOMS + 1] = float(geoms[0]), float(geoms[1])
        row[R_DISTANCE] = pointer_f64(contact + a[C_DIST])[0]
        point, frame = pointer_f64(contact + a[C_POS]), pointer_f64(contact + a[C_FRAME])
        for i in range(3):
            row[R_POINT + i] = point[i]
        for i in range(_FRAME):
            row[R_FRAME + i] = frame[i]
        _contact_force(m, d, k, place + 8 * R_FORCE)
        row[R_FRICTION] = pointer_f64(contact + a[C_FRICTION])[0]


@kernel
def _solve_world(a: Pointer, m: int, d: int, w: int) -> None:
    """Solve one world on a model and a state that many use in turns."""
    if a[OWN_COUNT] > 0:
        put_fields(m, w, a[OWN], a[OWN_COUNT])
    _set_state(m, d, a[STATE] + w * a[STRIDE], a[SPEC])
    if a[BIAS_ALONE] != 0:
        _solve_bias(a, m, d)
    else:
        _forward(m, d, 0, 1)
        _wrenches(m, d)
    if a[COUNTS] != 0:
        _put_contacts(a, m, d, w)
    for k in range(a[FIELD_COUNT]):
        field = pointer_i64(a[FIELDS] + 8 * FIELD_SIZE * k)
        values = pointer_f64(pointer_i64(d + field[F_PLACE])[0])
        out = pointer_f64(field[F_OUT] + 8 * field[F_NUMBERS] * w)
        for i in range(field[F_NUMBERS]):
            out[i] = values[i]


@kernel
def _solve_part(arguments: int, part: int) -> None:
    """Solve worlds until none is left."""
    a = pointer_i64(arguments)
    at = pointer_i64(a[AT])
    m, d = pointer_i64(a[MODEL])[part], pointer_i64(a[DATA])[part]
    while True:
        first = taken(a[NEXT], a[CHUNK])
        if first >= a[COUNT]:
            return
        for w in range(first, min(first + a[CHUNK], a[COUNT])):
            at[part] = w
            _solve_world(a, m, d, w)


@functools.cache
def _solver() -> int:
    """Address of the compiled function."""
    library = libmujoco()
    for name in _FUNCTIONS:
        provide_symbol(name, int(ctypes.cast(library[name], ctypes.c_void_p).value or 0))
    digest = hashlib.sha1(usedforsecurity=False)
    for source in (__file__, stepping.__file__):
        digest.update(Path(source).read_bytes())
    known = digest.hexdigest()

    with telling("the forces of many worlds"):

        @kept_entry(types.void(types.int64, types.int64))
        def solve_part(arguments: int, part: int) -> None:
            if len(known) > 0:
                _solve_part(arguments, part)

    return solve_part.address


class Solver:
    """Solves all worlds on the models and states of a ``Stepper``."""

    def __init__(self, model: Any, stepper: Stepper) -> None:
        self._model, self._stepper = model, stepper
        parts = len(stepper.addresses)
        self._at, self._next = np.zeros(parts, np.int64), np.zeros(1, np.int64)
        self._most = _FIRST_MOST
        self._arguments = self._packed()
        self._threads = TaskThreads(parts, _solver(), self._arguments.ctypes.data)

    def _packed(self) -> NDArray[np.int64]:
        """All arguments but those of a call."""
        a = np.zeros(SIZE, np.int64)
        lay, data = layout(), offsets_of("mjData")
        a[AT], a[NEXT], a[CHUNK] = self._at.ctypes.data, self._next.ctypes.data, 1
        a[MODEL] = self._stepper.models.ctypes.data
        a[DATA] = self._stepper.addresses.ctypes.data
        a[SPEC] = int(mujoco.mjtState.mjSTATE_INTEGRATION)
        a[NCON], a[CONTACT], a[C_SIZE] = lay.d_ncon, lay.d_contact, lay.c_size
        a[C_DIST], a[C_POS], a[C_FRAME] = lay.c_dist, lay.c_pos, lay.c_frame
        a[C_GEOM], a[C_FRICTION] = lay.c_geom, lay.c_friction
        a[QVEL], a[BIAS], a[APPLIED] = data["qvel"], data["qfrc_bias"], data["qfrc_applied"]
        a[NV] = self._model.nv
        return a

    def solve(self, wanted: Wanted, states: NDArray[np.float64]) -> Solution:
        """Solve all worlds in states (N, size) of MuJoCo's.

        Raises:
            SimulationError: MuJoCo raised an error in some worlds.
        """
        installation().ensure()
        found = {
            name: np.zeros((len(states), *self._stepper.shape_of(name))) for name in wanted.fields
        }
        fields = _field_rows(found)
        counts = np.zeros(len(states), np.int64)
        while True:
            rows = np.zeros((len(states), self._most if wanted.contacts else 0, ROW_SIZE))
            self._run(wanted, states, (fields, counts, rows))
            if not wanted.contacts:
                return Solution(found, None)
            most = int(counts.max(initial=0))
            if most <= self._most:
                return Solution(found, self._table(counts, rows))
            self._most = most

    def _run(self, wanted: Wanted, states: Any, out: tuple[Any, Any, Any]) -> None:
        fields, counts, rows = out
        a = self._arguments
        a[STATE], a[STRIDE], a[COUNT] = states.ctypes.data, states.strides[0], len(states)
        a[OWN], a[OWN_COUNT] = self._stepper.own_fields
        a[BIAS_ALONE] = wanted.bias_alone
        a[FIELDS], a[FIELD_COUNT] = fields.ctypes.data, len(fields)
        a[COUNTS] = counts.ctypes.data if wanted.contacts else 0
        a[ROWS], a[MOST] = rows.ctypes.data, rows.shape[1]
        self._next[0] = 0
        errors = self._threads.run()
        if errors:
            part, message = next(iter(errors.items()))
            for number in errors:
                self._stepper.renew(number)
            raise SimulationError(self._at[[part]], message, len(states))

    def _table(self, counts: NDArray[np.int64], rows: NDArray[np.float64]) -> ContactTable:
        places = np.arange(rows.shape[1], dtype=np.int64)
        own: NDArray[np.float64] = rows[np.less(places, counts.reshape(-1, 1))]
        raw = Raw(
            np.repeat(np.arange(len(counts)), counts),
            own[:, R_GEOMS:R_DISTANCE].astype(np.int64),
            own[:, R_DISTANCE],
            own[:, R_POINT:R_FRAME],
            own[:, R_FRAME:R_FORCE].reshape(-1, 3, 3),
            own[:, R_FORCE:R_FRICTION],
            own[:, R_FRICTION],
        )
        return table_of(self._model, raw)


def _field_rows(found: dict[str, NDArray[np.float64]]) -> NDArray[np.int64]:
    offsets = offsets_of("mjData")
    rows = [(offsets[name], values[0].size, values.ctypes.data) for name, values in found.items()]
    return np.array(rows, np.int64).reshape(-1, FIELD_SIZE)
