"""Shapes and sites of all kinds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import convert, handles, inertia
from unibody.newton.builder import bodies, custom
from unibody.newton.builder.joint_filters import filtered_neighbours
from unibody.newton.builder.pairs import add_shape_collision_filter_pair
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import ShapeConfig
from unibody.newton.dialect import is_after_first_of_1, with_later_names
from unibody.newton.enums import AttributeFrequency, GeoType, ShapeFlags

COLORS = (
    (0.36, 0.55, 0.76),
    (0.85, 0.55, 0.30),
    (0.45, 0.68, 0.45),
    (0.72, 0.45, 0.62),
    (0.80, 0.72, 0.40),
)
"""Of shapes that are given none, by turns."""

_ENDLESS = 1e6  # radius of a plane without edges, as in the original [m]
_NO_VOLUME = (GeoType.PLANE, GeoType.HFIELD)
_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)


@with_later_names
def add_shape(
    self: Tables,
    body: int,
    type: int,
    xform: Any = None,
    cfg: ShapeConfig | None = None,
    scale: Any = None,
    src: Any = None,
    is_static: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a shape of any kind.

    Args:
        self: The builder.
        body: The body it belongs to, or -1 for the world.
        type: A `GeoType`.
        xform: Pose in the body's frame.
        cfg: Its properties; None: `default_shape_cfg`.
        scale: Sizes, whose meaning depends on the kind; None: (1, 1, 1).
        src: The geometry of a mesh.
        is_static: Whether it adds no mass.
        key: Name.
        custom_attributes: Key -> value, of frequency SHAPE.

    Returns:
        The index of the shape.
    """
    handles.check("body", body, self.body_count, "bodies", world=True)
    config = self.default_shape_cfg if cfg is None else cfg
    pose = convert.transform("xform", xform)
    sizes = (1.0, 1.0, 1.0) if scale is None else tuple(float(v) for v in scale)
    size = _signed(type, sizes, is_site=config.is_site)
    name = key or f"shape_{self.shape_count}"
    check_config(name, type, config)
    kind, static = GeoType(type), bool(is_static)
    reach = radius(kind, size, src)
    shape = self.shape_count
    neighbours = filterable(self, body) if config.has_shape_collision else []
    self.shape_body.append(body)
    self.body_shapes[body].append(shape)
    _append(self, kind, config, size, src, reach)
    self.shape_key.append(name)
    self.shape_transform.append(pose)
    for other in neighbours:
        add_shape_collision_filter_pair(self, other, shape)
    if config.has_shape_collision and config.collision_filter_parent:
        _filter_neighbours(self, body, shape)
    if not static and config.density > 0.0 and body >= 0 and not self.body_lock_inertia[body]:
        part = inertia.shape(type, size, src, config.density, config.is_solid, config.thickness)
        bodies.add_mass(self, body, part, pose)
    custom.set_values(self, shape, custom_attributes, AttributeFrequency.SHAPE)
    return shape


def check_config(name: str, kind: int, config: ShapeConfig) -> None:
    """Check properties that a shape shall have.

    Args:
        name: Of the shape, for messages.
        kind: Of the shape.
        config: The properties.

    Raises:
        ValueError: One is not allowed.
        NotSupportedError: One is not there.
    """
    config.validate(kind)
    _check_mesh(kind, config)
    _check_site(name, config)


def _signed(kind: int, size: tuple[float, ...], *, is_site: bool) -> tuple[float, ...]:
    """The sizes of a shape: those of meshes may mirror it, others have no sign."""
    if kind in _MESHES:
        return size
    low = min(size)
    if low < 0.0 and (kind == GeoType.HFIELD or (kind == GeoType.CONE and size[1] < 0.0)):
        raise InvalidArgumentError("scale", size, "0 or more: this shape cannot be mirrored")
    size = tuple(abs(v) for v in size)
    if kind == GeoType.CYLINDER and 0.0 < size[2] < size[1] and not is_site:
        raise InvalidArgumentError("barrel_radius", size[2], f"0, or half_height={size[1]} or more")
    return size


def _append(
    self: Tables,
    kind: GeoType,
    config: ShapeConfig,
    size: tuple[float, ...],
    src: Any,
    reach: float,
) -> None:
    flags = config.flags
    if kind in _NO_VOLUME:
        flags &= ~ShapeFlags.HYDROELASTIC
    margin = config.contact_distance
    self.shape_flags.append(int(flags))
    self.shape_type.append(kind)
    self.shape_scale.append(size)
    self.shape_source.append(src)
    color = getattr(src, "color", None)
    usual = COLORS[len(self.shape_color) % len(COLORS)]
    self.shape_color.append(usual if color is None else tuple(float(v) for v in color[:3]))
    opacity = getattr(src, "opacity", None)
    self.shape_opacity.append(1.0 if opacity is None else float(opacity))
    self.shape_thickness.append(config.thickness)
    self.shape_contact_margin.append(self.rigid_contact_margin if margin is None else margin)
    self.shape_is_solid.append(config.is_solid)
    self.shape_material_ke.append(config.ke)
    self.shape_material_kd.append(config.kd)
    self.shape_material_kf.append(config.kf)
    self.shape_material_ka.append(config.ka)
    self.shape_material_mu.append(config.mu)
    self.shape_material_restitution.append(config.restitution)
    self.shape_material_torsional_friction.append(config.torsional_friction)
    self.shape_material_rolling_friction.append(config.rolling_friction)
    self.shape_material_k_hydro.append(config.k_hydro)
    self.shape_collision_group.append(config.collision_group)
    self.shape_collision_radius.append(reach)
    self.shape_world.append(self.current_world)
    self.shape_sdf_narrow_band_range.append(config.sdf_narrow_band_range)
    self.shape_sdf_target_voxel_size.append(config.sdf_target_voxel_size)
    self.shape_sdf_max_resolution.append(config.sdf_max_resolution)


def _check_mesh(kind: int, config: ShapeConfig) -> None:
    if kind == GeoType.MESH and config.is_hydroelastic:
        raise NotSupportedError("hydroelastic meshes", "meshes with is_hydroelastic=False collide")


def _check_site(name: str, config: ShapeConfig) -> None:
    if not config.is_site:
        return
    wrong = {
        "has_shape_collision": (config.has_shape_collision, False, "cannot have collision enabled"),
        "has_particle_collision": (
            config.has_particle_collision,
            False,
            "cannot have collision enabled",
        ),
        "density": (config.density, 0.0, "must have zero density"),
        "collision_group": (config.collision_group, 0, "must have collision_group=0"),
    }
    for field, (value, allowed, why) in wrong.items():
        if value != allowed:
            raise ValueError(f"Site shape {name!r} {why}: {field}={value!r}, not {allowed!r}")


def _filter_neighbours(self: Tables, body: int, shape: int) -> None:
    if is_after_first_of_1():
        for neighbour in filtered_neighbours(self, body):
            for other in self.body_shapes[neighbour]:
                if self.shape_flags[other] & ShapeFlags.COLLIDE_SHAPES:
                    add_shape_collision_filter_pair(self, other, shape)
        return
    if body < 0:
        return
    for parent in self.joint_parents.get(body, ()):
        if parent >= 0:
            for other in filterable(self, parent):
                add_shape_collision_filter_pair(self, other, shape)
    for child in self.joint_children.get(body, ()):
        for other in filterable(self, child):
            add_shape_collision_filter_pair(self, shape, other)


def filterable(self: Tables, body: int) -> list[int]:
    """Shapes of a body that filters name: in later releases of 1.x only those that collide."""
    shapes = list(self.body_shapes[body])
    if is_after_first_of_1():
        shapes = [n for n in shapes if self.shape_flags[n] & ShapeFlags.COLLIDE_SHAPES]
    return shapes


def radius(kind: int, size: tuple[float, ...], src: Any) -> float:
    """The radius of a ball about the shape's origin that holds it [m]."""
    if kind == GeoType.SPHERE:
        return size[0]
    if kind in {GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE}:
        return size[0] + size[1]
    if kind == GeoType.ELLIPSOID:
        return max(size)
    if kind == GeoType.PLANE and not (size[0] > 0.0 and size[1] > 0.0):
        return _ENDLESS
    if kind in {GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD} and src is not None:
        return float(np.linalg.norm(np.abs(src.vertices).max(axis=0) * max(size)))
    return math.hypot(*size) if kind in {GeoType.BOX, GeoType.PLANE} else 10.0


def _configured(self: Tables, cfg: ShapeConfig | None, as_site: bool) -> ShapeConfig:
    if cfg is None:
        return self.default_site_cfg if as_site else self.default_shape_cfg
    if as_site:
        cfg = cfg.copy()
        cfg.mark_as_site()
    return cfg


@with_later_names
def add_shape_plane(
    self: Tables,
    plane: Any = (0.0, 0.0, 1.0, 0.0),
    xform: Any = None,
    width: float = 10.0,
    length: float = 10.0,
    body: int = -1,
    cfg: ShapeConfig | None = None,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a plane without mass: ``a x + b y + c z + d = 0``, or that of `xform`, facing its z.

    Args:
        self: The builder.
        plane: (a, b, c, d).
        xform: Pose in the body's frame; it goes before `plane`.
        width: Along x [m]; 0: endless.
        length: Along y [m]; 0: endless.
        body: The body it belongs to, or -1.
        cfg: Its properties.
        key: Name.
        custom_attributes: Key -> value, of frequency SHAPE.
    """
    if xform is None:
        if plane is None:
            raise InvalidArgumentError("plane", None, "four numbers, where xform is None")
        xform = convert.plane_pose(plane)
    size = wp.vec3(width, length, 0.0)
    return add_shape(
        self, body, GeoType.PLANE, xform, cfg, size, None, True, key, custom_attributes
    )


@with_later_names
def add_ground_plane(
    self: Tables, height: float = 0.0, cfg: ShapeConfig | None = None, key: str | None = None
) -> int:
    """Add an endless plane that faces up, at a height."""
    plane = (*self.up_vector, -height)
    return add_shape_plane(
        self, plane=plane, width=0.0, length=0.0, cfg=cfg, key=key or "ground_plane"
    )


@with_later_names
def add_shape_sphere(
    self: Tables,
    body: int,
    xform: Any = None,
    radius: float = 1.0,
    cfg: ShapeConfig | None = None,
    as_site: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a ball. See `add_shape`."""
    size, config = (radius, 0.0, 0.0), _configured(self, cfg, as_site)
    return add_shape(
        self, body, GeoType.SPHERE, xform, config, size, None, False, key, custom_attributes
    )


@with_later_names
def add_shape_ellipsoid(
    self: Tables,
    body: int,
    xform: Any = None,
    a: float = 1.0,
    b: float = 0.75,
    c: float = 0.5,
    cfg: ShapeConfig | None = None,
    as_site: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add an ellipsoid by its semi-axes. See `add_shape`."""
    size, config = (a, b, c), _configured(self, cfg, as_site)
    return add_shape(
        self, body, GeoType.ELLIPSOID, xform, config, size, None, False, key, custom_attributes
    )


@with_later_names
def add_shape_box(
    self: Tables,
    body: int,
    xform: Any = None,
    hx: float = 0.5,
    hy: float = 0.5,
    hz: float = 0.5,
    cfg: ShapeConfig | None = None,
    as_site: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a box by its half extents. See `add_shape`."""
    size, config = (hx, hy, hz), _configured(self, cfg, as_site)
    return add_shape(
        self, body, GeoType.BOX, xform, config, size, None, False, key, custom_attributes
    )


@with_later_names
def add_shape_capsule(
    self: Tables,
    body: int,
    xform: Any = None,
    radius: float = 1.0,
    half_height: float = 0.5,
    cfg: ShapeConfig | None = None,
    as_site: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a capsule along z; half of its height is without the ends. See `add_shape`."""
    size, config = (radius, half_height, 0.0), _configured(self, cfg, as_site)
    return add_shape(
        self, body, GeoType.CAPSULE, xform, config, size, None, False, key, custom_attributes
    )


@with_later_names
def add_shape_cylinder(
    self: Tables,
    body: int,
    xform: Any = None,
    radius: float = 1.0,
    half_height: float = 0.5,
    cfg: ShapeConfig | None = None,
    as_site: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
    barrel_radius: float = 0.0,
) -> int:
    """Add a cylinder along z, or a barrel: its side is an arc of that radius. See `add_shape`."""
    size, config = (radius, half_height, barrel_radius), _configured(self, cfg, as_site)
    return add_shape(
        self, body, GeoType.CYLINDER, xform, config, size, None, False, key, custom_attributes
    )


@with_later_names
def add_shape_cone(
    self: Tables,
    body: int,
    xform: Any = None,
    radius: float = 1.0,
    half_height: float = 0.5,
    cfg: ShapeConfig | None = None,
    as_site: bool = False,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a cone along z, its base below, its origin half-way up. See `add_shape`."""
    size, config = (radius, half_height, 0.0), _configured(self, cfg, as_site)
    return add_shape(
        self, body, GeoType.CONE, xform, config, size, None, False, key, custom_attributes
    )


@with_later_names
def add_shape_mesh(
    self: Tables,
    body: int,
    xform: Any = None,
    mesh: Any = None,
    scale: Any = None,
    cfg: ShapeConfig | None = None,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a triangle mesh. See `add_shape`."""
    return add_shape(
        self, body, GeoType.MESH, xform, cfg, scale, mesh, False, key, custom_attributes
    )


@with_later_names
def add_shape_convex_hull(
    self: Tables,
    body: int,
    xform: Any = None,
    mesh: Any = None,
    scale: Any = None,
    cfg: ShapeConfig | None = None,
    key: str | None = None,
) -> int:
    """Add a convex mesh. See `add_shape`."""
    return add_shape(self, body, GeoType.CONVEX_MESH, xform, cfg, scale, mesh, False, key)


@with_later_names
def add_shape_heightfield(
    self: Tables,
    xform: Any = None,
    heightfield: Any = None,
    scale: Any = None,
    cfg: ShapeConfig | None = None,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add elevations on a grid, which never move. See `add_shape`."""
    if heightfield is None:
        raise ValueError("add_shape_heightfield() requires a Heightfield instance.")
    return add_shape(
        self, -1, GeoType.HFIELD, xform, cfg, scale, heightfield, True, key, custom_attributes
    )


@with_later_names
def add_shape_sdf(
    self: Tables,
    body: int,
    xform: Any = None,
    sdf: Any = None,
    cfg: ShapeConfig | None = None,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Refuse: shapes of signed distances do not exist here yet."""
    raise NotSupportedError("ModelBuilder.add_shape_sdf", "add_shape_mesh takes the surface itself")


@with_later_names
def add_site(
    self: Tables,
    body: int,
    xform: Any = None,
    type: int = GeoType.SPHERE,
    scale: Any = (0.01, 0.01, 0.01),
    key: str | None = None,
    visible: bool = False,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a point of reference: a shape that neither collides nor weighs. See `add_shape`."""
    config = self.default_site_cfg
    config.is_visible = visible
    return add_shape(self, body, type, xform, config, scale, None, False, key, custom_attributes)
