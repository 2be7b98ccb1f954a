"""Heights from text files (.txt, .csv) and images."""

from __future__ import annotations

import io

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.errors import AssetError

_HIGHEST = 1e10  # m, as all sizes of shapes


def read_heights(file: str, limits: Limits = DEFAULT_LIMITS) -> tuple[int, int, list[float]]:
    """Numbers of heights along x and y, and the heights, all along x at the least y first.

    A line of a text file, separated by commas or blanks, has a fixed x, and y grows along it. Of an
    image, the first channel divided by 255 is the height; its rows are turned around, and follow
    y from the top. Of a file whose lines are not as many as they are long, PyBullet fills the grid
    in the order of the transposed file all the same; so it is here.

    Raises:
        AssetError: Not a rectangular grid of numbers, or too large.
    """
    data = read_regular(file, limits.file_bytes)
    if file.lower().endswith((".txt", ".csv")):
        return _read_text(file, data.decode("utf-8", "replace"), limits)
    return _read_image(file, data, limits)


def _read_text(file: str, text: str, limits: Limits) -> tuple[int, int, list[float]]:
    heights: list[float] = []
    rows = columns = 0
    for number, line in enumerate(io.StringIO(text), start=1):
        words = line.replace(",", " ").split()
        if not words:
            continue
        try:
            values = [float(word) for word in words]
        except ValueError:
            raise AssetError(file, f"line {number}", f"not numbers: {line[:60]!r}") from None
        if columns and len(values) != columns:
            problem = f"{len(values)} numbers, the lines before have {columns}"
            raise AssetError(file, f"line {number}", problem)
        if not all(abs(value) <= _HIGHEST for value in values):
            raise AssetError(file, f"line {number}", f"a height beyond {_HIGHEST:g}, or none")
        columns = len(values)
        rows += 1
        heights.extend(values)
        _check_count(file, len(heights), f"{rows} or more x {columns}", limits)
    if rows < 2 or columns < 2:
        raise AssetError(file, "", f"a grid of {rows} x {columns}; at least 2 x 2 is needed")
    turned = [height for k in range(columns) for height in heights[k::columns]]
    return columns, rows, turned


def _check_count(file: str, count: int, size: str, limits: Limits) -> None:
    if count > limits.heights:
        raise AssetError(file, "", f"{size} heights, the limit is {limits.heights} in all")


def _read_image(file: str, data: bytes, limits: Limits) -> tuple[int, int, list[float]]:
    import numpy as np
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            size = f"{image.width} x {image.height}"
            _check_count(file, image.width * image.height, size, limits)
            grid = np.asarray(image.convert("RGB"))[:, ::-1, 0] / 255.0
    except AssetError:
        raise
    # Pillow's readers raise whatever they run into (SyntaxError, struct.error, IndexError, ...).
    except Exception as problem:
        raise AssetError(file, "", f"not a readable image: {problem}") from problem
    if min(grid.shape) < 2:
        problem = f"{grid.shape[1]} x {grid.shape[0]} pixels; at least 2 x 2 are needed"
        raise AssetError(file, "", problem)
    return grid.shape[1], grid.shape[0], grid.ravel().tolist()
