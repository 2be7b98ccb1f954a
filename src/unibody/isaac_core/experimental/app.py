"""Functions of the app: updates, the timeline, extensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.isaac_core.kit import app, extensions, timeline

Told = Callable[[int, int], Any]
"""Of the number of an update, from 1, and of how many there are; False ends them."""


def update_app(*, steps: int = 1, callback: Told | None = None) -> None:
    """Update the app.

    Args:
        steps: How often.
        callback: What is called after each update.
    """
    for step in range(1, steps + 1):
        app.get_app().update()
        if callback is not None and callback(step, steps) is False:
            break


async def update_app_async(*, steps: int = 1, callback: Told | None = None) -> None:
    """The same as `update_app`, for coroutines."""
    for step in range(1, steps + 1):
        await app.get_app().next_update_async()
        if callback is not None and callback(step, steps) is False:
            break


def play(*, commit: bool | None = True) -> None:
    """Let the timeline play.

    Args:
        commit: When the change is told; it is told at once.
    """
    timeline.get_timeline_interface().play()


def pause(*, commit: bool | None = True) -> None:
    """Let the timeline pause.

    Args:
        commit: When the change is told; it is told at once.
    """
    timeline.get_timeline_interface().pause()


def stop(*, commit: bool | None = True) -> None:
    """Let the timeline stop.

    Args:
        commit: When the change is told; it is told at once.
    """
    timeline.get_timeline_interface().stop()


def is_playing() -> bool:
    """Whether the timeline plays."""
    return timeline.get_timeline_interface().is_playing()


def is_paused() -> bool:
    """Whether the timeline pauses."""
    found = timeline.get_timeline_interface()
    return not found.is_playing() and not found.is_stopped()


def is_stopped() -> bool:
    """Whether the timeline stands at its start."""
    return timeline.get_timeline_interface().is_stopped()


def enable_extension(name: str, *, enabled: bool = True) -> bool:
    """Turn an extension on or off; whether that was done."""
    return extensions.manager().set_extension_enabled_immediate(name, enabled)


def is_extension_enabled(name: str) -> bool:
    """Whether an extension is on."""
    return extensions.manager().is_extension_enabled(name)


def get_extension_id(name: str) -> str | None:
    """The identifier of an extension that is on; None for one that is not."""
    return extensions.manager().get_enabled_extension_id(name)


def get_extension_path(name: str) -> str:
    """The folder of an extension.

    Raises:
        NotSupportedError: Always: extensions have no folders here.
    """
    return extensions.manager().get_extension_path(name)
