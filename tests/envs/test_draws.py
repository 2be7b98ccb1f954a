"""Random numbers of worlds."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from unibody.core.batch.sampling import Rule
from unibody.envs.draws import Streams
from unibody.errors import InvalidArgumentError


def _streams(count: int, seed: int = 0) -> Streams:
    streams = Streams(count)
    streams.seed(np.arange(seed, seed + count), np.arange(count))
    return streams


def test_numbers_of_a_world_do_not_depend_on_the_others() -> None:
    many, one = _streams(1000), _streams(1, seed=7)
    of_many = many.of(np.arange(1000)).uniform(0.0, 1.0, (1000, 3))
    assert np.array_equal(of_many[7], one.of(np.array([0])).uniform(0.0, 1.0, (1, 3))[0])
    some = many.of(np.array([7])).normal(1.0, 2.0, (1, 2))
    assert np.array_equal(some, one.of(np.array([0])).normal(1.0, 2.0, (1, 2)))


def test_numbers_have_the_moments_of_their_distributions() -> None:
    draws = _streams(4000).of(np.arange(4000))
    even, bell = draws.uniform(-1.0, 3.0, (4000, 25)), draws.normal(0.5, 2.0, (4000, 25))
    # 100 000 samples: five standard errors of mean and deviation
    assert even.mean() == pytest.approx(1.0, abs=5 * 1.155 / 316)
    assert even.std() == pytest.approx(4.0 / np.sqrt(12.0), abs=0.02)
    assert bell.mean() == pytest.approx(0.5, abs=5 * 2.0 / 316)
    assert bell.std() == pytest.approx(2.0, abs=5 * 2.0 / 447)
    assert abs(np.corrcoef(even[:, 0], even[:, 1])[0, 1]) < 5 / np.sqrt(4000)
    assert even.min() >= -1.0 and even.max() < 3.0


def test_rules_of_core_draw_with_them() -> None:
    draws = _streams(3).of(np.arange(3))
    sample = Rule("loguniform", (0.5, 2.0), "scaling").sample(draws, (3, 4))
    assert sample.shape == (3, 4) and (sample >= 0.5).all() and (sample <= 2.0).all()


def test_a_shape_without_a_row_a_world_is_named() -> None:
    with pytest.raises(InvalidArgumentError, match="a row a world"):
        _streams(3).of(np.arange(3)).uniform(0.0, 1.0, (4,))
