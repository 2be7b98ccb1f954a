"""Results as text: a line for the terminal, and the page docs/performance.md."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import shlex
import sys
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.bullet import Work

_PACKAGES = ("pybullet", "mujoco", "numpy", "numba")


class Row(NamedTuple):
    """Results of one piece of work on both modules.

    Attributes:
        work: What was measured.
        reference: Values of the reference, one a process, in the unit of the work.
        ours: The same of the other module.
        reference_contacts: Contact points at the end, median; None where they have no meaning.
        our_contacts: The same of the other module.
        error: Why a measurement is missing, or "".
    """

    work: Work
    reference: tuple[float, ...]
    ours: tuple[float, ...]
    reference_contacts: int | None
    our_contacts: int | None
    error: str

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the reference; None if a side is missing."""
        if not (self.reference and self.ours):
            return None
        reference, ours = median(self.reference), median(self.ours)
        return ours / reference if self.work.more_is_better else reference / ours


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def _value(values: tuple[float, ...]) -> str:
    return _number(median(values)) if values else "-"


def _spread(values: tuple[float, ...]) -> str:
    """Return the largest deviation from the median, in percent."""
    if len(values) < 2:
        return ""
    middle = median(values)
    return f" ±{100.0 * max(abs(value - middle) for value in values) / middle:.0f} %"


def _contacts(row: Row) -> str:
    counts = (row.reference_contacts, row.our_contacts)
    if counts == (None, None):
        return ""
    return " / ".join("-" if count is None else str(count) for count in counts)


def _ratio(row: Row) -> str:
    return "-" if row.ratio is None else f"{row.ratio:.2f}x"


def row_text(row: Row) -> str:
    """Return a line for the terminal."""
    sides = f"{_value(row.reference):>9} {_value(row.ours):>9} {row.work.unit:8}"
    contacts = _contacts(row)
    text = f"{row.work.name:32} {sides} {_ratio(row):>8}"
    if contacts:
        text += f"  contacts {contacts}"
    return f"{text}  {row.error}" if row.error else text


def performance_page(rows: list[Row], modules: tuple[str, str], reps: int, seconds: float) -> str:
    """Return docs/performance.md.

    Args:
        rows: The results.
        modules: Name of the reference, and of the module it is compared with.
        reps: Processes a side.
        seconds: Least time measured in each [s].
    """
    lines = [
        "# Performance",
        "",
        f"Written by `python -m benchmarks {shlex.join(sys.argv[1:])}".rstrip() + "`.",
        "",
        f"This page measures the same work on `{modules[0]}` and on `{modules[1]}`, through the "
        f"public API alone and with the default accuracy of both. Each side has {reps} "
        f"process{'es' if reps > 1 else ''}; the sides take turns. A process measures for at "
        f"least {seconds:g} s, after a first step. The values are medians; ± is the largest "
        f"deviation from the median. The ratio says how many times as fast `{modules[1]}` is. "
        "The last column has the contact points at the end of the work.",
        "",
        *_machine(),
    ]
    for family, group in groupby(rows, key=lambda row: row.work.family):
        lines += [
            "",
            f"## {family}",
            "",
            f"| work | `{modules[0]}` | `{modules[1]}` | ratio | contacts |",
            "|---|---:|---:|---:|---:|",
        ]
        lines += [_line(row) for row in group]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    unit = row.work.unit
    sides = [
        f"{_value(values)} {unit}{_spread(values)}" if values else f"failed: {row.error}"
        for values in (row.reference, row.ours)
    ]
    return f"| {row.work.title} | {sides[0]} | {sides[1]} | {_ratio(row)} | {_contacts(row)} |"


def _machine() -> list[str]:
    load = os.getloadavg()[0]
    versions = [f"{name} {_version(name)}" for name in _PACKAGES]
    return [
        f"- date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        f"- processor: {_processor()}, {os.cpu_count()} logical cores, load average {load:.1f} "
        "when the page was written",
        f"- system: {platform.system()} {platform.release()}, Python {platform.python_version()}",
        f"- packages: {', '.join(versions)}",
    ]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _processor() -> str:
    table = Path("/proc/cpuinfo")
    if table.is_file():
        for line in table.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
