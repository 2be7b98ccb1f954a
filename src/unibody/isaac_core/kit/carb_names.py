"""What ``carb`` itself has: the log and plain vectors."""

from __future__ import annotations

from unibody.isaac_core.kit.log import log_error, log_info, log_verbose, log_warn
from unibody.isaac_core.kit.vectors import (
    ColorRgb,
    ColorRgba,
    Double2,
    Double3,
    Double4,
    Float2,
    Float3,
    Float4,
)

__all__ = [
    "ColorRgb", "ColorRgba", "Double2", "Double3", "Double4", "Float2", "Float3", "Float4",
    "log_error", "log_info", "log_verbose", "log_warn",
]  # fmt: skip
