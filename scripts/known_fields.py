"""Write the table of MuJoCo's fields that the insertion of bodies knows.

Run it with a new MuJoCo once every field that is new to the table was looked at: whether bodies
that enter a compiled model have rows in it, and what its numbers refer to (`segments.REFERS`).
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import mujoco

from unibody.core.engine.insertion import known_fields

_FILE = Path(known_fields.__file__)
_WIDTH = 90
_MARK = "# --- table"


def main() -> None:
    """Replace the table in the module."""
    head = _FILE.read_text(encoding="utf-8").partition(_MARK)[0]
    parts = [f"{_MARK}: of MuJoCo {mujoco.__version__}, by scripts/known_fields.py\n_KNOWN = {{"]
    for struct in known_fields.STRUCTS:
        words = " ".join(sorted(known_fields.fields_of(struct)))
        lines = textwrap.wrap(words, _WIDTH, break_long_words=False, break_on_hyphens=False)
        body = "\n".join(f"        {line}" for line in lines)
        parts.append(f'    "{struct}": """\n{body}\n    """,')
    _FILE.write_text(head + "\n".join([*parts, "}", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
