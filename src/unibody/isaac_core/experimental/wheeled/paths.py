"""Paths by polynomials of the fifth degree: their ends have a place, a speed and an acceleration.

After Takahashi et al., "Local path planning and motion control for AGV in positioning" (1989).
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from unibody.errors import InvalidArgumentError

MAX_T = 100.0
"""No path takes as long [s]."""
MIN_T = 5.0
"""Times of paths are multiples of this [s]."""

Path = tuple[
    list[float], list[float], list[float], list[float], list[float], list[float], list[float]
]


class QuinticPolynomial:
    """The polynomial of the fifth degree that begins and ends as is wanted.

    Args:
        xs: Place at the start.
        vxs: Speed there.
        axs: Acceleration there.
        xe: Place at the end.
        vxe: Speed there.
        axe: Acceleration there.
        time: Between them.
    """

    def __init__(
        self, xs: float, vxs: float, axs: float, xe: float, vxe: float, axe: float, time: float
    ) -> None:
        begun = Polynomial([xs, vxs, axs / 2.0])
        missing = [
            end - begun.deriv(order)(time) if order else end - begun(time)
            for order, end in enumerate((xe, vxe, axe))
        ]
        powers = [Polynomial.basis(degree) for degree in (3, 4, 5)]
        effects = [[one.deriv(n)(time) if n else one(time) for one in powers] for n in range(3)]
        added = np.linalg.solve(np.array(effects), np.array(missing))
        self.a0: float = xs
        self.a1: float = vxs
        self.a2: float = axs / 2.0
        self.a3: float
        self.a4: float
        self.a5: float
        self.a3, self.a4, self.a5 = (float(one) for one in added)
        self._place = Polynomial([self.a0, self.a1, self.a2, self.a3, self.a4, self.a5])
        self._derivatives = [self._place.deriv(order) for order in (1, 2, 3)]

    def calc_point(self, t: float) -> float:
        """Place at a time."""
        return float(self._place(t))

    def calc_first_derivative(self, t: float) -> float:
        """Speed at a time."""
        return float(self._derivatives[0](t))

    def calc_second_derivative(self, t: float) -> float:
        """Acceleration at a time."""
        return float(self._derivatives[1](t))

    def calc_third_derivative(self, t: float) -> float:
        """Jerk at a time."""
        return float(self._derivatives[2](t))


def quintic_polynomials_planner(
    sx: float,
    sy: float,
    syaw: float,
    sv: float,
    sa: float,
    gx: float,
    gy: float,
    gyaw: float,
    gv: float,
    ga: float,
    max_accel: float,
    max_jerk: float,
    dt: float,
) -> Path:
    """The first path that keeps to the limits, of 5 s, 10 s and so on to 95 s.

    Args:
        sx: x at the start [m].
        sy: y there [m].
        syaw: Direction there [rad].
        sv: Speed there [m/s].
        sa: Acceleration there, along the direction [m/s^2].
        gx: x at the end [m].
        gy: y there [m].
        gyaw: Direction there [rad].
        gv: Speed there [m/s].
        ga: Acceleration there, along the direction [m/s^2].
        max_accel: [m/s^2].
        max_jerk: [m/s^3].
        dt: Between points [s].

    Returns:
        Times, x, y, directions, speeds, accelerations and jerks of the points. Accelerations are
        negative where the speed falls, jerks where the acceleration falls.

    Raises:
        InvalidArgumentError: No path keeps to the limits.
    """
    start, goal = np.array([np.cos(syaw), np.sin(syaw)]), np.array([np.cos(gyaw), np.sin(gyaw)])
    for duration in np.arange(MIN_T, MAX_T, MIN_T):
        axes = [
            QuinticPolynomial(
                s, sv * start[i], sa * start[i], g, gv * goal[i], ga * goal[i], float(duration)
            )
            for i, (s, g) in enumerate(((sx, gx), (sy, gy)))
        ]
        times = np.arange(0.0, duration + dt, dt)
        places = [axis._place(times) for axis in axes]
        rates = [[axis._derivatives[order](times) for axis in axes] for order in range(3)]
        speeds = np.hypot(*rates[0])
        pushes = _signed(np.hypot(*rates[1]), speeds)
        jerks = _signed(np.hypot(*rates[2]), pushes)
        if np.abs(pushes).max() <= max_accel and np.abs(jerks).max() <= max_jerk:
            turned = np.arctan2(rates[0][1], rates[0][0])
            found = (times, *places, turned, speeds, pushes, jerks)
            return tuple(one.tolist() for one in found)  # type: ignore[return-value]
    allowed = "limits that a path of less than 100 s keeps to"
    raise InvalidArgumentError("max_accel, max_jerk", (max_accel, max_jerk), allowed)


def _signed(lengths: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Lengths, negative where another quantity is less than at the point before."""
    return np.where(np.diff(of, prepend=of[0]) < 0.0, -lengths, lengths)
