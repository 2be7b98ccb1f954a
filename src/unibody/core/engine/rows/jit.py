"""How rules are compiled: they are called by one another only, never from Python.

Without the entries that Python would need, and inlined by LLVM instead of numba's own inliner, the
rules compile in half the time and run as fast.
"""

from __future__ import annotations

from typing import Any

import numba

rule: Any = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined: Any = numba.njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
