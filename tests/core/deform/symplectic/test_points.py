"""Contacts of points inside of faces, against the minimum in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unibody.core.deform.contacts import COLUMNS, FRICTION, HEIGHT, STIFFNESS, Contacts
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.state import State
from unibody.core.deform.symplectic.solver import SymplecticEuler
from unibody.core.deform.tables import Tables
from unibody.core.deform.vbd.solver import VertexBlockDescent

PLACES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 0]])
MASSES = np.array([1.0, 2.0, 0.5, 1.0])
WEIGHTS = np.array([0.5, 0.3, 0.2])
DT, FALL, STIFF, HIGH = 0.01, 10.0, 3e4, 2e-3


def _features() -> FeatureContacts:
    """A plane that is above the point of the triangle by `HIGH`."""
    row = np.zeros(COLUMNS)
    row[2], row[HEIGHT], row[STIFFNESS], row[FRICTION] = 1.0, HIGH, STIFF, 0.0
    return FeatureContacts.at(len(PLACES), [[0, 1, 2]], [WEIGHTS], [row])


def _expected() -> Any:
    """Heights after a step: inertia and the one contact are a quadratic."""
    goal, light = -FALL * DT * DT, DT * DT / MASSES[:3]
    push = STIFF * (HIGH - goal) / (1.0 + STIFF * (WEIGHTS**2 * light).sum())
    return np.append(goal + WEIGHTS * light * push, goal)


@pytest.mark.parametrize("symplectic", [True, False])
def test_three_particles_bear_a_contact_by_their_shares(symplectic: bool) -> None:
    tables, state = Tables(MASSES), State.at(PLACES)
    drive = np.array([[0, 0, -FALL]], dtype=np.float32)
    if symplectic:
        solver = SymplecticEuler(tables, starts=[0, 4], radii=np.zeros(4), itself=[False])
        assert solver.step(
            state, DT, accelerations=drive, contacts=Contacts.none(4), features=_features()
        )
    else:
        descent = VertexBlockDescent(tables, iterations=60, faces=np.array([[0, 1, 2]]))
        descent.step(state, DT, accelerations=drive, features=_features())
    # what is left of 3 mm after 30 times over the three, whose shares are a fifth and less
    np.testing.assert_allclose(state.positions[:, 2], _expected(), atol=1e-5)
    np.testing.assert_allclose(state.positions[:, :2], PLACES[:, :2], atol=1e-7)
