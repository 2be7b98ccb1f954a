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


Double2: type[Float2] = Float2
Double3: type[Float3] = Float3
Double4: type[Float4] = Float4
ColorRgb: type[Float3] = Float3
ColorRgba: type[Float4] = Float4
