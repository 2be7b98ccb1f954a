"""glTF, as text and in one binary file: the JSON tree and what it describes."""

from __future__ import annotations

import struct
from random import Random

from tests.fuzz import mutate_bytes
from tests.fuzz.mutate_tree import mutate_json

_MAGIC = b"glTF"


def mutate(data: bytes, random: Random) -> bytes:
    """A damaged model."""
    if not data.startswith(_MAGIC):
        return mutate_json(data, random)
    if random.random() < 0.3:
        return mutate_bytes.mutate(data, random)
    (length,) = struct.unpack_from("<I", data, 12)
    text = mutate_json(data[20 : 20 + length].rstrip(), random)
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    head = struct.pack("<4sIIII", _MAGIC, 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    return head + text + rest
