"""Settings, read and written."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit.settings import Settings


def set_carb_setting(carb_settings: Settings, setting: str, value: Any) -> None:
    """Write a setting.

    Raises:
        TypeError: The value is of no type that settings have.
    """
    try:
        carb_settings.set(setting, value)
    except InvalidArgumentError as problem:
        raise TypeError(str(problem)) from None


def get_carb_setting(carb_settings: Settings, setting: str) -> Any:
    """Read a setting; None where there is none."""
    return carb_settings.get(setting)
