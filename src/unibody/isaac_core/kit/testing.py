"""Test cases whose tests are coroutines."""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable
from typing import Any

from unibody.isaac_core.kit import app


class AsyncTestCase(unittest.TestCase):
    """A test case whose ``setUp``, tests and ``tearDown`` may be coroutines, run by the app."""

    def _callSetUp(self) -> None:
        _finished(self.setUp())

    def _callTestMethod(self, method: Callable[[], Any]) -> None:
        _finished(method())

    def _callTearDown(self) -> None:
        _finished(self.tearDown())

    async def wait_n_updates(self, n_frames: int = 3) -> None:
        """Wait for some updates."""
        for _ in range(n_frames):
            await app.get_app().next_update_async()


AsyncTestCaseFailOnLogError = AsyncTestCase


def _finished(result: Any) -> None:
    """Do frames until a coroutine has ended; what is none has ended."""
    if not inspect.isawaitable(result):
        return
    running = app.get_app()
    loop = running.event_loop()
    if loop is None:
        raise RuntimeError("a test case cannot be run inside of a running loop")
    task: Any = loop.create_task(result) if inspect.iscoroutine(result) else result
    while not task.done():
        running.update()
    task.result()
