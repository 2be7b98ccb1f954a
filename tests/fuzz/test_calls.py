"""Hostile calls end in an error raised on purpose; `make fuzz` makes 50 000 of them."""

from __future__ import annotations

import pytest

from tests.fuzz import calls

CALLS = 3000


@pytest.mark.parametrize("surface", calls.SURFACES)
@pytest.mark.slow
def test_hostile_calls_are_refused_on_purpose_and_the_world_steps_on(surface: str) -> None:
    done, problems = calls.run(CALLS, [surface])
    assert problems == []
    assert done == CALLS
