"""Errors of this surface: where the original's bindings raise TypeError, so does ours."""

from __future__ import annotations

from unibody.errors import InvalidArgumentError, UnibodyError


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """An argument or attribute has a type that cannot be converted."""


class ReadOnlyError(UnibodyError, AttributeError):
    """The original has no setter for an attribute."""
