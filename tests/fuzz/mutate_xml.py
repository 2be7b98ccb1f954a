"""XML: elements and attributes that changed, moved, went or came many times."""

from __future__ import annotations

import copy
from random import Random
from xml.etree import ElementTree

from tests.fuzz import mutate_bytes
from tests.fuzz.values import TEXTS, changed_text


def mutate(data: bytes, random: Random) -> bytes:
    """A damaged document."""
    root = ElementTree.fromstring(data)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        _change(root, random)
    text = ElementTree.tostring(root, encoding="utf-8")
    if random.random() < 0.1:
        text = mutate_bytes.mutate(text, random)
    return text


def _change(root: ElementTree.Element, random: Random) -> None:
    elements = list(root.iter())
    chosen, other = random.choice(elements), random.choice(elements)
    kind = random.randrange(12)
    if kind <= 4 and chosen.attrib:
        key = random.choice(list(chosen.attrib))
        chosen.attrib[key] = changed_text(chosen.attrib[key], random)
    elif kind == 5 and chosen.attrib:
        del chosen.attrib[random.choice(list(chosen.attrib))]
    elif kind == 6 and other.attrib:
        key = random.choice(list(other.attrib))
        chosen.attrib[key] = other.attrib[key]
    elif kind == 7:
        chosen.tag = other.tag if random.random() < 0.8 else "x"
    elif kind == 8 and chosen is not root:
        parent = next(item for item in elements if chosen in list(item))
        parent.remove(chosen)
    elif kind == 9:
        part = copy.deepcopy(other)
        for _ in range(random.choice((1, 1, 3, 40))):
            chosen.insert(random.randrange(len(chosen) + 1), copy.deepcopy(part))
    elif kind == 10:
        chosen.text = changed_text(chosen.text or "", random)
    elif kind == 11:
        chosen.attrib[random.choice(("name", "type", "file", "class", "scale"))] = random.choice(
            [text for text in TEXTS if text.isprintable()]
        )
