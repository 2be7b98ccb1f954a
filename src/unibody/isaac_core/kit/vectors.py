"""Plain vectors of numbers, by length."""

from __future__ import annotations

from typing import NamedTuple


class Float2(NamedTuple):
    """Two numbers."""

    x: float = 0.0
    y: float = 0.0


class Float3(NamedTuple):
    """Three numbers."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


class Float4(NamedTuple):
    """Four numbers."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 0.0


Double2, Double3, Double4 = Float2, Float3, Float4
ColorRgb, ColorRgba = Float3, Float4
