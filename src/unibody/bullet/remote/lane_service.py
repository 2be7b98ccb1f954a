"""Calls through lanes, in compiled code: the server's end."""

from __future__ import annotations

import functools
import sys
from typing import Any

from unibody.bullet.remote import atomic, lane_layout, values
from unibody.bullet.remote.atomic import fence, load_word, pause, store_word
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
from unibody.machine_code import pointers, types
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import (
    ENTRY,
    call_object,
    make_functions,
    python_call,
    short_cut,
)
from unibody.machine_code.calls.objects import (
    boxed,
    drop,
    integer_at,
    stack_words,
    word_at,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import inlined_kernel, kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, address_of, pointer_i64

# What the service has, in words: the lanes and how many there are, whose turn it is, how long it
# looks for requests, which lane it serves, room for a request, a Python function for results of
# other kinds and one to wake a client, the table of known objects, the client's id.
(S_LANES, S_COUNT, S_NEXT, S_SPINS, S_MOST_SPINS, S_CURRENT, S_BUFFER, S_ANSWER, S_WAKE, S_KNOWN,
 S_CLIENT, S_BYTES, S_FORM) = range(13)  # fmt: skip
SERVICE_WORDS = 13
# What a lane has: its memory, the last request, and the patterns: the function, how many
# arguments, the names of the last of them as a tuple, whether the client's id comes behind them.
L_MEMORY, L_LAST, L_COUNT, L_PATTERNS = range(4)
P_FUNCTION, P_TOTAL, P_NAMES, P_CLIENT = range(4)
PATTERN_WORDS = 4
LANE_WORDS = L_PATTERNS + lane_layout.MAX_PATTERNS * PATTERN_WORDS
NOTHING, DONE = -1, -2  # other results are the number of a lane whose request is in the buffer
LEAST_SPINS, SPINS = 512, 4096
_BURST = 64  # calls until Python has a look at everything else
_SERVE, _LOOK, _SLEEP, _PUBLISH, _SPIN_FREE = range(5)
_given = stack_words(MAX_NAMES + 1)
_where = stack_words(1)
_save = types.ExternalFunction("PyEval_SaveThread", types.int64())
_restore = types.ExternalFunction("PyEval_RestoreThread", types.void(types.int64))
_BAD = -3


@inlined_kernel
def _lane(state: Pointer, index: int) -> Pointer:
    return pointer_i64(pointer_i64(state[S_LANES])[index])


@kernel
def _find(state: Pointer) -> int:
    """The next lane with a request; -1: none."""
    count = state[S_COUNT]
    for k in range(count):
        index = (state[S_NEXT] + k) % count
        lane = _lane(state, index)
        if load_word(lane[L_MEMORY] + NUMBER * WORD) != lane[L_LAST]:
            state[S_NEXT] = index + 1
            return index
    return -1


@inlined_kernel
def _take(state: Pointer, index: int) -> None:
    """Put a request into the buffer, where its client cannot change it; of size -1 if it is bad."""
    lane = _lane(state, index)
    memory = pointer_i64(lane[L_MEMORY])
    state[S_CURRENT] = index
    lane[L_LAST] = load_word(lane[L_MEMORY] + NUMBER * WORD)
    size, state[S_FORM] = memory[SIZE], memory[FORM]
    state[S_BYTES] = -1
    if 0 <= size <= REQUEST_WORDS * WORD:
        buffer = pointer_i64(state[S_BUFFER])
        for i in range((size + WORD - 1) // WORD):
            buffer[i] = memory[REQUEST_AT + i]
        state[S_BYTES] = size
    store_word(lane[L_MEMORY] + TAKEN * WORD, lane[L_LAST])


@inlined_kernel
def _arguments(known: Pointer, state: Pointer, total: int, given: Pointer) -> int:
    """Read the arguments of a request; how many could be read."""
    buffer, end = pointer_i64(state[S_BUFFER]), state[S_BYTES] // WORD
    where = _where()
    where[0] = 1
    for i in range(total):
        given[i] = read_value(known, buffer, where, end)
        if given[i] == 0:
            return i
    return total


@kernel
def _carry_out(state: Pointer, index: int) -> int:
    """What the function of a request returns; 0 for an exception, _BAD: this is no call."""
    lane, number = _lane(state, index), pointer_i64(state[S_BUFFER])[0]
    if state[S_BYTES] < WORD or not 0 <= number < lane[L_COUNT]:
        return _BAD
    known = pointer_i64(state[S_KNOWN])
    row = L_PATTERNS + number * PATTERN_WORDS
    given, total = _given(), lane[row + P_TOTAL]
    read, result = _arguments(known, state, total, given), _BAD
    if read == total:
        names, count = lane[row + P_NAMES], total
        if lane[row + P_CLIENT] != 0:
            given[total] = state[S_CLIENT]
            count += 1
        if names != 0:
            count -= word_at(names + objects.SIZE_AT)
        result = call_object(lane[row + P_FUNCTION], address_of(given), count, names)
    elif objects._error_occurred() != 0:
        objects._clear_error()
    for i in range(read):
        drop(given[i])
    return result


@inlined_kernel
def _publish(state: Pointer, index: int) -> int:
    """Tell the client of the reply that was written; 0 for an exception."""
    lane = _lane(state, index)
    store_word(lane[L_MEMORY] + REPLIED * WORD, lane[L_LAST])
    fence()
    if load_word(lane[L_MEMORY] + CLIENT_SLEEPS * WORD) == 0:
        return 1
    passed = _where()
    passed[0] = boxed(index)
    woken = call_object(state[S_WAKE], address_of(passed), 1, 0)
    drop(passed[0])
    if woken != 0:
        drop(woken)
    return woken


@kernel
def _reply(state: Pointer, index: int, result: int) -> int:
    """Send what a function returned; 0 for an exception."""
    memory = pointer_i64(_lane(state, index)[L_MEMORY])
    out = pointer_i64(address_of(memory) + REPLY_AT * WORD)
    words = write_value(pointer_i64(state[S_KNOWN]), result, out, 0, REPLY_WORDS)
    if words >= 0:
        drop(result)
        memory[REPLY_SIZE], memory[REPLY_FORM] = words * WORD, COMPACT
        return _publish(state, index)
    passed = _where()
    passed[0] = result
    done = call_object(state[S_ANSWER], address_of(passed), 1, 0)
    drop(result)
    if done != 0:
        drop(done)
    return done


@inlined_kernel
def _say_sleeping(state: Pointer, sleeps: int) -> None:
    for index in range(state[S_COUNT]):
        store_word(_lane(state, index)[L_MEMORY] + SERVER_SLEEPS * WORD, sleeps)


@kernel
def _look(state: Pointer, tries: int) -> int:
    """The next lane with a request, if there is one within some looks."""
    found = _find(state)
    while found < 0 and tries > 0:
        pause()
        found = _find(state)
        tries -= 1
    return found


@kernel
def _serve(state: Pointer, tries: int) -> int:
    """Carry out requests; what remains to be done by Python, 0 for an exception."""
    for _ in range(_BURST):
        found = _look(state, tries)
        if found < 0:
            least = min(LEAST_SPINS, state[S_MOST_SPINS])
            state[S_SPINS] = max(least, state[S_SPINS] // 2)
            return boxed(NOTHING)
        state[S_SPINS] = min(state[S_MOST_SPINS], 4 * state[S_SPINS])
        _take(state, found)
        if state[S_FORM] != COMPACT or state[S_BYTES] < 0:
            return boxed(found)
        result = _carry_out(state, found)
        if result == _BAD:
            state[S_BYTES] = -1
            return boxed(found)
        if result == 0 or _reply(state, found, result) == 0:
            return 0
    return boxed(DONE)


@kernel
def _operation(which: int, args: Pointer) -> int:
    state = pointer_i64(integer_at(args, 0))
    if which == _SERVE:
        return _serve(state, state[S_SPINS])
    if which == _LOOK:
        return _serve(state, 0)
    if which == _SPIN_FREE:
        thread = _save()
        found = _look(state, state[S_SPINS])
        _restore(thread)
        return boxed(found >= 0)
    if which == _PUBLISH:
        return 0 if _publish(state, state[S_CURRENT]) == 0 else boxed(True)
    sleeps = integer_at(args, 1)
    _say_sleeping(state, sleeps)
    fence()
    return boxed(_find(state) < 0)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def lane_service(self: int, args: int, count: int, names: int) -> int:
        if len(digest) == 0:
            return python_call(self, args, count, names)
        return _operation(short_cut(self), pointer_i64(args))

    return lane_service


@functools.cache
def operations() -> tuple[Any, ...]:
    """Serve, serve without waiting, go to sleep or wake up, send the reply, and wait unlocked.

    All take the address of the service. The first two return NOTHING, DONE or the lane whose
    request Python has to look at, and raise what a function raised; going to sleep (1) or waking
    up (0): whether there is no request; waiting: whether there is one.
    """
    sources = (sys.modules[__name__], atomic, values, lane_layout, functions, objects, pointers)
    entry = compiled("the service of lanes", _build, *sources)
    return make_functions(entry, 5)
