"""Gradients and second derivatives of elements against differences of their energies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.deform.blocks import block, sheet
from tests.core.deform.energies import gradient
from unibody.core.deform.tables import Bends, MembraneLaw, Springs, Tables, Tetrahedra, Triangles
from unibody.core.deform.topology import inner_edges
from unibody.core.deform.vbd.sweep import vertex_derivatives
from unibody.core.deform.vbd.tiles import pack

_SHEET, _FACES = sheet((3, 2), (0.9, 0.8))
_BLOCK, _SOLIDS = block((2, 1, 1), (0.9, 0.8, 1.1))
_HELD = 2

# Single precision: numbers of order one have 6e-8, a sum over ten elements some 1e-6 of the
# largest.
_SINGLE = 5e-6


def _tables(kind: str) -> tuple[Tables, Any]:
    masses = np.ones(len(_BLOCK if kind.startswith("tetrahedra") else _SHEET))
    masses[_HELD] = 0.0
    if kind == "springs":
        return Tables(masses, Springs.at_rest(_SHEET, _FACES[:, :2], stiffness=3.0)), _SHEET
    if kind in ("triangles", "linear triangles"):
        law = list(MembraneLaw)[kind == "linear triangles"]
        elements = Triangles.at_rest(_SHEET, _FACES, shear=2.0, stretch=3.0, law=law)
        return Tables(masses, triangles=elements), _SHEET
    if kind == "bends":
        rest = _SHEET + np.random.default_rng(5).normal(size=_SHEET.shape) * 0.05
        return Tables(masses, bends=Bends.at_rest(rest, inner_edges(_FACES), stiffness=2.0)), _SHEET
    barrier = 0.8 if kind == "tetrahedra with a barrier" else 0.0
    elements = Tetrahedra.at_rest(_BLOCK, _SOLIDS, shear=2.0, stretch=3.0, barrier=barrier)
    return Tables(masses, tetrahedra=elements), _BLOCK


@pytest.mark.parametrize(
    "kind",
    [
        "springs", "triangles", "linear triangles", "bends", "tetrahedra",
        "tetrahedra with a barrier",
    ],
)  # fmt: skip
def test_gradients_are_those_of_the_energy(kind: str) -> None:
    tables, points = _tables(kind)
    x = points + np.random.default_rng(1).normal(size=points.shape) * 0.1
    found, _ = vertex_derivatives(pack(tables), x)
    expected = gradient(tables, x)
    assert np.abs(expected).max() > 0.1
    expected[_HELD] = 0.0  # a held particle goes nowhere
    assert np.abs(found - expected).max() < _SINGLE * np.abs(expected).max()


@pytest.mark.parametrize(
    "kind",
    ["springs", "triangles", "linear triangles", "tetrahedra", "tetrahedra with a barrier"],
)
def test_second_derivatives_are_those_of_a_stretched_body(kind: str) -> None:
    # Where elements are stretched nothing softens, and all of the second derivative is kept.
    tables, points = _tables(kind)
    x = 1.5 * points + np.random.default_rng(2).normal(size=points.shape) * 0.02
    _, found = vertex_derivatives(pack(tables), x)
    step = 1e-4  # differences of differences: 1e-4 squared, and 1e-10 / 1e-4 of rounding
    for axis in range(3):
        for v in (0, 4, len(x) - 1):
            moved = [x.copy(), x.copy()]
            moved[0][v, axis] += step
            moved[1][v, axis] -= step
            pull = [gradient(tables, m)[v] for m in moved]
            expected = (pull[0] - pull[1]) / (2.0 * step)
            assert found[v, axis] == pytest.approx(expected, abs=2e-4 * np.abs(found[v]).max())


@pytest.mark.parametrize(
    "kind", ["springs", "triangles", "linear triangles", "bends", "tetrahedra"]
)
def test_second_derivatives_never_soften(kind: str) -> None:
    tables, points = _tables(kind)
    for seed in range(20):
        x = points + np.random.default_rng(seed).normal(size=points.shape) * 0.6
        _, found = vertex_derivatives(pack(tables), x)
        least = np.linalg.eigvalsh(found)[:, 0]
        assert (least >= -_SINGLE * np.abs(found).max()).all()
