"""Coroutines that the app's loop runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from unibody.isaac_core.kit import app

_running: set[asyncio.Task[Any]] = set()


def run_coroutine(coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Let a coroutine run with the updates of the app.

    Returns:
        Its task. One that fails with nobody asking for its result is reported by asyncio.
    """
    loop = app.get_app().event_loop() or asyncio.get_running_loop()
    task = loop.create_task(coroutine)
    _running.add(task)  # a loop holds its tasks weakly
    task.add_done_callback(_running.discard)
    return task
