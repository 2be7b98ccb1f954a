"""Damage to any file: bytes that changed, are missing or are there twice."""

from __future__ import annotations

import struct
from random import Random

_WORDS = (0, 1, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def mutate(data: bytes, random: Random) -> bytes:
    """Damaged bytes."""
    text = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(len(text) + 1)
        kind = random.randrange(6)
        if kind == 0:
            del text[at:]
        elif kind == 1 and at < len(text):
            text[at] = random.randrange(256)
        elif kind == 2 and at < len(text):
            text[at] ^= 1 << random.randrange(8)
        elif kind == 3:
            del text[at : at + random.choice((1, 4, 100))]
        elif kind == 4:
            text[at:at] = text[at : at + random.choice((1, 16, 500))] * random.choice((1, 3))
        else:
            text[at : at + 4] = struct.pack("<I", random.choice(_WORDS))
    return bytes(text)
