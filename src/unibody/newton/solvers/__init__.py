"""Solvers: what moves a state by a time step.

Each solver is loaded when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

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
    "SolverStyle3D": "SolverVBD moves cloth",
}
"""Solvers that do not exist here -> the nearest thing that does."""

__all__ = ["SolverBase", "SolverNotifyFlags", *_SOLVERS]  # noqa: PLE0604


def _refusing(name: str) -> type:
    """A solver that scripts can import beside others, and that cannot be made."""
    from unibody.errors import NotSupportedError

    def refuse(self: object, *args: object, **kwargs: object) -> None:
        raise NotSupportedError(f"newton.solvers.{name} of {[*args, *kwargs]}", _ABSENT[name])

    class Meta(type):
        def __getattr__(cls, attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            raise NotSupportedError(f"newton.solvers.{name}.{attribute}", _ABSENT[name])

    return Meta(name, (SolverBase,), {"__init__": refuse, "__doc__": f"{_ABSENT[name]}."})


def __getattr__(name: str) -> Any:
    if name in _SOLVERS:
        value = getattr(importlib.import_module(_SOLVERS[name]), name)
        globals()[name] = value
        return value
    if name in _ABSENT:
        globals()[name] = _refusing(name)
        return globals()[name]
    raise AttributeError(f"module 'newton.solvers' has no attribute {name!r}")
