"""What goes over the wire."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibody.bullet.errors import error
from unibody.bullet.remote.messages import MessageError, describe, pack, revive, unpack
from unibody.errors import AssetError, NotSupportedError

LIMIT = 1 << 20


@pytest.mark.parametrize(
    "value",
    [1, -5, 2**63, 0.1, math.inf, True, None, "text", b"bytes", (), (1, (2.5, ("a", None))),
     {"isConnected": 1}, {65: 3, 100: 2}],
)  # fmt: skip
def test_a_value_arrives_as_it_was_sent(value: Any) -> None:
    (found,) = unpack(pack((value,), LIMIT))
    assert found == value
    assert type(found) is type(value)


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(MessageError, match="cannot be sent"):
        pack(("\ud800",), LIMIT)


@pytest.mark.parametrize("dtype", ["u1", "i4", "<f4", ">f8", "?", "f2"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 4)])
def test_an_array_arrives_with_its_type_and_shape(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape)).astype(dtype).reshape(shape)
    (found,) = unpack(pack((array,), LIMIT))
    assert found.dtype == array.dtype.newbyteorder("<")
    np.testing.assert_array_equal(found, array)
    assert found.flags.writeable


def test_what_scripts_pass_as_numbers_and_sequences_arrives_as_such() -> None:
    sent = ([1, 2], range(3), np.float32(0.5), np.int64(7), Path("a.urdf"), np.array([1, 2])[:1])
    found = unpack(pack(sent, LIMIT))
    assert found[:5] == ((1, 2), (0, 1, 2), 0.5, 7, "a.urdf")
    assert found[5].tolist() == [1]


@pytest.mark.parametrize("value", [object(), 2**70, np.array([object()]), np.array(["a"]), len])
def test_what_is_no_value_cannot_be_sent(value: Any) -> None:
    with pytest.raises(MessageError, match="cannot be sent"):
        pack((value,), LIMIT)


def test_something_that_contains_itself_cannot_be_sent() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(MessageError, match="cannot be sent"):
        pack((loop,), LIMIT)


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(MessageError, match=r"a message of \d+ bytes is not allowed: at most 100"):
        pack((b"x" * 100,), 100)


def array_message(kind: Any, shape: Any, content: Any) -> bytes:
    return msgpack.packb((msgpack.ExtType(1, msgpack.packb((kind, shape, content))),))


@pytest.mark.parametrize(
    "data",
    [b"", b"\xc1", b"\x93\x01", msgpack.packb(5), msgpack.packb({1: 2}), b"\x91" * 100_000,
     msgpack.packb((msgpack.ExtType(2, b""),)), array_message("O", (1,), b"12345678"),
     array_message("f8", (2,), b"12345678"), array_message("f8", (10**12,), b""),
     array_message("f8", (1,) * 9, b"12345678"), array_message("nonsense", (1,), b"1"),
     array_message("f8,f8", (1,), b"1" * 16), array_message("f8", 3, b"1" * 24),
     array_message(None, None, None), array_message("V8", (1,), b"1" * 8)],
)  # fmt: skip
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(MessageError):
        unpack(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_refused(data: bytes) -> None:
    with contextlib.suppress(MessageError):
        assert isinstance(unpack(data), tuple)


@pytest.mark.parametrize(
    ("problem", "kind", "text"),
    [
        (error("no such body"), error, "no such body"),
        (TypeError("takes 2"), TypeError, "takes 2"),
        (KeyError("name"), KeyError, "'name'"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "why"), ValueError, "'utf-8' codec"),
        (FileNotFoundError(2, "none", "f"), OSError, "none"),
        (NotSupportedError("this", "use that"), NotSupportedError, "this is not supported; use"),
        (AssetError("f.urdf", "", "bad"), error, "f.urdf: bad"),
        (AssertionError("inside"), error, "AssertionError: inside"),
    ],
)
def test_an_error_arrives_as_what_it_was(problem: Exception, kind: type, text: str) -> None:
    found = revive(unpack(pack(describe(problem), LIMIT)))
    assert type(found) is kind
    assert text in str(found)


@pytest.mark.parametrize("description", [None, (), (1, 2), ("SystemExit", "a", "b"), 5])
def test_an_error_that_is_none_becomes_pybullets(description: Any) -> None:
    assert type(revive(description)) is error
