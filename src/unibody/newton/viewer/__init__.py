"""Viewers: what shows or records a simulation, by the names of the original."""

from __future__ import annotations

from typing import Any

from unibody.newton.viewer.base import ViewerBase
from unibody.newton.viewer.file import ViewerFile
from unibody.newton.viewer.null import ViewerNull
from unibody.newton.viewer.page import ViewerGL, ViewerViser

_ABSENT = {
    "ViewerRerun": "ViewerViser shows the same in the browser",
    "ViewerUSD": "ViewerFile records states, ViewerViser shows them",
}
__all__ = ["ViewerBase", "ViewerFile", "ViewerGL", "ViewerNull", "ViewerViser"]


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        from unibody.errors import NotSupportedError

        raise NotSupportedError(f"newton.viewer.{name}", _ABSENT[name])
    raise AttributeError(f"module 'newton.viewer' has no attribute {name!r}")
