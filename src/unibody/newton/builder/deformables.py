"""Cloth and soft bodies: grids and meshes of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody import notices
from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder.elements import add_edges, add_tetrahedron, add_triangles
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
    """
    start = self.particle_count
    y, x = (grid.reshape(-1) for grid in np.mgrid[0 : dim_y + 1, 0 : dim_x + 1])
    vertices = np.stack([x * cell_x, y * cell_y, np.zeros(len(x))], axis=1)
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
        vertices=vertices.tolist(),
        indices=np.stack(cells, axis=1).reshape(-1).tolist(),
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
    )
    held = (fix_left & (x == 0)) | (fix_right & (x == dim_x))
    held |= (fix_bottom & (y == 0)) | (fix_top & (y == dim_y))
    for number, fixed in enumerate(held.tolist(), start):
        self.particle_mass[number] = 0.0 if fixed else mass
        self.particle_flags[number] = 0 if fixed else ParticleFlags.ACTIVE


def add_cloth_mesh(
    self: Tables,
    pos: Any,
    rot: Any,
    scale: float,
    vel: Any,
    vertices: list[Any],
    indices: list[int],
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
    """
    corners = np.asarray(indices, dtype=int).reshape(-1)
    if len(corners) % 3:
        raise InvalidArgumentError("indices", f"{len(corners)} numbers", "three a triangle")
    triangles = corners.reshape(-1, 3) + self.particle_count
    _add_points(self, pos, rot, scale, vel, vertices, particle_radius, custom_attributes_particles)
    skin = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    areas = _add_alike_triangles(self, triangles, skin, custom_attributes_triangles)
    _share_mass(self, triangles, density * np.array(areas) / 3.0)
    edges = bending_edges(triangles)
    _add_alike_edges(self, edges, (edge_ke, edge_kd), custom_attributes_edges)
    if add_springs:
        stiffness = self.default_spring_ke if spring_ke is None else spring_ke
        damping = self.default_spring_kd if spring_kd is None else spring_kd
        for first, second in _spring_ends(edges):
            add_spring(self, first, second, stiffness, damping, 0.0, custom_attributes_springs)


def _add_alike_triangles(
    self: Tables,
    triangles: np.ndarray,
    skin: tuple[float | None, ...],
    custom_attributes: dict[str, Any] | None = None,
) -> list[float]:
    """Add triangles with the same stiffnesses, damping, drag and lift; see `add_triangles`."""
    i, j, k = triangles.T
    ke, ka, kd, drag, lift = _each(len(triangles), skin)
    return add_triangles(self, i, j, k, ke, ka, kd, drag, lift, custom_attributes)


def _add_alike_edges(
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


def _add_points(
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
    local = np.array([[float(v) for v in vertex] for vertex in vertices]).reshape(-1, 3)
    points = local * scale @ convert.rotation(rot).T + np.array([float(v) for v in pos])
    count = len(points)
    speed = tuple(float(v) for v in vel)
    radii = None if radius is None else [radius] * count
    add_particles(
        self, points.tolist(), [speed] * count, [0.0] * count, radii, None, custom_attributes
    )


def _share_mass(self: Tables, corners: np.ndarray, shares: np.ndarray) -> None:
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


def add_soft_grid(
    self: Tables,
    pos: Any,
    rot: Any,
    vel: Any,
    dim_x: int,
    dim_y: int,
    dim_z: int,
    cell_x: float,
    cell_y: float,
    cell_z: float,
    density: float,
    k_mu: float,
    k_lambda: float,
    k_damp: float,
    fix_left: bool = False,
    fix_right: bool = False,
    fix_top: bool = False,
    fix_bottom: bool = False,
    tri_ke: float = 0.0,
    tri_ka: float = 0.0,
    tri_kd: float = 0.0,
    tri_drag: float = 0.0,
    tri_lift: float = 0.0,
    add_surface_mesh_edges: bool = True,
    edge_ke: float = 0.0,
    edge_kd: float = 0.0,
    particle_radius: float | None = None,
) -> None:
    """Add a block of tetrahedra, five a cell, with triangles on its surface.

    Args:
        self: The builder.
        pos: Of its first corner [m].
        rot: (x, y, z, w).
        vel: m/s.
        dim_x: Cells along x.
        dim_y: Cells along y.
        dim_z: Cells along z.
        cell_x: m.
        cell_y: m.
        cell_z: m.
        density: kg/m^3; a particle has the mass of one cell.
        k_mu: See `add_tetrahedron`.
        k_lambda: See `add_tetrahedron`.
        k_damp: See `add_tetrahedron`.
        fix_left: Whether particles of lowest x are held.
        fix_right: Whether particles of highest x are held.
        fix_top: Whether particles of highest y are held.
        fix_bottom: Whether particles of lowest y are held.
        tri_ke: See `add_triangle`.
        tri_ka: See `add_triangle`.
        tri_kd: See `add_triangle`.
        tri_drag: See `add_triangle`.
        tri_lift: See `add_triangle`.
        add_surface_mesh_edges: Whether the surface has bending edges.
        edge_ke: See `add_edge`.
        edge_kd: See `add_edge`.
        particle_radius: m.
    """
    start = self.particle_count
    z, y, x = (g.reshape(-1) for g in np.mgrid[0 : dim_z + 1, 0 : dim_y + 1, 0 : dim_x + 1])
    vertices = np.stack([x * cell_x, y * cell_y, z * cell_z], axis=1)
    _add_points(self, pos, rot, 1.0, vel, vertices, particle_radius)
    held = (fix_left & (x == 0)) | (fix_right & (x == dim_x))
    held |= (fix_bottom & (y == 0)) | (fix_top & (y == dim_y))
    mass = cell_x * cell_y * cell_z * density
    for number, fixed in enumerate(held.tolist(), start):
        self.particle_mass[number] = 0.0 if fixed else mass
    tetrahedra = _cut_cells(dim_x, dim_y, dim_z) + start
    faces: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for corners in tetrahedra.tolist():
        add_tetrahedron(self, *corners, k_mu=k_mu, k_lambda=k_lambda, k_damp=k_damp)
        _note_faces(faces, corners)
    skin = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    _add_surface(self, faces, skin, (edge_ke, edge_kd) if add_surface_mesh_edges else None)


# Corners of a cell: x fastest along the edge 0-1, then z to 3-2, and the same at higher y from 4.
# Neighbours are cut in mirror image, so that their diagonals meet.
_ODD = ((0, 1, 4, 3), (2, 3, 6, 1), (5, 4, 1, 6), (7, 6, 3, 4), (4, 1, 6, 3))
_EVEN = ((1, 2, 5, 0), (3, 0, 7, 2), (4, 7, 0, 5), (6, 5, 2, 7), (5, 2, 7, 0))


def _cut_cells(dim_x: int, dim_y: int, dim_z: int) -> np.ndarray:
    """Tetrahedra of the cells of a grid, shape (n, 4)."""
    z, y, x = (g.reshape(-1) for g in np.mgrid[0:dim_z, 0:dim_y, 0:dim_x])
    layer, row = (dim_x + 1) * (dim_y + 1), dim_x + 1
    low = layer * z + row * y + x
    below = np.stack([low, low + 1, low + 1 + layer, low + layer], axis=1)
    corners = np.concatenate([below, below + row], axis=1)
    odd = ((x + y + z) & 1).astype(bool)
    cut = np.where(odd[:, None, None], np.array(_ODD), np.array(_EVEN))
    return np.take_along_axis(corners[:, None, :], cut, axis=2).reshape(-1, 4)


def _note_faces(faces: dict[tuple[int, ...], tuple[int, int, int]], corners: list[int]) -> None:
    """Note the faces of a tetrahedron, outward; one that two share is inside and goes."""
    i, j, k, l = corners  # noqa: E741
    for face in ((i, k, j), (j, k, l), (i, j, l), (i, l, k)):
        key = tuple(sorted(face))
        if faces.pop(key, None) is None:
            faces[key] = face


def _add_surface(
    self: Tables,
    faces: dict[tuple[int, ...], tuple[int, int, int]],
    skin: tuple[float, ...],
    bending: tuple[float, float] | None,
) -> None:
    triangles = np.array(list(faces.values()), dtype=int).reshape(-1, 3)
    if not len(triangles):
        return
    _add_alike_triangles(self, triangles, skin)
    if bending is not None:
        _add_alike_edges(self, bending_edges(triangles), bending)


def add_soft_mesh(
    self: Tables,
    pos: Any,
    rot: Any,
    scale: float,
    vel: Any,
    vertices: list[Any],
    indices: list[int],
    density: float,
    k_mu: float,
    k_lambda: float,
    k_damp: float,
    tri_ke: float = 0.0,
    tri_ka: float = 0.0,
    tri_kd: float = 0.0,
    tri_drag: float = 0.0,
    tri_lift: float = 0.0,
    add_surface_mesh_edges: bool = True,
    edge_ke: float = 0.0,
    edge_kd: float = 0.0,
    particle_radius: float | None = None,
) -> None:
    """Add a soft body of the tetrahedra of a mesh, with triangles on its surface.

    Args:
        self: The builder.
        pos: m.
        rot: (x, y, z, w).
        scale: Of the vertices.
        vel: m/s.
        vertices: m.
        indices: Four a tetrahedron.
        density: kg/m^3; a quarter of a tetrahedron's mass goes to each of its particles.
        k_mu: See `add_tetrahedron`.
        k_lambda: See `add_tetrahedron`.
        k_damp: See `add_tetrahedron`.
        tri_ke: See `add_triangle`.
        tri_ka: See `add_triangle`.
        tri_kd: See `add_triangle`.
        tri_drag: See `add_triangle`.
        tri_lift: See `add_triangle`.
        add_surface_mesh_edges: Whether the surface has bending edges.
        edge_ke: See `add_edge`.
        edge_kd: See `add_edge`.
        particle_radius: m.
    """
    corners = np.asarray(indices, dtype=int).reshape(-1)
    if len(corners) % 4:
        raise InvalidArgumentError("indices", f"{len(corners)} numbers", "four a tetrahedron")
    tetrahedra = (corners.reshape(-1, 4) + self.particle_count).tolist()
    _add_points(self, pos, rot, scale, vel, vertices, particle_radius)
    faces: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for element in tetrahedra:
        volume = add_tetrahedron(self, *element, k_mu=k_mu, k_lambda=k_lambda, k_damp=k_damp)
        if volume > 0.0:
            _share_mass(self, np.array([element]), np.array([density * volume / 4.0]))
            _note_faces(faces, element)
    skin = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    _add_surface(self, faces, skin, (edge_ke, edge_kd) if add_surface_mesh_edges else None)
