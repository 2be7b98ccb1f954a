"""Reading height fields from files: grids of numbers (.txt, .csv) and grey images (.png)."""

from __future__ import annotations

import os

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.errors import AssetError


def read_heightfield(file: str) -> tuple[int, int, list[float]]:
    """Numbers of heights along x and y, and the heights, all along x at the least y first.

    A line of a text file, separated by commas or blanks, has a fixed x, and y grows along it. Of an
    image, the first channel divided by 255 is the height; its rows are turned around, and follow
    y from the top. Of a file whose lines are not as many as they are long, PyBullet fills the grid
    in the order of the transposed file all the same; so it is here.

    Raises:
        AssetError: Not a rectangular grid of numbers, or too large.
    """
    if os.path.getsize(file) > DEFAULT_LIMITS.file_bytes:
        raise AssetError(file, "", f"larger than {DEFAULT_LIMITS.file_bytes} bytes")
    if file.lower().endswith((".txt", ".csv")):
        return _read_text(file)
    return _read_image(file)


def _read_text(file: str) -> tuple[int, int, list[float]]:
    heights: list[float] = []
    rows = columns = 0
    with open(file, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            words = line.replace(",", " ").split()
            if not words:
                continue
            try:
                values = [float(word) for word in words]
            except ValueError:
                raise AssetError(file, f"line {number}", f"not numbers: {line[:60]!r}") from None
            if columns and len(values) != columns:
                raise AssetError(
                    file,
                    f"line {number}",
                    f"{len(values)} numbers, the lines before have {columns}",
                )
            columns = len(values)
            rows += 1
            heights.extend(values)
    if rows < 2 or columns < 2:
        raise AssetError(file, "", f"a grid of {rows} x {columns}; at least 2 x 2 is needed")
    turned = [height for k in range(columns) for height in heights[k::columns]]
    return columns, rows, turned


def _read_image(file: str) -> tuple[int, int, list[float]]:
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file) as image:
            if image.width * image.height > DEFAULT_LIMITS.texture_pixels:
                raise AssetError(file, "", f"{image.width} x {image.height} pixels are too many")
            grid = np.asarray(image.convert("RGB"), dtype=np.float64)[:, ::-1, 0] / 255.0
    except (UnidentifiedImageError, OSError) as problem:
        raise AssetError(file, "", f"not a readable image: {problem}") from problem
    return grid.shape[1], grid.shape[0], grid.ravel().tolist()
