"""A sweep: what is not done yet is done, and all of it put into a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from unibody.scale import folder as folders
from unibody.scale import table
from unibody.scale.runs import Outcome, Run

Perform = Callable[[Sequence[Run]], Iterable[tuple[Run, Outcome]]]
Watch = Callable[[Run, dict[Run, Outcome]], None]


def sweep(
    runs: Sequence[Run], folder: folders.Folder, perform: Perform, watch: Watch
) -> dict[Run, Outcome]:
    """Do the runs of a grid that a folder does not have, and write the table.

    Each run is kept as soon as it is done. The table is written at the end, also if Ctrl-C
    is: then with what is done.

    Args:
        runs: The grid.
        folder: Where what is done is kept.
        perform: Does runs, and gives each when it is done.
        watch: Called with each run that was done, and all that is.

    Returns:
        What became of every run.
    """
    kept = {run: folder.outcome(run) for run in runs}
    done = {run: outcome for run, outcome in kept.items() if outcome is not None}
    left = [run for run in runs if run not in done]
    try:
        if left:
            for run, outcome in perform(left):
                folder.keep(run, outcome)
                done[run] = outcome
                watch(run, done)
    finally:
        folders.write(table_path(folder), table.parquet(runs, done))
    return done


def table_path(folder: folders.Folder) -> Path:
    """Where the table of a folder is."""
    return folder.path / folders.TABLE
