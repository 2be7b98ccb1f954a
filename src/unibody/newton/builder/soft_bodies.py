"""Soft bodies: blocks and meshes of tetrahedra."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.newton.builder import custom, objects
from unibody.newton.builder.deformables import (
    add_alike_edges,
    add_alike_triangles,
    add_points,
    bending_edges,
    check_corners,
    share_mass,
)
from unibody.newton.builder.elements import add_tetrahedron
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import AttributeFrequency
from unibody.newton.tet_mesh import TetMesh


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
    *,
    color: Any = None,
    opacity: Any = None,
    label: str | None = None,
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
        color: See `add_triangles`.
        opacity: See `add_triangles`.
        label: Name; None: a number.
    """
    start = self.particle_count
    before = objects.counts(self, "volume")
    z, y, x = (g.reshape(-1) for g in np.mgrid[0 : dim_z + 1, 0 : dim_y + 1, 0 : dim_x + 1])
    sides = ((x, cell_x), (y, cell_y), (z, cell_z))
    vertices = np.stack([place * float(cell) for place, cell in sides], axis=1)
    add_points(self, pos, rot, 1.0, vel, vertices, particle_radius)
    held = (bool(fix_left) & (x == 0)) | (bool(fix_right) & (x == dim_x))
    held |= (bool(fix_bottom) & (y == 0)) | (bool(fix_top) & (y == dim_y))
    mass = cell_x * cell_y * cell_z * density
    for number, fixed in enumerate(held.tolist(), start):
        self.particle_mass[number] = 0.0 if fixed else mass
    tetrahedra = _cut_cells(dim_x, dim_y, dim_z) + start
    faces: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for corners in tetrahedra.tolist():
        add_tetrahedron(self, *corners, k_mu=k_mu, k_lambda=k_lambda, k_damp=k_damp)
        _note_faces(faces, corners)
    skin = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    look = {"color": color, "opacity": opacity}
    _add_surface(self, faces, skin, (edge_ke, edge_kd) if add_surface_mesh_edges else None, look)
    objects.record(self, "volume", label, before)


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
    look: dict[str, Any],
) -> None:
    triangles = np.array(list(faces.values()), dtype=int).reshape(-1, 3)
    if not len(triangles):
        return
    add_alike_triangles(self, triangles, skin, look)
    if bending is not None:
        add_alike_edges(self, bending_edges(triangles), bending)


def add_soft_mesh(
    self: Tables,
    pos: Any,
    rot: Any,
    scale: float,
    vel: Any,
    vertices: Any = None,
    indices: Any = None,
    density: float | None = None,
    k_mu: Any = None,
    k_lambda: Any = None,
    k_damp: Any = None,
    tri_ke: float = 0.0,
    tri_ka: float = 0.0,
    tri_kd: float = 0.0,
    tri_drag: float = 0.0,
    tri_lift: float = 0.0,
    add_surface_mesh_edges: bool = True,
    edge_ke: float = 0.0,
    edge_kd: float = 0.0,
    particle_radius: float | None = None,
    mesh: TetMesh | None = None,
    *,
    color: Any = None,
    opacity: Any = None,
    label: str | None = None,
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
        density: kg/m^3; a quarter of a tetrahedron's mass goes to each of its particles. None: that
            of `mesh`, else 1.
        k_mu: See `add_tetrahedron`; one, or one a tetrahedron. None: that of `mesh`, and so on.
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
        mesh: In the place of `vertices` and `indices`.
        color: See `add_triangles`.
        opacity: See `add_triangles`.
        label: Name; None: a number.
    """
    vertices, indices = _of_mesh(mesh, vertices, indices)
    density, materials = _filling(self, mesh, density, (k_mu, k_lambda, k_damp), len(indices) // 4)
    start = (self.particle_count, self.tet_count, self.tri_count)
    corners = np.asarray(indices, dtype=int).reshape(-1)
    if len(corners) % 4:
        raise InvalidArgumentError("indices", f"{len(corners)} numbers", "four a tetrahedron")
    check_corners(corners, vertices)
    before = objects.counts(self, "volume")
    tetrahedra = (corners.reshape(-1, 4) + self.particle_count).tolist()
    add_points(self, pos, rot, scale, vel, vertices, particle_radius)
    faces: dict[tuple[int, ...], tuple[int, int, int]] = {}
    kept: list[int] = []
    for number, element in enumerate(tetrahedra):
        mu, of_volume, damping = materials[number]
        volume = add_tetrahedron(self, *element, k_mu=mu, k_lambda=of_volume, k_damp=damping)
        if volume > 0.0:
            kept.append(number)
            share_mass(self, np.array([element]), np.array([density * volume / 4.0]))
            _note_faces(faces, element)
    skin = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    look = {"color": color, "opacity": opacity}
    _add_surface(self, faces, skin, (edge_ke, edge_kd) if add_surface_mesh_edges else None, look)
    objects.record(self, "volume", label, before)
    if mesh is not None:
        _give_attributes(self, mesh, start, kept)


def _give_attributes(
    self: Tables, mesh: TetMesh, start: tuple[int, int, int], kept: list[int]
) -> None:
    """Give particles, tetrahedra that are kept, and triangles the attributes of their mesh."""
    counts = (self.particle_count, self.tet_count, self.tri_count)
    spans = dict(zip(_OWNERS, map(range, start, counts), strict=True))
    for name, (rows, frequency) in mesh.custom_attributes.items():
        if name not in self.custom_attributes:
            raise ValueError(
                f"TetMesh custom attribute {name!r} is not registered in ModelBuilder:"
                " add_custom_attribute() does that"
            )
        of_elements = frequency == AttributeFrequency.TETRAHEDRON
        values = np.asarray(rows)[kept] if of_elements else rows
        if frequency in spans:
            custom.set_values(self, spans[frequency], {name: values}, frequency)


_OWNERS = (
    AttributeFrequency.PARTICLE,
    AttributeFrequency.TETRAHEDRON,
    AttributeFrequency.TRIANGLE,
)


class _NoTetMeshError(InvalidArgumentError, TypeError):
    """What stands for a mesh of tetrahedra is none."""


def _of_mesh(mesh: TetMesh | None, vertices: Any, indices: Any) -> tuple[Any, Any]:
    if mesh is None:
        if vertices is None or indices is None:
            missing = "vertices" if vertices is None else "indices"
            raise InvalidArgumentError(missing, None, "values: mesh is None, too")
        return vertices, indices
    if not isinstance(mesh, TetMesh):
        raise _NoTetMeshError("mesh", mesh, "a TetMesh")
    return (
        mesh.vertices if vertices is None else vertices,
        mesh.tet_indices if indices is None else indices,
    )


def _filling(
    self: Tables,
    mesh: TetMesh | None,
    density: float | None,
    given: tuple[Any, ...],
    count: int,
) -> tuple[float, list[list[float]]]:
    """The density of a soft body, and the materials of its tetrahedra."""
    if density is None and mesh is not None:
        density = mesh.density
    columns = []
    for name, own in zip(("k_mu", "k_lambda", "k_damp"), given, strict=True):
        value = getattr(mesh, name, None) if own is None else own
        usual = getattr(self, f"default_tet_{name}") if value is None else value
        column = np.asarray(usual, dtype=float).reshape(-1)
        if column.size not in (1, count):
            allowed = f"one, or {count}, one a tetrahedron"
            raise InvalidArgumentError(name, f"{column.size} numbers", allowed)
        columns.append(np.broadcast_to(column, count))
    if density is None:
        density = self.default_tet_density
    return density, np.stack(columns, axis=1).tolist()
