"""PyBullet's API on the unibody engine: ``import unibody.bullet as p``.

Constants and pure functions are here at once; what needs the engine is imported when it is first
used, so that importing this module stays cheap.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from unibody.bullet import constants
from unibody.bullet.api import MODULE_OF
from unibody.bullet.calls import front_door
from unibody.bullet.constants import *  # noqa: F403 - its names are the interface
from unibody.bullet.errors import error as error
from unibody.bullet.maths import camera_matrices, transforms
from unibody.bullet.maths.camera_matrices import *  # noqa: F403
from unibody.bullet.maths.transforms import *  # noqa: F403
from unibody.core.engine.library.deferred_glfw import put_off_glfw
from unibody.core.engine.library.process_wide import made_once

front_door.introduce(sys.modules[__name__])


def _absent() -> frozenset[str]:
    from unibody.bullet.forms.absent import absent_names

    return absent_names()


def _names() -> list[str]:
    """The names of the API: what a star import takes, and nothing else."""
    own = {key for key in vars(constants) if key[0].isupper()}
    return sorted(
        {*own, *transforms.__all__, *camera_matrices.__all__, *MODULE_OF, *_absent(), "error"}
    )


def __getattr__(name: str) -> Any:
    """Load everything when the first function is asked for, or all names.

    So a name that a script imports before it connects is the builtin that one asked for later is:
    as fast, and as careful about threads.
    """
    if name in MODULE_OF or name == "__all__":
        if _loading_threads != [threading.get_ident()]:
            load_everything()
            return globals()[name]
    elif name.startswith("_") or name not in _absent():
        raise AttributeError(f"module 'unibody.bullet' has no attribute {name!r}")
    value = globals()[name] = _made(name)
    return value


def _made(name: str) -> Any:
    """What a name stands for that nobody has asked for yet."""
    if name == "__all__":
        return _names()
    if name in MODULE_OF:
        return getattr(importlib.import_module(f"unibody.bullet.{MODULE_OF[name]}"), name)
    from unibody.bullet.forms.absent import absent_function

    return absent_function(name)


_loading_threads: list[int] = []


@made_once
def load_everything() -> bool:
    """Put all functions into the module at once, the short ones as builtins.

    What the engine needs is loaded. Without ``__getattr__`` CPython remembers where the names of a
    module are: with it, every call takes 25 ns longer.
    """
    _loading_threads.append(threading.get_ident())
    try:
        with _without_collections():
            put_off_glfw()
            from unibody.bullet.forms import install as call_forms
            from unibody.bullet.forms import pieces
            from unibody.bullet.maths import builtins as shortcuts
            from unibody.machine_code import ahead

            ahead.expect(pieces.URGENT, pieces.LATER, last=pieces.LAST, seconds=pieces.SECONDS)
            for name in (*_names(), "__all__"):
                if name not in globals():
                    globals()[name] = _made(name)
            shortcuts.install(globals())
            call_forms.install(globals())
            importlib.import_module("unibody.core.assets.urdf")  # nearly every script needs it next
    finally:
        _loading_threads.clear()
    del globals()["__getattr__"]
    return True


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Let Python not look for garbage while modules are loaded, of which there is none.

    It would do so 200 times, in a sixth of the time that loading takes. All objects are counted
    among the oldest then, which are looked through least often.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # those that a program has frozen stay so
            gc.freeze()
            gc.unfreeze()
        gc.enable()


def __dir__() -> list[str]:
    """All names of the API."""
    return sorted({*globals(), *_names()})
