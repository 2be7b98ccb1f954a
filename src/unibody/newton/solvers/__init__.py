"""Solvers: what moves a state by a time step.

Each solver is loaded when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from unibody.newton.absent_classes import absent_class
from unibody.newton.solvers.base import SolverBase
from unibody.newton.solvers.flags import SolverNotifyFlags

_SOLVERS: dict[str, str] = {
    "SolverFeatherstone": "unibody.newton.solvers.featherstone",
    "SolverMuJoCo": "unibody.newton.solvers.mujoco.solver",
    "SolverSemiImplicit": "unibody.newton.solvers.semi_implicit",
    "SolverVBD": "unibody.newton.solvers.vbd",
    "SolverXPBD": "unibody.newton.solvers.xpbd",
}
"""Solver -> the module it is in."""

_ABSENT = {
    "SolverImplicitMPM": "SolverVBD moves particles",
    "SolverKamino": "SolverMuJoCo solves closed loops by equality constraints",
    "SolverSteel": "SolverMuJoCo moves rigid bodies",
    "SolverStyle3D": "SolverVBD moves cloth",
}
"""Solvers that do not exist here -> the nearest thing that does."""

_NESTED: dict[str, tuple[str, ...]] = {
    "SolverImplicitMPM": ("Config",),
    "SolverKamino": ("Config",),
}
"""Solvers that do not exist here -> the classes in them."""

__all__ = ["SolverBase", "SolverNotifyFlags", *_SOLVERS]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _SOLVERS:
        value = getattr(importlib.import_module(_SOLVERS[name]), name)
        globals()[name] = value
        return value
    if name in _ABSENT:
        found = absent_class(
            "newton.solvers", name, _ABSENT[name], SolverBase, _NESTED.get(name, ())
        )
        globals()[name] = found
        return found
    raise AttributeError(f"module 'newton.solvers' has no attribute {name!r}")
