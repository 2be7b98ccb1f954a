"""The results of a sweep: a Parquet file, and a table of means to look at."""

from __future__ import annotations

import io
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from unibody.scale.reports import value
from unibody.scale.runs import Outcome, Run

_OWN = ("seed", "done", "exit_status", "last_line")
_MOST_COLUMNS = 4
_LARGEST = 1 << 63


def columns(runs: Sequence[Run], outcomes: Mapping[Run, Outcome]) -> dict[str, list[Any]]:
    """Columns of the runs that are done, in the order of the grid.

    Args:
        runs: The grid.
        outcomes: What became of those that are done.
    """
    done = [run for run in runs if run in outcomes]
    found: dict[str, list[Any]] = {}
    for at, (name, _) in enumerate(runs[0].parameters):
        found[name] = [value(run.parameters[at][1]) for run in done]
    own = {
        "seed": [run.seed for run in done],
        **{field: [getattr(outcomes[run], field) for run in done] for field in _OWN[1:]},
    }
    for name, values in own.items():
        found[f"run_{name}" if name in found else name] = values
    names = dict.fromkeys(name for run in done for name in outcomes[run].reported)
    for name in names:
        free = name
        while free in found:
            free = f"reported_{free}"
        found[free] = [outcomes[run].reported.get(name) for run in done]
    return {name: _alike(values) for name, values in found.items()}


def parquet(runs: Sequence[Run], outcomes: Mapping[Run, Outcome]) -> bytes:
    """The columns as a Parquet file; the same results give the same bytes."""
    import pyarrow
    from pyarrow.parquet import write_table

    file = io.BytesIO()
    write_table(pyarrow.table(columns(runs, outcomes)), file)
    return file.getvalue()


def means(runs: Sequence[Run], outcomes: Mapping[Run, Outcome]) -> list[str]:
    """Lines with a row for each combination of parameters: runs, and means of what they report.

    Args:
        runs: The grid.
        outcomes: What became of those that are done.
    """
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(text for _, text in run.parameters), []).append(run)
    names = list(dict.fromkeys(
        name for run in runs if run in outcomes
        for name, found in outcomes[run].reported.items() if _is_number(found)
    ))[:_MOST_COLUMNS]  # fmt: skip
    rows = [[*(name for name, _ in runs[0].parameters), "done", "failed", *names]]
    for point, members in groups.items():
        there = [outcomes[run] for run in members if run in outcomes]
        good = [outcome for outcome in there if outcome.done]
        counts = [f"{len(good)}/{len(members)}", str(len(there) - len(good))]
        rows.append([*point, *counts, *(_mean(good, name) for name in names)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.rjust, row, widths)) for row in rows]


def _mean(outcomes: Sequence[Outcome], name: str) -> str:
    found = [o.reported[name] for o in outcomes if _is_number(o.reported.get(name))]
    if not found:
        return "-"
    middle = f"{statistics.fmean(found):.5g}"
    if len(found) < 2 or not all(map(math.isfinite, found)):
        return middle
    return f"{middle} ± {statistics.stdev(found):.2g}"


def _is_number(found: Any) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool)


def _alike(values: list[Any]) -> list[Any]:
    """Values of one type, for a column: truth values, integers, numbers, or text."""
    there = [found for found in values if found is not None]
    if all(isinstance(found, bool) for found in there):
        return values
    if all(_is_number(found) for found in there):
        small = all(isinstance(n, int) and -_LARGEST <= n < _LARGEST for n in there)
        return values if small else [None if n is None else float(n) for n in values]
    return [n if n is None or isinstance(n, str) else json.dumps(n, sort_keys=True) for n in values]
