"""numba, for modules that have compiled functions: nothing of it is loaded before one is compiled.

`kept` has functions with the signature of C, and `array_calls` functions of arrays, whose machine
code is kept and loaded without numba; `late` says what stands for numba until then.
"""

from __future__ import annotations

from unibody.machine_code import kinds as types
from unibody.machine_code.deferred import Numba, intrinsic
from unibody.machine_code.folders import private_folder

__all__ = ["intrinsic", "numba", "private_folder", "types"]

numba: Numba = Numba()
