"""Solvers of 1.x that couple others: they can be imported, and refuse to be made."""

from __future__ import annotations

from typing import Any

from unibody.newton.absent_classes import absent_class
from unibody.newton.solvers.base import SolverBase

_NAMES = ("ModelView", "SolverCoupled", "SolverCoupledADMM", "SolverCoupledProxy")
_NEAREST = "SolverVBD moves rigid bodies, cloth and soft bodies together"
_MODULE = "newton.solvers.experimental.coupled"


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {_MODULE!r} has no attribute {name!r}")
    found = absent_class(_MODULE, name, _NEAREST, SolverBase)
    globals()[name] = found
    return found
