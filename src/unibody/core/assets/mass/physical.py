"""Masses and inertias as MuJoCo takes them."""

from __future__ import annotations

MIN_MASS = 1e-6  # kg: MuJoCo needs mass behind every joint; zero in a file means "none"
MIN_INERTIA = 1e-9  # kg m^2


def physical_inertia(
    inertia: tuple[float, float, float], floor: float
) -> tuple[float, float, float]:
    """Principal moments raised until they obey the triangle inequality, as MuJoCo demands."""
    a, b, c = inertia
    if a >= floor <= b and c >= floor and a + b >= c and b + c >= a and c + a >= b:
        return inertia
    a, b, c = max(a, floor), max(b, floor), max(c, floor)
    low, middle, high = sorted((a, b, c))
    missing = high - low - middle
    if missing > 0.0:
        share = 0.5 * missing * (1.0 + 1e-9)
        a, b, c = (value + share if value < high else value for value in (a, b, c))
    return a, b, c
