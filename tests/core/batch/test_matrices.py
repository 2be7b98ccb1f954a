"""Matrices of actors of several kinds in one selection."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.batch.robots import mixed_batch
from unibody.core.batch.selection import Actors, select_actors


def _host(array):
    return array if isinstance(array, np.ndarray) else array.numpy()


@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
@pytest.mark.parametrize(
    "name", ["jacobians", "mass_matrices", "gravity_forces", "coriolis_forces"]
)
def test_matrices_of_two_kinds_are_those_of_each_kind_padded_with_zeros(tmp_path, device, name):
    batch = mixed_batch(tmp_path, 4, device=device)
    robots = select_actors(batch, "*")
    robots.dofs().write("positions", np.full((4, 3), 0.2))
    robots.dofs().write("velocities", np.full((4, 3), 0.4))
    whole = _host(robots.read(name))
    assert whole.shape[0] == 4
    largest = np.zeros(whole.ndim - 1, int)
    for first in (0, 1):  # carts, then arms
        alone = _host(Actors(batch, robots.actors[first::2]).read(name))
        inside = (slice(first, None, 2), *(slice(0, n) for n in alone.shape[1:]))
        np.testing.assert_array_equal(whole[inside], alone)
        assert np.count_nonzero(whole[first::2]) == np.count_nonzero(alone)
        largest = np.maximum(largest, alone.shape[1:])
    assert whole.shape[1:] == tuple(largest)
    assert np.count_nonzero(whole)
    out = robots.read(name)
    np.testing.assert_array_equal(_host(robots.read(name, out)), whole)
