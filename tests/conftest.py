"""Tests open no windows but those they ask for, and leave no worlds behind."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Generator, Iterator

import pluggy
import pytest
from hypothesis import HealthCheck, settings

# A run of the tests says the same each time, on a slow machine too; `make fuzz` looks for cases
# nobody has seen.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("repeat", derandomize=True, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("explore", print_blob=True, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("repeat")

os.environ.setdefault("UNIBODY_VIEWER", "off")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--fast``: one test of each module, of those that are not slow."""
    parser.addoption("--fast", action="store_true", help="one quick test of each module")


_found: set[pytest.Module] = set()  # modules whose quick test is found


@pytest.hookimpl(hookwrapper=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector,
) -> Generator[None, pluggy.Result[pytest.Item | list[pytest.Item] | None], None]:
    """Leave the first quick test of each module, where only these are wanted.

    The others are not made at all: of thousands of them that takes most of the time.
    """
    module = collector.getparent(pytest.Module)
    if not collector.config.getoption("--fast") or module is None:
        yield
        return
    if module in _found:
        outcome = yield
        outcome.force_result([])
        return
    outcome = yield
    made = outcome.get_result()
    tests = made if isinstance(made, list) else [made]
    if not all(isinstance(test, pytest.Item) for test in tests):
        return  # a class, or nothing
    quick = [test for test in tests if not _takes_time(test)][:1]
    if quick:
        _found.add(module)
    outcome.force_result(quick)


def _takes_time(test: pytest.Item) -> bool:
    return any(True for name in ("slow", "thorough") for _ in test.iter_markers(name))


@pytest.fixture(autouse=True)
def _needs_cuda(request: pytest.FixtureRequest) -> None:
    """Skip tests that are marked ``gpu`` where there is no CUDA device."""
    if request.node.get_closest_marker("gpu"):
        import warp as wp

        if not wp.is_cuda_available():
            pytest.skip("no CUDA device")


@pytest.fixture(autouse=True)
def _level_of_logs_is_restored() -> Iterator[None]:
    """Log after a test what was logged before it: a fleet sets the level of all loggers."""
    root = logging.getLogger()
    level, disabled = root.level, logging.root.manager.disable
    yield
    root.setLevel(level)
    logging.disable(disabled)


@pytest.fixture(scope="module", autouse=True)
def no_world_is_left_behind() -> Iterator[None]:
    """Close what the tests of a module left open, so that only that module fails."""
    yield
    context = sys.modules.get("unibody.isaac_core.world.context")
    if context is not None and context.SimulationContext.instance() is not None:
        context.SimulationContext.clear_instance()
        pytest.fail("a simulation of Isaac core was left open")
    sessions = sys.modules.get("unibody.core.engine.scene.sessions")
    if sessions is not None and sessions._sessions:
        gc.collect()  # a client that nobody has any more closes its world when it is collected
    left = list(sessions._sessions) if sessions is not None else []
    if left:
        from unibody import bullet  # it is loaded where there are worlds

        for number in left:
            bullet.disconnect(number)
        pytest.fail(f"worlds {left} were left open")
