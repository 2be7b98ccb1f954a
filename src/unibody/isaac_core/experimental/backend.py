"""Where values are read and written: the stage and the physics agree here, whatever is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from unibody.errors import InvalidArgumentError

BACKENDS = ("usd", "usdrt", "fabric", "tensor")
_chosen: ContextVar[tuple[str, bool, bool] | None] = ContextVar("backend", default=None)


@contextmanager
def use_backend(
    backend: str, *, raise_on_unsupported: bool = False, raise_on_fallback: bool = False
) -> Iterator[None]:
    """Choose a backend for a ``with`` block; poses are the same by all of them.

    Args:
        backend: "usd", "usdrt", "fabric" or "tensor".
        raise_on_unsupported: What `should_raise_on_unsupported` says.
        raise_on_fallback: What `should_raise_on_fallback` says.

    Raises:
        InvalidArgumentError: There is no such backend.
    """
    if backend not in BACKENDS:
        raise InvalidArgumentError("backend", backend, f"one of {', '.join(BACKENDS)}")
    token = _chosen.set((backend, raise_on_unsupported, raise_on_fallback))
    try:
        yield
    finally:
        _chosen.reset(token)


def get_current_backend(
    supported_backends: list[str], *, raise_on_unsupported: bool | None = None
) -> str:
    """The backend that is chosen, or the first of those that are supported.

    Raises:
        InvalidArgumentError: The one that is chosen is not among them, and that is to be an error.
    """
    chosen = _chosen.get()
    if chosen is None or chosen[0] in supported_backends:
        return supported_backends[0] if chosen is None else chosen[0]
    if should_raise_on_unsupported() if raise_on_unsupported is None else raise_on_unsupported:
        allowed = f"one of {', '.join(supported_backends)}"
        raise InvalidArgumentError("backend", chosen[0], allowed)
    return supported_backends[0]


def is_backend_set() -> bool:
    """Whether one is chosen."""
    return _chosen.get() is not None


def should_raise_on_unsupported() -> bool:
    """Whether a backend that is not supported is to be an error."""
    chosen = _chosen.get()
    return chosen is not None and chosen[1]


def should_raise_on_fallback() -> bool:
    """Whether another backend in place of the chosen one is to be an error."""
    chosen = _chosen.get()
    return chosen is not None and chosen[2]
