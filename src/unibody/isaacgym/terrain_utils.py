"""``isaacgym.terrain_utils``: height fields of several kinds, and meshes of them.

Each kind changes the heights of a ``SubTerrain`` in place and returns it. Lengths are in metres;
random ones come from NumPy's global generator, so that ``numpy.random.seed`` repeats them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.terrain.surface import mesh_of_heights
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.argument_kinds import checked, is_number

__all__ = [
    "SubTerrain",
    "convert_heightfield_to_trimesh",
    "discrete_obstacles_terrain",
    "np",
    "pyramid_sloped_terrain",
    "pyramid_stairs_terrain",
    "random_uniform_terrain",
    "sloped_terrain",
    "stairs_terrain",
    "stepping_stones_terrain",
    "wave_terrain",
]

_MOST_SAMPLES = 2**28  # half a gigabyte
_MOST_UNITS = 2**31  # of heights, slopes and distances: what is far outside of 16 bits all the same


class SubTerrain:
    """A field of heights.

    Args:
        terrain_name: A name.
        width: Samples along x.
        length: Samples along y.
        vertical_scale: Height of one unit [m].
        horizontal_scale: Distance of samples [m].

    Attributes:
        height_field_raw: int16 (width, length), in units of ``vertical_scale``.
    """

    @checked
    def __init__(
        self,
        terrain_name: str = "terrain",
        width: int = 256,
        length: int = 256,
        vertical_scale: float = 1.0,
        horizontal_scale: float = 1.0,
    ) -> None:
        for name, value in (
            ("vertical_scale", vertical_scale),
            ("horizontal_scale", horizontal_scale),
        ):
            if not value > 0.0:
                raise InvalidArgumentError(name, value, "a positive number")
        for name, count in (("width", width), ("length", length)):
            if count < 1:
                raise InvalidArgumentError(name, count, "at least 1")
        if width * length > _MOST_SAMPLES:
            raise InvalidArgumentError("width, length", (width, length), f"{_MOST_SAMPLES} samples")
        self.terrain_name = terrain_name
        self.vertical_scale = vertical_scale
        self.horizontal_scale = horizontal_scale
        self.width = width
        self.length = length
        self.height_field_raw: Any = np.zeros((width, length), np.int16)

    def samples(self, distance: float) -> int:
        """Return a distance [m] in samples, rounded towards zero."""
        return self._whole("distance", distance, distance / self.horizontal_scale)

    def units(self, height: float) -> int:
        """Return a height [m] in units, rounded towards zero."""
        return self._whole("height", height, height / self.vertical_scale)

    def rise(self, slope: float, samples: float) -> int:
        """Return what a slope climbs over some samples, in units."""
        climb = slope * (self.horizontal_scale / self.vertical_scale) * samples
        return self._whole("slope", slope, climb)

    @staticmethod
    def _whole(name: str, value: float, found: float) -> int:
        if not (is_number(found) and abs(found) < _MOST_UNITS):
            raise InvalidArgumentError(name, value, f"less than {_MOST_UNITS} samples or units")
        return int(found)


@checked
def random_uniform_terrain(
    terrain: SubTerrain,
    min_height: float,
    max_height: float,
    step: float = 1,
    downsampled_scale: float | None = None,
) -> SubTerrain:
    """Add heights drawn on a coarse grid, linear in between.

    Args:
        terrain: What is changed.
        min_height: Lowest [m].
        max_height: Highest [m].
        step: Heights are multiples of this apart [m].
        downsampled_scale: Distance of the points of the grid [m]; that of the samples if not given.
    """
    coarse = terrain.horizontal_scale if downsampled_scale is None else downsampled_scale
    if coarse < terrain.horizontal_scale:
        allowed = f"at least horizontal_scale, {terrain.horizontal_scale}"
        raise InvalidArgumentError("downsampled_scale", downsampled_scale, allowed)
    low, high, apart = (terrain.units(height) for height in (min_height, max_height, step))
    # A step below the resolution is one unit.
    if low > high:
        raise InvalidArgumentError("min_height", min_height, f"at most max_height, {max_height}")
    heights = np.arange(low, high + max(apart, 1), max(apart, 1))
    shape = tuple(
        max(int(count * terrain.horizontal_scale / coarse), 1)
        for count in (terrain.width, terrain.length)
    )
    drawn = np.random.choice(heights, shape).astype(float)  # noqa: NPY002
    smooth = _stretched(_stretched(drawn, terrain.width).T, terrain.length).T
    terrain.height_field_raw += np.rint(smooth).astype(np.int16)
    return terrain


def _stretched(values: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
    """Interpolate rows to ``count`` rows, the first and last staying where they are."""
    place = np.linspace(0.0, len(values) - 1.0, count)
    below = np.minimum(place.astype(int), max(len(values) - 2, 0))
    above = np.minimum(below + 1, len(values) - 1)
    share = (place - below)[:, None]
    return values[below] * (1.0 - share) + values[above] * share


@checked
def sloped_terrain(terrain: SubTerrain, slope: float = 1) -> SubTerrain:
    """Add a slope that climbs along x; ``slope`` is metres a metre."""
    along = np.arange(terrain.width)[:, None] / terrain.width
    climb = terrain.rise(slope, terrain.width) * along
    terrain.height_field_raw += np.broadcast_to(climb, terrain.height_field_raw.shape).astype(
        np.int16
    )
    return terrain


@checked
def pyramid_sloped_terrain(
    terrain: SubTerrain, slope: float = 1, platform_size: float = 1.0
) -> SubTerrain:
    """Add a pyramid with a flat top, or a pit where ``slope`` is negative.

    Args:
        terrain: What is changed.
        slope: Metres a metre.
        platform_size: Edge of the flat top [m].
    """
    x, y = (
        1.0 - np.abs(count // 2 - np.arange(count)) / max(count // 2, 1)
        for count in (terrain.width, terrain.length)
    )
    field = terrain.height_field_raw
    field += (terrain.rise(slope, terrain.width / 2) * x[:, None] * y[None, :]).astype(np.int16)
    half = max(terrain.samples(platform_size / 2), 0)
    edge = field[max(terrain.width // 2 - half, 0), max(terrain.length // 2 - half, 0)]
    terrain.height_field_raw = np.clip(field, min(edge, 0), max(edge, 0))
    return terrain


@checked
def discrete_obstacles_terrain(
    terrain: SubTerrain,
    max_height: float,
    min_size: float,
    max_size: float,
    num_rects: int,
    platform_size: float = 1.0,
) -> SubTerrain:
    """Put blocks and pits at random places; the middle stays flat.

    Args:
        terrain: What is changed.
        max_height: Of blocks and pits, some of which have half of it [m].
        min_size: Shortest edge [m].
        max_size: Longest edge [m].
        num_rects: How many.
        platform_size: Edge of the flat middle [m].
    """
    field = terrain.height_field_raw
    if num_rects > field.size:
        raise InvalidArgumentError("num_rects", num_rects, f"at most one a sample, {field.size}")
    height = _in_field("max_height", max_height, terrain.units(max_height))
    heights = [-height, -height // 2, height // 2, height]
    sizes = np.arange(terrain.samples(min_size), terrain.samples(max_size), 4)
    if not len(sizes):
        sizes = np.array([terrain.samples(min_size)])
    for _ in range(num_rects):
        width = np.random.choice(sizes)  # noqa: NPY002
        length = np.random.choice(sizes)  # noqa: NPY002
        x, y = (
            np.random.choice(np.arange(0, max(count - size, 1), 4))  # noqa: NPY002
            for count, size in zip(field.shape, (width, length), strict=True)
        )
        field[x : x + width, y : y + length] = np.random.choice(heights)  # noqa: NPY002
    field[_middle(terrain, platform_size)] = 0
    return terrain


def _middle(terrain: SubTerrain, size: float) -> tuple[slice, slice]:
    """Return the samples of a square in the middle, ``size`` [m] wide."""
    edge = terrain.samples(size)
    starts = [max((count - edge) // 2, 0) for count in (terrain.width, terrain.length)]
    ends = [(count + edge) // 2 for count in (terrain.width, terrain.length)]
    return slice(starts[0], ends[0]), slice(starts[1], ends[1])


@checked
def wave_terrain(terrain: SubTerrain, num_waves: float = 1, amplitude: float = 1.0) -> SubTerrain:
    """Add waves along both axes; ``amplitude`` is from their troughs to their crests [m]."""
    if num_waves <= 0:
        return terrain
    height = terrain.units(0.5 * amplitude)
    turn = num_waves * 2.0 * np.pi / terrain.length
    x, y = (np.arange(count) * turn for count in (terrain.width, terrain.length))
    waves = height * np.cos(y)[None, :] + height * np.sin(x)[:, None]
    terrain.height_field_raw += waves.astype(np.int16)
    return terrain


@checked
def stairs_terrain(terrain: SubTerrain, step_width: float, step_height: float) -> SubTerrain:
    """Add stairs that climb along x; sizes of a step in [m]."""
    width = _at_least_one(terrain, "step_width", step_width)
    whole = terrain.width // width * width
    steps = (np.arange(whole) // width + 1) * terrain.units(step_height)
    terrain.height_field_raw[:whole] += steps.astype(np.int16)[:, None]
    return terrain


@checked
def pyramid_stairs_terrain(
    terrain: SubTerrain, step_width: float, step_height: float, platform_size: float = 1.0
) -> SubTerrain:
    """Make stairs from all sides up to the middle, or down where ``step_height`` is negative.

    Args:
        terrain: What is changed.
        step_width: [m]
        step_height: [m]
        platform_size: The last step is no wider than this [m].
    """
    width = _at_least_one(terrain, "step_width", step_width)
    step = terrain.units(step_height)
    platform = terrain.samples(platform_size)
    whole = min(terrain.width, terrain.length)
    # A ring is entered wherever the one outside of it is wider than the platform.
    rings = [
        inset
        for inset in range(width, (whole + 1) // 2, width)
        if whole - 2 * (inset - width) > platform
    ]
    _in_field("step_height", step_height, len(rings) * step)
    for ring, inset in enumerate(rings, 1):
        terrain.height_field_raw[inset:-inset, inset:-inset] = ring * step
    return terrain


@checked
def stepping_stones_terrain(
    terrain: SubTerrain,
    stone_size: float,
    stone_distance: float,
    max_height: float,
    platform_size: float = 1.0,
    depth: float = -10,
) -> SubTerrain:
    """Make square stones with gaps in between; the middle is one flat stone.

    Args:
        terrain: What is changed.
        stone_size: Edge of a stone [m].
        stone_distance: Width of a gap [m].
        max_height: Stones are at most one unit more than this below zero, and at least one
            unit less than this above it [m].
        platform_size: Edge of the flat middle [m].
        depth: Height of the gaps [m].
    """
    size = _at_least_one(terrain, "stone_size", stone_size)
    pitch = size + terrain.samples(stone_distance)
    height = terrain.units(max_height)
    if height < 0:
        raise InvalidArgumentError("max_height", max_height, "a height from 0 on")
    _in_field("max_height", max_height, height)
    heights = np.arange(-height - 1, max(height, 0))
    field = terrain.height_field_raw
    field[:] = _in_field("depth", depth, terrain.units(depth))
    # Rows of stones along the shorter side, each row moved by a random part of a stone.
    rows = field if terrain.width <= terrain.length else field.T
    for start in range(0, rows.shape[1], pitch):
        shift = np.random.randint(0, size)  # noqa: NPY002
        for first in range(shift - pitch, rows.shape[0], pitch):
            # Drawn for stones outside too: the sequence of random numbers is the original's.
            stone = np.random.choice(heights)  # noqa: NPY002
            rows[max(first, 0) : max(first + size, 0), start : start + size] = stone
    field[_middle(terrain, platform_size)] = 0
    return terrain


def _at_least_one(terrain: SubTerrain, name: str, distance: float) -> int:
    count = terrain.samples(distance)
    if count < 1:
        allowed = f"at least horizontal_scale, {terrain.horizontal_scale}"
        raise InvalidArgumentError(name, distance, allowed)
    return count


def _in_field(name: str, height: float, units: int) -> int:
    """A height in units, if the field can hold it."""
    room = np.iinfo(np.int16)
    if abs(units) > room.max:
        raise InvalidArgumentError(name, height, f"up to {room.max} units of the field")
    return units


@checked
def convert_heightfield_to_trimesh(
    height_field_raw: npt.NDArray[Any],
    horizontal_scale: float,
    vertical_scale: float,
    slope_threshold: float | None = None,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """Make a mesh of a field of heights, with two triangles a cell.

    Args:
        height_field_raw: (rows, columns), in units of ``vertical_scale``.
        horizontal_scale: Distance of samples [m].
        vertical_scale: Height of one unit [m].
        slope_threshold: Steps steeper than this become vertical: their foot moves under their top.

    Returns:
        Vertices float32 (rows * columns, 3) [m], triangles uint32 (n, 3), counter-clockwise from
        above.
    """
    return mesh_of_heights(
        height_field_raw,
        horizontal_scale,
        vertical_scale,
        slope_threshold,
        name="height_field_raw",
    )
