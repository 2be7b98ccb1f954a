"""Damaged files of all formats are read, or refused by name; `make fuzz` tries 20 000 of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.fuzz import pool
from tests.fuzz.__main__ import spread
from tests.fuzz.readers import READERS

CASES = 600


@pytest.mark.slow
def test_damaged_files_end_no_process_and_are_refused_by_name() -> None:
    told: list[dict[str, Any]] = []
    pool.run(spread(CASES, list(READERS)), workers=1, tell=told.append)
    assert [item for item in told if item["problem"]] == []
    # Both kinds are there for each reader: nothing is refused, or accepted, as a whole.
    seen = Counter((item["reader"], item["outcome"]) for item in told)
    assert set(seen) == {(name, outcome) for name in READERS for outcome in ("read", "refused")}
