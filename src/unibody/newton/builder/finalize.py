"""Models of builders: every list becomes an array of a device."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.attributes import AttributeNamespace
from unibody.newton.builder import (
    custom,
    entries,
    mimics,
    pairs,
    physical,
    physical_later,
    validation,
)
from unibody.newton.builder.tables import (
    COLUMNS,
    COUNTED_BY,
    JOINT_SPACES,
    RANGES,
    WORLD_STARTS,
    Tables,
    columns_of,
)
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import AttributeFrequency, EqType, GeoType
from unibody.newton.exceptions import NewtonWarning
from unibody.newton.filter_pairs import FilterPairs
from unibody.newton.model import Model, gravity_rows
from unibody.newton.targets import coordinate_of_dof

_WIDTHS = {wp.vec2: (2,), wp.vec3: (3,), wp.transform: (7,), wp.spatial_vector: (6,)}
_WIDTHS |= {wp.mat22: (2, 2), wp.mat33: (3, 3)}
_OF_POINTS = (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD)
_HALF_SIZES = {
    GeoType.SPHERE: (0, 0, 0),
    GeoType.CAPSULE: (0, 0, 0),  # and its half length
    GeoType.CYLINDER: (0, 0, 1),
    GeoType.CONE: (0, 0, 1),
    GeoType.BOX: (0, 1, 2),
    GeoType.ELLIPSOID: (0, 1, 2),
}
"""Half the size of a shape along each of its axes: which entry of its scale."""
_ENTITY_OF = {
    AttributeFrequency.TRIANGLE: "tri",
    AttributeFrequency.TETRAHEDRON: "tet",
}
_FREQUENCY_OF = {
    "tri": AttributeFrequency.TRIANGLE,
    "tet": AttributeFrequency.TETRAHEDRON,
}
_BODY_OBJECT = 1
_OBJECTS = {EqType.JOINT: 3, EqType.TENDON: 18}
"""Kind of an equality constraint -> MuJoCo's number of what it holds; others hold bodies."""
_BUILDER_ALONE = {"joint_cts", "joint_cts_start", "joint_collision_filter_parent"}
_LATER_COLUMNS = {"shape_color", "shape_opacity", "tri_color", "tri_opacity"}


def finalize(
    self: Tables,
    device: Any = None,
    requires_grad: bool = False,
    skip_all_validations: bool = False,
    skip_validation_worlds: bool = False,
    skip_validation_joints: bool = False,
    skip_validation_shapes: bool = False,
    skip_validation_structure: bool = False,
    skip_validation_joint_ordering: bool = True,
    skip_validation_inertia: bool = False,
) -> Model:
    """Make a model.

    Args:
        self: The builder.
        device: Where its arrays are; None: Warp's current device.
        requires_grad: Whether they take part in gradients.
        skip_all_validations: Whether nothing is checked.
        skip_validation_worlds: Whether the order of worlds is not checked.
        skip_validation_joints: Whether joints may belong to no articulation.
        skip_validation_shapes: Whether margins of contacts, and in 1.x materials, are not checked.
        skip_validation_structure: Whether references and numbers are not checked.
        skip_validation_joint_ordering: Whether the order of joints is not checked.
        skip_validation_inertia: Whether masses and inertias are taken as they are (1.x alone).

    Returns:
        The model.

    Raises:
        ValueError: A check failed.
    """
    as_given = skip_validation_inertia or (skip_all_validations and is_after_first_of_1())
    if is_after_first_of_1() and not as_given:
        physical_later.check_settings(self)
    tables: dict[str, np.ndarray] = {}
    if not skip_all_validations:
        if not skip_validation_structure:
            tables = validation.check_structure(self)
        if not skip_validation_worlds:
            validation.check_worlds(self)
        if not skip_validation_joints:
            validation.check_joints(self)
            mimics.check_mimics(self)
        if not skip_validation_shapes:
            validation.check_shapes(self)
            if is_after_first_of_1():
                validation.check_materials(self)
        if not skip_validation_joint_ordering:
            validation.validate_joint_ordering(self)
    with wp.ScopedDevice(device):
        model = Model(device)
        model.requires_grad = requires_grad
        _write_counts(self, model)
        _write_columns(self, model, tables, as_given)
        _write_particles(self, model)
        _write_shapes(self, model)
        _write_joints(self, model)
        _write_tendons(self, model)
        _write_worlds(self, model)
        pairs.find_shape_contact_pairs(self, model)
        _write_custom(self, model)
    return model


def _write_counts(self: Tables, model: Model) -> None:
    model.num_worlds = max(self.num_worlds, 1)
    model.up_axis = self.up_axis
    model._requested_state_attributes |= self._requested_state_attributes
    model._requested_contact_attributes |= self._requested_contact_attributes
    for entity in (*COUNTED_BY, *JOINT_SPACES):
        setattr(model, f"{entity}_count", self.count(entity))


def _write_columns(
    self: Tables, model: Model, tables: dict[str, np.ndarray], as_given: bool
) -> None:
    """Write the columns; ``tables`` are those that a check has made arrays of."""
    bodies = physical.as_given if as_given else physical.corrected
    known = tables | (bodies(self) if self.body_count else {})
    for column in COLUMNS:
        if column.name in _LATER_COLUMNS and column.name in self.custom_attributes:
            continue  # scripts of before 1.x may call attributes of their own so
        rows = known.get(column.name)
        if rows is None:
            rows = getattr(self, column.name)
        if column.dtype is None:
            if column.name not in _BUILDER_ALONE:
                own = list(rows) if column.entity in RANGES else rows
                setattr(model, column.name, own)
            continue
        array = _array(rows, column.dtype, model.requires_grad and column.grad)
        if array.size == 0 and column.name in entries.WIDTHS:
            array = array.reshape((0, entries.WIDTHS[column.name]))
        name = column.name.lstrip("_")
        setattr(model, name, array)
        model.attribute_frequency[name] = _frequency(column.entity)


def _frequency(entity: str) -> AttributeFrequency:
    named = AttributeFrequency.__members__.get(entity.upper(), AttributeFrequency.ONCE)
    return _FREQUENCY_OF.get(entity, named)


def _array(rows: Any, dtype: Any, grad: bool = False) -> wp.array[Any]:
    """An array of a list, of the type that a model has."""
    width = _WIDTHS.get(dtype)
    if dtype in {wp.int32, wp.bool}:
        table = np.array(rows, dtype=np.int32 if dtype is wp.int32 else bool)
    elif isinstance(rows, np.ndarray):
        table = rows.astype(np.float32)
    else:
        table = entries.as_array(rows)
    if width is not None:
        table = table.reshape(len(rows), *width)
    return wp.array(table, dtype=dtype, requires_grad=grad)


def _write_particles(self: Tables, model: Model) -> None:
    mass = np.array(self.particle_mass, dtype=np.float32)
    inverse = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass != 0.0)
    model.particle_inv_mass = wp.array(inverse, dtype=wp.float32, requires_grad=model.requires_grad)
    model.particle_max_radius = float(max(self.particle_radius, default=0.0))
    model.particle_max_velocity = self.particle_max_velocity
    if self.particle_count > 1 and model.particle_max_radius > 0.0:
        model.particle_grid = wp.HashGrid(128, 128, 128)
    model.spring_indices = wp.array(np.array(self.spring_indices, np.int32), dtype=wp.int32)
    for entity in ("particle", "body"):
        groups = getattr(self, f"{entity}_color_groups")
        colors = np.zeros(self.count(entity), dtype=np.int32)
        for number, group in enumerate(groups):
            colors[np.asarray(group)] = number
        arrays = [wp.array(np.asarray(group, np.int32), dtype=wp.int32) for group in groups]
        setattr(model, f"{entity}_color_groups", arrays)
        setattr(model, f"{entity}_colors", wp.array(colors, dtype=wp.int32))
    model.spring_constraint_lambdas = model.edge_constraint_lambdas = None
    model.muscle_start = _array([*self.muscle_start, len(self.muscle_bodies)], wp.int32)
    model.muscle_bodies = _array(self.muscle_bodies, wp.int32)
    points = [tuple(float(v) for v in point) for point in self.muscle_points]
    model.muscle_points = _array(points, wp.vec3, model.requires_grad)


def _write_shapes(self: Tables, model: Model) -> None:
    model.body_shapes = self.body_shapes
    model.shape_filter = None
    found = pairs.filtered(self)
    model._shape_collision_filter_pairs = FilterPairs(found) if is_after_first_of_1() else found
    made: dict[Any, int] = {}
    pointers = []
    for source in self.shape_source:
        if source is None:
            pointers.append(0)
            continue
        # Equal meshes are one, unless their surfaces move by themselves.
        kind = id(source) if getattr(source, "enable_surface_velocity", True) else source
        if kind not in made:
            made[kind] = source.finalize(device=model.device)
        pointers.append(made[kind])
    model.shape_source_ptr = wp.array(np.array(pointers, np.uint64), dtype=wp.uint64)
    lower, upper = _bounds(self)
    model.shape_collision_aabb_lower = wp.array(lower, dtype=wp.vec3)
    model.shape_collision_aabb_upper = wp.array(upper, dtype=wp.vec3)


def _bounds(self: Tables) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of shapes in their own frames, without margins [m]."""
    kinds = np.array(self.shape_type, dtype=np.int32)
    scale = entries.as_array(self.shape_scale).reshape(-1, 3)
    upper = np.ones_like(scale)
    for kind, axes in _HALF_SIZES.items():
        chosen = kinds == kind
        upper[chosen] = scale[chosen][:, axes]
    barrels = (kinds == GeoType.CYLINDER) & (scale[:, 2] > 0.0) & (scale[:, 2] >= scale[:, 1])
    arc, half = scale[barrels, 2], scale[barrels, 1]
    upper[barrels, :2] += (arc - np.sqrt(arc**2 - half**2))[:, None]
    capsules = kinds == GeoType.CAPSULE
    upper[capsules, 2] += scale[capsules, 1]
    lower = -upper
    for i in np.flatnonzero(np.isin(kinds, _OF_POINTS)).tolist():
        if self.shape_source[i] is not None:
            lower[i], upper[i] = _extent(kinds[i], self.shape_source[i], scale[i])
    return lower, upper


def _extent(kind: int, source: Any, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of a mesh, or of all elevations that a height field may have."""
    points = source.vertices
    if kind == GeoType.HFIELD:
        corner = (source.hx, source.hy, source.max_z)
        points = np.array([(-source.hx, -source.hy, source.min_z), corner])
    scaled = points * scale
    return scaled.min(axis=0), scaled.max(axis=0)


def _write_joints(self: Tables, model: Model) -> None:
    q = [*map(int, self.joint_q_start), self.joint_coord_count]
    qd = [*map(int, self.joint_qd_start), self.joint_dof_count]
    places = coordinate_of_dof(self.joint_type, q, qd)
    model._coordinate_of_dof = wp.array(places, dtype=wp.int32)
    model._dof_of_dof = wp.array(np.arange(len(places), dtype=np.int32), dtype=wp.int32)
    starts = [*map(int, self.articulation_start), self.joint_count]
    model.joint_q_start, model.joint_qd_start = _array(q, wp.int32), _array(qd, wp.int32)
    model.articulation_start = _array(starts, wp.int32)
    spans = list(pairwise(starts))
    model.max_joints_per_articulation = max((end - start for start, end in spans), default=0)
    model.max_dofs_per_articulation = max((qd[end] - qd[start] for start, end in spans), default=0)
    model.joint_ancestor = _array(_ancestors(self), wp.int32)
    model.joint_twist_lower = model.joint_twist_upper = None


def _write_tendons(self: Tables, model: Model) -> None:
    """Where tendons begin, with the end of the last."""
    starts = [*self.tendon_start, self.tendon_guide_count] if self.tendon_count else []
    model.tendon_start = _array(starts, wp.int32)


def _ancestors(self: Tables) -> list[int]:
    """The joint that moves the parent of each joint, or -1.

    In later releases of 1.x that of a joint in an articulation is in it, too, and others take one
    of an articulation rather than one that closes a loop.
    """
    joint_of = {child: joint for joint, child in enumerate(self.joint_child)}
    if not is_after_first_of_1():
        return [joint_of.get(parent, -1) for parent in self.joint_parent]
    owned = {}
    for joint, (child, owner) in enumerate(
        zip(self.joint_child, self.joint_articulation, strict=True)
    ):
        if owner >= 0:
            owned[child, owner] = joint_of[child] = joint
    return [
        joint_of.get(parent, -1) if owner < 0 else owned.get((parent, owner), -1)
        for parent, owner in zip(self.joint_parent, self.joint_articulation, strict=True)
    ]


def _write_worlds(self: Tables, model: Model) -> None:
    count = model.num_worlds
    for entity in WORLD_STARTS:
        worlds = np.array(getattr(self, f"{entity}_world"), dtype=np.int64)
        _write_starts(self, model, entity, worlds, np.ones(len(worlds), dtype=np.int64), count)
    worlds = np.array(self.joint_world, dtype=np.int64)
    for space, short in JOINT_SPACES.items():
        starts = [*getattr(self, f"joint_{short}_start"), self.count(space)]
        _write_starts(self, model, space, worlds, np.diff(np.array(starts, dtype=np.int64)), count)
    vectors = self.world_gravity or [self.gravity_vector()] * count
    if self.num_worlds and is_after_first_of_1():  # and that of what belongs to all worlds
        vectors = [*vectors, self.gravity_vector()]
    model.gravity = wp.array(
        gravity_rows(vectors), dtype=wp.vec3, requires_grad=model.requires_grad
    )


def _write_starts(
    self: Tables, model: Model, entity: str, worlds: Any, sizes: Any, count: int
) -> None:
    """First index of each world, then the end of the last and the number of all."""
    own = worlds >= 0
    front = int(np.argmax(own)) if own.any() else len(worlds)
    counts = np.bincount(worlds[own], weights=sizes[own], minlength=count)[:count]
    starts = sizes[:front].sum() + np.concatenate([[0.0], np.cumsum(counts)])
    rows = [*starts.astype(int).tolist(), int(sizes.sum())]
    name = f"{entity}_world_start"
    setattr(self, name, rows)
    setattr(model, name, _array(rows, wp.int32))


def _write_custom(self: Tables, model: Model) -> None:
    custom.resolve_owners(self)
    counts = dict.fromkeys(self.custom_frequencies, 0) | custom.frequency_counts(self)
    model.custom_frequency_counts = counts
    for key, attribute in self.custom_attributes.items():
        frequency = attribute.frequency_key
        if isinstance(frequency, str):
            count = counts[frequency]
            if count == 0:
                continue  # as in the original, there is no array of nothing
            if 0 < len(attribute.values) < count:
                _tell_missing(key, len(attribute.values), frequency, count)
        else:
            count = _count_of(self, model, frequency)
        array = attribute.build_array(count, model.device, model.requires_grad)
        model.add_attribute(
            attribute.name,
            array,
            frequency,
            attribute.assignment,
            attribute.namespace,
            references=attribute.references,
        )
    if is_after_first_of_1():
        _show_equalities(model)


def _show_equalities(model: Model) -> None:
    """Equality constraints by their names of later releases of 1.x, where only MuJoCo has them."""
    holder = model.__dict__.setdefault("mujoco", AttributeNamespace("mujoco"))
    prefix = "equality_constraint"
    for column in columns_of(prefix):
        setattr(holder, column.name.replace("_key", "_label"), getattr(model, column.name))
    count = len(getattr(model, f"{prefix}_type"))
    setattr(holder, f"{prefix}_count", count)
    setattr(holder, f"{prefix}_world_start", getattr(model, f"{prefix}_world_start"))
    types = getattr(model, f"{prefix}_type").numpy()
    objects = np.array([_OBJECTS.get(EqType(int(kind)), _BODY_OBJECT) for kind in types], np.int32)
    alone = {"objtype": objects, "target_kind": np.zeros(count), "target": np.full(count, -1)}
    for name, rows in alone.items():
        setattr(holder, f"{prefix}_{name}", _array(rows.astype(np.int32), wp.int32))


def _tell_missing(key: str, found: int, frequency: str, expected: int) -> None:
    warnings.warn(
        f"Custom attribute {key!r} has {found} values but frequency {frequency!r} expects"
        f" {expected}. Missing values will be filled with defaults.",
        NewtonWarning,
        stacklevel=5,
    )


def _count_of(self: Tables, model: Model, frequency: AttributeFrequency) -> int:
    if not isinstance(frequency, AttributeFrequency):
        raise ValueError(f"Unsupported attribute frequency: {frequency!r}")
    if frequency == AttributeFrequency.ONCE:
        return 1
    if frequency == AttributeFrequency.WORLD:
        return model.num_worlds
    return self.count(_ENTITY_OF.get(frequency, frequency.name.lower()))
