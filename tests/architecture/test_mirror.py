"""The folders of the tests are those of the package."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.imports import PACKAGE

TESTS = PACKAGE.parents[1] / "tests"
# What cuts across rooms, what tests are made with, and data beside them.
_OTHERS = {
    "architecture", "benchmarks", "clients", "docs", "fleet/data", "fuzz", "parity", "physics",
    "support",
}  # fmt: skip
# Rooms in which every folder has tests of its own.
_WHOLE = ("isaacgym",)
# Tests of more than one room, or of the files beside them, in surfaces whose rooms have folders.
_CROSS_CUTTING = {
    "bullet": {"test_call_sequences.py", "test_constants.py"},
    "fleet": {
        "test_bundled_files.py", "test_coverage.py", "test_hostile_calls.py",
        "test_original_modules.py", "test_parity.py",
    },
}  # fmt: skip
# Rooms of the fleet that are tested through others.
_WITHOUT_TESTS = {"behavior_trees", "bodies", "fleet_commands", "models", "spatial"}


def _folders(below: Path) -> set[str]:
    found = (path for path in below.rglob("*") if path.is_dir() and any(path.glob("*.py")))
    return {str(path.relative_to(below)) for path in found}


def test_every_folder_of_tests_has_the_name_of_a_folder_of_the_package() -> None:
    there = _folders(PACKAGE) | {""}
    assert sorted(_folders(TESTS) - there - _OTHERS) == []


def test_every_folder_of_a_room_has_tests() -> None:
    for room in _WHOLE:
        assert sorted(_folders(PACKAGE / room) - _folders(TESTS / room)) == []


def test_a_test_outside_of_the_folders_is_one_of_several_rooms() -> None:
    for surface, allowed in _CROSS_CUTTING.items():
        assert {path.name for path in (TESTS / surface).glob("test_*.py")} == allowed


def test_the_rooms_of_the_fleet_without_tests_are_known() -> None:
    rooms = {path.parent.name for path in (PACKAGE / "fleet").glob("*/__init__.py")}
    assert rooms - _folders(TESTS / "fleet") == _WITHOUT_TESTS
