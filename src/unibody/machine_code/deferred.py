"""What numba makes of functions, types and instructions, made when something is compiled.

Modules that have compiled functions say what numba shall make with the names that numba has for it,
``njit``, ``intrinsic`` and ``types``, but nothing of numba is loaded for that. Where all machine
code was kept by an earlier process, nothing ever is: loading numba takes 0.2 s and 40 MB, and
what it makes of 400 functions another 0.1 s.
"""

from __future__ import annotations

import functools
import importlib
import weakref
from collections.abc import Callable
from typing import Any

__all__ = [
    "ExternalFunction",
    "Kind",
    "Late",
    "Numba",
    "NumberKind",
    "Signature",
    "intrinsic",
    "load",
    "make_all",
    "real",
]

_not_made: list[weakref.ref[Late]] = []


@functools.cache
def load() -> Any:
    """The package numba."""
    return importlib.import_module("numba")


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """What ``numba.njit`` makes of a function, with a cache of ours where one is wanted."""
    rest = {name: value for name, value in options.items() if name != "cache"}
    if not options.get("cache"):
        return load().njit(**rest)(function)
    overloads: Any = importlib.import_module("unibody.machine_code.overloads")
    return overloads.cached_dispatcher(function, rest)


class Late:
    """Something that numba makes, made when it is needed first.

    For compiled functions that use it, it is what was made.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        _not_made.append(weakref.ref(self))

    @functools.cached_property
    def made(self) -> Any:
        """What numba made."""
        made = self._make()
        return made.made if isinstance(made, Late) else made

    @property
    def _numba_type_(self) -> Any:  # numba asks for this
        registry: Any = importlib.import_module("numba.core.registry")
        target = registry.cpu_target
        if "made" not in vars(self):
            _ = self.made
            target.typing_context.refresh()  # it may be one of numba's instructions
            target.target_context.refresh()
        return target.typing_context.resolve_value_type(self.made)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call what was made."""
        return self.made(*args, **named)


class LateFunction(Late):
    """A function that numba compiles, and what it was before."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(lambda: _dispatcher(function, options))
        self.py_func = function
        functools.update_wrapper(self, function, updated=())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made, name)


def make_all() -> None:
    """Make what is there, before numba compiles, all at once."""
    load()
    for reference in _not_made:
        late = reference()
        if late is not None:
            _ = late.made
    _not_made.clear()


class Kind:
    """A type of numbers, by the name it has in ``numba.types``."""

    def __init__(self, name: str, *parameters: Any) -> None:
        self._name = name
        self._parameters = parameters

    def __call__(self, *args: Any) -> Signature:
        """The signature of a function that returns this."""
        return Signature(self, args)

    def __str__(self) -> str:
        return str(self.real)

    @functools.cached_property
    def real(self) -> Any:
        """The type."""
        found = getattr(load().types, self._name)
        return found(*map(real, self._parameters)) if self._parameters else found


class NumberKind(Kind):
    """A type without parameters."""

    def __str__(self) -> str:
        return "none" if self._name == "void" else self._name


class Signature:
    """What a function takes and returns.

    Attributes:
        return_type: Its result.
        args: Its arguments.
    """

    def __init__(self, return_type: Any, args: tuple[Any, ...]) -> None:
        self.return_type = return_type
        self.args = args

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.args))}) -> {self.return_type}"

    @property
    def real(self) -> Any:
        """The signature for numba."""
        return real(self.return_type)(*map(real, self.args))


class ExternalFunction(Late):
    """A C function that compiled functions call by its name."""

    def __init__(self, symbol: str, signature: Signature) -> None:
        super().__init__(lambda: load().types.ExternalFunction(symbol, signature.real))
        self.symbol = symbol


def real(value: Any) -> Any:
    """The type or signature for numba; what is one already stays."""
    return value.real if isinstance(value, Kind | Signature) else value


def intrinsic(function: Callable[..., Any]) -> Any:
    """What ``numba.extending.intrinsic`` makes of a function; it may answer with a `Signature`."""

    @functools.wraps(function)
    def typed(*args: Any) -> Any:
        answer = function(*args)
        return answer and (real(answer[0]), answer[1])

    def make() -> Any:
        extending: Any = importlib.import_module("numba.extending")
        return extending.intrinsic(typed)

    return Late(make)


class Numba:
    """The package, as far as modules need it before anything is compiled, and all of it then."""

    def __init__(self) -> None:
        self.carray: Late = Late(lambda: load().carray)

    def njit(self, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        """What ``numba.njit`` does, later; options as there."""
        if "inline" in options:  # numba's own inliner looks for its own functions
            if function is None:
                return functools.partial(_dispatcher, options=options)
            return _dispatcher(function, options)
        if function is None:
            return functools.partial(self.njit, **options)
        if not callable(function):  # but types
            return load().njit(real(function), **options)
        return LateFunction(function, options)

    def cfunc(self, signature: Any, **options: Any) -> Any:
        """What ``numba.cfunc`` does, now; options as there."""
        make_all()
        return load().cfunc(real(signature), **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        return getattr(load(), name)
