"""More memory for the contacts of a world whose bodies overlap one another in large numbers."""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.library.layout import offsets_of
from unibody.errors import EngineError

_MOST = 1 << 29  # bytes; every pair of 300 cartpoles in one place takes a quarter of it
_MEMORY = offsets_of("mjModel")["narena"]
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def is_full(problem: mujoco.FatalError) -> bool:
    """Whether MuJoCo gave up for want of room for pairs that may touch."""
    return "mj_stackAlloc" in str(problem)


def enlarge(model: Any) -> None:
    """Let each MjData that is made from now on have twice the memory.

    Raises:
        EngineError: That would be more than a world may take.
    """
    size = ctypes.c_int64.from_address(model._address + _MEMORY)
    if 2 * size.value > _MOST:
        raise EngineError(
            f"more pairs of shapes touch at once than fit into {_MOST >> 20} MiB: move bodies "
            "apart, or let them not collide (groups and masks, or single pairs)"
        )
    size.value *= 2


def fresh_data(model: Any, data: Any) -> Any:
    """Another MjData in the state of one that MuJoCo left in the middle of its work."""
    state = np.empty(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, state, _STATE)
    other = mujoco.MjData(model)
    mujoco.mj_setState(model, other, state, _STATE)
    return other
