"""Numbers that the state of a world is made of have to be finite, and so have their products.

PyBullet takes what is not, and loses the body that it is about. Here all bodies are solved for
together, so that one such number would be the end of the world: it is refused.
"""

from __future__ import annotations

from math import hypot

from unibody.bullet.errors import error
from unibody.machine_code.calls.objects import MOST_NUMBER as MOST


def finite(name: str, *values: float) -> None:
    """Refuse an argument that is not finite, or whose products would not be.

    Raises:
        error: It is infinite, beyond 1e100 or no number.
    """
    if hypot(*values) <= MOST:  # then each of them is, and this is quicker than one by one
        return
    for value in values:
        if not -MOST <= value <= MOST:
            shown = values[0] if len(values) == 1 else values
            what = "a finite number" if len(values) == 1 else "finite numbers"
            raise error(f"{name}={shown!r} is not allowed: expected {what} up to {MOST:g}")


def no_nan(name: str, value: float) -> None:
    """Refuse an argument that is no number; one without a bound may be infinite.

    Raises:
        error: It is no number.
    """
    if value != value:  # noqa: PLR0124 - the one float that differs from itself
        raise error(f"{name}={value!r} is not allowed: expected a number")
