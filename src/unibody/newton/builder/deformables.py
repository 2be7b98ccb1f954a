"""Cloth: grids and meshes of triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody import notices
from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder import objects
from unibody.newton.builder.elements import add_edges, add_triangles
from unibody.newton.builder.particles import add_particles, add_spring
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import ParticleFlags


def add_cloth_grid(
    self: Tables,
    pos: Any,
    rot: Any,
    vel: Any,
    dim_x: int,
    dim_y: int,
    cell_x: float,
    cell_y: float,
    mass: float,
    reverse_winding: bool = False,
    fix_left: bool = False,
    fix_right: bool = False,
    fix_top: bool = False,
    fix_bottom: bool = False,
    tri_ke: float | None = None,
    tri_ka: float | None = None,
    tri_kd: float | None = None,
    tri_drag: float | None = None,
    tri_lift: float | None = None,
    edge_ke: float | None = None,
    edge_kd: float | None = None,
    add_springs: bool = False,
    spring_ke: float | None = None,
    spring_kd: float | None = None,
    particle_radius: float | None = None,
    custom_attributes_particles: dict[str, Any] | None = None,
    custom_attributes_edges: dict[str, Any] | None = None,
    custom_attributes_triangles: dict[str, Any] | None = None,
    *,
    color: Any = None,
    opacity: Any = None,
    label: str | None = None,
) -> None:
    """Add a rectangle of cloth, of cells cut in two triangles.

    Args:
        self: The builder.
        pos: Of its first corner [m].
        rot: (x, y, z, w).
        vel: m/s.
        dim_x: Cells along x.
        dim_y: Cells along y.
        cell_x: Width of a cell [m].
        cell_y: Height of a cell [m].
        mass: Of each particle [kg].
        reverse_winding: Whether the other diagonal of a cell is cut.
        fix_left: Whether particles of lowest x are held.
        fix_right: Whether particles of highest x are held.
        fix_top: Whether particles of highest y are held.
        fix_bottom: Whether particles of lowest y are held.
        tri_ke: See `add_triangle`; None: the builder's default, and so on.
        tri_ka: See `add_triangle`.
        tri_kd: See `add_triangle`.
        tri_drag: See `add_triangle`.
        tri_lift: See `add_triangle`.
        edge_ke: See `add_edge`.
        edge_kd: See `add_edge`.
        add_springs: Whether edges and diagonals are springs, too.
        spring_ke: See `add_spring`.
        spring_kd: See `add_spring`.
        particle_radius: m.
        custom_attributes_particles: See `add_particles`.
        custom_attributes_edges: See `add_edges`.
        custom_attributes_triangles: See `add_triangles`.
        color: See `add_triangles`.
        opacity: See `add_triangles`.
        label: Name; None: a number.
    """
    start = self.particle_count
    y, x = (grid.reshape(-1) for grid in np.mgrid[0 : dim_y + 1, 0 : dim_x + 1])
    vertices = np.stack([x * float(cell_x), y * float(cell_y), np.zeros(len(x))], axis=1)
    row, column = (grid.reshape(-1) for grid in np.mgrid[0:dim_y, 0:dim_x])
    v0 = row * (dim_x + 1) + column
    v1, v2, v3 = v0 + 1, v0 + dim_x + 2, v0 + dim_x + 1
    cells = [v0, v1, v2, v0, v2, v3] if reverse_winding else [v0, v1, v3, v1, v2, v3]
    add_cloth_mesh(
        self,
        pos=pos,
        rot=rot,
        scale=1.0,
        vel=vel,
        vertices=vertices,
        indices=np.stack(cells, axis=1).reshape(-1),
        density=0.0,  # each particle gets the stated mass below
        tri_ke=tri_ke,
        tri_ka=tri_ka,
        tri_kd=tri_kd,
        tri_drag=tri_drag,
        tri_lift=tri_lift,
        edge_ke=edge_ke,
        edge_kd=edge_kd,
        add_springs=add_springs,
        spring_ke=spring_ke,
        spring_kd=spring_kd,
        particle_radius=particle_radius,
        custom_attributes_particles=custom_attributes_particles,
        custom_attributes_edges=custom_attributes_edges,
        custom_attributes_triangles=custom_attributes_triangles,
        color=color,
        opacity=opacity,
        label=label,
    )
    held = (bool(fix_left) & (x == 0)) | (bool(fix_right) & (x == dim_x))
    held |= (bool(fix_bottom) & (y == 0)) | (bool(fix_top) & (y == dim_y))
    for number, fixed in enumerate(held.tolist(), start):
        self.particle_mass[number] = 0.0 if fixed else mass
        self.particle_flags[number] = 0 if fixed else ParticleFlags.ACTIVE


def add_cloth_mesh(
    self: Tables,
    pos: Any,
    rot: Any,
    scale: float,
    vel: Any,
    vertices: Any,
    indices: Any,
    density: float,
    tri_ke: float | None = None,
    tri_ka: float | None = None,
    tri_kd: float | None = None,
    tri_drag: float | None = None,
    tri_lift: float | None = None,
    edge_ke: float | None = None,
    edge_kd: float | None = None,
    add_springs: bool = False,
    spring_ke: float | None = None,
    spring_kd: float | None = None,
    particle_radius: float | None = None,
    custom_attributes_particles: dict[str, Any] | None = None,
    custom_attributes_edges: dict[str, Any] | None = None,
    custom_attributes_triangles: dict[str, Any] | None = None,
    custom_attributes_springs: dict[str, Any] | None = None,
    *,
    color: Any = None,
    opacity: Any = None,
    label: str | None = None,
) -> None:
    """Add cloth of the triangles of a mesh, with a bending edge at each of its edges.

    Args:
        self: The builder.
        pos: m.
        rot: (x, y, z, w).
        scale: Of the vertices.
        vel: m/s.
        vertices: m.
        indices: Three a triangle.
        density: kg/m^2; a third of a triangle's mass goes to each of its particles.
        tri_ke: See `add_triangle`; None: the builder's default, and so on.
        tri_ka: See `add_triangle`.
        tri_kd: See `add_triangle`.
        tri_drag: See `add_triangle`.
        tri_lift: See `add_triangle`.
        edge_ke: See `add_edge`.
        edge_kd: See `add_edge`.
        add_springs: Whether edges and diagonals are springs, too.
        spring_ke: See `add_spring`.
        spring_kd: See `add_spring`.
        particle_radius: m.
        custom_attributes_particles: See `add_particles`.
        custom_attributes_edges: See `add_edges`.
        custom_attributes_triangles: See `add_triangles`.
        custom_attributes_springs: Key -> value, of frequency SPRING.
        color: See `add_triangles`.
        opacity: See `add_triangles`.
        label: Name; None: a number.
    """
    corners = np.asarray(indices, dtype=int).reshape(-1)
    if len(corners) % 3:
        raise InvalidArgumentError("indices", f"{len(corners)} numbers", "three a triangle")
    check_corners(corners, vertices)
    before = objects.counts(self, "surface")
    triangles = corners.reshape(-1, 3) + self.particle_count
    add_points(self, pos, rot, scale, vel, vertices, particle_radius, custom_attributes_particles)
    skin = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    look = {"color": color, "opacity": opacity}
    areas = add_alike_triangles(self, triangles, skin, look, custom_attributes_triangles)
    share_mass(self, triangles, density * np.array(areas) / 3.0)
    edges = bending_edges(triangles)
    add_alike_edges(self, edges, (edge_ke, edge_kd), custom_attributes_edges)
    if add_springs:
        stiffness = self.default_spring_ke if spring_ke is None else spring_ke
        damping = self.default_spring_kd if spring_kd is None else spring_kd
        for first, second in _spring_ends(edges):
            add_spring(self, first, second, stiffness, damping, 0.0, custom_attributes_springs)
    objects.record(self, "surface", label, before)


def add_alike_triangles(
    self: Tables,
    triangles: np.ndarray,
    skin: tuple[float | None, ...],
    look: dict[str, Any],
    custom_attributes: dict[str, Any] | None = None,
) -> list[float]:
    """Add triangles with the same stiffnesses, damping, drag and lift; see `add_triangles`."""
    i, j, k = triangles.T
    ke, ka, kd, drag, lift = _each(len(triangles), skin)
    return add_triangles(self, i, j, k, ke, ka, kd, drag, lift, custom_attributes, **look)


def add_alike_edges(
    self: Tables,
    edges: np.ndarray,
    bending: tuple[float | None, float | None],
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Add edges with the same stiffness and damping; see `add_edges`."""
    i, j, k, l = edges.T  # noqa: E741
    ke, kd = _each(len(edges), bending)
    add_edges(self, i, j, k, l, None, ke, kd, custom_attributes)


def _each(count: int, values: tuple[float | None, ...]) -> list[list[float] | None]:
    return [None if value is None else [value] * count for value in values]


def add_points(
    self: Tables,
    pos: Any,
    rot: Any,
    scale: float,
    vel: Any,
    vertices: Any,
    radius: float | None,
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Add the vertices of a mesh as particles without mass."""
    if not isinstance(vertices, np.ndarray):
        vertices = [[float(v) for v in vertex] for vertex in vertices]
    local = np.array(vertices, dtype=float).reshape(-1, 3)
    points = local * scale @ convert.rotation(rot).T + np.array([float(v) for v in pos])
    count = len(points)
    speed = tuple(float(v) for v in vel)
    radii = None if radius is None else [radius] * count
    add_particles(
        self, points.tolist(), [speed] * count, [0.0] * count, radii, None, custom_attributes
    )


def check_corners(corners: np.ndarray, vertices: Any) -> None:
    """Check that corners of elements are vertices."""
    wrong = corners[(corners < 0) | (corners >= len(vertices))]
    if len(wrong):
        raise InvalidArgumentError("indices", int(wrong[0]), f"0 to {len(vertices) - 1}, a vertex")


def share_mass(self: Tables, corners: np.ndarray, shares: np.ndarray) -> None:
    """Give each particle of elements a share."""
    if not shares.any():
        return
    for element, share in zip(corners.tolist(), shares.tolist(), strict=True):
        for particle in element:
            self.particle_mass[particle] += share


def bending_edges(triangles: np.ndarray) -> np.ndarray:
    """The edges of triangles with the corners opposite to them, in the order they are met.

    Returns:
        Rows of (opposite in the first triangle, in the second or -1, ends of the edge).
    """
    found: dict[tuple[int, int], list[int]] = {}
    full: set[tuple[int, int]] = set()
    for a, b, c in triangles.tolist():
        for first, second, opposite in ((a, b, c), (b, c, a), (c, a, b)):
            ends = (first, second) if first < second else (second, first)
            row = found.get(ends)
            if row is None:
                found[ends] = [opposite, -1, first, second]
            elif row[1] == -1:
                row[1] = opposite
            else:
                full.add(ends)
    if full:
        notices.tell(f"{len(full)} edge(s) have more than two triangles; two are taken of each")
    return np.array(list(found.values()), dtype=int).reshape(-1, 4)


def _spring_ends(edges: np.ndarray) -> list[tuple[int, int]]:
    ends: dict[tuple[int, int], None] = {}
    for i, j, k, l in edges.tolist():  # noqa: E741
        for a, b in ((k, l), (i, k), (i, l), (j, k), (j, l), (i, j)):
            if a != -1 and b != -1:
                ends[min(a, b), max(a, b)] = None
    return list(ends)
