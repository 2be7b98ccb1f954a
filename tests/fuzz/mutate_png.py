"""PNG: chunks that say other things, with their checksums right."""

from __future__ import annotations

import struct
import zlib
from random import Random

from tests.fuzz import mutate_bytes

_SIZES = (0, 1, 2, 3, 1000, 16384, 65536, 1 << 20, 0x7FFFFFFF, 0xFFFFFFFF)


def mutate(data: bytes, random: Random) -> bytes:
    """A damaged image."""
    if random.random() < 0.2:
        return mutate_bytes.mutate(data, random)
    chunks = _chunks(data)
    at = random.randrange(len(chunks))
    kind, body = chunks[at]
    choice = random.randrange(6)
    if choice <= 1:
        header = bytearray(chunks[0][1])
        place = random.choice((0, 4, 8, 9, 10, 11, 12))
        if place < 8:
            header[place : place + 4] = struct.pack(">I", random.choice(_SIZES))
        else:
            header[place] = random.randrange(256)
        chunks[0] = chunks[0][0], bytes(header)
    elif choice == 2:
        del chunks[at]
    elif choice == 3:
        chunks[at:at] = [(kind, body)] * random.choice((1, 5))
    elif choice == 4:
        chunks[at] = kind, mutate_bytes.mutate(body or b"\0", random)
    else:
        chunks.insert(1, (b"zTXt", b"k\0\0" + zlib.compress(bytes(random.choice((10, 1 << 25))))))
    return data[:8] + b"".join(_packed(*chunk) for chunk in chunks)


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        found.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def _packed(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
