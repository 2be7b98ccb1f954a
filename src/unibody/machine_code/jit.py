"""How functions are compiled that call one another only, and are never called from Python.

Without the entries that Python would need, and inlined by LLVM instead of numba's own inliner, they
compile in half the time and run as fast. What divides by zero raises in rules, and gives infinity
in kernels.
"""

from __future__ import annotations

from typing import Any

from unibody.machine_code import numba

_njit: Any = numba.njit  # its stub does not know all options

rule: Any = _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
kernel: Any = _njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined: Any = _njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined_kernel: Any = _njit(
    error_model="numpy", forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
