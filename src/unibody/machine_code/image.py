"""Object files as LLVM writes them, placed in memory where they can be run.

For x86-64 processors and systems that use ELF; what needs more than is known here is refused.
Specification: System V Application Binary Interface, AMD64 Architecture Processor Supplement
(sections, symbols and relocations of ELF64).
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["NotLoadableError", "is_supported", "load"]

_HEADER = struct.Struct("<4sBB10xHH4xQQQ4x6H")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOLS, _NO_BITS, _RELOCATIONS, _UNWINDING = 2, 8, 4, 0x70000001
_WRITES, _OCCUPIES = 1, 2  # flags of sections
_UNDEFINED, _ABSOLUTE, _COMMON, _RESERVED = 0, 0xFFF1, 0xFFF2, 0xFF00
_PLACE_64, _PLACE_32, _DISTANCE_32, _DISTANCE_CALL, _DISTANCE_64 = 1, 10, 2, 4, 24
_PAGE = mmap.PAGESIZE
_MOST = 64 << 20  # bytes of an image

_kept: list[Any] = []  # what was loaded stays for ever


class NotLoadableError(Exception):
    """An object file that is damaged, or needs what is not known here."""


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class _Symbol(NamedTuple):
    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


def is_supported() -> bool:
    """Whether object files can be loaded on this machine."""
    return (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and sys.maxsize > 1 << 32
        and sys.implementation.name == "cpython"
    )


def load(data: bytes, wanted: str, resolve: Callable[[str], int]) -> int:
    """Place an object file in memory, for ever.

    Args:
        data: The file.
        wanted: Name of a function in it.
        resolve: Gives the address of a symbol that the file does not define; 0: there is none.

    Returns:
        The address of the function.

    Raises:
        NotLoadableError: The file is damaged, names a symbol that there is not, or has a kind of
            relocation that is not known here; or the system allows no memory for code.
    """
    try:
        return _Image(data, resolve).address_of(wanted)
    except (struct.error, IndexError, ValueError, OverflowError, OSError) as problem:
        raise NotLoadableError(str(problem)) from problem


class _Image:
    def __init__(self, data: bytes, resolve: Callable[[str], int]) -> None:
        self._data = data
        self._sections = self._read_sections()
        tables = [section for section in self._sections if section.type == _SYMBOLS]
        if len(tables) != 1:
            raise NotLoadableError(f"{len(tables)} tables of symbols")
        names = self._sections[tables[0].link]
        self._names = data[names.offset : names.offset + names.size]
        begin = tables[0].offset
        table = memoryview(data)[begin : begin + tables[0].size]
        self._symbols = [_Symbol(*row) for row in _SYMBOL.iter_unpack(table)]
        self._places: dict[int, int] = {}  # of sections in the image
        self._commons: dict[int, int] = {}  # of symbols in the image
        writable, size = self._lay_out()
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        _kept.append(memory)
        for index, place in self._places.items():
            section = self._sections[index]
            if section.type != _NO_BITS:
                content = data[section.offset : section.offset + section.size]
                memory[place : place + section.size] = content
        self._addresses = [self._address(k, symbol, resolve) for k, symbol in self._enumerated()]
        for section in self._sections:
            if section.type == _RELOCATIONS and section.info in self._places:
                self._relocate(memory, section)
        _make_executable(self._base, writable)

    def address_of(self, wanted: str) -> int:
        """Address of a function that the file defines."""
        for address, symbol in zip(self._addresses, self._symbols, strict=True):
            if symbol.section in self._places and self._name(symbol) == wanted:
                return address
        raise NotLoadableError(f"no function {wanted}")

    def _read_sections(self) -> list[_Section]:
        magic, bits, order, kind, machine, _, _, begin, *sizes = _HEADER.unpack_from(self._data)
        if (magic, bits, order, kind, machine) != (b"\x7fELF", 2, 1, _RELOCATABLE, _X86_64):
            raise NotLoadableError("no object file for this machine")
        count = sizes[4]
        table = memoryview(self._data)[begin : begin + count * _SECTION.size]
        return [_Section(*row) for row in _SECTION.iter_unpack(table)]

    def _lay_out(self) -> tuple[int, int]:
        """Give each section a place: first what is only read, then, on other pages, the rest.

        Returns:
            Where the second part begins, and the size of both.
        """
        end, writable = 0, 0
        for writes in (0, _WRITES):
            for index, section in enumerate(self._sections):
                occupies = section.flags & _OCCUPIES and section.type != _UNWINDING
                if occupies and section.size and section.flags & _WRITES == writes:
                    end = _aligned(end, section.alignment)
                    self._places[index] = end
                    end += section.size
            if not writes:
                end = writable = _aligned(end, _PAGE)
        for k, symbol in enumerate(self._symbols):
            if symbol.section == _COMMON:  # its value is the alignment
                end = self._commons[k] = _aligned(end, symbol.value)
                end += symbol.size
        if not 0 < end <= _MOST:
            raise NotLoadableError(f"an image of {end} bytes")
        return writable, end

    def _enumerated(self) -> list[tuple[int, _Symbol]]:
        return list(enumerate(self._symbols))

    def _name(self, symbol: _Symbol) -> str:
        return self._names[symbol.name : self._names.index(0, symbol.name)].decode()

    def _address(self, k: int, symbol: _Symbol, resolve: Callable[[str], int]) -> int:
        """Address of a symbol; 0 for one of a section that is not in the image."""
        if symbol.section == _ABSOLUTE:
            return symbol.value
        if symbol.section == _COMMON:
            return self._base + self._commons[k]
        if symbol.section == _UNDEFINED:
            name = self._name(symbol)
            address = resolve(name) if name else 0
            if name and not address:
                raise NotLoadableError(f"no symbol {name}")
            return address
        if symbol.section >= _RESERVED:
            raise NotLoadableError(f"section {symbol.section:#x}")
        place = self._places.get(symbol.section)
        return 0 if place is None else self._base + place + symbol.value

    def _relocate(self, memory: mmap.mmap, section: _Section) -> None:
        start = self._places[section.info]
        size = self._sections[section.info].size
        table = memoryview(self._data)[section.offset : section.offset + section.size]
        for offset, kind, index, addend in _RELOCATION.iter_unpack(table):
            if offset >= size or not (target := self._addresses[index]):
                raise NotLoadableError(f"a relocation at {offset} of {size} bytes")
            place, value = start + offset, target + addend
            if kind == _PLACE_64:
                struct.pack_into("<Q", memory, place, value)
            elif kind == _DISTANCE_64:
                struct.pack_into("<q", memory, place, value - self._base - place)
            elif kind in (_DISTANCE_32, _DISTANCE_CALL):
                struct.pack_into("<i", memory, place, value - self._base - place)
            elif kind == _PLACE_32:
                struct.pack_into("<I", memory, place, value)
            else:
                raise NotLoadableError(f"a relocation of kind {kind}")


def _aligned(place: int, alignment: int) -> int:
    return -(-place // max(alignment, 1)) * max(alignment, 1)


def _make_executable(base: int, size: int) -> None:
    """Let the pages of an image that are only read be run, and no longer be written to."""
    if not size:
        raise NotLoadableError("nothing in it can be run")
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if protect(base, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise NotLoadableError("the system allows no memory for code")
