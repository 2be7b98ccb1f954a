"""Work that the threads of a batch of MuJoCo do in place of a step.

A batch calls ``mjcb_control`` in its threads, and where MuJoCo raises an error there, the error
comes back to Python instead of ending the process. A model that is marked as a task has nothing to
be stepped: its ``userdata`` say what to call.
"""

from __future__ import annotations

import importlib
from typing import Any, Final

from unibody.core.engine.library.layout import Layout
from unibody.machine_code import intrinsic, types
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import f64_array, int_at

MAGIC: Final = 5.3190746218e207  # the first number of a model that is a task
FUNCTION, ARGUMENTS, PART = range(3)  # of userdata
SIZE: Final = 3


@intrinsic
def _call(typing_context: Any, function: Any, arguments: Any, part: Any) -> Any:
    """Call a function of two integers, found at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ir: Any = importlib.import_module("llvmlite.ir")
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [word, word])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@inlined
def run_task(m: int, d: int, lay: Layout) -> None:
    """Do what a task says; other models are left alone."""
    if int_at(m, lay.m_nnumeric) == 0 or f64_array(m, lay.m_numeric_data)[0] != MAGIC:
        return
    task = f64_array(d, lay.d_userdata)
    _call(int(task[FUNCTION]), int(task[ARGUMENTS]), int(task[PART]))
