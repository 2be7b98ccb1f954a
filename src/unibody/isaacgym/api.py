"""The way into the API."""

from __future__ import annotations

from typing import Any

from unibody.errors import NotSupportedError


def acquire_gym(*args: Any, **kwargs: Any) -> Any:
    """Return the one ``Gym`` of this process.

    Args:
        *args: The original takes a configuration here that has no meaning without its framework.
        **kwargs: The same.

    Raises:
        NotSupportedError: The simulation itself is not part of this version.
    """
    raise NotSupportedError(
        "acquire_gym, the simulation of Isaac Gym,",
        "its types, gymtorch, gymutil, torch_utils and terrain_utils work",
    )


def carb_init(config_str: str = "") -> bool:
    """Start the framework below; there is none here to start or to configure."""
    return True
