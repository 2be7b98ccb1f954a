"""Inputs of a viewer."""

from __future__ import annotations

from typing import NamedTuple


class Event(NamedTuple):
    """An input a script has subscribed to: the name it gave, and how far it was pressed."""

    action: str
    value: float
