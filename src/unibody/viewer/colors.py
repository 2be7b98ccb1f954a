"""Colours as the page's library takes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_KNEE = 0.04045  # IEC 61966-2-1: below it the curve is a line


def linear_bytes(colors: ArrayLike) -> NDArray[np.uint8]:
    """Colours as they are written (sRGB, 0 to 1) as amounts of light, 0 to 255, of the same shape.

    The page's library takes colours of instances and of lines as amounts of light.
    """
    values = np.clip(np.asarray(colors, dtype=np.float64), 0.0, 1.0)
    light = np.where(values <= _KNEE, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return np.rint(255.0 * light).astype(np.uint8)
