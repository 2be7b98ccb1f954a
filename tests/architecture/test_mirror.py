"""The tests of a surface lie in folders of the same names as what they test."""

from __future__ import annotations

import pytest

from tests.architecture.imports import PACKAGE

TESTS = PACKAGE.parents[1] / "tests"
# What is no test, and tests of more than one room, or of the files beside them.
CROSS_CUTTING = {
    "bullet": {"test_call_sequences.py", "test_constants.py"},
    "fleet": {
        "test_bundled_files.py",
        "test_coverage.py",
        "test_hostile_calls.py",
        "test_original_modules.py",
        "test_parity.py",
    },
}
NO_ROOMS = {"data", "__pycache__"}
# Rooms that are tested through others: actions and agents in test_parity, most of them.
WITHOUT_TESTS = {
    "fleet": {
        "actions", "agents", "behavior_trees", "bodies", "fleet_commands", "models", "plugins",
        "spatial",
    },
}  # fmt: skip


@pytest.mark.parametrize("surface", sorted(CROSS_CUTTING))
def test_the_folders_of_tests_are_rooms_of_the_surface(surface: str) -> None:
    rooms = {path.parent.name for path in (PACKAGE / surface).glob("*/__init__.py")}
    folders = {path.name for path in (TESTS / surface).iterdir() if path.is_dir()} - NO_ROOMS
    assert len(folders) > 5
    assert folders - rooms <= {"pybullet_utils"}  # a package of its own that the surface stands for
    if surface in WITHOUT_TESTS:
        assert rooms - folders == WITHOUT_TESTS[surface]


@pytest.mark.parametrize("surface", sorted(CROSS_CUTTING))
def test_a_test_outside_of_the_folders_is_one_of_several_rooms(surface: str) -> None:
    outside = {path.name for path in (TESTS / surface).glob("test_*.py")}
    assert outside == CROSS_CUTTING[surface]
