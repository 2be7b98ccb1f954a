"""Machine code that comes with the package, for all processors of a kind.

A wheel for Linux carries it: compiled for x86-64-v3, which has AVX2 and fused multiplication. A
process takes a piece from there where its processor, Python and numba are those that the piece was
made for; all else is compiled on the machine, as from a wheel without pieces.

``UNIBODY_SHIP_TO`` names a folder and makes a process compile for that kind of processors into it.
"""

from __future__ import annotations

import functools
import importlib
import os
import platform
import sys
from pathlib import Path
from typing import Any

from unibody.mechanisms import is_plain

__all__ = ["FOLDER", "PROCESSORS", "SETTINGS", "SHIP_TO", "destination", "folder"]

SHIP_TO = "UNIBODY_SHIP_TO"
"""Environment variable: where a process that makes a wheel puts pieces."""

FOLDER = Path(__file__).with_name("pieces")
"""Where the wheel has them."""

PROCESSORS = "x86-64-v3"
# Beyond 64-bit code, by the supplement of the System V ABI for AMD64, "Micro-Architecture Levels".
_FEATURES = (
    "cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "bmi", "bmi2",
    "f16c", "fma", "lzcnt", "movbe", "xsave",
)  # fmt: skip
SETTINGS = {
    "NUMBA_CPU_NAME": PROCESSORS,
    "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in _FEATURES),
}
"""What numba has to be told to compile for them."""


def destination() -> Path | None:
    """Where this process puts pieces for a wheel; None: it makes none."""
    named = os.environ.get(SHIP_TO)
    return Path(named) if named else None


@functools.cache
def folder() -> Path | None:
    """Where pieces are that run on this processor; None: nowhere."""
    if not FOLDER.is_dir() or is_plain("shipped") or not _suits_processor():
        return None
    return None if SETTINGS.keys() & os.environ.keys() else FOLDER


def _suits_processor() -> bool:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    llvm: Any = importlib.import_module("llvmlite.binding")
    features = llvm.get_host_cpu_features()
    return all(features.get(name) for name in _FEATURES)
