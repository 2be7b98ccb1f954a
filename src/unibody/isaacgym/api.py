"""The way into the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unibody.isaacgym.gym.api import Gym


def acquire_gym(*args: Any, **kwargs: Any) -> Gym:
    """Return the one ``Gym`` of this process.

    Args:
        *args: The original takes a configuration here that has no meaning without its framework.
        **kwargs: The same.
    """
    from unibody.isaacgym.gym.api import acquire

    return acquire()


def carb_init(config_str: str = "") -> bool:
    """Start the framework below; there is none here to start or to configure."""
    return True
