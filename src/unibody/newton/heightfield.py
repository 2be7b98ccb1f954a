"""Heightfield: elevations on a grid, as a surface that things stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Heightfield:
    """Elevations on a grid; rows go along y, columns along x.

    Args:
        data: Elevations, shape (nrow, ncol); kept as shares of their range, from 0 to 1.
        nrow: Points along y, 2 or more.
        ncol: Points along x, 2 or more.
        hx: Half of the extent along x [m].
        hy: Half of the extent along y [m].
        min_z: Height of the lowest elevation [m]; None: the elevation itself.
        max_z: Height of the highest one [m]; stated together with `min_z`.
    """

    def __init__(
        self,
        data: Any,
        nrow: int,
        ncol: int,
        hx: float = 1.0,
        hy: float = 1.0,
        min_z: float | None = None,
        max_z: float | None = None,
    ) -> None:
        if (min_z is None) != (max_z is None):
            raise ValueError("min_z and max_z must both be provided or both omitted")
        if nrow < 2 or ncol < 2:
            raise InvalidArgumentError("nrow, ncol", (nrow, ncol), "2 or more of each")
        raw = np.array(data, dtype=np.float32)
        if raw.size != nrow * ncol:
            allowed = f"{nrow * ncol} elevations, nrow * ncol"
            raise InvalidArgumentError("data", f"{raw.size} elevations", allowed)
        raw = raw.reshape(nrow, ncol)
        if not np.isfinite(raw).all():
            raise InvalidArgumentError("data", "elevations that are not finite", "finite numbers")
        low, high = float(raw.min()), float(raw.max())
        self.data: NDArray[np.floating] | NDArray[np.float32] = (
            (raw - low) / (high - low) if high > low else np.zeros_like(raw)
        )
        self.nrow: int = nrow
        self.ncol: int = ncol
        self.hx: float = hx
        self.hy: float = hy
        self.min_z: float = low if min_z is None else float(min_z)
        self.max_z: float = high if max_z is None else float(max_z)
        self.is_solid = True
        self.has_inertia = False
        self.mass: float = 0.0
        self.com: wp.vec3 = wp.vec3()
        self.inertia: wp.mat33 = wp.mat33()
        self.mesh: wp.Mesh | None = None
        self.warp_array: wp.array[Any] | None = None

    @staticmethod
    def create_from_mesh(
        mesh: wp.Mesh, resolution: float, *, max_cells_per_axis: int = 4096
    ) -> tuple[Heightfield, wp.transform]:
        """The heights of a mesh over a grid, see `rasterize_mesh_to_heightfield`.

        Args:
            mesh: A mesh of Warp's.
            resolution: Distance of points [m].
            max_cells_per_axis: Most points along an axis; the distance grows to keep that.

        Returns:
            The height field, and the pose that puts it where the mesh is.
        """
        heights, (x0, y0, x1, y1) = rasterize_mesh_to_heightfield(
            mesh, resolution, max_cells_per_axis=max_cells_per_axis
        )
        field = Heightfield(heights, *heights.shape, hx=0.5 * (x1 - x0), hy=0.5 * (y1 - y0))
        centre = wp.vec3(0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.0)
        return field, wp.transform(centre, wp.quat_identity())

    @property
    def vertices(self) -> np.ndarray:
        """Points of the surface, shape (nrow * ncol, 3) [m]."""
        x = np.linspace(-self.hx, self.hx, self.ncol)
        y = np.linspace(-self.hy, self.hy, self.nrow)
        z = self.min_z + self.data * (self.max_z - self.min_z)
        grid = np.stack([np.tile(x, self.nrow), np.repeat(y, self.ncol), z.reshape(-1)], axis=1)
        return grid.astype(np.float32)

    @property
    def indices(self) -> np.ndarray:
        """Two triangles a cell, that face up; flat."""
        row, column = (g.reshape(-1) for g in np.mgrid[0 : self.nrow - 1, 0 : self.ncol - 1])
        a = row * self.ncol + column
        b, c, d = a + 1, a + self.ncol + 1, a + self.ncol
        cells = np.stack([a, b, c, a, c, d], axis=1)
        return cells.reshape(-1).astype(np.int32)

    def finalize(self, device: Any = None, requires_grad: bool = False) -> int:
        """Put the surface on a device.

        Returns:
            The number that Warp's kernels know it by.
        """
        with wp.ScopedDevice(device):
            points = wp.array(self.vertices, dtype=wp.vec3, requires_grad=requires_grad)
            indices = wp.array(self.indices, dtype=wp.int32)
            mesh = wp.Mesh(points=points, indices=indices)
            self.mesh = mesh
            self.warp_array = wp.array(self.data.reshape(-1), dtype=float)
        return int(mesh.id)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Heightfield):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[Any, ...]:
        size = (self.nrow, self.ncol, self.hx, self.hy, self.min_z, self.max_z)
        return (*size, self.data.tobytes())


def rasterize_mesh_to_heightfield(
    mesh: wp.Mesh, resolution: float, *, max_cells_per_axis: int = 4096
) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Heights of a mesh over a grid that covers it, by rays from above.

    Args:
        mesh: A mesh of Warp's.
        resolution: Distance of points [m].
        max_cells_per_axis: Most points along an axis; the distance grows to keep that.

    Returns:
        Heights (rows along y, columns along x) [m], the lowest of the mesh where a ray meets
        nothing; and the bounds x, y from, x, y to [m].

    Raises:
        InvalidArgumentError: The resolution is not positive, or there are too few points.
    """
    from unibody.newton.heightfield_kernels import heights_below

    if not resolution > 0.0:
        raise InvalidArgumentError("resolution", resolution, "resolution must be positive")
    if max_cells_per_axis < 2:
        allowed = "max_cells_per_axis must be at least 2"
        raise InvalidArgumentError("max_cells_per_axis", max_cells_per_axis, allowed)
    points = mesh.points.numpy().astype(float)
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    counts = np.clip(np.rint(size[:2] / resolution).astype(int) + 1, 2, max_cells_per_axis)
    columns, rows = (int(count) for count in counts)
    found = wp.empty((rows, columns), dtype=float, device=mesh.device)
    wp.launch(
        heights_below,
        dim=(rows, columns),
        inputs=[
            mesh.id,
            wp.vec3(float(low[0]), float(low[1]), float(high[2]) + 1.0),
            wp.vec2(*(size[:2] / (counts - 1)).tolist()),
            float(low[2]),
        ],
        outputs=[found],
        device=mesh.device,
    )
    return found.numpy(), (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
