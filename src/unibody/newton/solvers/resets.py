"""Worlds that begin anew: which they are, and their bodies and particles as in the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.newton.solvers.flags import StateFlags


def chosen_worlds(model: Any, mask: Any) -> np.ndarray:
    """Which worlds are reset, (worlds + 1,); the last one is what belongs to all worlds.

    Args:
        model: The model.
        mask: The same, as an array of Warp; None: all.

    Raises:
        InvalidArgumentError: It has another length.
    """
    count = model.num_worlds + 1
    if mask is None:
        return np.ones(count, dtype=bool)
    if mask.shape != (count,):
        allowed = f"{count} bools, world_count + 1: the last one is what belongs to all worlds"
        raise InvalidArgumentError("world_mask", mask.shape, allowed)
    return mask.numpy().astype(bool)


def put_first(model: Any, state: Any, worlds: np.ndarray, flags: int | None) -> None:
    """Give bodies and particles of some worlds their places and velocities in the model.

    Args:
        model: The model.
        state: What is written.
        worlds: Which worlds, as `chosen_worlds` says.
        flags: Bits of `StateFlags`; None: all.
    """
    chosen = int(StateFlags.ALL if flags is None else flags)
    for flag, name, of in (
        (StateFlags.BODY_Q, "body_q", model.body_world),
        (StateFlags.BODY_QD, "body_qd", model.body_world),
        (StateFlags.PARTICLE_Q, "particle_q", model.particle_world),
        (StateFlags.PARTICLE_QD, "particle_qd", model.particle_world),
    ):
        array = getattr(state, name)
        if not chosen & flag or array is None or not len(array):
            continue
        rows = worlds[of.numpy()][:, None]
        array.assign(np.where(rows, getattr(model, name).numpy(), array.numpy()))
