"""Calls for a client that something else has to handle: a server far away, a lock, a recorder.

While such a client exists, the functions of the API look at the client id before anything else.
They are the same objects all the time, so that a name a script imported earlier takes part; and
when nobody intercepts calls, they are as they were, and cost what they cost.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from unibody.bullet.api import FUNCTIONS
from unibody.machine_code.calls.argument_forms import switch_forms

Handler = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""What handles a call: gets the function's name, the function as it was, and the arguments."""

_CLIENT = "physicsClientId"
_NO_CLIENT = 1 << 30  # position of the client id in functions that are always about client 0
_handlers: dict[int, list[Handler]] = {}
_entries: list[_Entry] = []
_positions: dict[str, int] = {}  # of the client id among the arguments of each function
_names: dict[str, list[str]] = {}  # of the arguments of each function


class _Entry:
    """One function of the API, and where calls of it go."""

    __slots__ = ("code", "function", "name", "names", "original", "position")

    def __init__(self, function: FunctionType) -> None:
        signature = inspect.signature(function)
        self.name = function.__name__
        self.function = function
        self.code = function.__code__
        self.original = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__
        )
        self.original.__kwdefaults__ = function.__kwdefaults__
        self.original.__doc__ = function.__doc__
        self.names = list(signature.parameters)
        found = _CLIENT in self.names
        self.position = self.names.index(_CLIENT) if found else _NO_CLIENT
        function.__dict__["__signature__"] = signature

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        position = self.position
        number = args[position] if len(args) > position else kwargs.get(_CLIENT, 0)
        try:
            handler = _handlers[number][-1]
        except (KeyError, TypeError):  # a client like any other, or no client id at all
            return self.original(*args, **kwargs)
        return handler(self.name, self.original, args, kwargs)

    def place(self) -> None:
        self.function.__code__ = _template.__code__.replace(
            co_consts=tuple(
                self.call if value == _SLOT else value for value in _template.__code__.co_consts
            ),
            co_name=self.name,
        )

    def remove(self) -> None:
        self.function.__code__ = self.code
        self.function.__dict__.pop("__signature__", None)


_SLOT = "where the entry goes"


def _template(*args: Any, **kwargs: Any) -> Any:
    call: Any = "where the entry goes"
    return call(args, kwargs)


def intercept(client_id: int, handler: Handler) -> None:
    """Hand all calls for a client to a handler; the one given last goes first."""
    if not _handlers:
        switch_forms(False)
        _entries[:] = [_Entry(function) for function in client_functions()]
        for entry in _entries:
            entry.place()
            _positions[entry.name] = entry.position
            _names[entry.name] = entry.names
    _handlers.setdefault(client_id, []).append(handler)


def release(client_id: int, handler: Handler) -> None:
    """Stop handing calls to a handler; one that is not there is no error."""
    handlers = _handlers.get(client_id, [])
    if handler not in handlers:
        return
    handlers.remove(handler)
    if not handlers:
        del _handlers[client_id]
    if not _handlers:
        for entry in _entries:
            entry.remove()
        _entries.clear()
        switch_forms(True)


def next_handler(client_id: int, handler: Handler) -> Handler:
    """What would have handled a call without this handler."""
    handlers = _handlers.get(client_id, [])
    place = handlers.index(handler) if handler in handlers else 0
    return handlers[place - 1] if place > 0 else _call


def _call(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


def client_functions() -> list[FunctionType]:
    """Every function of the API that is about a client, and not about making one."""
    found: list[FunctionType] = []
    for module, names in FUNCTIONS.items():
        home = importlib.import_module(f"unibody.bullet.{module}")
        for name in names:
            function = getattr(home, name)
            if name != "connect" and function not in found:  # one has two names
                found.append(function)
    return found


def place_of_client(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    """Which argument of a call is the client id: -1 for none, None if positional ones follow."""
    position = _positions[name]
    if len(args) > position:
        return position if len(args) == position + 1 else None
    return len(args) + list(kwargs).index(_CLIENT) if _CLIENT in kwargs else -1


def position_of_client(name: str) -> int:
    """Where the client id is among the arguments of a function; beyond all if it takes none."""
    return _positions[name]


def without_client(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The arguments of a call less the client id."""
    position = _positions[name]
    kept = {key: value for key, value in kwargs.items() if key != _CLIENT}
    behind = _names[name][position + 1 :]  # by name: their places are others now
    kept.update(zip(behind, args[position + 1 :], strict=False))
    return args[:position], kept
