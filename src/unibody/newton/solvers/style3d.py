"""SolverStyle3D, which does not exist here: scripts import this beside other solvers."""

from __future__ import annotations

from typing import Any

from unibody.errors import NotSupportedError


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'newton.solvers.style3d' has no attribute {name!r}")
    raise NotSupportedError(f"newton.solvers.style3d.{name}", "SolverVBD moves cloth")
