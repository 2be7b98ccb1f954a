"""Executing somebody else's script in this process the way the interpreter itself does."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType

from unibody import extras
from unibody.command_parser import meant
from unibody.errors import UnibodyError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARIES = ("<frozen ", *(sysconfig.get_paths()[key] for key in ("stdlib", "purelib", "platlib")))
_INTERRUPTED = 130  # 128 + SIGINT, what a shell reports for a program stopped by Ctrl-C
_NOT_OF_THE_SCRIPT = (
    os.path.dirname(__file__) + os.sep,
    importlib.util.__file__,
    "<frozen importlib",
    "<frozen runpy",
)


class ProgramNotFoundError(Exception):
    """There is no script or module of the given name; the message is for the user."""


@dataclass(frozen=True)
class Program:
    """A compiled script and what it expects to find around it.

    Attributes:
        code: The compiled script.
        file: Its absolute path: `__file__` and `sys.argv[0]` of a module.
        argv0: `sys.argv[0]`.
        path0: `sys.path[0]`: where its own imports are looked for first.
        spec: Its module spec if it was named as a module, as with `python -m`.
    """

    code: CodeType
    file: str
    argv0: str
    path0: str
    spec: ModuleSpec | None = None


def load_script(script: str) -> Program:
    """Compile a script given by its path.

    Args:
        script: Path of a Python file, or of a folder with a `__main__.py`.

    Returns:
        The program, with `sys.path[0]` the folder the script really lies in.

    Raises:
        ProgramNotFoundError: There is no such file.
        SyntaxError: It is not Python.
    """
    path = Path(script)
    main = path / "__main__.py" if path.is_dir() else path
    try:
        source = main.read_bytes()
    except OSError as error:
        others = path.parent.glob("*.py") if path.parent.is_dir() else ()
        nearest = meant(path.name, (other.name for other in others))
        problem = f"can't open file {script!r}: {error.strerror}{nearest}"
        raise ProgramNotFoundError(problem) from None
    file = os.path.abspath(main)
    code = compile(source, file, "exec", dont_inherit=True)
    return Program(code, file, script, os.path.dirname(os.path.realpath(main)))


def load_module(name: str) -> Program:
    """Compile a module given by its dotted name, or the `__main__` of a package.

    Args:
        name: Dotted name, looked for from the current folder first, as `python -m` does.

    Returns:
        The program, with `sys.path[0]` the current folder.

    Raises:
        ProgramNotFoundError: There is no such module, or it has no code.
        Exception: What importing its parent packages raises.
    """
    folder = os.getcwd()
    _set_path0(folder)
    spec = _find(name)
    if spec.submodule_search_locations is not None:
        spec = _find(f"{name}.__main__")
    get_code = getattr(spec.loader, "get_code", None)
    code = get_code(spec.name) if get_code is not None else None
    if code is None or spec.origin is None:
        raise ProgramNotFoundError(f"module {name!r} has no Python code to run")
    return Program(code, spec.origin, spec.origin, folder, spec)


def _find(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the parent package lacks something of its own
        spec = None
    if spec is None:
        raise ProgramNotFoundError(f"no module named {name!r}")
    return spec


def execute(program: Program, arguments: Sequence[str]) -> int:
    """Run a program as `__main__`, and report its end as the interpreter does.

    `sys.argv`, `sys.path[0]` and `sys.modules["__main__"]` stay the program's, since its exit
    handlers and threads may still need them.

    Args:
        program: What to run.
        arguments: `sys.argv[1:]` of the program.

    Returns:
        Its exit status. A traceback, without frames of ours, was printed if it raised.
    """
    module = ModuleType("__main__")
    module.__dict__.update(
        __file__=program.file,
        __builtins__=__builtins__,
        __spec__=program.spec,
        __loader__=program.spec.loader if program.spec else None,
    )
    if program.spec:
        module.__package__ = program.spec.parent
    _set_path0(program.path0)
    sys.argv[:] = [program.argv0, *arguments]
    sys.modules["__main__"] = module
    try:
        exec(program.code, module.__dict__)
    except BaseException as error:
        return report(error)
    return 0


def report(error: BaseException) -> int:
    """Print what ended a program, and say with which status the process ends.

    Args:
        error: What the program raised; its traceback loses the frames that are not the program's.

    Returns:
        The exit status.
    """
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    _end_at_the_script(error)
    trace = _without_our_frames(error.__traceback__)
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    line = extras.advice(error.name) if isinstance(error, ModuleNotFoundError) else None
    if line:
        print(f"unibody run: {line}", file=sys.stderr)
    return _INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def _end_at_the_script(error: BaseException) -> None:
    """Let the traceback of a refused call end at the line that made it, as that of a builtin does.

    What else is raised inside the package is a mistake of ours, and keeps all its frames.
    """
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, (UnibodyError, KeyboardInterrupt)) or _lacks_extra(found):
            last = _last_outside(_without_our_frames(found.__traceback__))
            if last is not None and last.tb_next is not None:
                last.tb_next = None
                found.__cause__ = found.__context__ = None  # why we refused it: the message says so
        waiting += [found.__cause__, found.__context__]


def _lacks_extra(error: BaseException) -> bool:
    """Whether a package is missing that an extra brings: a line says so."""
    return isinstance(error, ModuleNotFoundError) and extras.advice(error.name) is not None


def _last_outside(trace: TracebackType | None) -> TracebackType | None:
    """The last entry of a traceback that is the script's; None if there is none.

    What the package calls in other packages is not, what the script's own modules do is.
    """
    last, inside = None, False
    while trace:
        file = trace.tb_frame.f_code.co_filename
        inside = file.startswith(_PACKAGE) or (inside and file.startswith(_LIBRARIES))
        last = last if inside else trace
        trace = trace.tb_next
    return last


def _without_our_frames(trace: TracebackType | None) -> TracebackType | None:
    while trace and trace.tb_frame.f_code.co_filename.startswith(_NOT_OF_THE_SCRIPT):
        trace = trace.tb_next
    return trace


def _set_path0(folder: str) -> None:
    if sys.flags.safe_path:  # then the interpreter has put no folder of a script there
        if folder not in sys.path:
            sys.path.insert(0, folder)
    elif sys.path:
        sys.path[0] = folder
