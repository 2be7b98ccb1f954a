"""Random sequences of calls return on unibody.bullet what they return on PyBullet."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bullet import more_sequences, wide_sequences
from tests.bullet.sequences import CALLS, SIDES, play


@pytest.fixture(scope="module")
def _connected() -> Iterator[None]:
    clients = [p.connect(p.DIRECT) for p in SIDES]
    assert clients == [0, 0], "another test left its world behind"
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
