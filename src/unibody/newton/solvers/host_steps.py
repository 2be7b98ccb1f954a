# pyright: basic, reportInvalidTypeForm=false
"""Steps that run outside of Warp, as part of the graphs that Warp records on the CPU.

While `warp.ScopedCapture` records, nothing runs; the graph runs later, many times. A step that is
not made of Warp's kernels is recorded as a kernel that calls back.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import ctypes
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import warp as wp

from unibody import notices

_numbers = itertools.count(1)
_steps: dict[int, Callable[[], None]] = {}
"""Recorded steps by number; those of a solver end with it."""


@ctypes.CFUNCTYPE(None, ctypes.c_uint64)
def _run(number: int) -> None:
    step = _steps.get(number)
    if step is None:
        notices.tell("a recorded graph steps a solver that is gone: nothing moves")
        return
    step()


_ADDRESS = ctypes.cast(_run, ctypes.c_void_p).value


@wp.func_native(
    "typedef void (*host_function)(unsigned long long);"
    "((host_function)address)((unsigned long long)number);"
)
def _call(address: wp.uint64, number: wp.uint64): ...


@wp.kernel(enable_backward=False)
def _call_host(address: wp.uint64, number: wp.uint64):
    """One thread."""
    _call(address, number)


def run(solver: Any, step: Callable[[], None]) -> None:
    """Run a step, or record it where a graph is being recorded.

    Args:
        solver: Whose step it is; the recorded step ends with it, so that `step` must not hold it.
        step: Without arguments: it reads and writes the arrays that it was made with.
    """
    device = wp.get_device("cpu")
    if not device.is_capturing:
        step()
        return
    number = next(_numbers)
    _steps[number] = step
    weakref.finalize(solver, _steps.pop, number, None)
    numbers = [wp.uint64(_ADDRESS), wp.uint64(number)]
    wp.launch(_call_host, dim=1, inputs=numbers, device=device)
