"""Things of which a process has one, whichever of its threads asks for them first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from unibody.machine_code.forks import fork_safe_lock

T = TypeVar("T")


def made_once(make: Callable[[], T]) -> Callable[[], T]:
    """A function that returns what ``make`` made when it was first called.

    Unlike with ``functools.cache``, threads that ask at the same time wait for one another: of two
    installations in MuJoCo, one would take the other's callbacks for somebody else's.
    """
    lock = fork_safe_lock()
    made: list[T] = []

    def get() -> T:
        if not made:
            with lock:
                if not made:
                    made.append(make())
        return made[0]

    get.__doc__ = make.__doc__
    return get
