"""PyBullet's log files: two lines of text, then binary records, written as they come and read back.

The first line has the names of the fields, separated by commas, the second the type of each: ``i``
and ``I`` (32 bits), ``f`` (float32), ``B`` (one byte). Each record is the bytes AA BB and the
fields without gaps, little-endian.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from unibody.core.assets.files import open_regular
from unibody.core.assets.log_file import LogFile
from unibody.errors import AssetError

MARK = b"\xaa\xbb"
_SIZES = {"i": 4, "I": 4, "f": 4, "B": 1}
MAX_FIELDS = 4096  # PyBullet's own logs have at most 17 and three for each degree of freedom
MAX_LINE = 1 << 16  # bytes
MAX_BYTES = 1 << 30


class RecordFile:
    """A log that is being written.

    A record goes to the operating system in one piece as soon as it is complete: a process that
    is killed loses at most the record it was writing.

    Args:
        path: The file; one that exists is replaced.
        names: Of the fields.
        types: A letter for each field.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: str, names: Sequence[str], types: str) -> None:
        self.types = types
        self._pack = struct.Struct(f"<2s{types}").pack
        self._file = LogFile(path, f"{','.join(names)}\n{types}\n".encode())

    def append(self, rows: Iterable[Sequence[float]]) -> None:
        """Write records, each a value for every field."""
        pack = self._pack
        self._file.write(b"".join([pack(MARK, *row) for row in rows]))

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        self._file.close()


class Records(NamedTuple):
    """What a log holds.

    Attributes:
        names: Of the fields.
        types: A letter for each field.
        rows: The records in the order they were written.
    """

    names: tuple[str, ...]
    types: str
    rows: list[tuple[float, ...]]


def read_records(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Records:
    """Read a log of ours or of PyBullet's.

    A record that was cut off at the end is left out, and so are bytes between two records that
    are none: PyBullet writes the two marking bytes alone where a body has more degrees of freedom
    than the log.

    Args:
        path: The file.
        max_bytes: Size of the largest file that is read.

    Raises:
        AssetError: It is no such log, or too large.
        OSError: It cannot be read.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise AssetError(path, "", f"larger than the {max_bytes} bytes that are allowed")
        head = [file.readline(MAX_LINE), file.readline(MAX_LINE)]
        data = file.read(max_bytes)
    if not all(line.endswith(b"\n") for line in head):
        raise AssetError(path, "", "no log: it does not begin with two lines of text")
    names = tuple(head[0][:-1].decode("utf-8", "replace").split(","))
    types = head[1][:-1].decode("ascii", "replace")
    if not 0 < len(types) <= MAX_FIELDS or set(types) - set(_SIZES):
        raise AssetError(path, "", f"no log: the types of its fields are {types[:40]!r}")
    if len(names) != len(types):
        raise AssetError(path, "", f"no log: {len(names)} names for {len(types)} fields")
    return Records(names, types, _rows(data, struct.Struct(f"<2s{types}")))


def _rows(data: bytes, record: struct.Struct) -> list[tuple[float, ...]]:
    rows: list[tuple[float, ...]] = []
    at = data.find(MARK)
    while 0 <= at <= len(data) - record.size:
        follower = at + record.size
        if data[follower : follower + 2] in (MARK, b"", MARK[:1]):
            rows.append(record.unpack_from(data, at)[1:])
            at = follower
        else:
            at = data.find(MARK, at + 2)
    return rows
