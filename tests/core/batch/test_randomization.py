"""Seeded randomisation of selections."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.batch.robots import mixed_batch
from unibody.core.batch.randomization import Randomizer
from unibody.core.batch.sampling import Rule
from unibody.core.batch.selection import select_actors
from unibody.errors import InvalidArgumentError


def host(array):
    return array if isinstance(array, np.ndarray) else array.numpy()


def test_the_same_seed_gives_the_same_masses_on_every_device_and_another_seed_others(tmp_path):
    rule = Rule("uniform", (0.5, 1.5), "scaling")
    found = []
    for device, seed in (("cpu", 7), ("warp-cpu", 7), ("cpu", 8)):
        bodies = select_actors(mixed_batch(tmp_path, 6, device=device), "*").bodies()
        plain = host(bodies.read("masses")).copy()
        randomizer = Randomizer(bodies, "masses", rule, seed)
        randomizer.apply()
        randomizer.apply()  # from the first masses again, not from the last
        shares = host(bodies.read("masses"))[bodies.mask] / plain[bodies.mask]
        assert 0.5 <= shares.min() < 0.8
        assert 1.2 < shares.max() <= 1.5
        found.append(shares)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    assert np.abs(found[0] - found[2]).max() > 0.1


def test_a_part_of_a_selection_is_randomised_alone(tmp_path):
    dofs = select_actors(mixed_batch(tmp_path, 6), "arm").dofs()
    Randomizer(dofs, "stiffnesses", Rule("gaussian", (5.0, 1.0), "additive"), 1).apply(chosen=[1])
    changed = (dofs.read("stiffnesses") != 0.0).any(axis=1)
    assert changed.tolist() == [False, True, False]


def test_a_schedule_goes_from_no_change_to_the_whole_rule():
    rule = Rule("uniform", (2.0, 2.0), "scaling", "linear", 10)
    draws = np.random.default_rng(0)
    shares = [float(rule.sample(draws, (), step)) for step in (0, 5, 10, 20)]
    assert shares == [1.0, 1.5, 2.0, 2.0]
    late = Rule("uniform", (3.0, 3.0), "additive", "constant", 10)
    assert [float(late.sample(draws, (), step)) for step in (9, 10)] == [0.0, 3.0]


def test_buckets_are_the_values_that_a_result_may_take():
    rule = Rule("uniform", (0.0, 1.0), "additive", buckets=4)
    assert rule.bucketed(np.array([-1.0, 0.1, 0.3, 0.99])).tolist() == [0.0, 0.0, 0.25, 0.75]


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (Rule("beta", (0.0, 1.0), "additive"), "distribution"),
        (Rule("uniform", (0.0, 1.0), "power"), "operation"),
        (Rule("uniform", (0.0, 1.0), "additive", "later", 3), "schedule"),
    ],
)
def test_a_rule_that_is_none_is_named(rule, named):
    with pytest.raises(InvalidArgumentError, match=named):
        rule.sample(np.random.default_rng(0), 3)
