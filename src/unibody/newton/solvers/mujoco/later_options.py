"""Options of SolverMuJoCo that 1.x has added."""

from __future__ import annotations

import warnings
from typing import Any

from unibody.errors import NotSupportedError
from unibody.newton.dialect import in_use
from unibody.newton.exceptions import NewtonDeprecationWarning

_NEAREST = {
    "enable_sleeping": "every tree is stepped",
    "nvmax": "rooms are those of all degrees of freedom",
    "sleep_tolerance": "every tree is stepped",
    "use_speculative_contacts": "ShapeConfig.gap finds contacts ahead",
    "deterministic": "steps on the CPU are always the same",
    "strict_capacity": "njmax and nconmax state rooms; the CPU has no limit",
}


def check(later: dict[str, Any], njmax_nnz: Any, interval: int | None) -> None:
    """Check options that 1.x has added or will take away.

    Raises:
        NotSupportedError: One does not exist here, and is not off.
        TypeError: There is none of a name, or a room is no whole number.
        ValueError: A room is negative.
    """
    _refuse(later)
    _check_nonzeros(njmax_nnz)
    if interval is not None:
        tell_of_interval(stacklevel=5)


def _refuse(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _NEAREST:
            raise TypeError(f"SolverMuJoCo() got an unexpected keyword argument {name!r}")
        if value is not None and value is not False:
            raise NotSupportedError(f"SolverMuJoCo({name}={value!r})", _NEAREST[name])


def _check_nonzeros(njmax_nnz: Any) -> None:
    if njmax_nnz is None:
        return
    if isinstance(njmax_nnz, bool) or not isinstance(njmax_nnz, int):
        raise TypeError(f"njmax_nnz must be an integer or None, not {njmax_nnz!r}")
    if njmax_nnz < 0:
        raise ValueError(f"njmax_nnz must be non-negative, not {njmax_nnz}")


def tell_of_interval(*, stacklevel: int = 3) -> None:
    """Tell a script of 1.x, as the original, that the interval will go."""
    if in_use() == "1":
        warnings.warn(
            "update_data_interval is deprecated: states are taken over in every step",
            NewtonDeprecationWarning,
            stacklevel=stacklevel,
        )
