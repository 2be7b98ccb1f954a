"""The names of `unibody run` in the interpreters its script starts.

This folder stands in front of ``PYTHONPATH`` there, so that ``site`` imports this module when an
interpreter starts: a worker of ``multiprocessing`` that is spawned, or a script run as a process.
"""

import importlib.machinery
import importlib.util
import os
import sys


def _install_names() -> None:
    try:
        from unibody.cli import aliases
    except Exception:  # another interpreter, without unibody or too old for it, goes its own way
        return
    aliases.install()


def _leave_the_path() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != folder]


def _continue_with_the_next() -> None:
    """Run the module of this name that would have been found without this one."""
    spec = importlib.machinery.PathFinder.find_spec(__name__, sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[__name__] = module
    spec.loader.exec_module(module)


_leave_the_path()
_install_names()
_continue_with_the_next()
