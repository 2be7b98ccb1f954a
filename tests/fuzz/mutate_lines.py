"""Files of lines and words: OBJ, MTL, text STL and PLY, height fields, logs."""

from __future__ import annotations

from random import Random

from tests.fuzz import mutate_bytes
from tests.fuzz.values import changed_text


def mutate(data: bytes, random: Random) -> bytes:
    """Lines that changed, moved, went or came again."""
    if random.random() < 0.15:
        return mutate_bytes.mutate(data, random)
    lines = data.decode("latin-1").splitlines(keepends=True)
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(lines)) if lines else 0
        kind = random.randrange(5)
        if kind == 0:
            del lines[at : at + random.choice((1, 3))]
        elif kind == 1:
            lines[at:at] = lines[at : at + random.choice((1, 4))] * random.choice((1, 2, 200))
        elif kind == 2 and lines:
            lines.insert(random.randrange(len(lines)), lines.pop(at))
        elif lines:
            lines[at] = _changed(lines[at], random)
    return "".join(lines).encode("utf-8", "surrogateescape")


def _changed(line: str, random: Random) -> str:
    words = line.split(" ")
    at = random.randrange(len(words))
    kind = random.randrange(4)
    if kind == 0:
        del words[at]
    elif kind == 1:
        words[at:at] = [words[at]] * random.choice((1, 3, 300))
    else:
        end = "\n" if words[at].endswith("\n") else ""
        words[at] = changed_text(words[at].rstrip("\n"), random) + end
    return " ".join(words)
