"""The library for windows that MuJoCo's bindings load at once, loaded when somebody uses it.

``import mujoco`` imports glfw, which starts another interpreter to ask for the version of its
library. Nothing of unibody opens a window by it.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from unibody.machine_code.forks import fork_safe_lock

_NAME = "glfw"


def put_off_glfw() -> None:
    """Let the coming ``import glfw`` be one that happens when something of it is asked for.

    Does nothing where it, or MuJoCo, was imported before. The standard library's own lazy modules
    are loaded by the import statement itself.
    """
    if _NAME in sys.modules or "mujoco" in sys.modules:
        return
    spec = importlib.util.find_spec(_NAME)
    if spec is None or spec.loader is None:
        return
    loader, lock = spec.loader, fork_safe_lock()
    module = importlib.util.module_from_spec(spec)

    def load(name: str) -> Any:
        with lock:
            if vars(module).pop("__getattr__", None) is not None:
                loader.exec_module(module)
        return getattr(module, name)

    vars(module)["__getattr__"] = load
    sys.modules[_NAME] = module
