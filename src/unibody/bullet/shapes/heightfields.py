"""Height fields: made of numbers or of files, and given other heights."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from operator import index
from typing import NamedTuple

from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.errors import error
from unibody.bullet.state.shapes import ShapeGroup
from unibody.core.assets.description import HeightfieldData, Shape, ShapeKind
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.terrain.files import read_heights
from unibody.errors import AssetError, InvalidArgumentError


class Grid(NamedTuple):
    """Heights as they were given, all along x at the least y first."""

    along_x: int
    along_y: int
    heights: Sequence[float]


def read_grid(
    client: Client, file: str, data: Sequence[float] | None, along_x: int, along_y: int
) -> Grid:
    """The heights of createCollisionShape's arguments; a file only where there are no numbers.

    Raises:
        AssetError: There is no such file, or it cannot be read.
        InvalidArgumentError: Not as many heights as the grid has points.
    """
    if data is None or not len(data):
        found = SearchPath(client.search_path, confined=False).locate(file) if file else None
        if found is None:
            raise AssetError(file or "fileName", "", "no such height field")
        along_x, along_y, data = read_heights(found)
    along_x, along_y = index(along_x), index(along_y)
    if along_x < 2 or along_y < 2 or along_x * along_y != len(data):
        size = f"rows*columns = {along_x}*{along_y}, each >= 2"
        raise InvalidArgumentError("heightfieldData", f"{len(data)} heights", size)
    return Grid(along_x, along_y, [float(value) for value in data])


def make_heightfield(grid: Grid, scale: Sequence[float]) -> tuple[Shape, tuple[float, float]]:
    """A shape with the middle of its heights at zero; the scale of the heights, and that middle."""
    sx, sy, sz = vector(scale, 3, "meshScale needs 3 numbers")
    heights = [value * sz for value in grid.heights]
    middle = 0.5 * (min(heights) + max(heights))
    field = HeightfieldData(
        grid.along_y, grid.along_x, tuple(height - middle for height in heights), (sx, sy),
        falling=True,
    )  # fmt: skip
    return Shape(ShapeKind.HEIGHTFIELD, heightfield=field), (sz, middle)


def replace_heights(client: Client, shape_id: int, grid: Grid) -> int:
    """Give a height field, and all bodies made with it, other heights; return its id.

    Scale and middle stay those of the first heights, as in PyBullet.

    Raises:
        error: No such height field, or one of another size.
    """
    group: ShapeGroup | None = client.collision_shapes.get(shape_id)
    old = None if group is None else group.shapes[0].heightfield
    if group is None or old is None or group.terrain is None:
        raise error(f"createCollisionShape failed. replaceHeightfieldIndex={shape_id} is none.")
    if (grid.along_y, grid.along_x) != (old.rows, old.columns):
        raise error(
            f"createCollisionShape failed. {grid.along_x} x {grid.along_y} heights cannot replace"
            f" {old.columns} x {old.rows}"
        )
    scale, middle = group.terrain
    heights = tuple(value * scale - middle for value in grid.heights)
    new = dataclasses.replace(old, heights=heights)
    for body in client.bodies.values():
        for number, state in enumerate(body.record.links):
            shapes = state.link.collisions
            if any(shape.heightfield is old for shape in shapes):
                changed = [_with_heights(shape, old, new) for shape in shapes]
                client.scene.set_collisions(body.record.id, number, changed)
                body.solids.pop(number, None)
    group.shapes = [_with_heights(shape, old, new) for shape in group.shapes]
    group.made = None
    return shape_id


def _with_heights(shape: Shape, old: HeightfieldData, new: HeightfieldData) -> Shape:
    return dataclasses.replace(shape, heightfield=new) if shape.heightfield is old else shape
