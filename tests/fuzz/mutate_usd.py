"""USD in text: numbers, lines and whole prims that changed, went or came again."""

from __future__ import annotations

import re
from random import Random

from tests.fuzz import mutate_lines

_PRIM = re.compile(r'^ *(?:def|over|class) .*?"[^"]*"', re.MULTILINE)
_TYPES = ("Xform", "Cube", "Sphere", "Mesh", "PhysicsRevoluteJoint", "PointInstancer", "Scope", "")


def mutate(data: bytes, random: Random) -> bytes:
    """A damaged layer; binary ones are damaged by the byte."""
    prims = list(_PRIM.finditer(data.decode("latin-1")))
    if not prims or random.random() < 0.7:
        return mutate_lines.mutate(data, random)
    text = data.decode("latin-1")
    chosen = random.choice(prims)
    begin, end = _block(text, chosen.start())
    block = text[begin:end]
    kind = random.randrange(4)
    if kind == 0:
        text = text[:begin] + text[end:]
    elif kind == 1:
        copies = random.choice((1, 30))
        named = [re.sub(r'"([^"]*)"', rf'"\g<1>_{n}"', block, count=1) for n in range(copies)]
        text = text[:end] + "\n" + "\n".join(named) + text[end:]
    elif kind == 2:
        inner = text[begin:end].rstrip()
        text = text[:begin] + inner[:-1] + "\n" + block + "\n}" + text[end:]
    else:
        kind_of = re.sub(r"(def|over|class)( \w+)?", f"def {random.choice(_TYPES)}", block, count=1)
        text = text[:begin] + kind_of + text[end:]
    return text.encode("latin-1")


def _block(text: str, begin: int) -> tuple[int, int]:
    """Begin and end of the prim that is stated there."""
    depth = 0
    for at in range(text.find("{", begin), len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return begin, at + 1
    return begin, len(text)
