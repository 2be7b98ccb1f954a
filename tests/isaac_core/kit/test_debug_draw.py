"""Points and lines of scripts for Isaac Sim's window."""

from __future__ import annotations

import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit.debug_draw import DebugDraw

RED = (1.0, 0.0, 0.0, 1.0)


def test_what_is_drawn_is_counted_until_it_is_cleared() -> None:
    draw = DebugDraw()
    draw.draw_points([(0, 0, 0), (1, 0, 0)], [RED] * 2, [5, 5])
    draw.draw_lines([(0, 0, 0)], [(1, 0, 0)], [RED], [2])
    draw.draw_lines_spline([(0, 0, 0), (1, 0, 0), (1, 1, 0)], RED, 2, False)
    assert (draw.get_num_points(), draw.get_num_lines()) == (2, 1)
    draw.clear_lines()
    assert (draw.get_num_points(), draw.get_num_lines()) == (2, 0)
    draw.clear_points()
    assert draw.get_num_points() == 0


def test_a_line_says_once_that_there_is_no_window(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unibody.notices._told", set())
    for _ in range(3):
        DebugDraw().draw_points([(0, 0, 0)], [RED], [5])
    assert capsys.readouterr().err.count("no window") == 1


def test_points_without_a_colour_each_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match="colors"):
        DebugDraw().draw_points([(0, 0, 0), (1, 0, 0)], [RED], [5, 5])
