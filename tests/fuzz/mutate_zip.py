"""Archives: entries that changed inside, went, came twice or have other names; saved states."""

from __future__ import annotations

import io
import warnings
import zipfile
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import mutate_bytes, mutate_lines
from tests.fuzz.mutate_tree import mutate_json
from tests.fuzz.values import NUMBERS

_NAMES = ("../x", "/etc/x", "a" * 300, " ", "x\0y", "CON", "a/b/c", "bodies.json", "qpos.npy")
_BOMB = bytes(1 << 24)


def mutate(data: bytes, random: Random) -> bytes:
    """A damaged archive."""
    if random.random() < 0.15:
        return mutate_bytes.mutate(data, random)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [(item.filename, archive.read(item)) for item in archive.infolist()]
    at = random.randrange(len(entries))
    name, content = entries[at]
    kind = random.randrange(10)
    if kind == 0:
        del entries[at]
    elif kind == 1:
        entries.append((name, content))
    elif kind == 2:
        entries[at] = random.choice(_NAMES), content
    elif kind == 3:
        entries[at] = name, _BOMB
    else:
        entries[at] = name, _changed(name, content, random)
    return _packed(entries)


def _changed(name: str, content: bytes, random: Random) -> bytes:
    if name.endswith(".json"):
        return mutate_json(content, random)
    if name.endswith(".npy") and random.random() < 0.9:
        return _array(content, random)
    return mutate_lines.mutate(content, random)


def _array(content: bytes, random: Random) -> bytes:
    array: Any = np.load(io.BytesIO(content))
    kind = random.randrange(6)
    if kind == 0:
        array = array.astype(random.choice(("f4", "i1", "U5", "c16", "?", "u8")))
    elif kind == 1:
        array = array.ravel()[: random.randrange(array.size + 1)]
    elif kind == 2:
        array = np.repeat(array, random.choice((0, 2, 1000)), axis=0)
    elif array.size:
        number = float(random.choice([text for text in NUMBERS[:22]]))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flat = array.ravel()
            flat[random.randrange(flat.size)] = np.array(number).astype(array.dtype)
            array = flat.reshape(array.shape)
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _packed(entries: list[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)
    return stream.getvalue()
