"""How kernels are launched and their functions called, so that structs of arrays are copied rarely.

On the processor a struct is copied for each thread and for each call, which takes as long as what
is done with it.
"""

from __future__ import annotations

import inspect
from typing import Any

import warp as wp

inlined: Any = (
    wp.func(inline=True) if "inline" in inspect.signature(wp.func).parameters else wp.func
)
"""Marks a function that the compiler puts in place of its calls, where Warp can do so (1.19)."""


def launch_rows(kernel: Any, rows: int, inputs: list[Any], **more: Any) -> None:
    """Launch a kernel whose threads do every so many rows: one thread on the processor.

    Args:
        kernel: Its last input is how many threads there are.
        rows: How many rows there may be.
        inputs: Its other inputs.
        **more: For `warp.launch`.
    """
    threads = rows if wp.get_device(more.get("device")).is_cuda else min(rows, 1)
    wp.launch(kernel, dim=threads, inputs=[*inputs, threads], **more)
