"""Notes in URDF files: ``<bullet><user-data key="...">text</user-data></bullet>``."""

from __future__ import annotations

from unibody.core.assets.urdf.node import Node

_MAX_KEY = 255  # bytes, as in PyBullet


def read_notes(node: Node) -> tuple[tuple[str, str], ...]:
    """The notes of an element, (key, text); of several with one key the last text counts."""
    notes: dict[str, str] = {}
    for group in node.children("bullet"):
        for note in group.children("user-data"):
            key = note.get("key")
            if key is None or len(key.encode()) > _MAX_KEY:
                note.warn(f"key={key!r} is not allowed, left out")
            else:
                notes[key] = note.element.text or ""
    return tuple(notes.items())
