"""Calls through a lane, in compiled code: the client's end.

A call is sent as the number of its pattern, which says the function and the names of arguments, and
the arguments. Whatever is not as usual (a pattern the server has not learned, a value of another
kind, a server that does not answer at once) is left to the Python functions behind.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from unibody.bullet.remote import atomic, lane_layout, values
from unibody.bullet.remote.atomic import differs_soon, fence, load_word, store_word
from unibody.bullet.remote.lane_layout import (
    CLIENT_SLEEPS,
    COMPACT,
    FORM,
    MAX_NAMES,
    NUMBER,
    REPLIED,
    REPLY_AT,
    REPLY_FORM,
    REPLY_SIZE,
    REPLY_WORDS,
    REQUEST_AT,
    REQUEST_WORDS,
    SERVER_SLEEPS,
    SIZE,
    TAKEN,
    WORD,
)
from unibody.bullet.remote.values import read_value, write_value
from unibody.machine_code import pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import (
    ENTRY,
    call_object,
    make_functions,
    python_call,
    short_cut,
)
from unibody.machine_code.calls.objects import (
    K_CLIENT_NAME,
    K_INT,
    K_NOT_IMPLEMENTED,
    SIZE_AT,
    TUPLE_AT,
    TYPE_AT,
    as_integer,
    boxed,
    drop,
    integer_at,
    keep,
    stack_words,
    word_at,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import inlined_kernel, kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, address_of, pointer_i64

MAX_CLIENTS = 1024  # ids beyond this go without
# What a function has, in words: position of the client id, its number, the table of known objects,
# the connections by client id.
F_POSITION, F_NUMBER, F_KNOWN, F_CONNECTIONS = range(4)
# What a connection has.
(C_LANE, C_BUSY, C_LAST, C_SPINS, C_SKIP, C_BACKOFF, C_FINISH, C_WAKE, C_KNOWN,
 C_FIRST) = range(10)  # fmt: skip
MAX_FUNCTIONS = 256
C_PATTERNS = C_FIRST + MAX_FUNCTIONS  # where those begin; C_FIRST: the first one of each function
# What a pattern has: the next one of the function, how many positional and named arguments, which
# one the client id is (-1: none), and the names.
P_NEXT, P_POSITIONAL, P_NAMED, P_CLIENT, P_NAMES = range(5)
PATTERN_WORDS = P_NAMES + MAX_NAMES
CONNECTION_WORDS = C_PATTERNS + lane_layout.MAX_PATTERNS * PATTERN_WORDS
SPINS = 4096
_FEW_SPINS, LEAST_BACKOFF, _MOST_BACKOFF = 64, 4, 64
_CLAIM, _REPLIED_SOON, _SLEEP, _PUBLISH, _READ = range(5)
_where = stack_words(1)


@inlined_kernel
def _client_at(row: Pointer, args: Pointer, count: int, names: int) -> int:
    """Which argument is the client id; -1: none."""
    if count > row[F_POSITION]:
        return row[F_POSITION]
    if names != 0:
        known = pointer_i64(row[F_KNOWN])
        for k in range(word_at(names + SIZE_AT)):
            if word_at(names + TUPLE_AT + WORD * k) == known[K_CLIENT_NAME]:
                return count + k
    return -1


@inlined_kernel
def _connection(row: Pointer, args: Pointer, client_at: int) -> int:
    """Address of the connection that a call is for; 0: none."""
    client = 0
    if client_at >= 0:
        item = args[client_at]
        if word_at(item + TYPE_AT) != pointer_i64(row[F_KNOWN])[K_INT]:
            return 0
        client = as_integer(item)
        if not 0 <= client < MAX_CLIENTS:
            objects._clear_error()
            return 0
    return pointer_i64(row[F_CONNECTIONS])[client]


@inlined_kernel
def _pattern(row: Pointer, wire: Pointer, count: int, names: int, client_at: int) -> int:
    """Number of the pattern of a call; -1: the server has not learned it."""
    number = wire[C_FIRST + row[F_NUMBER]] - 1
    named = 0 if names == 0 else word_at(names + SIZE_AT)
    while number >= 0:
        at = C_PATTERNS + number * PATTERN_WORDS
        fits = (
            wire[at + P_POSITIONAL] == count
            and wire[at + P_NAMED] == named
            and wire[at + P_CLIENT] == client_at
        )
        if fits:
            for k in range(named):
                if wire[at + P_NAMES + k] != word_at(names + TUPLE_AT + WORD * k):
                    fits = False
                    break
            if fits:
                return number
        number = wire[at + P_NEXT] - 1
    return -1


@inlined_kernel
def _write_request(known: Pointer, lane: Pointer, args: Pointer, total: int, client_at: int) -> int:
    """Write the arguments behind the pattern's number; how many words that are, or -1."""
    out = pointer_i64(address_of(lane) + REQUEST_AT * WORD)
    at = 1
    for i in range(total):
        if i != client_at:
            at = write_value(known, args[i], out, at, REQUEST_WORDS)
            if at < 0:
                return -1
    return at


@inlined_kernel
def _replies_soon(wire: Pointer, lane: Pointer) -> bool:
    """Whether the last request is replied to while this side looks.

    Where the server has not even begun meanwhile, it has no processor of its own: the next calls
    hardly look, and then one tries again.
    """
    base, last = address_of(lane), wire[C_LAST]
    tries = wire[C_SPINS]
    if wire[C_SKIP] > 0:
        wire[C_SKIP] -= 1
        tries = min(tries, _FEW_SPINS)
    if differs_soon(base + REPLIED * WORD, last - 1, tries):
        wire[C_SKIP], wire[C_BACKOFF] = 0, LEAST_BACKOFF
    elif wire[C_SKIP] == 0 and load_word(base + TAKEN * WORD) != last:
        wire[C_SKIP] = wire[C_BACKOFF]
        wire[C_BACKOFF] = min(_MOST_BACKOFF, 2 * wire[C_BACKOFF])
    return load_word(base + REPLIED * WORD) == last


@kernel
def _read_reply(known: Pointer, lane: Pointer) -> int:
    """A new object of a compact reply; 0: it is none."""
    where, size = _where(), lane[REPLY_SIZE] // WORD
    where[0] = 0
    if not 0 < size <= REPLY_WORDS:
        return 0
    data = pointer_i64(address_of(lane) + REPLY_AT * WORD)
    return read_value(known, data, where, size)


@kernel
def _exchange(known: Pointer, wire: Pointer, lane: Pointer, words: int) -> int:
    """Send the request that was written; what the call returns, or 0 for an exception."""
    base = address_of(lane)
    wire[C_BUSY] = 1
    number = wire[C_LAST] + 1
    wire[C_LAST] = number
    lane[SIZE], lane[FORM] = words * WORD, COMPACT
    store_word(base + NUMBER * WORD, number)
    fence()
    if load_word(base + SERVER_SLEEPS * WORD) != 0:
        woken = call_object(wire[C_WAKE], 0, 0, 0)
        if woken == 0:
            return 0
        drop(woken)
    if _replies_soon(wire, lane) and lane[REPLY_FORM] == COMPACT:
        result = _read_reply(known, lane)
        if result != 0:
            wire[C_BUSY] = 0
            return result
    return call_object(wire[C_FINISH], 0, 0, 0)


@kernel
def _call(row: Pointer, args: Pointer, count: int, names: int) -> int:
    """What a call for a lane returns, 0 for an exception; -1: nothing was sent."""
    client_at = _client_at(row, args, count, names)
    address = _connection(row, args, client_at)
    if address == 0:
        return -1
    wire, known = pointer_i64(address), pointer_i64(row[F_KNOWN])
    lane = pointer_i64(wire[C_LANE])
    if wire[C_BUSY] != 0 or load_word(address_of(lane) + TAKEN * WORD) != wire[C_LAST]:
        return -1
    number = _pattern(row, wire, count, names, client_at)
    if number < 0:
        return -1
    total = count + (0 if names == 0 else word_at(names + SIZE_AT))
    lane[REQUEST_AT] = number
    words = _write_request(known, lane, args, total, client_at)
    return -1 if words < 0 else _exchange(known, wire, lane, words)


@kernel
def _operation(which: int, args: Pointer) -> int:
    """What the Python end does with a connection, in one piece."""
    wire = pointer_i64(integer_at(args, 0))
    lane = pointer_i64(wire[C_LANE])
    base = address_of(lane)
    if which == _CLAIM:
        free = wire[C_BUSY] == 0
        wire[C_BUSY] = 1
        return boxed(free)
    if which == _READ:
        known = pointer_i64(wire[C_KNOWN])
        result = _read_reply(known, lane)
        if result == 0:
            result = known[K_NOT_IMPLEMENTED]
            keep(result)
        return result
    if which == _PUBLISH:
        store_word(base + NUMBER * WORD, wire[C_LAST])
        fence()
        return boxed(load_word(base + SERVER_SLEEPS * WORD) != 0)
    if which == _REPLIED_SOON:
        return boxed(_replies_soon(wire, lane))
    store_word(base + CLIENT_SLEEPS * WORD, 1)
    fence()
    return boxed(load_word(base + REPLIED * WORD) == wire[C_LAST])


def _build_calls(digest: str) -> Any:
    @kept_entry(ENTRY)
    def lane_call(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            result = _call(pointer_i64(short_cut(self)), pointer_i64(args), count, names)
            if result != -1:
                return result
        return python_call(self, args, count, names)

    return lane_call


def _build_operations(digest: str) -> Any:
    @kept_entry(ENTRY)
    def lane_operation(self: int, args: int, count: int, names: int) -> int:
        if len(digest) == 0:
            return python_call(self, args, count, names)
        return _operation(short_cut(self), pointer_i64(args))

    return lane_operation


_SOURCES = (sys.modules[__name__], atomic, values, lane_layout, functions, objects, pointers)


@functools.cache
def call_entry() -> Any:
    """The compiled function behind the builtins of functions that are called far away."""
    return compiled("the calls of servers", _build_calls, *_SOURCES)


@functools.cache
def operations() -> tuple[Any, ...]:
    """What the Python end of a connection does with it, in one piece; all take its address.

    Claim it: whether it was free. Look for the reply for a while, and say that this side goes to
    sleep: whether it is there. Send: whether the server sleeps. Read a compact reply:
    NotImplemented if it is none.
    """
    entry = compiled("the calls of servers", _build_operations, *_SOURCES)
    return make_functions(entry, 5)
