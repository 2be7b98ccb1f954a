"""Folders of what can be worked out again do not grow for ever."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unibody.core.assets import disk_cache

SIZE = 100


def fill(folder: Path, count: int) -> list[Path]:
    """Files of ``SIZE`` bytes, the first one the oldest."""
    files = [folder / f"{k}.hull" for k in range(count)]
    for age, file in enumerate(files):
        file.write_bytes(b"x" * SIZE)
        os.utime(file, (age, age))
    return files


@pytest.mark.parametrize(("most_files", "most_bytes"), [(20, 10**6), (10**6, 20 * SIZE)])
def test_the_oldest_files_go_once_there_are_too_many(
    tmp_path: Path, most_files: int, most_bytes: int
) -> None:
    files = fill(tmp_path, 21)
    disk_cache.prune(tmp_path, most_files, most_bytes)
    assert [file.exists() for file in files] == [False] * 11 + [True] * 10


def test_a_folder_that_is_small_enough_is_left_alone(tmp_path: Path) -> None:
    files = fill(tmp_path, 20)
    disk_cache.prune(tmp_path, 20, 20 * SIZE)
    assert all(file.exists() for file in files)


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    disk_cache.prune_once(tmp_path / "nothing")
    assert not list(tmp_path.iterdir())
