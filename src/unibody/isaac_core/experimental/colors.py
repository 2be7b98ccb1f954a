"""Colors: numbers, names of CSS, hexadecimal codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import ImageColor

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental.arguments import table


def rgb(argument: str, colors: Any, count: int) -> np.ndarray:
    """(count, 3) red, green, blue from 0 to 1.

    Args:
        argument: Its name, for errors.
        colors: Numbers that broadcast to the shape, a name or a code, or a list of such.
        count: How many there are.

    Raises:
        InvalidArgumentError: There is no color of a name.
    """
    if isinstance(colors, str):
        found: Any = _named(argument, colors)
    elif isinstance(colors, (list, tuple)):
        found = [_named(argument, one) if isinstance(one, str) else one for one in colors]
    else:
        found = colors
    return table(argument, found, (count, 3))


def _named(argument: str, name: str) -> list[float]:
    try:
        return [part / 255.0 for part in ImageColor.getrgb(name)[:3]]
    except ValueError as error:
        allowed = "a name of CSS such as 'red', or a code such as '#ff0000'"
        raise InvalidArgumentError(argument, name, allowed) from error
