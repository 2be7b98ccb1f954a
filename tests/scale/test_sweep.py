"""Sweeps that are interrupted, without Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from unibody.errors import InvalidArgumentError
from unibody.scale import folder as folders
from unibody.scale.folder import Folder
from unibody.scale.runs import Outcome, Program, Run, grid, parameter
from unibody.scale.sweep import sweep, table_path

pytest.importorskip("pyarrow")

RUNS = grid([parameter("a=1,2")], 3)


class Stopped(BaseException):
    """Stands for what ends a process."""


def program(tmp_path: Path, text: str = "pass") -> Program:
    script = tmp_path / "script.py"
    script.write_text(text)
    return Program(str(script), (), (), "", str(tmp_path))


def performing(
    until: int, seen: list[Run]
) -> Callable[[Sequence[Run]], Iterator[tuple[Run, Outcome]]]:
    """Does runs, the last first, and stops after some."""

    def perform(runs: Sequence[Run]) -> Iterator[tuple[Run, Outcome]]:
        for number, run in enumerate(reversed(runs)):
            if number == until:
                raise Stopped
            seen.append(run)
            if run.seed == 1:
                yield run, Outcome(False, 1, {}, "", 0.1 * len(seen), "what it said")
            else:
                yield run, Outcome(True, 0, {"z": 0.1 * run.seed}, "z", 0.1 * len(seen))

    return perform


def ignore(_run: Run, _done: dict[Run, Outcome]) -> None:
    pass


def test_a_sweep_that_was_stopped_goes_on_and_has_the_table_of_one_that_was_not(
    tmp_path: Path,
) -> None:
    script, seen = program(tmp_path), []
    whole = Folder(tmp_path / "whole", script)
    sweep(RUNS, whole, performing(99, []), ignore)
    with pytest.raises(Stopped):
        sweep(RUNS, Folder(tmp_path / "halves", script), performing(3, seen), ignore)
    sweep(RUNS, Folder(tmp_path / "halves", script), performing(99, seen), ignore)
    halves = Folder(tmp_path / "halves", script)
    assert sorted(run.key for run in seen) == sorted(run.key for run in RUNS)  # each once
    assert table_path(halves).read_bytes() == table_path(whole).read_bytes()


def test_what_is_done_is_on_the_disk_before_the_next_run_ends(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out", program(tmp_path))
    counts: list[int] = []

    def count(_run: Run, _done: dict[Run, Outcome]) -> None:
        counts.append(len(list((folder.path / folders.RUNS).glob("*.json"))))

    sweep(RUNS, folder, performing(99, []), count)
    assert counts == [1, 2, 3, 4, 5, 6]


def test_a_failed_run_keeps_its_log_until_it_is_to_be_done_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out", program(tmp_path))
    sweep(RUNS, folder, performing(99, []), ignore)
    failed = RUNS[1]
    assert folder.log(failed).read_text() == "a=1 seed=1\nwhat it said"
    assert not folder.log(RUNS[0]).exists()
    folder.forget(failed)
    assert not folder.log(failed).exists()
    seen: list[Run] = []
    sweep(RUNS, folder, performing(99, seen), ignore)
    assert seen == [failed]


def test_a_larger_grid_uses_what_a_smaller_one_did(tmp_path: Path) -> None:
    folder, seen = Folder(tmp_path / "out", program(tmp_path)), []
    sweep(RUNS, folder, performing(99, []), ignore)
    larger = grid([parameter("a=1,2,3")], 3)
    sweep(larger, folder, performing(99, seen), ignore)
    assert {dict(run.parameters)["a"] for run in seen} == {"3"}


def test_a_folder_with_runs_of_another_script_is_refused(tmp_path: Path) -> None:
    Folder(tmp_path / "out", program(tmp_path))
    with pytest.raises(InvalidArgumentError, match="content"):
        Folder(tmp_path / "out", program(tmp_path, "print(1)"))


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    folders.write(file, b"one")
    with pytest.raises(TypeError):
        folders.write(file, None)  # type: ignore[arg-type]
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.json", b"one")]
