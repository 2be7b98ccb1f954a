"""What may be said where episodes of many worlds begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError


def reset_mask(options: Mapping[str, Any] | None, count: int) -> NDArray[np.bool_] | None:
    """Worlds whose episodes begin, (count,); None: nothing was said, so all of them.

    Raises:
        InvalidArgumentError: The mask has another shape or type or names no world, or there is
            another option.
    """
    if unknown := set(options or ()) - {"reset_mask"}:
        raise InvalidArgumentError("options", sorted(unknown), "'reset_mask' or none")
    if not options:
        return None
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (count,) or mask.dtype != np.bool_ or not mask.any():
        raise InvalidArgumentError(
            "options['reset_mask']", mask, f"({count},) of bool, not all False"
        )
    return mask
