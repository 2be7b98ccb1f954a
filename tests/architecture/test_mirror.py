"""The folders of the tests are those of the package."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.imports import PACKAGE

TESTS = PACKAGE.parents[1] / "tests"
# What cuts across rooms, what tests are made with, and data beside them.
_OTHERS = {
    "architecture", "benchmarks", "clients", "fleet/data", "fuzz", "parity", "physics", "support",
}  # fmt: skip
# Rooms in which every folder has tests of its own.
_WHOLE = ("isaacgym",)


def _folders(below: Path) -> set[str]:
    found = (path for path in below.rglob("*") if path.is_dir() and any(path.glob("*.py")))
    return {str(path.relative_to(below)) for path in found}


def test_every_folder_of_tests_has_the_name_of_a_folder_of_the_package() -> None:
    there = _folders(PACKAGE) | {""}
    assert sorted(_folders(TESTS) - there - _OTHERS) == []


def test_every_folder_of_a_room_has_tests() -> None:
    for room in _WHOLE:
        assert sorted(_folders(PACKAGE / room) - _folders(TESTS / room)) == []
