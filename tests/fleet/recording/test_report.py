"""The page that is left of a run."""

from __future__ import annotations

import re

from unibody.fleet.recording.report import write_report

COLUMNS = ("time", "mean_speed", "near_misses", "waiting")


def test_a_plot_of_what_never_happened_lies_on_its_axis_and_headings_have_units(tmp_path):
    page = tmp_path / "run.html"
    write_report(str(page), "run", {}, COLUMNS, [(0.1, 0.5, 0, 1), (0.2, 1.0, 0, 2)])
    text = page.read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", text) == [
        "mean speed [m/s]",
        "near misses [since the beginning]",
        "waiting [robots on their way that stand still]",
    ]
    axes = [float(y) for y in re.findall(r"V([\d.]+)H", text)]
    lines = [
        [float(point.split(",")[1]) for point in points.split()]
        for points in re.findall('polyline points="(.*?)"', text)
    ]
    assert lines[0][-1] == lines[2][-1] == 10.0  # the largest value is at the top
    assert lines[1] == [axes[1], axes[1]]
