# pyright: basic, reportInvalidTypeForm=false
"""Steps that run outside of Warp, as part of the graphs that Warp records on the CPU.

While `warp.ScopedCapture` records, nothing runs; the graph runs later, many times. A step that is
not made of Warp's kernels is recorded as a kernel that calls back.

An error cannot pass through Warp's code: it is kept, the graph's further steps are left out, and
`warp.capture_launch` raises it as it returns.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import ctypes
import functools
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import warp as wp

from unibody import notices

_numbers = itertools.count(1)
_steps: dict[int, Callable[[], None]] = {}
"""Recorded steps by number; those of a solver end with it."""
_failed: list[BaseException] = []
"""What a step of the graph that runs has raised: one error at most."""


@ctypes.CFUNCTYPE(None, ctypes.c_uint64)
def _run(number: int) -> None:
    if _failed:
        return
    step = _steps.get(number)
    if step is None:
        notices.tell("a recorded graph steps a solver that is gone: nothing moves")
        return
    try:
        step()
    except BaseException as error:
        _failed.append(error)


@functools.cache
def _raise_after_launches() -> None:
    """Let `warp.capture_launch` raise what a step of its graph has raised."""
    module: Any = wp
    launch = module.capture_launch

    @functools.wraps(launch)
    def capture_launch(*args: Any, **kwargs: Any) -> Any:
        _failed.clear()
        launch(*args, **kwargs)
        if _failed:
            raise _failed.pop()

    module.capture_launch = capture_launch


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
    _raise_after_launches()
    number = next(_numbers)
    _steps[number] = step
    weakref.finalize(solver, _steps.pop, number, None)
    numbers = [wp.uint64(_ADDRESS), wp.uint64(number)]
    wp.launch(_call_host, dim=1, inputs=numbers, device=device)
