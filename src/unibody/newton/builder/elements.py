"""Elements of deformable bodies: triangles, bending edges and tetrahedra."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody import notices
from unibody.errors import InvalidArgumentError
from unibody.newton.builder import custom, looks
from unibody.newton.builder.particles import positions
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import AttributeFrequency


def _rows(corners: dict[str, Any]) -> np.ndarray:
    """Corners of elements as an array of shape (elements, corners)."""
    columns = {name: np.asarray(value, dtype=int).reshape(-1) for name, value in corners.items()}
    count = len(columns["i"])
    for name, column in columns.items():
        if len(column) != count:
            raise InvalidArgumentError(name, f"{len(column)} indices", f"{count}, as many as i")
    return np.stack(list(columns.values()), axis=1)


def add_triangle(
    self: Tables,
    i: int,
    j: int,
    k: int,
    tri_ke: float | None = None,
    tri_ka: float | None = None,
    tri_kd: float | None = None,
    tri_drag: float | None = None,
    tri_lift: float | None = None,
    custom_attributes: dict[str, Any] | None = None,
    *,
    color: Any = None,
    opacity: Any = None,
) -> float:
    """Add an elastic triangle, at rest as its particles are now.

    Args:
        self: The builder.
        i: Particle.
        j: Particle.
        k: Particle.
        tri_ke: Stiffness; None: the builder's default, and so on.
        tri_ka: Stiffness of the area.
        tri_kd: Damping.
        tri_drag: Drag.
        tri_lift: Lift.
        custom_attributes: Key -> value, of frequency TRIANGLE.
        color: For drawing: red, green and blue, from 0 to 1.
        opacity: From 0 to 1.

    Returns:
        Its area [m^2]; 0 for three points on a line, which are left out.
    """
    materials = (tri_ke, tri_ka, tri_kd, tri_drag, tri_lift)
    ke, ka, kd, drag, lift = ([value] if value is not None else None for value in materials)
    rest: dict[str, Any] = {"color": color, "opacity": opacity}
    found = add_triangles(self, [i], [j], [k], ke, ka, kd, drag, lift, custom_attributes, **rest)
    if found[0] > 0.0:
        self.tri_indices[-1] = tuple(self.tri_indices[-1])
    return found[0]


def add_triangles(
    self: Tables,
    i: Any,
    j: Any,
    k: Any,
    tri_ke: list[float] | None = None,
    tri_ka: list[float] | None = None,
    tri_kd: list[float] | None = None,
    tri_drag: list[float] | None = None,
    tri_lift: list[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
    *,
    color: Any = None,
    opacity: Any = None,
) -> list[float]:
    """Add elastic triangles. See `add_triangle`, whose arguments are lists here.

    Colors and opacities may be one for all.

    Returns:
        Their areas [m^2]; those without one are left out.
    """
    corners = _rows({"i": i, "j": j, "k": k})
    hues, shares = looks.colors(color, len(corners)), looks.opacities(opacity, len(corners))
    points = positions(self, corners).reshape(-1, 3, 3)
    rest, areas = _flattened(points)
    kept = areas > 0.0
    _tell_left_out("triangle", corners[~kept])
    materials = _materials(
        len(corners),
        ("tri_ke", tri_ke, self.default_tri_ke),
        ("tri_ka", tri_ka, self.default_tri_ka),
        ("tri_kd", tri_kd, self.default_tri_kd),
        ("tri_drag", tri_drag, self.default_tri_drag),
        ("tri_lift", tri_lift, self.default_tri_lift),
    )
    start, count = self.tri_count, int(kept.sum())
    given = _of_kept(custom_attributes, kept)
    self.tri_indices.extend(corners[kept].tolist())
    self.tri_poses.extend(np.linalg.inv(rest[kept]).tolist())
    self.tri_activations.extend([0.0] * count)
    self.tri_materials.extend(map(tuple, materials[kept].tolist()))
    self.tri_areas.extend(areas[kept].tolist())
    self.tri_color.extend(map(tuple, hues[kept].tolist()))
    self.tri_opacity.extend(shares[kept].tolist())
    if count:
        where = range(start, start + count)
        index: Any = start if count == 1 and len(corners) == 1 else where
        custom.set_values(self, index, given, AttributeFrequency.TRIANGLE)
    return areas.tolist()


def _of_kept(values: dict[str, Any] | None, kept: np.ndarray) -> dict[str, Any]:
    """Values of attributes for elements that are kept, where there is one for each element."""
    found = dict(values or {})
    for key, value in found.items():
        if not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) == 0:
            continue
        if len(value) != len(kept) and len(kept) > 1:
            raise ValueError(
                f"Custom attribute {key!r}: Expected {len(kept)} values, got {len(value)}"
            )
        if len(kept) > 1:
            found[key] = [one for one, stays in zip(value, kept.tolist(), strict=True) if stays]
    return found


def _flattened(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges of triangles in axes of their planes, the first along the first edge; and areas."""
    first, second = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    length = np.linalg.norm(first, axis=1)
    along = first / np.where(length > 0.0, length, 1.0)[:, None]
    x = np.einsum("ij,ij->i", second, along)
    y = np.linalg.norm(second - x[:, None] * along, axis=1)
    rest = np.zeros((len(points), 2, 2))
    rest[:, 0, 0], rest[:, 0, 1], rest[:, 1, 1] = length, x, y
    return rest, 0.5 * length * y


def _materials(count: int, *rows: tuple[str, Any, float]) -> np.ndarray:
    columns = []
    for name, given, default in rows:
        column = np.full(count, default) if given is None else np.asarray(given, dtype=float)
        if column.ndim != 1 or column.size < count:
            raise InvalidArgumentError(name, f"{column.size} values", f"{count}, one an element")
        columns.append(column[:count])  # the original takes longer lists, too
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def _tell_left_out(what: str, corners: np.ndarray) -> None:
    if len(corners):
        notices.tell(
            f"{len(corners)} inverted or degenerate {what} element(s) are left out, the first of"
            f" the particles {corners[0].tolist()}"
        )


def add_edge(
    self: Tables,
    i: int,
    j: int,
    k: int,
    l: int,  # noqa: E741
    rest: float | None = None,
    edge_ke: float | None = None,
    edge_kd: float | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a bending edge between the triangles (i, k, l) and (j, l, k).

    Args:
        self: The builder.
        i: Particle opposite to the edge, or -1 at a border.
        j: Particle opposite to the edge, or -1 at a border.
        k: First particle of the edge.
        l: Second particle of the edge.
        rest: Angle between the triangles at rest [rad]; None: that of now.
        edge_ke: Stiffness; None: the builder's default.
        edge_kd: Damping; None: the builder's default.
        custom_attributes: Key -> value, of frequency EDGE.

    Returns:
        The index of the edge.
    """
    number = self.edge_count
    angle = None if rest is None else [rest]
    stiffness = None if edge_ke is None else [edge_ke]
    damping = None if edge_kd is None else [edge_kd]
    add_edges(self, [i], [j], [k], [l], angle, stiffness, damping)
    custom.set_values(self, number, custom_attributes, AttributeFrequency.EDGE)
    return number


def add_edges(
    self: Tables,
    i: Any,
    j: Any,
    k: Any,
    l: Any,  # noqa: E741
    rest: list[float] | None = None,
    edge_ke: list[float] | None = None,
    edge_kd: list[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> None:
    """Add bending edges. See `add_edge`, whose arguments are lists here."""
    indices = _rows({"i": i, "j": j, "k": k, "l": l})
    count, start = len(indices), self.edge_count
    ends = positions(self, indices[:, 2:]).reshape(-1, 2, 3)
    inner = (indices[:, 0] != -1) & (indices[:, 1] != -1)
    if rest is None:
        angles = np.zeros(count)
        opposite = positions(self, indices[inner, :2]).reshape(-1, 2, 3)
        angles[inner] = _bend(opposite, ends[inner])
    else:
        angles = _materials(count, ("rest", rest, 0.0))[:, 0]
    properties = _materials(
        count,
        ("edge_ke", edge_ke, self.default_edge_ke),
        ("edge_kd", edge_kd, self.default_edge_kd),
    )
    self.edge_indices.extend(map(tuple, indices.tolist()))
    self.edge_rest_angle.extend(angles.tolist())
    self.edge_rest_length.extend(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).tolist())
    self.edge_bending_properties.extend(map(tuple, properties.tolist()))
    if count:
        where = range(start, start + count)
        custom.set_values(self, where, custom_attributes, AttributeFrequency.EDGE)


def _bend(opposite: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Signed angles between the normals of two triangles at an edge [rad]."""
    x1, x2, x3, x4 = opposite[:, 0], opposite[:, 1], ends[:, 0], ends[:, 1]
    n1 = np.cross(x3 - x1, x4 - x1)
    n2 = np.cross(x4 - x2, x3 - x2)
    edge = x4 - x3
    lengths = np.linalg.norm(edge, axis=1, keepdims=True)
    edge = edge / np.where(lengths > 0.0, lengths, 1.0)
    sine = np.einsum("ij,ij->i", np.cross(n1, n2), edge)
    return np.arctan2(sine, np.einsum("ij,ij->i", n1, n2))


def add_tetrahedron(
    self: Tables,
    i: int,
    j: int,
    k: int,
    l: int,  # noqa: E741
    k_mu: float = 1.0e3,
    k_lambda: float = 1.0e3,
    k_damp: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> float:
    """Add an elastic tetrahedron, at rest as its particles are now.

    Args:
        self: The builder.
        i: Particle.
        j: Particle.
        k: Particle.
        l: Particle, on the side of (i, j, k) from which these are counterclockwise.
        k_mu: First Lame parameter [Pa].
        k_lambda: Second Lame parameter [Pa].
        k_damp: Damping.
        custom_attributes: Key -> value, of frequency TETRAHEDRON.

    Returns:
        Its volume [m^3]; where it is not positive, the tetrahedron is left out.
    """
    points = positions(self, [i, j, k, l])
    rest = (points[1:] - points[0]).T
    volume = float(np.linalg.det(rest)) / 6.0
    if not volume > 0.0:
        _tell_left_out("tetrahedral", np.array([[i, j, k, l]]))
        return volume
    number = self.tet_count
    self.tet_indices.append((i, j, k, l))
    self.tet_poses.append(np.linalg.inv(rest).tolist())
    self.tet_activations.append(0.0)
    self.tet_materials.append((k_mu, k_lambda, k_damp))
    custom.set_values(self, number, custom_attributes, AttributeFrequency.TETRAHEDRON)
    return volume
