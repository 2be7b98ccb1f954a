"""Tells which tests of a module reach names that Newton has privately."""

from __future__ import annotations

import ast
import inspect
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import warp as wp


class Reached:
    """The private names that the tests of a module reach.

    A name is private when it comes from ``newton._src``, or when it is an attribute with a leading
    underscore that the module's own classes do not have.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._imported = imported_privately(module)
        classes = [value for value in vars(module).values() if isinstance(value, type)]
        self._own = {name for cls in classes for name in dir(cls)} | vars(module).keys()
        self._assigned = assigned_to_self(module)

    def private(self, cls: type, method: str) -> bool:
        """Whether a test, or a function of its module that it calls, reaches a private name."""
        seen: set[CodeType] = set()
        pending: list[Any] = [getattr(cls, name, None) for name in (method, "setUp", "setUpClass")]
        while pending:
            function = pending.pop()
            if isinstance(function, MethodType):
                function = function.__func__
            if not isinstance(function, FunctionType) or function.__code__ in seen:
                continue
            if not function.__module__.startswith("newton.tests"):
                continue
            seen.add(function.__code__)
            cells = [cell.cell_contents for cell in function.__closure__ or () if _is_set(cell)]
            pending += [value for value in cells if callable(value)]
            for code in _with_nested(function.__code__):
                if self._is_private(code):
                    return True
                for name in code.co_names:
                    pending.append(getattr(cls, name, None))
                    found = in_python(vars(self._module).get(name))
                    if getattr(found, "__module__", "") == self._module.__name__:
                        pending += _functions(found)
        return False

    def _is_private(self, code: CodeType) -> bool:
        for name in code.co_names:
            if name in self._imported or name.startswith("newton._src"):
                return True
            if name == "_src" and "newton" in code.co_names:
                return True
            leading = name.startswith("_") and not name.startswith("__") and name != "_src"
            if leading and name not in self._own and name not in self._assigned:
                return True
        return any(isinstance(value, str) and "newton._src" in value for value in code.co_consts)


def imported_privately(module: ModuleType) -> set[str]:
    """The names that a module imports from ``newton._src`` at its top level."""
    tree = ast.parse(inspect.getsource(module))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and "_src" in (node.module or "").split("."):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.asname for a in node.names if a.asname and "_src" in a.name.split(".")}
    return found


def assigned_to_self(module: ModuleType) -> set[str]:
    """The attributes that a module's classes give themselves."""
    tree = ast.parse(inspect.getsource(module))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"self", "cls"}
    }


def _is_set(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def in_python(found: Any) -> Any:
    """What Warp made a kernel or a function of; other things as they are."""
    return found.func if isinstance(found, wp.Kernel | wp.Function) else found


def leave_out(module: ModuleType, missing: type) -> None:
    """Take kernels that call something missing out of their Warp module.

    Warp compiles all kernels of a file at once: one that cannot be compiled would fail the others.

    Args:
        module: The module.
        missing: The type of what is missing.
    """
    absent = {name for name, value in vars(module).items() if isinstance(value, missing)}
    callers = {
        name: {own for code in _with_nested(in_python(value).__code__) for own in code.co_names}
        for name, value in vars(module).items()
        if isinstance(value, wp.Kernel | wp.Function) and isinstance(value.func, FunctionType)
    }
    before = -1
    while before != len(absent):  # who calls a function that cannot be compiled cannot, either
        before = len(absent)
        absent |= {name for name, called in callers.items() if called & absent}
    for name in absent & callers.keys():
        found = vars(module)[name]
        holder = found.module
        if isinstance(found, wp.Kernel):
            holder.kernels.pop(found.key, None)
            holder._live_kernels.discard(found)
        else:
            holder.functions.pop(found.key, None)


def _functions(found: Any) -> list[Any]:
    found = in_python(found)
    if isinstance(found, type):
        return [value for value in vars(found).values() if isinstance(value, FunctionType)]
    return [found]


def _with_nested(code: CodeType) -> list[CodeType]:
    nested = [value for value in code.co_consts if isinstance(value, CodeType)]
    return [code, *(inner for value in nested for inner in _with_nested(value))]
