"""Masses and inertias that no body can have, and the nearest that one can."""

from __future__ import annotations

import warnings

import numpy as np
import warp as wp

from unibody.newton.builder import physical_later
from unibody.newton.builder.entries import as_array
from unibody.newton.builder.tables import Tables
from unibody.newton.dialect import is_after_first_of_1

_SLACK = 1e-6  # added where a moment would be zero [kg m^2]


def as_given(self: Tables) -> dict[str, np.ndarray]:
    """Masses and inertias of all bodies as scripts gave them, and their inverses."""
    count = self.body_count
    mass = as_array(self.body_mass, np.float64).reshape(count)
    return _with_inverses(mass, as_array(self.body_inertia, np.float64).reshape(count, 3, 3))


def corrected(self: Tables) -> dict[str, np.ndarray]:
    """Masses and inertias of all bodies, and their inverses.

    A mass is at least `bound_mass`, a principal moment at least `bound_inertia`, and with
    `balance_inertia` none is larger than the sum of the two others. What was changed is told by a
    warning; with `validate_inertia_detailed` one a body, and the builder is changed, too, but not
    in 1.x.
    """
    count = self.body_count
    mass = as_array(self.body_mass, np.float64).reshape(count)
    inertia = as_array(self.body_inertia, np.float64).reshape(count, 3, 3)
    problems: dict[int, list[str]] = {}
    found = mass.copy(), inertia.copy()
    later = is_after_first_of_1()
    sound, correct = (physical_later.sound, physical_later.correct) if later else (_sound, _correct)
    for body in np.flatnonzero(~sound(self, *found)).tolist():
        correct(self, body, *found, problems.setdefault(body, []))
    changed = {body: text for body, text in problems.items() if text}
    _tell(self, changed)
    if self.validate_inertia_detailed and not later:
        for body in changed:
            self.body_mass[body] = float(found[0][body])
            self.body_inertia[body] = wp.mat33(*found[1][body].reshape(-1).tolist())
    return _with_inverses(*found)


def _with_inverses(mass: np.ndarray, inertia: np.ndarray) -> dict[str, np.ndarray]:
    inverse = np.divide(1.0, mass, out=np.zeros(len(mass)), where=mass > 0.0)
    return {
        "body_mass": mass,
        "body_inertia": inertia,
        "body_inv_mass": inverse,
        "body_inv_inertia": _inverses(mass, inertia),
    }


def _sound(self: Tables, mass: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Bodies that surely need no correction: one pass over all, without eigenvalues.

    The principal moments of J obey the triangle inequality where half its trace less J is positive.
    """
    identity = np.eye(3)
    half = 0.5 * np.trace(inertia, axis1=1, axis2=2)[:, None, None] * identity - inertia
    least = 0.0 if self.bound_inertia is None else self.bound_inertia
    solid = _positive(inertia - least * identity) & _positive(inertia) & _positive(half)
    solid &= (inertia == inertia.transpose(0, 2, 1)).all(axis=(1, 2))
    solid &= mass > 0.0 if self.bound_mass is None else mass >= max(self.bound_mass, 1e-300)
    return solid


def _positive(tables: np.ndarray) -> np.ndarray:
    """Whether symmetric matrices are positive definite, by their leading minors."""
    first = tables[:, 0, 0]
    second = first * tables[:, 1, 1] - tables[:, 0, 1] * tables[:, 1, 0]
    return (first > 0.0) & (second > 0.0) & (_determinants(tables) > 0.0)


def _determinants(tables: np.ndarray) -> np.ndarray:
    return np.einsum("ni,ni->n", tables[:, 0], np.cross(tables[:, 1], tables[:, 2]))


def _correct(
    self: Tables,
    body: int,
    mass: np.ndarray,
    inertia: np.ndarray,
    problems: list[str],
) -> None:
    if mass[body] < 0.0:
        problems.append(f"Negative mass {mass[body]:.6g} is taken as 0")
        mass[body] = 0.0
    # as in the original, which bounds a mass of zero in the one mode and not in the other
    bounded = mass[body] > 0.0 or not self.validate_inertia_detailed
    if self.bound_mass is not None and bounded and mass[body] < self.bound_mass:
        problems.append(f"Mass {mass[body]:.6g} is below bound {self.bound_mass:.6g}")
        mass[body] = self.bound_mass
    if mass[body] == 0.0:
        if inertia[body].any():
            problems.append("Zero mass should have zero inertia")
            inertia[body] = 0.0
        return
    if not np.allclose(inertia[body], inertia[body].T):
        problems.append("Inertia is not symmetric")
    inertia[body] = (inertia[body] + inertia[body].T) / 2.0
    low, middle, high = np.linalg.eigvalsh(inertia[body])
    lift = 0.0
    # float32 inertias of flat bodies have moments that miss zero by their last digit.
    if low < -_SLACK * max(high, 0.0) - 1e-12:
        problems.append(f"Negative eigenvalues detected: {low:.6g}, {middle:.6g}, {high:.6g}")
        lift = -low + _SLACK
    bound = self.bound_inertia
    if bound is not None and low + lift < bound:
        problems.append(f"Minimum eigenvalue {low + lift:.6g} is below bound {bound:.6g}")
        lift = bound - low
    lack = high - low - middle - lift
    if lack > 1e-6 * max(high, 1.0) and high > 0.0:
        moments = f"({low:.6g}, {middle:.6g}, {high:.6g})"
        problems.append(f"Principal moments {moments} violate the triangle inequality")
        if self.balance_inertia:
            lift += lack + _SLACK
    inertia[body] += lift * np.eye(3)


def _inverses(mass: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    rows = inertia[:, 0], inertia[:, 1], inertia[:, 2]
    crossed = [np.cross(rows[(i + 1) % 3], rows[(i + 2) % 3]) for i in range(3)]
    adjugate = np.stack(crossed, axis=2)
    determinant = np.einsum("ni,ni->n", rows[0], crossed[0])[:, None, None]
    solvable = (mass > 0.0)[:, None, None] & (determinant != 0.0)
    return np.divide(adjugate, determinant, out=np.zeros_like(inertia), where=solvable)


def _tell(self: Tables, changed: dict[int, list[str]]) -> None:
    if not changed:
        return
    if self.validate_inertia_detailed:
        for body, problems in changed.items():
            for problem in problems:
                warnings.warn(f"{problem} for {self.label_of('body', body)}", stacklevel=5)
        return
    body, problems = next(iter(changed.items()))
    warnings.warn(
        f"Inertia validation corrected {len(changed)} bodies, the first of them"
        f" {self.label_of('body', body)}: {problems[0]}. Set validate_inertia_detailed=True for"
        " all of it",
        stacklevel=5,
    )
