"""Memory of a solve: taken piece by piece, given back all at once.

Arrays of numba count who refers to them, which costs more here than what is done with them. What is
taken is a plain pointer, valid until the solve ends. The first piece belongs to whoever calls, and
should be as large as the last solve said that it needs; what is beyond it comes from the C library.
"""

from __future__ import annotations

from unibody.machine_code import types
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64

_allocate = types.ExternalFunction("malloc", types.int64(types.int64))
_free = types.ExternalFunction("free", types.void(types.int64))

HEADER = 4  # numbers: next free byte, end, list of further pieces, bytes taken in all
_NEXT, _END, _FURTHER, _TAKEN = range(HEADER)
_LINE = 64  # bytes that a piece is aligned to
_LEAST = 1 << 20  # bytes of a further piece


@inlined
def begin(arena: int, memory: int, size: int) -> None:
    """Start with an empty arena.

    Args:
        arena: Address of ``HEADER`` integers of 64 bits.
        memory: Address of the first piece.
        size: Its bytes.
    """
    header = pointer_i64(arena)
    header[_NEXT] = (memory + _LINE - 1) // _LINE * _LINE
    header[_END] = memory + size
    header[_FURTHER] = 0
    header[_TAKEN] = 0


@kernel
def _further(arena: int, size: int) -> None:
    """Go on in a piece of the C library's memory."""
    header = pointer_i64(arena)
    room = max(size, _LEAST) + 2 * _LINE
    piece = _allocate(room)
    if piece == 0:
        raise MemoryError("no memory for the constraint solver")
    pointer_i64(piece)[0] = header[_FURTHER]
    header[_FURTHER] = piece
    header[_NEXT] = (piece + 8 + _LINE - 1) // _LINE * _LINE
    header[_END] = piece + room


@inlined
def take(arena: int, size: int) -> int:
    """Address of ``size`` bytes."""
    header = pointer_i64(arena)
    size = (size + _LINE - 1) // _LINE * _LINE
    if header[_NEXT] + size > header[_END]:
        _further(arena, size)
    found = header[_NEXT]
    header[_NEXT] = found + size
    header[_TAKEN] += size
    return found


@inlined
def doubles(arena: int, count: int) -> Pointer:
    """Room for that many doubles."""
    return pointer_f64(take(arena, 8 * count))


@inlined
def integers(arena: int, count: int) -> Pointer:
    """Room for that many integers of 32 bits."""
    return pointer_i32(take(arena, 4 * count))


@inlined
def zeros(arena: int, count: int) -> Pointer:
    """That many doubles, all 0."""
    found = doubles(arena, count)
    for k in range(count):
        found[k] = 0.0
    return found


@inlined
def filled(arena: int, count: int, value: int) -> Pointer:
    """That many integers of one value."""
    found = integers(arena, count)
    for k in range(count):
        found[k] = value
    return found


@inlined
def mark(arena: int) -> tuple[int, int]:
    """Where the arena is now, for `release`."""
    header = pointer_i64(arena)
    return header[_NEXT], header[_FURTHER]


@inlined
def release(arena: int, marked: tuple[int, int]) -> None:
    """Use again what was taken since `mark`, if it all came from one piece."""
    header = pointer_i64(arena)
    if header[_FURTHER] == marked[1]:
        header[_NEXT] = marked[0]


@kernel
def end(arena: int) -> int:
    """Give back what came from the C library; returns how many bytes were taken in all."""
    header = pointer_i64(arena)
    while header[_FURTHER] != 0:
        piece = header[_FURTHER]
        header[_FURTHER] = pointer_i64(piece)[0]
        _free(piece)
    return header[_TAKEN] + _LINE
