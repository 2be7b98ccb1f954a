"""Event logs of a fleet: records that say other things, with their checksums right."""

from __future__ import annotations

from random import Random

from tests.fuzz import mutate_bytes
from tests.fuzz.mutate_tree import mutate_json
from unibody.fleet.recording.event_log import MAGIC, RECORD, record


def mutate(data: bytes, random: Random) -> bytes:
    """A damaged log."""
    if random.random() < 0.15:
        return mutate_bytes.mutate(data, random)
    records, at = [], len(MAGIC)
    while at < len(data):
        length, _, kind = RECORD.unpack_from(data, at)
        at += RECORD.size + length
        records.append((kind, data[at - length : at]))
    at = random.randrange(len(records))
    kind, contents = records[at]
    choice = random.randrange(5)
    if choice == 0:
        del records[at]
    elif choice == 1:
        records.insert(at, (random.randrange(8), contents))
    elif choice == 2 and contents[:1] in (b"{", b"["):
        records[at] = kind, mutate_json(contents, random)
    else:
        records[at] = kind, mutate_bytes.mutate(contents, random)
    return MAGIC + b"".join(record(*row) for row in records)
