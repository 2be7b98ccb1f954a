"""Texts as images, and where they stand in the world."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.viewer.items import Text

_PIXELS = 48  # height of a line in an image
_MARGIN = 2  # pixels around the text
SCREEN_LINE = 20.0  # pixels: height of a line of size 1 that faces the camera
MAX_CHARACTERS = 2000


class Lettering(NamedTuple):
    """A text as an image.

    Attributes:
        image: Red, green, blue and opacity, (height, width, 4).
        lines: Its height in lines.
    """

    image: NDArray[np.uint8]
    lines: float


@functools.lru_cache(maxsize=256)
def letter(text: str, color: tuple[float, float, float]) -> Lettering:
    """Write a text, of several lines perhaps, in one colour (each 0 to 1)."""
    from PIL import Image, ImageDraw, ImageFont

    shown = text[:MAX_CHARACTERS].expandtabs(4) or " "
    font = ImageFont.load_default(0.75 * _PIXELS)
    lines = shown.split("\n")
    width = max(int(font.getlength(line)) for line in lines) + 2 * _MARGIN
    image = Image.new("L", (max(width, 1), _PIXELS * len(lines)))
    pen = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        pen.text((_MARGIN, number * _PIXELS), line, fill=255, font=font)
    pixels = np.empty((image.height, image.width, 4), dtype=np.uint8)
    pixels[..., :3] = np.clip(np.multiply(color, 255.0), 0.0, 255.0)
    pixels[..., 3] = np.asarray(image)
    return Lettering(pixels, float(len(lines)))


def corners(
    item: Text, view: NDArray[np.float64], focal: float, height: int
) -> NDArray[np.float64]:
    """Upper left, upper right, lower right and lower left corner of a text, (4, 3) [m].

    A text with an orientation lies in the x-y plane of its frame, first line at the origin, each
    line as high as its size in metres. One without faces the camera, as large on the screen
    wherever it is.

    Args:
        item: The text.
        view: From world to camera coordinates, (4, 4).
        focal: 1 / tan(half of the vertical field of view).
        height: Of the picture [pixels].
    """
    image, lines = letter(item.text, item.color)
    at = np.asarray(item.position, dtype=np.float64)
    if item.quat is None:
        right, up = view[0, :3], view[1, :3]
        depth = max(-float(view[2, :3] @ at + view[2, 3]), 1e-6)
        line = item.size * SCREEN_LINE * 2.0 * depth / (focal * height)
    else:
        axes = _axes(item.quat)
        right, up, line = axes[:, 0], axes[:, 1], item.size
    across = line * lines * image.shape[1] / image.shape[0] * right
    top, bottom = at + line * up, at + line * (1.0 - lines) * up
    return np.array([top, top + across, bottom + across, bottom])


def _axes(quat: tuple[float, float, float, float]) -> NDArray[np.float64]:
    """Axes of a frame wxyz as columns."""
    length = float(np.linalg.norm(quat)) or 1.0
    w, x, y, z = (value / length for value in quat)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
