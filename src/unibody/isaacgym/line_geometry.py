"""Wire frames that are drawn in a viewer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.argument_kinds import checked, method_of
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.records import VEC3
from unibody.isaacgym.types.vectors import Vec3

Records = npt.NDArray[np.void]
_RED = (1.0, 0.0, 0.0)
_GREEN = (0.0, 1.0, 0.0)
_BLUE = (0.0, 0.0, 1.0)
_MOST_PARTS = 10**6


class LineGeometry:
    """Lines with colours. Scripts derive their own, with ``vertices`` and ``colors``."""

    def vertices(self) -> Records:
        """Return the ends of the lines: ``Vec3.dtype`` (lines, 2) [m]."""
        raise NotImplementedError

    def colors(self) -> Records:
        """Return the colours of the lines: ``Vec3.dtype`` (lines,), red, green, blue in [0, 1]."""
        raise NotImplementedError

    def num_lines(self) -> int:
        """Return how many lines there are."""
        return self.vertices().shape[0]

    @checked
    def instance_verts(self, pose: Transform | None = None) -> Records:
        """Return the vertices of a copy at a pose."""
        vertices = self.vertices()
        return vertices if pose is None else pose.transform_points(vertices)


class _Wire(LineGeometry):
    """Lines from corners and pairs of them."""

    def __init__(
        self,
        ends: npt.ArrayLike,
        colors: Sequence[Sequence[float]] | npt.NDArray[np.floating[Any]],
        pose: Transform | None,
    ) -> None:
        points = np.ascontiguousarray(ends, np.float32)
        verts = points.view(VEC3).reshape(points.shape[0], 2)
        self.verts: Records = verts if pose is None else pose.transform_points(verts)
        self._colors: Records = np.ascontiguousarray(colors, np.float32).view(VEC3).reshape(-1)

    def vertices(self) -> Records:
        """Return the ends of the lines."""
        return self.verts

    def colors(self) -> Records:
        """Return the colours of the lines."""
        return self._colors


class AxesGeometry(_Wire):
    """The axes of a frame: x red, y green, z blue.

    Args:
        scale: Their length [m].
        pose: Where they are; the origin if not given.
    """

    @checked
    def __init__(self, scale: float = 1.0, pose: Transform | None = None) -> None:
        ends = np.zeros((3, 2, 3))
        ends[:, 1] = np.eye(3) * scale
        super().__init__(ends, (_RED, _GREEN, _BLUE), pose)


_CORNERS = np.array([[(i >> axis) & 1 for axis in range(3)] for i in range(8)])
_EDGES = np.array([(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit])


class WireframeBBoxGeometry(_Wire):
    """The edges of an axis-aligned box.

    Args:
        bbox: Smallest and greatest corner, (2, 3) [m].
        pose: Where its frame is.
        color: Of all edges; red if not given.
    """

    @checked
    def __init__(
        self, bbox: Any, pose: Transform | None = None, color: Sequence[float] | None = None
    ) -> None:
        allowed = "two corners of three coordinates"
        try:
            corners = np.asarray([[float(value) for value in corner] for corner in bbox])
        except (TypeError, ValueError, RuntimeError, OverflowError):
            raise ArgumentTypeError("bbox", bbox, allowed) from None
        if corners.shape != (2, 3):
            raise InvalidArgumentError("bbox", bbox, allowed)
        points = np.where(_CORNERS, corners[1], corners[0])
        super().__init__(points[_EDGES], _repeated(color, len(_EDGES)), pose)


class WireframeBoxGeometry(WireframeBBoxGeometry):
    """The edges of a box around the origin.

    Args:
        xdim: Edge along x [m].
        ydim: Edge along y [m].
        zdim: Edge along z [m].
        pose: Where its centre is.
        color: Of all edges; red if not given.
    """

    @checked
    def __init__(
        self,
        xdim: float = 1.0,
        ydim: float = 1.0,
        zdim: float = 1.0,
        pose: Transform | None = None,
        color: Sequence[float] | None = None,
    ) -> None:
        half = 0.5 * np.array([xdim, ydim, zdim], dtype=float)
        super().__init__([-half, half], pose, color)


class WireframeSphereGeometry(_Wire):
    """Circles of a sphere, with its poles on the y axis.

    Args:
        radius: [m]
        num_lats: Parts of a turn around the poles.
        num_lons: Parts from pole to pole.
        pose: Where its centre is.
        color: Of the lines from pole to pole; red if not given.
        color2: Of the lines around; ``color`` if not given.
    """

    @checked
    def __init__(
        self,
        radius: float = 1.0,
        num_lats: int = 8,
        num_lons: int = 8,
        pose: Transform | None = None,
        color: Sequence[float] | None = None,
        color2: Sequence[float] | None = None,
    ) -> None:
        if num_lats < 1 or num_lons < 1:
            raise InvalidArgumentError("num_lats, num_lons", (num_lats, num_lons), "at least 1")
        if num_lats * num_lons > _MOST_PARTS:
            allowed = f"a product of at most {_MOST_PARTS}"
            raise InvalidArgumentError("num_lats, num_lons", (num_lats, num_lons), allowed)
        around = np.arange(num_lats + 1) * (2.0 * math.pi / num_lats)
        down = np.arange(num_lons + 1) * (math.pi / num_lons)
        u, v = np.meshgrid(around, down, indexing="ij")
        parts = (np.sin(v) * np.sin(u), np.cos(v), np.sin(v) * np.cos(u))
        grid = radius * np.stack(parts, axis=-1)
        start = grid[:-1, :-1]
        ends = np.stack(
            (np.stack((start, grid[:-1, 1:]), axis=2), np.stack((start, grid[1:, :-1]), axis=2)),
            axis=2,
        )
        first = _repeated(color, 1)[0]
        second = first if color2 is None else _repeated(color2, 1)[0]
        count = num_lats * num_lons
        super().__init__(ends.reshape(2 * count, 2, 3), np.tile((first, second), (count, 1)), pose)


def _repeated(color: Sequence[float] | None, count: int) -> npt.NDArray[np.floating[Any]]:
    one = np.array([float(part) for part in (_RED if color is None else color)])
    if one.shape != (3,):
        raise InvalidArgumentError("color", color, "three numbers: red, green, blue")
    return np.tile(one, (count, 1))


@checked
def draw_lines(geom: LineGeometry, gym: Any, viewer: Any, env: Any, pose: Transform) -> None:
    """Draw a wire frame.

    Args:
        geom: The wire frame.
        gym: A ``Gym``.
        viewer: Where it is drawn.
        env: The environment whose frame ``pose`` is in.
        pose: Where it is drawn.
    """
    vertices = geom.instance_verts(pose)
    method_of(gym, "add_lines")(viewer, env, vertices.shape[0], vertices, geom.colors())


@checked
def draw_line(p1: Vec3, p2: Vec3, color: Vec3, gym: Any, viewer: Any, env: Any) -> None:
    """Draw a line from ``p1`` to ``p2`` [m], in the frame of ``env``."""
    vertices = np.array([[(p1.x, p1.y, p1.z), (p2.x, p2.y, p2.z)]], VEC3)
    colors = np.array([(color.x, color.y, color.z)], VEC3)
    method_of(gym, "add_lines")(viewer, env, 1, vertices, colors)
