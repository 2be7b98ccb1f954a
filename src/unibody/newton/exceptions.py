"""The categories of warnings of 1.x."""

from __future__ import annotations

import sys
import warnings


class NewtonWarning(UserWarning):
    """What is worth a look and no error."""


class NewtonDeprecationWarning(DeprecationWarning):
    """What a later version takes away."""


def warn(text: str, category: type[Warning] = NewtonWarning) -> None:
    """Warn at the line of the script that has called into the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("unibody."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level + 1)
