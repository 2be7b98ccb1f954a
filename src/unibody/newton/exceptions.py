"""The categories of warnings of 1.x."""

from __future__ import annotations


class NewtonWarning(UserWarning):
    """What is worth a look and no error."""


class NewtonDeprecationWarning(DeprecationWarning):
    """What a later version takes away."""
