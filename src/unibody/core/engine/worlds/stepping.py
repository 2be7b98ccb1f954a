"""Steps of many worlds, as a task for threads of compiled code.

What ``mujoco.batch.Batch`` does in a step, without what MuJoCo works out for sensors before it asks
them, a fifteenth of a step; and with the kinematics of the new states, while these are near.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
from pathlib import Path
from typing import Any, Final

import mujoco
import numpy as np
from mujoco.batch import SimulationError
from numpy.typing import NDArray

from unibody.core.engine.library.layout import layout, offsets_of, struct_size
from unibody.core.engine.rules.callbacks import libmujoco
from unibody.core.engine.worlds import arguments, kernels
from unibody.core.engine.worlds.task_threads import TaskThreads
from unibody.machine_code import intrinsic, types
from unibody.machine_code.compiled import telling
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry, provide_symbol
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64, pointer_u8

# Places in the array of arguments.
FIRST, LAST, AT, MODEL, DATA = range(5)  # addresses: a word a part; FIRST, LAST, AT: worlds
STATE, STRIDE, SPEC = 5, 6, 7  # STRIDE: bytes from one world's state to the next
SUBSTEPS, AFTER_SOLVE = 8, 9  # AFTER_SOLVE: address of the callback, 0: there is none
REPORT, REPORT_SIZE, SENSORS = 10, 11, 12  # SENSORS: where sensordata lies in mjData
PLACES = 13  # address of what the kinematics are about, 0: they are not wanted
OWN, OWN_COUNT = 14, 15  # address of rows of OWN_SIZE, a row a field of which worlds have their own
NEXT, CHUNK, COUNT = 16, 17, 18  # NEXT: address of the world that nobody has begun with
SIZE: Final = 19
O_PLACE, O_VALUES, O_STRIDE, O_BYTES = range(4)  # in mjModel; O_BYTES: 0 where it is a pointer
OWN_SIZE: Final = 4

_SHARES = 16  # of a thread: the last one keeps the others waiting
_LARGEST_CHUNK = 32  # worlds
_STAGE_ACC = 3  # mjtStage
_WORD = types.int64
_SHORT = types.int32
_FUNCTIONS = {
    name: types.ExternalFunction(name, types.void(_WORD, _WORD, *more))
    for name, more in {
        "mj_setState": (_WORD, _SHORT),
        "mj_getState": (_WORD, _SHORT),
        "mj_forwardSkip": (_SHORT, _SHORT),
        "mj_checkPos": (),
        "mj_checkVel": (),
        "mj_checkAcc": (),
        "mj_Euler": (),
    }.items()
}
_set_state, _get_state = _FUNCTIONS["mj_setState"], _FUNCTIONS["mj_getState"]
_forward, _integrate = _FUNCTIONS["mj_forwardSkip"], _FUNCTIONS["mj_Euler"]
_check_pos, _check_vel = _FUNCTIONS["mj_checkPos"], _FUNCTIONS["mj_checkVel"]
_check_acc = _FUNCTIONS["mj_checkAcc"]


@intrinsic
def _call_sensor(typing_context: Any, function: Any, model: Any, data: Any, stage: Any) -> Any:
    """Call ``mjcb_sensor`` at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ir: Any = importlib.import_module("llvmlite.ir")
        word, short = ir.IntType(64), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [word, word, short])
        target = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(target, [args[1], args[2], builder.trunc(args[3], short)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64), codegen


@intrinsic
def taken(typing_context: Any, address: Any, number: Any) -> Any:
    """What a word was before a number is added to it, whoever else does that."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = context.get_value_type(signature.return_type).as_pointer()
        return builder.atomic_rmw("add", builder.inttoptr(args[0], word), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), codegen


@kernel
def _step(m: int, d: int, after_solve: int) -> None:
    """``mj_step``, without what MuJoCo works out for sensors."""
    _check_pos(m, d)
    _check_vel(m, d)
    _forward(m, d, 0, 1)
    if after_solve != 0:
        _call_sensor(after_solve, m, d, _STAGE_ACC)
    _check_acc(m, d)
    _integrate(m, d)


@kernel
def put_fields(m: int, w: int, own: int, count: int) -> None:
    """Give a model the fields that a world has for itself."""
    for k in range(count):
        field = pointer_i64(own + 8 * OWN_SIZE * k)
        values = field[O_VALUES] + w * field[O_STRIDE]
        if field[O_BYTES] == 0:
            pointer_i64(m + field[O_PLACE])[0] = values
        else:
            source, target = pointer_u8(values), pointer_u8(m + field[O_PLACE])
            for i in range(field[O_BYTES]):
                target[i] = source[i]


@kernel
def _step_world(a: Pointer, m: int, d: int, w: int) -> None:
    """Step one world on a model and a state that many use in turns."""
    if a[OWN_COUNT] > 0:
        put_fields(m, w, a[OWN], a[OWN_COUNT])
    row = a[STATE] + w * a[STRIDE]
    _set_state(m, d, row, a[SPEC])
    for _ in range(a[SUBSTEPS]):
        _step(m, d, a[AFTER_SOLVE])
    _get_state(m, d, row, a[SPEC])
    size = a[REPORT_SIZE]
    report = pointer_f64(pointer_i64(d + a[SENSORS])[0])
    out = pointer_f64(a[REPORT] + 8 * size * w)
    for k in range(size):
        out[k] = report[k]


@kernel
def _step_part(arguments: int, part: int) -> None:
    """Step the worlds that a part was left with, and then others until none is left."""
    a = pointer_i64(arguments)
    first, last, at = pointer_i64(a[FIRST]), pointer_i64(a[LAST]), pointer_i64(a[AT])
    m, d = pointer_i64(a[MODEL])[part], pointer_i64(a[DATA])[part]
    while True:
        for w in range(first[part], last[part]):
            at[part] = w
            _step_world(a, m, d, w)
        if a[PLACES] != 0:
            kernels.place(first[part], last[part], a[PLACES])
        first[part] = taken(a[NEXT], a[CHUNK])
        last[part] = min(first[part] + a[CHUNK], a[COUNT])
        if first[part] >= a[COUNT]:
            return


@functools.cache
def _stepper() -> int:
    """Address of the compiled function."""
    library = libmujoco()
    for name in _FUNCTIONS:
        provide_symbol(name, int(ctypes.cast(library[name], ctypes.c_void_p).value or 0))
    digest = hashlib.sha1(usedforsecurity=False)
    for source in (__file__, arguments.__file__, kernels.__file__):
        digest.update(Path(source).read_bytes())
    known = digest.hexdigest()

    with telling("the steps of many worlds"):

        @kept_entry(types.void(types.int64, types.int64))
        def step_part(arguments: int, part: int) -> None:
            if len(known) > 0:
                _step_part(arguments, part)

    return step_part.address


class Stepper:
    """Steps worlds whose states are rows of an array.

    Attributes:
        report: ``sensordata`` after the last step, (N, numbers).
        models, addresses: Addresses of the MjModel and the MjData that each part works with.
    """

    def __init__(self, model: Any, state: NDArray[np.float64], threads: int) -> None:
        count = len(state)
        parts = min(threads, count)
        self.report: NDArray[np.float64] = np.zeros((count, model.nsensordata))
        self._first, self._last = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
        self._at = np.zeros(parts, np.int64)
        self._next = np.zeros(1, np.int64)
        self._model, self._state = model, state
        self._copies: list[Any] = []  # of the struct, not of what it points to
        self.models: NDArray[np.int64] = np.full(parts, model._address, np.int64)
        self._data: list[Any] = [mujoco.MjData(model) for _ in range(parts)]
        self.addresses: NDArray[np.int64] = np.array(
            [data._address for data in self._data], np.int64
        )
        self._own: Any = None
        self._arguments = self._packed()
        self._arguments[CHUNK] = min(max(1, count // (_SHARES * parts)), _LARGEST_CHUNK)
        self._task_threads = TaskThreads(parts, _stepper(), self._arguments.ctypes.data)

    def _packed(self) -> NDArray[np.int64]:
        """All arguments but those of a call."""
        a = np.zeros(SIZE, np.int64)
        a[FIRST], a[LAST] = self._first.ctypes.data, self._last.ctypes.data
        a[AT], a[NEXT] = self._at.ctypes.data, self._next.ctypes.data
        a[MODEL], a[DATA] = self.models.ctypes.data, self.addresses.ctypes.data
        a[STATE], a[STRIDE] = self._state.ctypes.data, self._state.strides[0]
        a[SPEC], a[COUNT] = int(mujoco.mjtState.mjSTATE_INTEGRATION), len(self._state)
        a[REPORT], a[REPORT_SIZE] = self.report.ctypes.data, self.report.shape[1]
        a[SENSORS] = layout().d_sensordata
        return a

    def use_fields(self, fields: dict[str, NDArray[Any]]) -> None:
        """Have worlds step with their own values of fields of the model, (N, ...) each; live."""
        if not self._copies:
            size = struct_size("mjModel")
            whole = ctypes.string_at(self._model._address, size)
            self._copies = [ctypes.create_string_buffer(whole, size) for _ in self._data]
            self.models[:] = [ctypes.addressof(copy) for copy in self._copies]
        rows = [_own_field(name, values) for name, values in fields.items()]
        self._own = np.array(rows, np.int64), list(fields.values())
        self._arguments[OWN], self._arguments[OWN_COUNT] = self._own[0].ctypes.data, len(rows)

    @property
    def own_fields(self) -> tuple[int, int]:
        """Address and number of the rows that say which fields worlds have for themselves."""
        return int(self._arguments[OWN]), int(self._arguments[OWN_COUNT])

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of a field of MjData in one world."""
        shape: tuple[int, ...] = getattr(self._data[0], name).shape
        return shape

    def renew(self, part: int) -> None:
        """Give a part another MjData, after an error: who knows what the old one holds."""
        self._data[part] = mujoco.MjData(self._model)
        self.addresses[part] = self._data[part]._address

    def step(self, substeps: int, after_solve: int, places: int) -> None:
        """Advance all worlds.

        Args:
            substeps: Time steps.
            after_solve: Address of ``mjcb_sensor``; 0: there is nothing for it to do.
            places: Address of what the kinematics are about; 0: they are not wanted.

        Raises:
            SimulationError: MuJoCo raised an error in some worlds.
        """
        a = self._arguments
        a[SUBSTEPS], a[AFTER_SOLVE], a[PLACES] = substeps, after_solve, places
        self._next[0] = 0
        self._first[:] = self._last
        errors = self._task_threads.run()
        if errors:
            self._go_on(errors)

    def _go_on(self, errors: dict[int, str]) -> None:
        """Step the worlds behind those in which MuJoCo raised an error, and raise it."""
        failed: dict[int, str] = {}
        while errors:
            for part, message in errors.items():
                failed[int(self._at[part])] = message
                self._first[part] = self._at[part] + 1
                self.renew(part)
            errors = self._task_threads.run()
        worlds = np.array(sorted(failed))
        raise SimulationError(worlds, failed[int(worlds[0])], len(self._state))


def _own_field(name: str, values: NDArray[Any]) -> tuple[int, int, int, int]:
    """Where a field lies in a model, and where its values are."""
    address, stride = values.ctypes.data, values.strides[0]
    if name.startswith("opt."):
        place = layout().m_opt + offsets_of("mjOption")[name.removeprefix("opt.")]
        return place, address, stride, values.itemsize * values[0].size
    return offsets_of("mjModel")[name], address, stride, 0
