"""Rigid bodies on the stage, and simulated time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.kit import app

_ENABLED = "physics:rigidBodyEnabled"


def get_rigid_body_enabled(prim_path: str) -> bool | None:
    """Whether a rigid body moves by itself; None for a prim that is none."""
    return handles.current_stage().GetPrimAtPath(prim_path).GetAttribute(_ENABLED).Get()


def set_rigid_body_enabled(_value: Any, prim_path: str) -> None:
    """Set whether a rigid body moves by itself; a prim that is none stays as it is."""
    attribute = handles.current_stage().GetPrimAtPath(prim_path).GetAttribute(_ENABLED)
    if attribute:
        attribute.Set(bool(_value))


async def simulate_async(
    seconds: float, steps_per_sec: int = 60, callback: Callable[..., Any] | None = None
) -> None:
    """Wait for as many frames as a time has.

    Args:
        seconds: The time [s].
        steps_per_sec: Frames a second.
        callback: Called after each frame.

    Raises:
        InvalidArgumentError: The time or the rate is negative.
    """
    for name, value in (("seconds", seconds), ("steps_per_sec", steps_per_sec)):
        if value < 0:
            raise InvalidArgumentError(name, value, "0 or more")
    for _ in range(int(steps_per_sec * seconds)):
        await app.get_app().next_update_async()
        if callback is not None:
            callback()
