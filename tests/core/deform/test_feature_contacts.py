"""Contacts of points inside of edges and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unibody.core.deform.contacts import (
    COLUMNS,
    DAMPING,
    FRICTION,
    GROWTH,
    HEIGHT,
    NORMAL,
    STIFFNESS,
)
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.state import State
from unibody.core.deform.tables import Springs, Tables
from unibody.core.deform.vbd.feature_touch import write_feature_reactions
from unibody.core.deform.vbd.solver import VertexBlockDescent
from unibody.core.deform.vbd.touch import write_reactions

GRAVITY = np.array([0.0, 0.0, -9.81])


def _floor(stiffness: float, height: float = 0.0) -> Any:
    row = np.zeros((1, COLUMNS), dtype=np.float32)
    row[0, NORMAL + 2], row[0, HEIGHT], row[0, STIFFNESS] = 1.0, height, stiffness
    row[0, DAMPING], row[0, FRICTION], row[0, GROWTH] = 3.0, 0.5, 1e-4
    return row


def test_a_point_of_a_triangle_bears_what_a_particle_in_its_place_would() -> None:
    rng = np.random.default_rng(3)
    x, before = rng.normal(size=(3, 3)) - (0.0, 0.0, 3.0), rng.normal(size=(3, 3))
    weights, row = np.array([[0.2, 0.3, 0.5]]), _floor(100.0)
    alone, shared = (np.zeros((1, 3)), np.zeros((1, 2))), (np.zeros((1, 3)), np.zeros((1, 2)))
    at = np.float32(weights).astype(float)
    write_reactions(
        *((at @ table).reshape(-1) for table in (x, before)), np.zeros(1, int), row, 60.0, *alone
    )
    touched = FeatureContacts.at(3, [[0, 1, 2]], weights, row)
    write_feature_reactions(x.reshape(-1), before.reshape(-1), touched, 60.0, *shared)
    assert alone[0][0, 2] > 0.0
    assert shared[0] == pytest.approx(alone[0], rel=1e-6)
    assert shared[1] == pytest.approx(alone[1], rel=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_rod_of_two_particles_rests_on_a_post_between_them(share: float) -> None:
    ends = np.array([[0, 1]])
    springs = Springs(ends, np.array([1.0]), np.array([1e4]), np.zeros(1), np.zeros(1))
    masses = np.array([share, 1.0 - share])  # which balance where the post is
    tables = Tables(masses, springs)
    solver = VertexBlockDescent(tables, iterations=200)
    places = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    state = State.at(places, np.zeros((2, 3)), GRAVITY)
    touched = FeatureContacts.at(2, [[0, 1, -1]], [[share, 1.0 - share, 0.0]], _floor(1000.0))
    for _ in range(600):
        solver.step(state, 0.01, accelerations=GRAVITY, features=touched)
    weights = np.array([share, 1.0 - share])
    deep = -float(weights @ state.positions[:, 2])
    # the post bears both: its spring is as deep as their weight over its stiffness
    assert deep == pytest.approx(9.81 / 1000.0, rel=2e-3)
    assert np.abs(state.velocities).max() < 1e-3


def test_particles_without_a_share_are_not_moved() -> None:
    masses = np.ones(3)
    solver = VertexBlockDescent(Tables(masses), iterations=20)
    state = State.at(np.zeros((3, 3)) - (0.0, 0.0, 0.1), np.zeros((3, 3)), np.zeros(3))
    touched = FeatureContacts.at(3, [[0, 2, -1]], [[0.5, 0.5, 7.0]], _floor(100.0))
    solver.step(state, 0.01, features=touched)
    assert state.positions[1, 2] == pytest.approx(-0.1)
    assert state.positions[[0, 2], 2].min() > -0.1
