"""Inertia as Bullet derives it from collision shapes, which is PyBullet's default.

PyBullet ignores the inertia a file states unless it is asked to use it. Instead it takes a solid
box: the bounds of the collision shapes in the inertial frame, widened by collision margins. One
shape that sits exactly in the inertial frame is treated by its own formula.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.bullet.maths.transforms import Matrix, getMatrixFromQuaternion
from unibody.core.assets.description import Inertial, Link, MeshSource, Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.load import format_of
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.transforms import quat_rotate

PointLoader = Callable[[MeshSource], Sequence[NDArray[np.float64]]]
"""Gives the points of every group of a mesh, scaled, in the shape's frame, each (V, 3) [m]."""
Solid = Callable[[float], Vec3]
"""Gives the moments [kg m^2] of a solid of a mass [kg]."""

_MARGIN = 0.001  # the margin PyBullet sets on every shape and on the compound of a URDF link [m]
_UNBOUNDED = 1e30  # what Bullet takes for the extent of a plane [m]
_TWELFTH = 0.08333333  # Bullet's constant for hulls and capsules; elsewhere it divides by 12
_HULL_CELLS = 10216.0
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_ORIGIN: Vec3 = (0.0, 0.0, 0.0)
_HERE = Pose()
_HERE = Pose()


class _Child(NamedTuple):
    """A piece of a compound in the compound's frame.

    Attributes:
        shape: The shape the piece belongs to.
        rotation: Rotation from the shape's frame, row by row.
        position: Of the shape's frame [m].
        center: Center of the bounds, in the shape's frame [m].
        half: Half extents of the bounds along the shape's axes, with margins [m].
        hull: True for the convex hull of points.
    """

    shape: Shape
    rotation: Matrix
    position: Vec3
    center: Vec3
    half: Vec3
    hull: bool
    margin: float = 0.0  # [m], that joins the half extents in a compound


class _Rules(NamedTuple):
    """What differs between bodies from a URDF file and bodies from ``createMultiBody``."""

    implicit_cylinder: bool  # a cylinder is a cylinder, not the hull of a 32-sided prism
    nested_obj: bool  # the groups of an .obj file are a compound of their own
    compound_margin: float  # [m]
    spheres_margin: float | None = None  # a capsule stated by its ends is two spheres with this [m]


_CREATED_RULES = _Rules(implicit_cylinder=True, nested_obj=False, compound_margin=0.0)
_MJCF_RULES = _Rules(
    implicit_cylinder=True, nested_obj=True, compound_margin=0.0, spheres_margin=0.04
)


def mesh_points(source: MeshSource) -> list[NDArray[np.float64]]:
    """Return the points of every group of a mesh; see ``PointLoader``.

    Raises:
        AssetError: The mesh cannot be read.
    """
    return [mesh.vertices for mesh in load_mesh(source)]


def link_inertia(
    link: Link,
    load_points: PointLoader = mesh_points,
    *,
    use_file_inertia: bool = False,
    use_implicit_cylinder: bool = False,
    from_mjcf: bool = False,
) -> Vec3:
    """Return the principal moments PyBullet gives a link of a URDF, SDF or MJCF file.

    The axes are those of the inertial frame; with ``use_file_inertia`` they are those of
    ``principal_axes``.

    Args:
        link: The link; ``link.inertial.mass`` 0 gives no moments from shapes.
        load_points: Where the points of meshes come from.
        use_file_inertia: PyBullet's ``URDF_USE_INERTIA_FROM_FILE``.
        use_implicit_cylinder: PyBullet's ``URDF_USE_IMPLICIT_CYLINDER``.
        from_mjcf: The rules of PyBullet's MJCF reader.

    Returns:
        Moments about the center of mass [kg m^2].

    Raises:
        AssetError: A mesh cannot be read.
    """
    mass = link.inertial.mass
    if use_file_inertia:
        moments = principal_axes(link.inertial)[0]
    else:
        rules = _Rules(use_implicit_cylinder, nested_obj=True, compound_margin=_MARGIN)
        if from_mjcf:
            rules = _MJCF_RULES
        moments = _shape_moments(mass, link.collisions, link.inertial.pose, load_points, rules)
    scaling = link.contact.inertia_scaling
    if scaling is None or mass == 0.0:
        return moments
    return (moments[0] * scaling, moments[1] * scaling, moments[2] * scaling)


def created_inertia(
    mass: float,
    shapes: Sequence[Shape],
    inertial_pose: Pose,
    load_points: PointLoader = mesh_points,
) -> Vec3:
    """Return the principal moments PyBullet gives a base or link of ``createMultiBody``.

    Args:
        mass: Mass [kg].
        shapes: Shapes of the collision shape, posed in the link's frame.
        inertial_pose: The inertial frame in the link's frame.
        load_points: Where the points of meshes come from.

    Returns:
        Moments about the center of mass, along the axes of the inertial frame [kg m^2].

    Raises:
        AssetError: A mesh cannot be read.
    """
    return _shape_moments(mass, shapes, inertial_pose, load_points, _CREATED_RULES)


def solid(
    shapes: Sequence[Shape], inertial_pose: Pose, file: str, *, use_implicit_cylinder: bool = False
) -> Solid:
    """Return the inertia PyBullet gives a link, as a function of the mass, which is not 0.

    Args:
        shapes: The link's collision shapes.
        inertial_pose: The inertial frame in the link's frame.
        file: Where the body comes from; empty for one of ``createMultiBody``.
        use_implicit_cylinder: PyBullet's ``URDF_USE_IMPLICIT_CYLINDER``.

    Raises:
        AssetError: A mesh cannot be read.
    """
    return _solid(shapes, inertial_pose, mesh_points, _rules(file, use_implicit_cylinder))


def collision_margin(shapes: Sequence[Shape], inertial_pose: Pose, file: str) -> float:
    """Return the collision margin that PyBullet's getDynamicsInfo tells of a link [m].

    That of a ball or capsule is its radius; a shape that is not at the link's inertial frame is
    in a compound, which has its own.
    """
    rules = _rules(file, use_implicit_cylinder=True)
    if _stands_alone(shapes, inertial_pose):
        shape = shapes[0]
        if rules.spheres_margin is not None and shape.by_ends:
            return rules.spheres_margin if shape.kind is ShapeKind.CAPSULE else 0.0
        if shape.kind in (ShapeKind.SPHERE, ShapeKind.CAPSULE):
            return shape.size[0]
        is_grid = shape.kind is ShapeKind.HEIGHTFIELD or shape.concave
        return rules.compound_margin if is_grid else _MARGIN
    return rules.compound_margin


def widen(shape: Shape, *, implicit_cylinder: bool, from_file: bool = False) -> None:
    """Give a collision shape the margin by which Bullet's is larger, and say if it is wrapped.

    Hulls of points have one, and meshes of triangles that are handed over as arrays.

    Args:
        shape: The shape; both are written to it.
        implicit_cylinder: A cylinder is a cylinder, not the hull of a prism.
        from_file: It is that of a URDF, SDF or MJCF file.
    """
    is_hull = shape.kind is ShapeKind.MESH and not shape.concave
    is_prism = shape.kind is ShapeKind.CYLINDER and not implicit_cylinder
    is_shell = shape.concave and shape.mesh is not None and not shape.mesh.file
    shape.wrapped = is_hull and from_file and _is_obj(shape)
    shape.margin = _MARGIN if is_hull or is_prism or is_shell else 0.0


def box_margins(
    shapes: Sequence[Shape], inertial_pose: Pose, file: str, *, use_implicit_cylinder: bool = False
) -> tuple[tuple[float, ...], float]:
    """Return by how much Bullet's boxes of a link's shapes are wider than the shapes [m].

    Args:
        shapes: The link's collision shapes.
        inertial_pose: The inertial frame in the link's frame.
        file: Where the body comes from; empty for one of ``createMultiBody``.
        use_implicit_cylinder: PyBullet's ``URDF_USE_IMPLICIT_CYLINDER``.

    Returns:
        The margin around each shape, and that around all of them, which a compound has.
    """
    rules = _rules(file, use_implicit_cylinder)
    around = [_box_margin(shape, rules) for shape in shapes]
    alone = _stands_alone(shapes, inertial_pose)
    return tuple(around), 0.0 if alone else rules.compound_margin


def _stands_alone(shapes: Sequence[Shape], inertial_pose: Pose) -> bool:
    """Whether a link is one shape in its inertial frame: Bullet makes a compound of all else."""
    return len(shapes) == 1 and _relative(inertial_pose, shapes[0].pose) == (_IDENTITY, _ORIGIN)


def _box_margin(shape: Shape, rules: _Rules) -> float:
    if shape.kind is ShapeKind.MESH and not shape.concave:
        # added to the cached bounds of a hull, and again on use
        return (3.0 if rules.nested_obj and _is_obj(shape) else 2.0) * _MARGIN
    if shape.kind is ShapeKind.CYLINDER and not rules.implicit_cylinder:
        return _MARGIN  # a second one is part of the size, see ``widen``
    if shape.kind is ShapeKind.CAPSULE and shape.by_ends and rules.spheres_margin is not None:
        return rules.spheres_margin
    return 0.0


def _rules(file: str, use_implicit_cylinder: bool) -> _Rules:
    if not file:
        return _CREATED_RULES
    entry = format_of(file)
    if entry is not None and entry.name in {"urdf", "sdf"}:
        return _Rules(use_implicit_cylinder, nested_obj=True, compound_margin=_MARGIN)
    return _MJCF_RULES


def principal_axes(inertial: Inertial) -> tuple[Vec3, Matrix]:
    """Return the principal moments of a stated inertia, and the axes they belong to.

    An inertia no body can have (a negative moment, or one above the sum of the others) counts as
    zero, as it does in PyBullet.

    Args:
        inertial: Mass properties as the file states them.

    Returns:
        Moments [kg m^2], and the rotation from principal axes to the inertial frame, row by row.
    """
    xx, yy, zz, xy, xz, yz = inertial.inertia
    if xy == xz == yz == 0.0:
        moments, axes = (xx, yy, zz), _IDENTITY
    else:
        moments, axes = _diagonalize([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    x, y, z = moments
    if min(moments) < 0.0 or x > y + z or y > x + z or z > x + y:
        return _ORIGIN, _IDENTITY
    return moments, axes


def _shape_moments(
    mass: float,
    shapes: Sequence[Shape],
    inertial_pose: Pose,
    load_points: PointLoader,
    rules: _Rules,
) -> Vec3:
    return _ORIGIN if mass == 0.0 else _solid(shapes, inertial_pose, load_points, rules)(mass)


def _solid(
    shapes: Sequence[Shape], inertial_pose: Pose, load_points: PointLoader, rules: _Rules
) -> Solid:
    children = [
        child for shape in shapes for child in _children(shape, inertial_pose, load_points, rules)
    ]
    # PyBullet's MJCF reader puts a cylinder stated by its ends into a compound of its own
    nested = rules is _MJCF_RULES and any(
        shape.by_ends and shape.kind is ShapeKind.CYLINDER for shape in shapes
    )
    if len(children) == 1 and children[0][1:3] == (_IDENTITY, _ORIGIN) and not nested:
        return _single_solid(children[0], rules)
    margin = rules.compound_margin
    if not children:
        return _solid_box((margin, margin, margin))
    bounds = [_bounds(_widened(child)) for child in children]
    half = [
        0.5 * (max(upper[i] for _, upper in bounds) - min(lower[i] for lower, _ in bounds)) + margin
        for i in range(3)
    ]
    return _solid_box(half)


def _children(
    shape: Shape, inertial_pose: Pose, load_points: PointLoader, rules: _Rules
) -> list[_Child]:
    """Return the pieces a shape contributes, with bounds in its own frame."""
    if rules.spheres_margin is not None and shape.by_ends and shape.kind is ShapeKind.CAPSULE:
        return [_two_spheres(shape, inertial_pose, rules.spheres_margin)]
    rotation, position = _relative(inertial_pose, shape.pose)
    margin = 0.0
    hull = False
    if shape.kind is ShapeKind.MESH:
        groups = [np.asarray(points) for points in load_points(_source(shape))]
        hull = not shape.concave
        if hull:
            margin = 2.0 * _MARGIN  # Bullet adds it to the cached bounds, and again on use
        if groups and (shape.concave or rules.nested_obj):
            groups = [np.concatenate(groups)]
        if hull and rules.nested_obj and _is_obj(shape):
            margin += _MARGIN
        is_gridded = hull and rules.nested_obj and not _is_obj(shape)
        boxes = [_point_box(points, is_gridded) for points in groups if len(points)]
    elif shape.kind is ShapeKind.CYLINDER and not rules.implicit_cylinder:
        hull, margin = True, 2.0 * _MARGIN
        boxes = [_box(shape)]
    else:
        boxes = [_box(shape)]
    return [
        _Child(
            shape,
            rotation,
            position,
            center,
            (half[0] + margin, half[1] + margin, half[2] + margin),
            hull,
        )
        for center, half in boxes
    ]


def _two_spheres(shape: Shape, inertial_pose: Pose, margin: float) -> _Child:
    """Return a capsule as two spheres in the frame of the link."""
    radius, length = shape.size
    along = quat_rotate(shape.pose.quat, (0.0, 0.0, 0.5 * length))
    half = (abs(along[0]) + radius, abs(along[1]) + radius, abs(along[2]) + radius)
    rotation, position = _relative(inertial_pose, Pose())
    return _Child(shape, rotation, position, shape.pose.pos, half, hull=False, margin=margin)


def _widened(child: _Child) -> _Child:
    x, y, z = child.half
    margin = child.margin
    return child._replace(half=(x + margin, y + margin, z + margin))


def _source(shape: Shape) -> MeshSource:
    return shape.mesh or MeshSource()


def _is_obj(shape: Shape) -> bool:
    return _source(shape).file.lower().endswith(".obj")


def _box(shape: Shape) -> tuple[Vec3, Vec3]:
    """Return center and half extents of a primitive shape in its own frame [m]."""
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            return _ORIGIN, (0.5 * size[0], 0.5 * size[1], 0.5 * size[2])
        case ShapeKind.SPHERE:
            return _ORIGIN, (size[0], size[0], size[0])
        case ShapeKind.CYLINDER:
            return _ORIGIN, (size[0], size[0], 0.5 * size[1])
        case ShapeKind.CAPSULE:
            return _ORIGIN, (size[0], size[0], size[0] + 0.5 * size[1])
        case ShapeKind.ELLIPSOID:
            return _ORIGIN, (size[0], size[1], size[2])
        case ShapeKind.HEIGHTFIELD if shape.heightfield is not None:
            field = shape.heightfield
            low, high = min(field.heights), max(field.heights)
            x, y = (field.columns - 1) * field.spacing[0], (field.rows - 1) * field.spacing[1]
            return (0.0, 0.0, 0.5 * (low + high)), (0.5 * x, 0.5 * y, 0.5 * (high - low))
        case _:
            return _ORIGIN, (_UNBOUNDED, _UNBOUNDED, _UNBOUNDED)


def _point_box(points: NDArray[np.float64], is_gridded: bool) -> tuple[Vec3, Vec3]:
    """Return center and half extents of the bounds of points.

    Args:
        points: Shape (V, 3) [m].
        is_gridded: The bounds are those of Bullet's hull, whose points are truncated towards the
            center on a grid of 10216 cells along each axis. Where rounding leaves an outermost
            point just inside its grid line it loses a cell, 1e-4 of the extent.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    center = 0.5 * (low + high)
    if is_gridded:
        cell = (high - low) * (1.0 / _HULL_CELLS)
        per_cell = np.divide(1.0, cell, out=np.zeros(3), where=cell != 0.0)
        low = np.trunc((low - center) * per_cell) * cell + center
        high = np.trunc((high - center) * per_cell) * cell + center
        center = 0.5 * (low + high)
    return tuple(center.tolist()), tuple((0.5 * (high - low)).tolist())


def _relative(frame: Pose, pose: Pose) -> tuple[Matrix, Vec3]:
    """Return ``T_frame_pose``, with the operations in Bullet's order.

    Whether the result is exactly the identity decides which formula is used.
    """
    if frame == pose == _HERE:
        return _IDENTITY, _ORIGIN
    a, b = _matrix(frame), _matrix(pose)
    rotation = tuple(
        a[i] * b[j] + a[i + 3] * b[j + 3] + a[i + 6] * b[j + 6] for i in range(3) for j in range(3)
    )
    (x, y, z), (ox, oy, oz) = pose.pos, frame.pos
    position = tuple(
        (a[i] * x + a[i + 3] * y + a[i + 6] * z) + (a[i] * -ox + a[i + 3] * -oy + a[i + 6] * -oz)
        for i in range(3)
    )
    return rotation, position  # type: ignore[return-value] - nine and three elements


def _matrix(pose: Pose) -> Matrix:
    w, x, y, z = pose.quat
    return getMatrixFromQuaternion((x, y, z, w))


def _bounds(child: _Child) -> tuple[list[float], list[float]]:
    """Return the corners of the box, aligned with the compound's axes, around a child's box."""
    r, p, c, h = child.rotation, child.position, child.center, child.half
    if child.shape.kind is ShapeKind.PLANE:
        return list(map(float.__neg__, h)), list(h)
    if child.shape.kind is ShapeKind.SPHERE:  # no wider when turned
        r = _IDENTITY
    lower, upper = [], []
    for i in (0, 3, 6):
        middle = r[i] * c[0] + r[i + 1] * c[1] + r[i + 2] * c[2] + p[i // 3]
        reach = abs(r[i]) * h[0] + abs(r[i + 1]) * h[1] + abs(r[i + 2]) * h[2]
        lower.append(middle - reach)
        upper.append(middle + reach)
    return lower, upper


def _solid_box(half: Sequence[float], parts: float = 12.0) -> Solid:
    """A box whose moments are sums of squares of its extents, each a part of the mass."""
    x, y, z = _sums_of_squares(half)

    def moments(mass: float) -> Vec3:
        part = mass / parts
        return (part * x, part * y, part * z)

    return moments


def _hull_box(half: Sequence[float]) -> Solid:
    """The same, with the constant that Bullet has for hulls and capsules."""
    x, y, z = _sums_of_squares(half)

    def moments(mass: float) -> Vec3:
        part = mass * _TWELFTH
        return (part * x, part * y, part * z)

    return moments


def _sums_of_squares(half: Sequence[float]) -> Vec3:
    xx, yy, zz = (4.0 * h * h for h in half)
    return (yy + zz, xx + zz, xx + yy)


def _ball(radius: float, mass: float) -> Vec3:
    moment = 0.4 * mass * radius * radius
    return (moment, moment, moment)


def _cylinder(radius: float, half_length: float, mass: float) -> Vec3:
    squared_radius = radius * radius
    across = mass / 3.0 * half_length * half_length + mass / 4.0 * squared_radius
    return (across, across, mass / 2.0 * squared_radius)


def _surface(_mass: float) -> Vec3:
    return _ORIGIN  # Bullet knows no moving surfaces


def _single_solid(child: _Child, rules: _Rules) -> Solid:
    """One shape that sits exactly in the inertial frame."""
    kind, half = child.shape.kind, child.half
    if child.hull:
        if kind is ShapeKind.MESH and rules.nested_obj and _is_obj(child.shape):
            return _solid_box(half)
        return _hull_box([h + _MARGIN for h in half])
    if kind is ShapeKind.SPHERE:
        return functools.partial(_ball, half[0])
    if kind is ShapeKind.CAPSULE:
        return _hull_box(half)
    if kind is ShapeKind.CYLINDER:
        return functools.partial(_cylinder, half[0], half[2])
    if kind in {ShapeKind.PLANE, ShapeKind.MESH, ShapeKind.HEIGHTFIELD}:
        return _surface
    return _solid_box(half, 20.0 if kind is ShapeKind.ELLIPSOID else 12.0)


def _diagonalize(m: list[list[float]]) -> tuple[Vec3, Matrix]:
    """Find moments and axes by Jacobi's method; the order of the axes follows from its sweeps.

    Source: Golub and Van Loan, Matrix Computations, 8.5. As in Bullet, a sweep annihilates the
    largest element off the diagonal, and the last one is that which finds it below 1e-6 of the
    trace.
    """
    axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(30):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda pair: abs(m[pair[0]][pair[1]]))
        largest = m[p][q]
        small = 1e-6 * (abs(m[0][0]) + abs(m[1][1]) + abs(m[2][2]))
        if abs(largest) <= np.finfo(float).eps * small:
            break
        is_last = abs(largest) <= small
        theta = (m[q][q] - m[p][p]) / (2.0 * largest)
        t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + sqrt(theta * theta + 1.0))
        c = 1.0 / sqrt(1.0 + t * t)
        s = c * t
        r = 3 - p - q
        m[p][p] -= t * largest
        m[q][q] += t * largest
        m[p][q] = m[q][p] = 0.0
        m[r][p], m[r][q] = c * m[r][p] - s * m[r][q], c * m[r][q] + s * m[r][p]
        m[p][r], m[q][r] = m[r][p], m[r][q]
        for row in axes:
            row[p], row[q] = c * row[p] - s * row[q], c * row[q] + s * row[p]
        if is_last:
            break
    return (m[0][0], m[1][1], m[2][2]), (*axes[0], *axes[1], *axes[2])  # type: ignore[return-value]
