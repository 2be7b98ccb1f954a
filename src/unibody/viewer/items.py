"""What is drawn over the bodies: lines, points and texts."""

from __future__ import annotations

from dataclasses import dataclass

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]  # wxyz
WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Line:
    """A segment in the world frame [m]; width [pixels]."""

    start: Vec3
    end: Vec3
    color: Vec3
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Points:
    """Points in the world frame (n, 3) [m] with colours (n, 3), 0 to 1; size [pixels]."""

    positions: tuple[Vec3, ...]
    colors: tuple[Vec3, ...]
    size: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the world frame.

    Attributes:
        text: One line or several.
        position: Its lower left corner; of the first line [m].
        size: Height of a line: [m] with an orientation, else in units of 20 pixels.
        color: Each 0 to 1.
        quat: Orientation wxyz of a text that runs along x with its top along y; None: it faces the
            camera.
    """

    text: str
    position: Vec3
    size: float = 1.0
    color: Vec3 = WHITE
    quat: Quat | None = None


Item = Line | Points | Text
