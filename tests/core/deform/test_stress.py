"""Stresses in tetrahedra against the closed forms of their energy."""

from __future__ import annotations

import numpy as np
import pytest

from unibody.core.deform.stress import cauchy_stress
from unibody.core.deform.tables import Tetrahedra

_POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.2, 0.3], [0.2, 0.0, 0.9]])
_MU, _LAMBDA = 3.0, 5.0


def _solid(barrier: float = 0.0) -> Tetrahedra:
    return Tetrahedra.at_rest(_POINTS, [[0, 1, 2, 3]], shear=_MU, stretch=_LAMBDA, barrier=barrier)


@pytest.mark.parametrize("barrier", [0.0, 1.0])
def test_a_tetrahedron_at_rest_or_turned_has_no_stress(barrier: float) -> None:
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    # float64 algebra on numbers of about 10
    for points in (_POINTS, _POINTS @ turn.T + 3.0):
        assert np.abs(cauchy_stress(_solid(barrier), points)).max() < 1e-12


def test_a_small_strain_has_the_stress_of_hookes_law() -> None:
    strain = 1e-5 * np.array([[3.0, 1.0, 0.0], [1.0, -2.0, 0.5], [0.0, 0.5, 1.0]])
    found = cauchy_stress(_solid(), _POINTS @ (np.eye(3) + strain).T)[0]
    hooke = _LAMBDA * np.trace(strain) * np.eye(3) + 2.0 * _MU * strain
    # the terms of second order are the strain times the stress: 3e-5 of it, a few times
    assert found == pytest.approx(hooke, abs=2e-4 * np.abs(hooke).max())


def test_a_pressure_has_the_stress_of_the_energy_by_volume() -> None:
    scale = 0.8
    found = cauchy_stress(_solid(), scale * _POINTS)[0]
    # of mu/2 (3 a^2 - 3) + nu/2 (a^3 - 1 - mu/nu)^2 by the volume a^3
    away = (_LAMBDA + _MU) * (scale**3 - 1.0) - _MU
    assert found == pytest.approx((_MU / scale + away) * np.eye(3), abs=1e-12)
