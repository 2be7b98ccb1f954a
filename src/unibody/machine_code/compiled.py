"""Machine code that is kept between processes, and thrown away when its sources change."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import ModuleType
from typing import TypeVar

from unibody.notices import tell

_SLOW = 1.0  # s: a start that takes longer says why
T = TypeVar("T")


def compiled(what: str, build: Callable[[str], T], *sources: ModuleType) -> T:
    """The kernels that ``build`` makes, from numba's cache where it has them.

    Numba notices changes of the file a function is in, but not of the files of functions that it
    calls. So ``build`` gets a hash of all of them, and has its kernels refer to it: what a
    function closes over is part of the cache's key.

    Args:
        what: What is compiled, for the line on stderr that says how long it took.
        build: Makes the kernels, with explicit signatures.
        sources: Modules of all functions the kernels call.
    """
    digest = hashlib.sha1(usedforsecurity=False)
    for module in sources:
        with open(str(module.__file__), "rb") as file:
            digest.update(file.read())
    with telling(what):
        return build(digest.hexdigest())


@contextmanager
def telling(what: str, *, kept: bool = True) -> Generator[None]:
    """Say on stderr what numba compiled meanwhile, and how long that took, if it was long.

    Nothing is said of what comes from numba's cache.

    Args:
        what: What is compiled.
        kept: The next start finds it in the cache.
    """
    from unibody.machine_code.ahead import note
    from unibody.machine_code.kept import made

    begin, before = time.perf_counter(), made()
    yield
    seconds = time.perf_counter() - begin
    if not note(what, seconds, made=made() > before) and seconds > _SLOW:
        cached = " (kept for the next start)" if kept else ""
        tell(f"compiled {what} in {seconds:.1f} s{cached}")
