"""Attributes with the rules of the original's binding classes.

A float is stored in single precision, an integer must fit its C type, a nested structure is copied
into the one that is there (so a reference to it stays good), and an unknown name is an
``AttributeError``.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Any, ClassVar, Generic, TypeVar, overload

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.errors import ArgumentTypeError

T = TypeVar("T")
_SINGLE = struct.Struct("f")
INT32 = (-(2**31), 2**31 - 1)
UINT32 = (0, 2**32 - 1)
UINT64 = (0, 2**64 - 1)


def single(value: float) -> float:
    """Round to single precision; beyond its range is infinity."""
    try:
        return _SINGLE.unpack(_SINGLE.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def to_float(name: str, value: Any) -> float:
    """Convert a number of any library to single precision.

    Raises:
        ArgumentTypeError: It is no number, or more than one.
    """
    if type(value) is float:
        return single(value)
    if hasattr(value, "__float__") or hasattr(value, "__index__"):
        try:
            # An array of one element is a number to the original; float() warns about it.
            return single(float(value.item() if getattr(value, "ndim", 0) else value))
        except (TypeError, ValueError, RuntimeError, OverflowError):
            pass
    raise ArgumentTypeError(name, value, "a number")


def to_finite(name: str, value: Any) -> float:
    """Convert a number of any library to single precision, where it is finite.

    Raises:
        ArgumentTypeError: It is no number, or more than one.
        InvalidArgumentError: It is not finite, or beyond single precision.
    """
    number = to_float(name, value)
    if not math.isfinite(number):
        raise InvalidArgumentError(name, value, "a finite number")
    return number


def to_int(name: str, value: Any, bounds: tuple[int, int] = INT32) -> int:
    """Convert an integer of any library.

    Raises:
        ArgumentTypeError: It is no integer, or does not fit.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(name, value, "an integer") from None
    if not bounds[0] <= number <= bounds[1]:
        raise ArgumentTypeError(name, value, f"an integer from {bounds[0]} to {bounds[1]}")
    return number


def to_flag(name: str, value: Any) -> bool:
    """Convert what has a truth value of its own, or None.

    Raises:
        ArgumentTypeError: It has none, as a string or a sequence.
    """
    if value is None:
        return False
    if not hasattr(value, "__bool__"):
        raise ArgumentTypeError(name, value, "True or False")
    try:
        return bool(value)
    except (TypeError, ValueError, RuntimeError):
        raise ArgumentTypeError(name, value, "True or False") from None


def to_list(name: str, value: Any, wanted: str) -> list[Any]:
    """Convert a sequence of any library.

    Raises:
        ArgumentTypeError: It is none.
    """
    try:
        return list(value)
    except TypeError:
        raise ArgumentTypeError(name, value, wanted) from None


E = TypeVar("E", bound=IntEnum)


def to_choice(name: str, value: Any, kind: type[E], wanted: str) -> E:
    """Convert a member of an enum, or its number.

    Raises:
        ArgumentTypeError: It is no integer.
        InvalidArgumentError: The enum has no such number.
    """
    try:
        return kind(to_int(name, value))
    except ArgumentTypeError:
        raise ArgumentTypeError(name, value, wanted) from None
    except ValueError:
        raise InvalidArgumentError(name, value, wanted) from None


class Field(Generic[T]):
    """One attribute of a ``Struct``."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.label: str = f"{owner.__name__}.{name}"

    def initial(self) -> T:
        """Return the value of a new structure."""
        raise NotImplementedError

    @overload
    def __get__(self, instance: None, owner: type) -> Field[T]: ...
    @overload
    def __get__(self, instance: Struct, owner: type) -> T: ...
    def __get__(self, instance: Struct | None, owner: type) -> Field[T] | T:
        return self if instance is None else instance._values[self.name]

    def __set__(self, instance: Struct, value: Any) -> None:
        instance._values[self.name] = self.convert(value)

    def convert(self, value: Any) -> T:
        """Return what is stored for a value, or raise ``ArgumentTypeError``."""
        raise NotImplementedError


class _Plain(Field[T]):
    def __init__(self, default: T) -> None:
        self.default = default

    def initial(self) -> T:
        return self.default


class Float(_Plain[float]):
    """A number, stored in single precision."""

    def __init__(self, default: float = 0.0) -> None:
        super().__init__(single(default))

    def convert(self, value: Any) -> float:
        """Round to single precision."""
        return to_float(self.label, value)


class Int(_Plain[int]):
    """An integer of a C type."""

    def __init__(self, default: int = 0, bounds: tuple[int, int] = INT32) -> None:
        super().__init__(default)
        self.bounds = bounds

    def convert(self, value: Any) -> int:
        """Check type and range."""
        return to_int(self.label, value, self.bounds)


class Bool(_Plain[bool]):
    """A flag: anything that has a truth value of its own, so no string and no sequence."""

    def convert(self, value: Any) -> bool:
        """Return the truth value."""
        return to_flag(self.label, value)


class Text(_Plain[str]):
    """A string."""

    def convert(self, value: Any) -> str:
        """Check the type."""
        if not isinstance(value, str):
            raise ArgumentTypeError(self.label, value, "a string")
        return value


class Choice(_Plain[E]):
    """A member of an enum."""

    def convert(self, value: Any) -> E:
        """Check the type."""
        kind = type(self.default)
        if not isinstance(value, kind):
            names = ", ".join(member.name for member in kind)
            raise ArgumentTypeError(self.label, value, f"a {kind.__name__}: {names}")
        return value


S = TypeVar("S", bound="Struct")


class Nested(Field[S]):
    """A structure inside a structure.

    Args:
        build: Makes the structure of a new owner.
    """

    def __init__(self, build: Callable[[], S]) -> None:
        self.build = build

    def initial(self) -> S:
        """Make a structure of this owner's own."""
        return self.build()

    def __set__(self, instance: Struct, value: Any) -> None:
        instance._values[self.name].assign(self.label, value)


class Struct:
    """A structure with a fixed set of attributes.

    ``copy`` and ``pickle`` work on all of them, and give independent structures.
    """

    __slots__ = ("_values",)
    _values: dict[str, Any]
    fields: ClassVar[dict[str, Field[Any]]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: field for name, field in vars(cls).items() if isinstance(field, Field)}
        cls.fields = {**cls.fields, **own}

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Make a structure with default values, whatever the constructor is given."""
        new = object.__new__(cls)
        new._values = {name: field.initial() for name, field in cls.fields.items()}
        return new

    def __init__(self) -> None:
        """Keep the default values."""

    def assign(self, label: str, value: Any) -> None:
        """Copy all values from another structure of this kind, or from a NumPy record of it.

        Args:
            label: What is being set, for the message.
            value: Where to copy from.

        Raises:
            ArgumentTypeError: It is neither.
        """
        names = getattr(getattr(value, "dtype", None), "names", None)
        if isinstance(value, type(self)):
            for name, field in self.fields.items():
                field.__set__(self, value._values[name])
        elif names is not None and set(names) == set(self.fields) and value.shape == ():
            self.__setstate__(tuple(value[name] for name in self.fields))
        else:
            raise ArgumentTypeError(label, value, f"a {type(self).__name__}")

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(self._values.values())

    def __setstate__(self, arg0: tuple[Any, ...]) -> None:
        if len(arg0) != len(self.fields):
            raise InvalidArgumentError("state", arg0, f"{len(self.fields)} values")
        for field, value in zip(self.fields.values(), arg0, strict=True):
            field.__set__(self, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self),), self.__getstate__()

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"{type(self).__name__}({inside})"


def _rebuild(kind: type[Struct]) -> Struct:
    # Not through the constructor: some kinds are only made by the library.
    return Struct.__new__(kind)
