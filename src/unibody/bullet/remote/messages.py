"""What goes over the wire: MessagePack with arrays as typed buffers, and errors by their kind.

A request is ``(number, token, function, positional arguments, keyword arguments)``, a reply
``(number, True, result)`` or ``(number, False, (kind, message, hint))``. Numbers, text, bytes,
None, tuples, dictionaries and arrays of numbers can be sent, and nothing else; whoever reads a
message gets values, never code.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgpack
import numpy as np

from unibody.bullet.errors import error
from unibody.errors import NotSupportedError, UnibodyError

VERSION = 3
MAX_REQUEST = 64 << 20  # bytes: a height field of two million numbers
MAX_REPLY = 256 << 20  # bytes: pictures of 16 megapixels
_ARRAY = 1  # MessagePack's number for our one type of our own
_MAX_AXES = 8
_MAX_TEXT = 4096  # characters of an error message
_KINDS: dict[str, type[Exception]] = {
    "TypeError": TypeError,
    "IndexError": IndexError,
    "KeyError": KeyError,
    "OverflowError": OverflowError,
    "ZeroDivisionError": ZeroDivisionError,
    "AttributeError": AttributeError,
    "OSError": OSError,
    "MemoryError": MemoryError,
    "ValueError": ValueError,
}


class ServerGoneError(error):
    """The server ended, or the connection to it broke."""


class MessageError(UnibodyError, ValueError):
    """A message cannot be sent, or is none of this protocol."""


def pack(message: tuple[Any, ...], limit: int) -> bytes:
    """A message as bytes.

    Raises:
        MessageError: Something in it cannot be sent, or it is longer than ``limit`` bytes.
    """
    try:
        data = bytes(msgpack.packb(message, default=_plain, use_bin_type=True) or b"")
    except (TypeError, ValueError, OverflowError, RecursionError) as problem:
        raise MessageError(f"this cannot be sent to another process: {problem}") from None
    if len(data) > limit:
        raise MessageError(f"a message of {len(data)} bytes is not allowed: at most {limit}")
    return data


def unpack(data: bytes) -> tuple[Any, ...]:
    """The message in some bytes.

    Raises:
        MessageError: There is none.
    """
    try:
        message = msgpack.unpackb(data, use_list=False, strict_map_key=False, ext_hook=_array)
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as problem:
        raise MessageError(f"this is no message: {problem}") from None
    if not isinstance(message, tuple):
        raise MessageError("this is no message of this protocol")
    return message


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"an array of {value.dtype}")
        head = (value.dtype.newbyteorder("<").str, value.shape)
        data = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<")).tobytes()
        return msgpack.ExtType(_ARRAY, msgpack.packb((*head, data)))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return tuple(value)
    if hasattr(value, "__index__"):
        return value.__index__()
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"a value of type {type(value).__name__}")


def _array(code: int, data: bytes) -> Any:
    """The array in some bytes; what does not fit together is refused before memory is taken."""
    if code != _ARRAY:
        raise ValueError(f"unknown type {code}")
    kind, shape, content = msgpack.unpackb(data, use_list=False)
    dtype = np.dtype(kind)
    if dtype.kind not in "biuf" or len(shape) > _MAX_AXES:
        raise ValueError("an array that is not of numbers, or has too many axes")
    return np.frombuffer(content, dtype).reshape(shape).copy()


def describe(problem: Exception) -> tuple[str, str, str]:
    """Kind, message and hint of an error, to be sent."""
    if isinstance(problem, NotSupportedError):
        return "NotSupportedError", problem.feature[:_MAX_TEXT], problem.instead[:_MAX_TEXT]
    text = str(problem)[:_MAX_TEXT]
    if isinstance(problem, KeyError):
        text = str(problem.args[0] if problem.args else "")[:_MAX_TEXT]
    if not isinstance(problem, error | UnibodyError):
        for kind, found in _KINDS.items():
            if isinstance(problem, found):
                return kind, text, ""
        text = f"{type(problem).__name__}: {text}"[:_MAX_TEXT]
    return "error", text, ""


def answer(number: int, problem: Exception) -> bytes:
    """The reply that a call failed."""
    return pack((number, False, describe(problem)), MAX_REPLY)


def revive(description: Any) -> Exception:
    """The error that was described; an unknown kind is PyBullet's ``error``."""
    try:
        kind, message, hint = (str(part) for part in description)
    except (TypeError, ValueError):
        return error("The physics server sent an error that cannot be read.")
    if kind == "NotSupportedError":
        return NotSupportedError(message, hint)
    return _KINDS.get(kind, error)(message)
