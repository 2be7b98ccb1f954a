"""Colors and opacities of triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError

COLOR = (0.7, 0.5, 0.3)
"""Of triangles that are given none."""


def colors(given: Any, count: int) -> np.ndarray:
    """A color of each of some triangles.

    Args:
        given: One, or one each; None: the usual.
        count: How many triangles there are.

    Returns:
        Shape (count, 3).

    Raises:
        InvalidArgumentError: They are no colors, or too many or too few.
    """
    rows = np.asarray(COLOR if given is None else [*given], dtype=np.float32)
    if rows.ndim == 1:
        rows = np.tile(rows, (count, 1))
    if rows.ndim != 2 or rows.shape[1:] != (3,):
        raise InvalidArgumentError("color", given, "Triangle color: red, green and blue")
    return _checked("color", rows, count, given)


def opacities(given: Any, count: int) -> np.ndarray:
    """An opacity of each of some triangles; see `colors`."""
    rows = np.asarray(1.0 if given is None else given, dtype=np.float32)
    if rows.ndim == 0:
        rows = np.full(count, rows)
    return _checked("opacity", rows.reshape(-1), count, given)


def _checked(name: str, rows: np.ndarray, count: int, given: Any) -> np.ndarray:
    if len(rows) != count:
        allowed = f"Triangle {name}: exactly {count} values, or one for all"
        raise InvalidArgumentError(name, f"{len(rows)} values", allowed)
    if not ((rows >= 0.0) & (rows <= 1.0)).all():  # what is no number is not, either
        raise InvalidArgumentError(name, given, f"Triangle {name}: numbers from 0 to 1")
    return rows


def check_shape(color: Any, opacity: Any) -> None:
    """Check the color and the opacity of a shape.

    Raises:
        InvalidArgumentError: One of them is none.
    """
    if color is not None:
        rows = np.asarray([*color], dtype=float)
        if rows.shape != (3,) or not np.isfinite(rows).all():
            raise InvalidArgumentError("color", color, "Shape color: three numbers")
    if opacity is not None and not 0.0 <= float(opacity) <= 1.0:
        raise InvalidArgumentError("opacity", opacity, "Shape opacity: a number from 0 to 1")
