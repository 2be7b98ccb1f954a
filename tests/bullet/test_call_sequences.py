"""Random sequences of calls return on unibody.bullet what they return on PyBullet."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

import pybullet_data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bullet import more_sequences, wide_sequences
from tests.bullet.sequences import CALLS, SIDES, play
from unibody.core.assets.mjcf import names as mjcf_names


def next_number_of_pybullet() -> int:
    """The number in the name of the next joint without one; other tests loaded files on one side.

    A hopper has four such joints.
    """
    original, _ = SIDES
    (hopper,) = original.loadMJCF(f"{pybullet_data.getDataPath()}/mjcf/hopper.xml")
    names = [original.getJointInfo(hopper, joint)[1] for joint in range(10)]
    original.resetSimulation()
    numbers = [int(found[1]) for name in names if (found := re.match(rb"jointfix_(\d+)_", name))]
    assert len(numbers) == 4
    return max(numbers) + 1


@pytest.fixture(scope="module")
def _connected() -> Iterator[None]:
    clients = [p.connect(p.DIRECT) for p in SIDES]
    assert clients == [0, 0], "another test left its world behind"
    mjcf_names._numbers = itertools.count(next_number_of_pybullet())
    yield
    for p in SIDES:
        p.disconnect()


@pytest.mark.usefixtures("_connected")
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_sequence_of_fifty_calls_returns_what_it_returns_on_pybullet(seed: int) -> None:
    assert play(random.Random(seed)) >= CALLS


@pytest.mark.usefixtures("_connected")
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_sequence_with_rarer_calls_returns_what_it_returns_on_pybullet(seed: int) -> None:
    assert more_sequences.play(random.Random(seed)) >= CALLS


@pytest.mark.usefixtures("_connected")
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_sequence_with_trees_and_options_returns_what_it_returns_on_pybullet(seed: int) -> None:
    assert wide_sequences.play(random.Random(seed)) >= CALLS
