"""Where 1.x keeps what it downloads and takes apart; nothing is downloaded here.

Scripts know this module as ``newton.config``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from unibody.errors import NotSupportedError

cache_dir_assets = None
"""Folder of downloaded assets; None: there is none."""
cache_dir_meshes: Any = None
"""Folder of meshes that `ModelBuilder.approximate_meshes` took apart; None: none are kept."""


class _Settings(ModuleType):
    """Settings that can be read, and set to what has an effect."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "cache_dir_assets" and value is not None:
            raise NotSupportedError(f"newton.config.{name} = {value!r}", "None works")
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Settings
