"""Classes that are never made alone do not stand on one another: they are parts instead."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.architecture.imports import PACKAGE

MAX_UNMADE = 1
"""Classes in a row, below one that is made, that are only there to be derived from."""


def _name(node: ast.expr) -> str:
    """The last name of ``Base``, ``module.Base`` and ``Base[T]``."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def unmade_chains(sources: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Rows of classes, each the base of the next, of which no one is made.

    Who is called by its name counts as made, and so does who is public: imported by a front door
    (``api`` or ``__init__``) or named in ``__all__``. Rows that lead to no class that is made are
    not told.

    Args:
        sources: Names and texts of modules.
    """
    bases: dict[str, list[str]] = {}
    made: set[str] = set()
    for name, text in sources:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = [_name(base) for base in node.bases]
            elif isinstance(node, ast.Call):
                made.add(_name(node.func))
            elif isinstance(node, ast.ImportFrom) and Path(name).stem in ("api", "__init__"):
                made |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Assign) and _name(node.targets[0]) == "__all__":
                made |= set(ast.literal_eval(node.value))

    def row_up_to(name: str) -> list[str]:
        """The longest row of classes that are not made, which ends with a class."""
        if name not in bases or name in made:
            return []
        return [*max((row_up_to(base) for base in bases[name]), key=len, default=[]), name]

    ends = {base for name in made & set(bases) for base in bases[name]}
    return sorted(filter(None, (row_up_to(name) for name in ends)))


def test_at_most_one_class_in_a_row_of_the_fleet_is_never_made() -> None:
    fleet = PACKAGE / "fleet"
    sources = [(str(path), path.read_text(encoding="utf-8")) for path in fleet.rglob("*.py")]
    found = unmade_chains(sources)
    assert ["SimulatedObjects"] in found
    assert [row for row in found if len(row) > MAX_UNMADE] == []


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("class A: ...\nclass B(A): ...\nclass C(B): ...\nC()", [["A", "B"]]),
        ("class A: ...\nclass B(A): ...\nclass C(B): ...\nC()\nA()", [["B"]]),
        ("class A: ...\nclass B(A): ...\n", []),
        ("class A: ...\nclass B(A): ...\nclass C(B): ...\n__all__ = ['C', 'A']", [["B"]]),
        ("class A: ...\nclass D: ...\nclass B(x.A[int]): ...\nclass C(D, B): ...\nC()",
         [["A", "B"], ["D"]]),
    ],
)  # fmt: skip
def test_rows_of_classes_that_are_never_made_are_found(text: str, rows: list[list[str]]) -> None:
    assert unmade_chains([("module.py", text)]) == rows
