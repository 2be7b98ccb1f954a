"""Hostile calls end in an error raised on purpose; `make fuzz` makes 50 000 of them."""

from __future__ import annotations

from tests.fuzz import calls

CALLS = 3000


def test_hostile_calls_are_refused_on_purpose_and_the_world_steps_on() -> None:
    done, problems = calls.run(CALLS, ["bullet"])
    assert problems == []
    assert done == CALLS
