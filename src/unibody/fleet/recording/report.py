"""What is left of a run: a page with plots that needs nothing else, and its figures as a table."""

from __future__ import annotations

import csv
import html
import importlib.util
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unibody.core.assets.whole_file import whole_file, write_whole_text
from unibody.fleet.recording.traffic_map import Heat, heat_image

_WIDTH, _HEIGHT, _EDGE = 720, 180, 46  # pixels
_MOST_POINTS = 1000
_UNITS = {
    "moving": "robots on their way",
    "waiting": "robots on their way that stand still",
    "mean_speed": "m/s",
    "arrivals": "since the beginning",
    "collisions": "since the beginning",
    "near_misses": "since the beginning",
    "deadlocks": "since the beginning",
}
_WORDS = {
    "agents": "robots",
    "simulated_s": "simulated [s]",
    "distance_m": "distance driven, all robots together [m]",
    "arrivals": "arrivals at a stop",
    "throughput_per_min": "arrivals a minute",
    "waiting_share": "share of the time on the way that robots stood still",
    "near_misses": "near misses",
}
_STYLE = """body{font:15px system-ui,sans-serif;max-width:780px;margin:2em auto;color:#222}
table{border-collapse:collapse}td{padding:.2em 1em .2em 0;border-bottom:1px solid #ddd}
td+td{text-align:right;font-variant-numeric:tabular-nums}svg{display:block;margin:.3em 0 1.2em}
"""


def write_report(
    path: str,
    title: str,
    summary: Mapping[str, float],
    columns: Sequence[str],
    series: Sequence[Sequence[float]],
    heat: Heat | None = None,
) -> list[str]:
    """Write the page, and beside it the series.

    Args:
        path: The page; the series gets the same name with another ending.
        title: Heading of the page.
        summary: Figures of the run by name.
        columns: Names of the columns, the first is the time [s].
        series: A row a step.
        heat: Where robots drove; None: the page has no map.

    Returns:
        The files: the page, and ``.parquet`` if the package ``pyarrow`` is installed, else
        ``.csv``.
    """
    page = Path(path)
    page.parent.mkdir(parents=True, exist_ok=True)
    rows = "".join(
        f'<tr><td title="{html.escape(name)}">{html.escape(_WORDS.get(name, name))}</td>'
        f"<td>{value:.4g}</td></tr>"
        for name, value in summary.items()
    )
    times = [row[0] for row in series]
    plots = "".join(
        f"<h2>{html.escape(_heading(name))}</h2>{_plot(times, [row[i] for row in series])}"
        for i, name in enumerate(columns)
        if i > 0 and series
    )
    if heat is not None:
        plots += f"<h2>where robots drove</h2>{heat_image(heat, _WIDTH)}"
    name = html.escape(title)
    write_whole_text(
        page,
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{name}</title>"
        f"<style>{_STYLE}</style><h1>{name}</h1><table>{rows}</table>{plots}</html>",
    )
    return [str(page), _write_table(page, columns, series)]


def _write_table(page: Path, columns: Sequence[str], series: Sequence[Sequence[float]]) -> str:
    if importlib.util.find_spec("pyarrow") is not None:
        pyarrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
        data = {name: [row[i] for row in series] for i, name in enumerate(columns)}
        target = page.with_suffix(".parquet")
        with whole_file(target) as stream:
            parquet.write_table(pyarrow.table(data), stream)
        return str(target)
    target = page.with_suffix(".csv")
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(series)
    write_whole_text(target, text.getvalue())
    return str(target)


def _heading(name: str) -> str:
    """The name of a column in words, with its unit."""
    unit = _UNITS.get(name)
    return name.replace("_", " ") + (f" [{unit}]" if unit else "")


def _plot(times: Sequence[float], values: Sequence[float]) -> str:
    """A line as SVG, with the ends of both axes."""
    stride = max(1, len(times) // _MOST_POINTS)
    times, values = times[::stride], values[::stride]
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    top = low + span  # where nothing happened, the line lies on the axis
    length = (times[-1] - times[0]) or 1.0
    wide, tall = _WIDTH - 2 * _EDGE, _HEIGHT - _EDGE
    points = " ".join(
        f"{_EDGE + wide * (t - times[0]) / length:.1f},{10 + tall * (top - v) / span:.1f}"
        for t, v in zip(times, values, strict=True)
    )
    bottom = 10 + tall
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" font-size="12" fill="#555">'
        f'<path d="M{_EDGE} 10V{bottom}H{_EDGE + wide}" fill="none" stroke="#999"/>'
        f'<polyline points="{points}" fill="none" stroke="#1668b8" stroke-width="1.5"/>'
        f'<text x="{_EDGE - 4}" y="18" text-anchor="end">{top:.4g}</text>'
        f'<text x="{_EDGE - 4}" y="{bottom}" text-anchor="end">{low:.4g}</text>'
        f'<text x="{_EDGE}" y="{bottom + 16}">{times[0]:.4g} s</text>'
        f'<text x="{_EDGE + wide}" y="{bottom + 16}" text-anchor="end">{times[-1]:.4g} s</text>'
        "</svg>"
    )
