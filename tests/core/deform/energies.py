"""Energies of elements in double precision, as written in textbooks: what solvers are compared
with."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.deform.tables import MembraneLaw, Tables
from unibody.core.deform.topology import angles


def energy(tables: Tables, x: Any) -> float:
    """Elastic energy of all elements [J].

    Args:
        tables: Particles and elements.
        x: Places of the particles, (p, 3) [m].
    """
    return sum(part(tables, x) for part in (_springs, _triangles, _bends, _tetrahedra))


def _springs(tables: Tables, x: Any) -> float:
    s = tables.springs
    length = np.linalg.norm(x[s.corners[:, 1]] - x[s.corners[:, 0]], axis=1)
    return float(0.5 * np.sum(s.stiffness * (length - s.length) ** 2))


def _neo_hookean(shear: Any, stretch: Any, metric: Any, ratio: Any, sides: int) -> Any:
    nu = stretch + shear
    squares = np.trace(metric, axis1=1, axis2=2) - sides
    return 0.5 * shear * squares + 0.5 * nu * (ratio - 1.0 - shear / nu) ** 2


def _triangles(tables: Tables, x: Any) -> float:
    t = tables.triangles
    edges = np.stack([x[t.corners[:, k]] - x[t.corners[:, 0]] for k in (1, 2)], axis=2)
    f = edges @ t.inverse_rest
    metric = f.transpose(0, 2, 1) @ f
    if t.law is MembraneLaw.SAINT_VENANT_KIRCHHOFF:
        strain = 0.5 * (metric - np.eye(2))
        swelling = np.trace(strain, axis1=1, axis2=2)
        density = t.shear * np.sum(strain**2, axis=(1, 2)) + 0.5 * t.stretch * swelling**2
        return float(np.sum(t.area * density))
    ratio = np.sqrt(np.linalg.det(metric))
    return float(np.sum(t.area * _neo_hookean(t.shear, t.stretch, metric, ratio, 2)))


def _bends(tables: Tables, x: Any) -> float:
    b = tables.bends
    turned = angles(x, b.corners) - b.angle
    return float(0.5 * np.sum(b.stiffness * b.length * turned**2))


def _tetrahedra(tables: Tables, x: Any) -> float:
    t = tables.tetrahedra
    edges = np.stack([x[t.corners[:, k]] - x[t.corners[:, 0]] for k in (1, 2, 3)], axis=2)
    f = edges @ t.inverse_rest
    metric = f.transpose(0, 2, 1) @ f
    nu, squares = t.stretch + t.shear, np.trace(metric, axis1=1, axis2=2)
    barrier = t.barrier * t.shear
    swelling = np.linalg.det(f) - 1.0 - (t.shear - 0.25 * barrier) / nu
    density = 0.5 * (t.shear * (squares - 3.0) - barrier * np.log(squares + 1.0))
    density += 0.5 * nu * swelling**2
    return float(np.sum(t.volume * density))


def gradient(tables: Tables, x: Any, step: float = 1e-6) -> Any:
    """Of `energy`, by central differences, (p, 3) [N]."""
    found = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        ends = []
        for sign in (1.0, -1.0):
            moved = x.copy()
            moved[index] += sign * step
            ends.append(energy(tables, moved))
        found[index] = (ends[0] - ends[1]) / (2.0 * step)
    return found
