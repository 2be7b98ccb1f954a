"""Colors: numbers, names of CSS, hexadecimal codes."""

from __future__ import annotations

import re
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


_LETTERS = {
    "b": (0.0, 0.0, 1.0), "g": (0.0, 0.5, 0.0), "r": (1.0, 0.0, 0.0), "c": (0.0, 0.75, 0.75),
    "m": (0.75, 0.0, 0.75), "y": (0.75, 0.75, 0.0), "k": (0.0, 0.0, 0.0), "w": (1.0, 1.0, 1.0),
}  # fmt: skip
"""Matplotlib's colors of one letter, which the original knows, too."""
_TABLEAU = {
    "blue": "#1f77b4", "orange": "#ff7f0e", "green": "#2ca02c", "red": "#d62728",
    "purple": "#9467bd", "brown": "#8c564b", "pink": "#e377c2", "gray": "#7f7f7f",
    "grey": "#7f7f7f", "olive": "#bcbd22", "cyan": "#17becf",
}  # fmt: skip
"""Tableau's colors, by their names behind "tab:"."""


def _named(argument: str, name: str) -> list[float]:
    if name in _LETTERS:
        return list(_LETTERS[name])
    if re.fullmatch(r"(0|1|0?\.\d+|[01]\.0*|0\.\d+)", name):  # a grey, as in Matplotlib
        return [float(name)] * 3
    if re.fullmatch(r"C\d", name):  # the colors of Matplotlib's lines, one after another
        name = "tab:" + [key for key in _TABLEAU if key != "grey"][int(name[1])]
    if name.lower().startswith("tab:"):
        name = _TABLEAU.get(name.lower().removeprefix("tab:"), name)
    try:
        return [part / 255.0 for part in ImageColor.getrgb(name)[:3]]
    except ValueError as error:
        allowed = "a name of CSS such as 'red', a code such as '#ff0000', or a grey such as '0.5'"
        raise InvalidArgumentError(argument, name, allowed) from error
