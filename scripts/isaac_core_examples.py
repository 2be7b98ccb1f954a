"""Run the `>>>` examples of the document of Isaac core, and count which give its output.

The document is no part of the project: its path is the argument. The examples of a class or of a
module of functions run one after the other in one room of names, on a stage of their own; before
the second one of a class the world is reset, so that what the first one made can move. Examples
that name packages that are not installed, or more of Kit than there is here, fail by name.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import io
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

_SECTION = re.compile(r"^class (\w+)\(|^(\w[\w ]*) Utils$|^(\w[\w ]*) \[omni\.isaac\.")
_SIGNATURE = re.compile(r"^(property|static|classmethod|async|class|abstract) |^[a-z_]\w*\(.*\)")
_VALUES = ("array(", "tensor(", "dict_", "defaultdict(", "odict_")
_OBJECT = re.compile(r"<[\w.]+?\.(\w+) object at 0x[0-9a-f.]*>")
_GIVEN = re.compile(r"# given the stage: (.+?)\.?$", re.MULTILINE)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CLOSE = 1e-4  # of numbers of a document that were printed in single precision, some rounded
_ASSETS = "/home/<user>/Documents/Assets/"
_NAMES = """
import numpy as np
import omni.isaac.core.utils.stage as stage_utils
import omni.isaac.core.utils.prims as prims_utils
num_envs = 5
"""


@dataclass
class Example:
    """A statement of the document.

    Attributes:
        line: Where it stands.
        source: Its text.
        output: What follows it.
        first: Whether it belongs to the first examples of its section.
    """

    line: int
    source: str
    output: str
    first: bool

    @property
    def is_code(self) -> bool:
        """Whether it is more than a comment."""
        return not all(part.lstrip().startswith("#") for part in self.source.splitlines())


@dataclass
class Counts:
    """What has become of the examples."""

    ran: int = 0
    failed: list[tuple[Example, str]] = field(default_factory=list)
    same: int = 0
    other: list[tuple[Example, str]] = field(default_factory=list)


def read(text: str) -> list[list[Example]]:
    """The statements of each section."""
    lines = text.splitlines()
    sections: list[list[Example]] = [[]]
    n, first, blocks = 0, True, 0
    while n < len(lines):
        if _SECTION.match(lines[n]):
            sections.append([])
            blocks = 0
        if not lines[n].startswith(">>>"):
            n += 1
            continue
        if n and not lines[n - 1].strip():
            blocks += 1
        first = blocks <= 1
        begin, source = n, [lines[n][4:]]
        n += 1
        while n < len(lines) and re.match(r"\.\.\.|>>>  ", lines[n]):
            source.append(lines[n][4:])
            n += 1
        output: list[str] = []
        while n < len(lines) and lines[n].strip() and not lines[n].startswith(">>>"):
            if _SIGNATURE.match(lines[n]) and not lines[n].startswith(_VALUES):
                break
            output.append(lines[n])
            n += 1
        if source[0].strip():
            text_of = "\n".join(source)
            sections[-1].append(Example(begin + 1, text_of, "\n".join(output), first))
    return [examples for examples in sections if any(one.is_code for one in examples)]


def agree(expected: str, got: str) -> bool:
    """Whether two outputs are the same but for addresses, spaces and roundings."""

    def plain(text: str) -> str:
        return "".join(_OBJECT.sub(r"<\1>", text).split())

    def words(text: str) -> list[str]:
        return re.sub(r"[\s,]+", " ", _NUMBER.sub("#", text)).split()

    if plain(expected) == plain(got):
        return True
    numbers = [[float(one) for one in _NUMBER.findall(text)] for text in (expected, got)]
    same_text = "".join(words(expected)) == "".join(words(got))
    same_count = len(numbers[0]) == len(numbers[1]) > 0
    return same_text and same_count and np.allclose(*numbers, rtol=_CLOSE, atol=_CLOSE)


def run(sections: list[list[Example]]) -> Counts:
    """Run all sections."""
    from unibody.isaac_core.functions.nucleus import get_assets_root_path
    from unibody.isaac_core.world.world import World

    root = f"{get_assets_root_path()}/Isaac/"
    counts = Counts()
    for examples in sections:
        World.clear_instance()
        from unibody.isaac_core.kit.context import get_context

        get_context().new_stage()
        room: dict[str, Any] = {"__name__": "example"}
        exec(_NAMES, room)
        begun = False
        for example in examples:
            if not example.first and not begun:
                begun = True
                _begin(room)
            if example.is_code:
                _run_one(example, example.source.replace(_ASSETS, root), room, counts)
            else:
                _give(example.source)
    return counts


def _give(comment: str) -> None:
    """Make the prims of which a comment says that they are there."""
    from unibody.isaac_core.functions.prims import create_prim, is_prim_path_valid

    for path in re.findall(r"/[\w/]+", " ".join(_GIVEN.findall(comment))):
        if not is_prim_path_valid(path):
            create_prim(path, "Cube")


def _begin(room: dict[str, Any]) -> None:
    from unibody.isaac_core.world.world import World

    # what is inherited is shown with the name that the class it comes from has for its object
    room.setdefault("simulation_context", room.get("world"))
    held = next((room[name] for name in ("prim", "prims") if hasattr(room.get(name), "prim_paths")
                 or hasattr(room.get(name), "prim_path")), None)  # fmt: skip
    if held is None:
        return
    room.setdefault("prims", held)
    room.setdefault("prim", held)
    with contextlib.suppress(Exception):
        World().reset()
        held.initialize()


def _run_one(example: Example, source: str, room: dict[str, Any], counts: Counts) -> None:
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told):
            tree = ast.parse(source)
            last = tree.body[-1] if tree.body else None
            if isinstance(last, ast.Expr):
                head = ast.Module(tree.body[:-1], [])
                exec(compile(head, "example", "exec"), room)
                value = eval(compile(ast.Expression(last.value), "example", "eval"), room)
                if asyncio.iscoroutine(value):
                    value.close()
                elif value is not None:
                    print(value)
            else:
                exec(compile(tree, "example", "exec"), room)
    except Exception as error:
        counts.failed.append((example, f"{type(error).__name__}: {error}".splitlines()[0]))
        return
    counts.ran += 1
    if not example.output.strip():
        return
    if agree(example.output, told.getvalue()):
        counts.same += 1
    else:
        counts.other.append((example, told.getvalue().strip()))


def main(argv: list[str] | None = None) -> int:
    """Run the examples of a document; the exit status is 0 unless it cannot be read."""
    parser = argparse.ArgumentParser(description="Run the examples of a document.")
    parser.add_argument("document", type=Path)
    parser.add_argument("--verbose", action="store_true", help="show what failed or differs")
    options = parser.parse_args(argv)
    from unibody.cli import aliases

    aliases.install()
    sections = read(options.document.read_text(encoding="utf-8"))
    counts = run(sections)
    total = sum(one.is_code for examples in sections for one in examples)
    outputs = counts.same + len(counts.other)
    if options.verbose:
        for example, problem in counts.failed:
            print(f"line {example.line}: {example.source.splitlines()[0]}\n    {problem}")
        for example, got in counts.other:
            print(f"line {example.line}: {example.source}\n  {example.output!r}\n  {got!r}")
    for reason, count in Counter(problem for _, problem in counts.failed).most_common(15):
        print(f"{count:5} {reason[:110]}")
    print(f"{total} examples, {counts.ran} run; {outputs} of these have an output, "
          f"{counts.same} give it")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
