"""Random sequences of calls return on unibody.bullet what they return on PyBullet."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bullet.sequences import CALLS, SIDES, play


@pytest.fixture(scope="module")
def _connected() -> Iterator[None]:
    clients = [p.connect(p.DIRECT) for p in SIDES]
    assert clients == [0, 0], "another test left its world behind"
    yield
    for p in SIDES:
        p.disconnect()


@pytest.mark.usefixtures("_connected")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False))
def test_a_sequence_of_fifty_calls_returns_what_it_returns_on_pybullet(
    draw: random.Random,
) -> None:
    assert play(draw) >= CALLS
