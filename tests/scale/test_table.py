"""The columns of a sweep's table."""

from __future__ import annotations

from typing import Any

import pytest

from unibody.scale.runs import Outcome, Run, grid, parameter
from unibody.scale.table import columns, means, parquet


def done(seconds: float = 1.0, **reported: Any) -> Outcome:
    return Outcome(True, 0, reported, "end", seconds)


RUNS = grid([parameter("a=1,0.5")], 2)
FAILED = Outcome(False, 3, {}, "", 1.0, "log")


def outcomes() -> dict[Run, Outcome]:
    found = [done(z=1, n=2, w="x", a=9), done(z=0.5, n=None, w=1, a=9), FAILED, done(z=2, n=4)]
    return dict(zip(RUNS, found, strict=True))


def test_every_run_is_a_row_and_columns_have_one_type_each() -> None:
    assert columns(RUNS, outcomes()) == {
        "a": [1.0, 1.0, 0.5, 0.5],
        "seed": [0, 1, 0, 1],
        "done": [True, True, False, True],
        "exit_status": [0, 0, 3, 0],
        "last_line": ["end", "end", "", "end"],
        "z": [1.0, 0.5, None, 2.0],
        "n": [2, None, None, 4],
        "w": ["x", "1", None, None],
        "reported_a": [9, 9, None, None],
    }


def test_the_table_does_not_depend_on_the_order_in_which_runs_end_nor_on_their_time() -> None:
    pytest.importorskip("pyarrow")
    late = {run: done(9.0, **o.reported) if o.done else o for run, o in outcomes().items()}
    backwards = dict(reversed(late.items()))
    assert parquet(RUNS, backwards) == parquet(RUNS, outcomes())


def test_a_row_of_means_counts_what_is_done_and_what_failed() -> None:
    table = [line.split() for line in means(RUNS, outcomes())]
    assert table[0] == ["a", "done", "failed", "z", "n", "a", "w"]
    assert table[1] == ["1", "2/2", "0", "0.75", "±", "0.35", "2", "9", "±", "0", "1"]
    assert table[2] == ["0.5", "1/2", "1", "2", "4", "-", "-"]


def test_a_parameter_may_have_the_name_of_a_column() -> None:
    runs = grid([parameter("seed=5")], 1)
    found = columns(runs, {runs[0]: done()})
    assert (found["seed"], found["run_seed"]) == ([5], [0])
