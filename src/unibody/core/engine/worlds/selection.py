"""Which worlds a call means, and which field of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.worlds.base import Ids
from unibody.errors import InvalidArgumentError


def chosen_worlds(worlds: Ids, count: int) -> NDArray[np.int64] | None:
    """World numbers of a list of numbers or a mask; None: all.

    Raises:
        InvalidArgumentError: A number is out of range, or a mask has the wrong length.
    """
    if worlds is None:
        return None
    chosen = np.asarray(worlds)
    if chosen.dtype == np.bool_:
        if chosen.shape != (count,):
            raise InvalidArgumentError("worlds", f"a mask {chosen.shape}", f"a mask ({count},)")
        return np.flatnonzero(chosen)
    chosen = chosen.astype(np.int64).ravel()
    if chosen.size and (chosen.min() < 0 or chosen.max() >= count):
        bad = chosen[(chosen < 0) | (chosen >= count)][0]
        raise InvalidArgumentError("worlds", int(bad), f"numbers from 0 to {count - 1}")
    return chosen


def model_field(model: Any, name: str) -> Any:
    """A field of an MjModel by its name, which may be one of a part: ``opt.gravity``."""
    for part in name.split("."):
        model = getattr(model, part)
    return model
