"""Tests open no windows but those they ask for, and leave no worlds behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A run of the tests says the same each time, on a slow machine too; `make fuzz` looks for cases
# nobody has seen.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("repeat", derandomize=True, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("explore", print_blob=True, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("repeat")

os.environ.setdefault("UNIBODY_VIEWER", "off")


@pytest.fixture(scope="module", autouse=True)
def no_world_is_left_behind() -> Iterator[None]:
    """Close what the tests of a module left open, so that only that module fails."""
    yield
    sessions = sys.modules.get("unibody.core.engine.scene.sessions")
    left = list(sessions._sessions) if sessions is not None else []
    if left:
        from unibody import bullet  # it is loaded where there are worlds

        for number in left:
            bullet.disconnect(number)
        pytest.fail(f"worlds {left} were left open")
