"""Points and lines that a script draws into the window of Isaac Sim; the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit import app
from unibody.notices import tell_once

__all__ = ["DebugDraw", "acquire_debug_draw_interface", "release_debug_draw_interface"]


class DebugDraw:
    """What a script has drawn. Where there is no page to see it on, one line says so.

    Attributes:
        points: Each with its color and size.
        lines: Start, end, color and width of each.
        splines: Points, color and width of each, and whether it is closed.
    """

    def __init__(self) -> None:
        self.points: list[tuple[Any, Any, float]] = []
        self.lines: list[tuple[Any, Any, Any, float]] = []
        self.splines: list[tuple[Any, Any, float, bool]] = []

    def draw_points(
        self, points: Sequence[Any], colors: Sequence[Any], sizes: Sequence[float]
    ) -> None:
        """Add points.

        Args:
            points: In the world, three coordinates each [m].
            colors: Of each, RGBA from 0 to 1.
            sizes: Of each [pixel].

        Raises:
            InvalidArgumentError: There are not as many colors or sizes as points.
        """
        _check(len(points), colors=colors, sizes=sizes)
        self.points += zip(points, colors, sizes, strict=True)
        _tell()

    def draw_lines(
        self,
        start_points: Sequence[Any],
        end_points: Sequence[Any],
        colors: Sequence[Any],
        sizes: Sequence[float],
    ) -> None:
        """Add lines.

        Args:
            start_points: In the world, three coordinates each [m].
            end_points: The same of the other ends.
            colors: Of each, RGBA from 0 to 1.
            sizes: Width of each [pixel].

        Raises:
            InvalidArgumentError: There are not as many ends, colors or sizes as starts.
        """
        _check(len(start_points), end_points=end_points, colors=colors, sizes=sizes)
        self.lines += zip(start_points, end_points, colors, sizes, strict=True)
        _tell()

    def draw_lines_spline(
        self, points: Sequence[Any], color: Any, width: float, closed: bool
    ) -> None:
        """Add a curve through points.

        Args:
            points: In the world, three coordinates each [m].
            color: RGBA from 0 to 1.
            width: [pixel].
            closed: Whether it ends where it begins.
        """
        self.splines.append((points, color, width, closed))
        _tell()

    def get_num_points(self) -> int:
        """How many points there are."""
        return len(self.points)

    def get_num_lines(self) -> int:
        """How many lines there are, without curves."""
        return len(self.lines)

    def clear_points(self) -> None:
        """Remove all points."""
        self.points.clear()

    def clear_lines(self) -> None:
        """Remove all lines and curves."""
        self.lines.clear()
        self.splines.clear()


def _check(count: int, **columns: Sequence[Any]) -> None:
    for name, column in columns.items():
        if len(column) != count:
            raise InvalidArgumentError(name, f"{len(column)} values", f"{count}, one each")


def _tell() -> None:
    if app.get_app().window is None:
        tell_once(
            "points and lines of debug_draw are kept and counted; there is no window to see them: "
            'SimulationApp({"headless": False}) opens a page'
        )


_drawn = DebugDraw()


def acquire_debug_draw_interface() -> DebugDraw:
    """What the process has drawn."""
    return _drawn


def release_debug_draw_interface(interface: DebugDraw) -> None:
    """Let go of it: what was drawn stays."""
