"""The calls that bodies came from."""

from __future__ import annotations

from typing import NamedTuple


class LoadCall(NamedTuple):
    """The call a body came from.

    Attributes:
        text: The call, but for what places the body.
        number: Which of the bodies it loads.
    """

    text: str
    number: int
