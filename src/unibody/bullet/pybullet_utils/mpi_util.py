"""Sums over the processes of an MPI run; without `mpi4py` the process is alone."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import numpy as np

ROOT_PROC_RANK = 0


@functools.cache
def _mpi() -> Any:
    if importlib.util.find_spec("mpi4py") is None:
        return None
    from mpi4py import MPI  # type: ignore[import-not-found]

    return MPI


def get_num_procs() -> int:
    """How many processes there are."""
    return int(_mpi().COMM_WORLD.Get_size()) if _mpi() else 1


def get_proc_rank() -> int:
    """The number of this process."""
    return int(_mpi().COMM_WORLD.Get_rank()) if _mpi() else ROOT_PROC_RANK


def is_root_proc() -> bool:
    """Whether this process is the first one."""
    return get_proc_rank() == ROOT_PROC_RANK


def bcast(x: Any) -> None:
    """Give all processes the first one's values, in place."""
    if _mpi():
        _mpi().COMM_WORLD.Bcast(x, root=ROOT_PROC_RANK)


def reduce_sum(x: Any) -> Any:
    """The sum over all processes."""
    return reduce_all(x, "SUM")


def reduce_prod(x: Any) -> Any:
    """The product over all processes."""
    return reduce_all(x, "PROD")


def reduce_avg(x: Any) -> Any:
    """The mean over all processes."""
    return reduce_sum(x) / get_num_procs()


def reduce_min(x: Any) -> Any:
    """The least value of all processes."""
    return reduce_all(x, "MIN")


def reduce_max(x: Any) -> Any:
    """The greatest value of all processes."""
    return reduce_all(x, "MAX")


def reduce_all(x: Any, op: Any) -> Any:
    """A reduction over all processes: an operation of MPI, or its name."""
    is_array = isinstance(x, np.ndarray)
    given = x if is_array else np.array([x])
    result = np.array(given)
    if _mpi():
        operation = getattr(_mpi(), op) if isinstance(op, str) else op
        _mpi().COMM_WORLD.Allreduce(given, result, op=operation)
    return result if is_array else result[0]


def gather_all(x: Any) -> list[Any]:
    """The values of all processes."""
    given = np.array([x])
    result = np.repeat(given, get_num_procs(), axis=0)
    if _mpi():
        _mpi().COMM_WORLD.Allgather(given, result)
    return list(result)
