"""Masses and inertias that no body can have, by the rules of 1.x.

Thresholds are relative to the largest principal moment, so that light parts are kept as they are,
and what is no number makes a body without mass.
"""

from __future__ import annotations

import math

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.newton.builder.tables import Tables

_SETTINGS = ("inertia_relative_tolerance", "inertia_absolute_tolerance", "inertia_correction")
_FLOAT32 = np.finfo(np.float32)


def check_settings(self: Tables) -> None:
    """Check the tolerances of the builder.

    Raises:
        InvalidArgumentError: One of them is no number of single precision, or is negative.
    """
    for name in _SETTINGS:
        value = float(getattr(self, name))
        if not (math.isfinite(value) and 0.0 <= value <= float(_FLOAT32.max)):
            raise InvalidArgumentError(name, value, f"a number from 0 to {_FLOAT32.max:.4g}")
        if name == "inertia_absolute_tolerance" and np.float32(value) <= 0.0:
            raise InvalidArgumentError(name, value, "more than 0 in single precision")


def sound(self: Tables, mass: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Bodies that need no correction."""
    finite = np.isfinite(mass) & np.isfinite(inertia).all(axis=(1, 2))
    known = np.where(finite[:, None, None], inertia, np.eye(3))
    low, middle, high = np.linalg.eigvalsh((known + known.transpose(0, 2, 1)) / 2.0).T
    least = np.maximum(self.inertia_relative_tolerance * high, self.inertia_absolute_tolerance)
    if self.bound_inertia is not None:
        least = np.maximum(least, self.bound_inertia)
    slack = np.maximum(_FLOAT32.eps * high, self.inertia_absolute_tolerance)
    solid = (low >= least) & (low + middle >= high - slack)
    solid &= np.isclose(known, known.transpose(0, 2, 1)).all(axis=(1, 2))
    heavy = mass > 0.0
    if self.bound_mass is not None:
        heavy &= mass >= self.bound_mass
    empty = (mass == 0.0) & ~known.any(axis=(1, 2))
    return finite & ((solid & heavy) | empty)


def correct(
    self: Tables,
    body: int,
    mass: np.ndarray,
    inertia: np.ndarray,
    problems: list[str],
) -> None:
    """Correct the mass and the inertia of a body, and tell what was wrong with them."""
    if not (math.isfinite(mass[body]) and np.isfinite(inertia[body]).all()):
        problems.append("NaN/Inf in mass or inertia: both are taken as 0")
        mass[body], inertia[body] = 0.0, 0.0
        return
    if mass[body] < 0.0:
        problems.append(f"Negative mass {mass[body]:.6g} is taken as 0")
        mass[body] = 0.0
    if self.bound_mass is not None and 0.0 < mass[body] < self.bound_mass:
        problems.append(f"Mass {mass[body]:.6g} is below bound {self.bound_mass:.6g}")
        mass[body] = self.bound_mass
    if mass[body] == 0.0:
        if inertia[body].any():
            problems.append("Zero mass should have zero inertia")
            inertia[body] = 0.0
        return
    found, changed = _with_moments(self, inertia[body], problems)
    if changed:
        inertia[body] = _definite(self, found.astype(np.float32))


def _with_moments(self: Tables, given: np.ndarray, problems: list[str]) -> tuple[np.ndarray, bool]:
    """An inertia whose moments are positive, above their bound, and those of a body."""
    known = len(problems)
    symmetric = (given + given.T) / 2.0
    if not np.allclose(given, symmetric):
        problems.append("Inertia is not symmetric")
    low, middle, high = np.linalg.eigvalsh(symmetric)
    lift = 0.0
    least = max(self.inertia_relative_tolerance * high, self.inertia_absolute_tolerance)
    if low < least:
        moments = f"{low:.6g}, {middle:.6g}, {high:.6g}"
        problems.append(f"Eigenvalues below threshold detected: {moments}")
        lift = least - low + self.inertia_correction
    bound = self.bound_inertia
    if bound is not None and low + lift < bound:
        problems.append(f"Minimum eigenvalue {low + lift:.6g} is below bound {bound:.6g}")
        lift = bound - low
    changed = len(problems) > known
    lack = high - low - middle - lift
    told = self.balance_inertia or self.validate_inertia_detailed
    if told and lack > max(_FLOAT32.eps * (high + lift), self.inertia_absolute_tolerance):
        moments = f"({low:.6g}, {middle:.6g}, {high:.6g})"
        problems.append(f"Principal moments {moments} violate the triangle inequality")
        if self.balance_inertia:
            lift += lack + self.inertia_correction
            changed = True
    return symmetric + lift * np.eye(3), changed


def _definite(self: Tables, found: np.ndarray) -> np.ndarray:
    """An inertia that rounding to single precision did not leave without a positive moment."""
    low = float(np.linalg.eigvalsh(found.astype(np.float64))[0])
    if low > 0.0:
        return found
    scale = float(_FLOAT32.eps) * float(np.abs(found).max())
    lift = -low + max(self.inertia_correction, self.inertia_absolute_tolerance, scale)
    return found + np.float32(lift) * np.eye(3, dtype=np.float32)
