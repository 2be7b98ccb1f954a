"""What a builder holds: one list a property of an entity, and the numbers of entities.

`COLUMNS` says of each list what its entries belong to, the type they have in a model, and what they
refer to. Copies of builders, checks and models all go by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.builder.coordinate_targets import CoordinateTargets
from unibody.newton.configs import JointDofConfig, MeshApproximationConfig, ShapeConfig
from unibody.newton.dialect import is_after_first_of_1, with_later_attributes
from unibody.newton.enums import Axis


class Column(NamedTuple):
    """One list of a builder.

    Attributes:
        name: Of the list, and of the array in a model.
        entity: What has one entry each.
        dtype: Of the array; None: a model keeps a list, or has nothing of it.
        grad: Whether the array takes part in gradients.
        refers_to: The entity whose indices the entries are, or "".
        world: Whether the entries are worlds.
        bounds: The entity whose ranges the entries are starts or ends of, or "".
    """

    name: str
    entity: str
    dtype: Any = None
    grad: bool = False
    refers_to: str = ""
    world: bool = False
    bounds: str = ""


RANGES: dict[str, tuple[str, ...]] = {
    "curve": ("body", "joint"),
    "surface": ("particle", "tri", "edge"),
    "volume": ("particle", "tet"),
}
"""Objects that deform -> the entities that they are made of, in one range each."""


def _ranges() -> list[Column]:
    """Names and worlds of objects that deform, and where their parts are."""
    found: list[Column] = []
    for family, kinds in RANGES.items():
        found.append(Column(f"{family}_label", family))
        found.append(Column(f"{family}_world", family, wp.int32, world=True))
        for kind in kinds:
            for end in ("start", "end"):
                name = f"_{family}_{kind}_{end}"
                found.append(Column(name, family, wp.int32, bounds=kind))
    return found


def _columns(entity: str, prefix: str, dtype: Any, names: str, **more: Any) -> list[Column]:
    return [Column(f"{prefix}_{name}", entity, dtype, **more) for name in names.split()]


def _of(entity: str, dtype: Any, names: str, **more: Any) -> list[Column]:
    return _columns(entity, entity, dtype, names, **more)


COLUMNS: tuple[Column, ...] = (
    *_of("particle", wp.vec3, "q qd", grad=True),
    *_of("particle", wp.float32, "mass radius", grad=True),
    *_of("particle", wp.int32, "flags"),
    *_of("particle", wp.int32, "world", world=True),
    *_of("shape", None, "key source sdf_narrow_band_range sdf_target_voxel_size"),
    *_of("shape", None, "sdf_max_resolution"),
    *_of("shape", wp.transform, "transform", grad=True),
    *_of("shape", wp.int32, "body", refers_to="body"),
    *_of("shape", wp.int32, "flags type collision_group"),
    *_of("shape", wp.vec3, "scale", grad=True),
    *_of("shape", wp.bool, "is_solid"),
    *_of("shape", wp.vec3, "color"),
    *_of("shape", wp.float32, "opacity"),
    *_of("shape", wp.float32, "thickness contact_margin collision_radius", grad=True),
    *_of("shape", wp.float32, "material_ke material_kd material_kf material_ka", grad=True),
    *_of("shape", wp.float32, "material_mu material_restitution material_k_hydro", grad=True),
    *_of("shape", wp.float32, "material_torsional_friction", grad=True),
    *_of("shape", wp.float32, "material_rolling_friction", grad=True),
    *_of("shape", wp.int32, "world", world=True),
    *_of("spring", wp.float32, "rest_length stiffness damping control", grad=True),
    *_of("tri", wp.int32, "indices", refers_to="particle"),
    *_of("tri", wp.mat22, "poses", grad=True),
    *_of("tri", wp.float32, "activations materials areas", grad=True),
    *_of("tri", wp.vec3, "color"),
    *_of("tri", wp.float32, "opacity"),
    *_of("edge", wp.int32, "indices", refers_to="particle"),
    *_of("edge", wp.float32, "rest_angle rest_length bending_properties", grad=True),
    *_of("tet", wp.int32, "indices", refers_to="particle"),
    *_of("tet", wp.mat33, "poses", grad=True),
    *_of("tet", wp.float32, "activations materials", grad=True),
    *_of("muscle", wp.float32, "params activations", grad=True),
    *_of("body", None, "key lock_inertia"),
    *_of("body", wp.transform, "q", grad=True),
    *_of("body", wp.spatial_vector, "qd", grad=True),
    *_of("body", wp.float32, "mass inv_mass", grad=True),
    *_of("body", wp.mat33, "inertia inv_inertia", grad=True),
    *_of("body", wp.vec3, "com", grad=True),
    *_of("body", wp.int32, "flags"),
    *_of("body", wp.int32, "world", world=True),
    *_of("joint", None, "key cts_start collision_filter_parent"),
    *_of("joint", wp.int32, "type dof_dim q_start qd_start"),
    *_of("joint", wp.int32, "parent child", refers_to="body"),
    *_of("joint", wp.int32, "mimic_joint", refers_to="joint"),
    *_of("joint", wp.vec2, "mimic_coeffs"),
    *_of("joint", wp.transform, "X_p X_c", grad=True),
    *_of("joint", wp.bool, "enabled"),
    *_of("joint", wp.int32, "articulation", refers_to="articulation"),
    *_of("joint", wp.int32, "world", world=True),
    *_columns("joint_coord", "joint", wp.float32, "q rest_q", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "qd f act armature", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "target_pos target_vel", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "target_ke target_kd friction", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "stiffness damping", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "limit_lower limit_upper", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "limit_ke limit_kd", grad=True),
    *_columns("joint_dof", "joint", wp.float32, "effort_limit velocity_limit", grad=True),
    *_columns("joint_dof", "joint", wp.vec3, "axis", grad=True),
    *_columns("joint_dof", "joint", wp.int32, "act_mode"),
    *_columns("joint_constraint", "joint", None, "cts"),
    *_of("articulation", None, "key"),
    *_of("articulation", wp.int32, "start", refers_to="joint"),
    *_of("articulation", wp.int32, "world", world=True),
    *_of("equality_constraint", None, "key"),
    *_of("equality_constraint", wp.int32, "type"),
    *_of("equality_constraint", wp.int32, "body1 body2", refers_to="body"),
    *_of("equality_constraint", wp.int32, "joint1 joint2", refers_to="joint"),
    *_of("equality_constraint", wp.vec3, "anchor"),
    *_of("equality_constraint", wp.transform, "relpose", grad=True),
    *_of("equality_constraint", wp.float32, "torquescale polycoef"),
    *_of("equality_constraint", wp.bool, "enabled"),
    *_of("equality_constraint", wp.int32, "world", world=True),
    *_of("constraint_mimic", None, "key"),
    *_of("constraint_mimic", wp.int32, "joint0 joint1", refers_to="joint"),
    *_of("constraint_mimic", wp.float32, "coef0 coef1"),
    *_of("constraint_mimic", wp.bool, "enabled"),
    *_of("constraint_mimic", wp.int32, "world", world=True),
    *_of("attachment_particle_body", wp.int32, "body", refers_to="body"),
    *_of("attachment_particle_body", wp.int32, "particle", refers_to="particle"),
    *_of("attachment_particle_body", wp.vec3, "body_point", grad=True),
    *_of("attachment_particle_body", wp.float32, "stiffness damping", grad=True),
    *_of("attachment_particle_body", wp.bool, "enabled"),
    *_of("attachment_particle_body", wp.int32, "world", world=True),
    *_of("tendon", None, "label"),
    *_of("tendon", wp.int32, "start", bounds="tendon_guide"),
    *_of("tendon", wp.int32, "world", world=True),
    *_of("tendon_guide", wp.int32, "body", refers_to="body"),
    *_of("tendon_guide", wp.int32, "type orientation flags"),
    *_of("tendon_guide", wp.float32, "radius mu"),
    *_of("tendon_guide", wp.vec3, "offset axis"),
    *_of("tendon_segment", wp.float32, "compliance damping rest_length"),
    *_ranges(),
)
"""All lists with one entry an entity; starts and the points of springs and muscles are apart."""

BY_NAME = {column.name: column for column in COLUMNS}

COUNTED_BY = {
    "particle": "particle_q",
    "shape": "shape_type",
    "spring": "spring_rest_length",
    "tri": "tri_poses",
    "edge": "edge_rest_angle",
    "tet": "tet_poses",
    "muscle": "muscle_start",
    "body": "body_mass",
    "joint": "joint_type",
    "articulation": "articulation_start",
    "equality_constraint": "equality_constraint_type",
    "constraint_mimic": "constraint_mimic_joint0",
    "attachment_particle_body": "attachment_particle_body_body",
    "tendon": "tendon_start",
    "tendon_guide": "tendon_guide_body",
    "tendon_segment": "tendon_segment_compliance",
    **{family: f"{family}_label" for family in RANGES},
}
"""The list whose length is the number of an entity."""

LATER_LISTS = {
    **{f"{entity}_label": f"{entity}_key" for entity in COUNTED_BY if f"{entity}_key" in BY_NAME},
    "shape_margin": "shape_thickness",
    "shape_gap": "shape_contact_margin",  # in 1.x what is beyond the thickness
    "shape_material_mu_torsional": "shape_material_torsional_friction",
    "shape_material_mu_rolling": "shape_material_rolling_friction",
    "shape_material_kh": "shape_material_k_hydro",
    "joint_target_mode": "joint_act_mode",
    "joint_target_qd": "joint_target_vel",
    "world_count": "num_worlds",
}
"""Lists by their names of 1.x."""


def columns_of(entity: str) -> Iterator[Column]:
    """The lists with one entry for each entity of a kind."""
    return (column for column in COLUMNS if column.entity == entity)


def _counter(entity: str) -> property:
    name = COUNTED_BY[entity]

    def count(self: Tables) -> int:
        return len(getattr(self, name))

    return property(count, doc=f"How many there are of: {entity}.")


@with_later_attributes({**LATER_LISTS, "rigid_gap": "rigid_contact_margin"})
class Tables:
    """The lists of a builder, its defaults and its counts.

    Args:
        up_axis: Which axis points up.
        gravity: Along it [m/s^2]; or its three components.
    """

    def __init__(self, up_axis: Any = Axis.Z, gravity: float = -9.81) -> None:
        for column in COLUMNS:
            setattr(self, column.name, [])
        self.up_axis: Axis = Axis.from_any(up_axis)
        if np.ndim(gravity) and np.shape(gravity) != (3,):
            allowed = "a number along up_axis, or a vector of shape (3,)"
            raise InvalidArgumentError("gravity", gravity, allowed)
        self._gravity: Any = gravity
        self.num_worlds = 0
        self.current_world = -1
        self.world_gravity: list[Any] = []
        self.world_keys: dict[int, str] = {}
        self.world_attributes: dict[int, dict[str, Any]] = {}
        self._set_defaults()
        self.particle_max_velocity: float = 1e5
        self.particle_color_groups: list[Any] = []
        self.body_color_groups: list[Any] = []
        self._filtered_bodies: tuple[int, dict[int, list[int]]] = (0, {})
        self.body_shapes: dict[int, list[int]] = {-1: []}
        self.joint_parents: dict[int, list[int]] = {}
        self.joint_children: dict[int, list[int]] = {}
        self.joint_dof_count = 0
        self.joint_coord_count = 0
        self.joint_constraint_count = 0
        self.shape_collision_filter_pairs: list[tuple[int, int]] = []
        self.spring_indices: list[int] = []
        self.muscle_start: list[int] = []
        self.muscle_bodies: list[int] = []
        self.muscle_points: list[Any] = []
        self.num_rigid_contacts_per_world: int | None = None
        self.custom_attributes: dict[str, Any] = {}
        self.custom_frequencies: dict[str, Any] = {}
        self._requested_state_attributes: set[str] = set()
        self._requested_contact_attributes: set[str] = set()
        for entity in (*WORLD_STARTS, *JOINT_SPACES):
            setattr(self, f"{entity}_world_start", [])

    def _set_defaults(self) -> None:
        self.default_shape_cfg: ShapeConfig = ShapeConfig()
        self.default_joint_cfg: JointDofConfig = JointDofConfig()
        self.default_mesh_approximation_cfg: MeshApproximationConfig = MeshApproximationConfig()
        self.default_particle_radius: float = 0.1
        self.default_tri_ke: float = 100.0
        self.default_tri_ka: float = 100.0
        self.default_tri_kd: float = 10.0
        self.default_tri_drag: float = 0.0
        self.default_tri_lift: float = 0.0
        self.default_tet_density: float = 1.0
        self.default_tet_k_mu: float = 1e3
        self.default_tet_k_lambda: float = 1e3
        self.default_tet_k_damp: float = 0.0
        self.default_spring_ke: float = 100.0
        self.default_spring_kd: float = 0.0
        self.default_edge_ke: float = 100.0
        self.default_edge_kd: float = 0.0
        self.default_body_armature: float = 0.0
        self.rigid_contact_margin: float = 0.1
        self.balance_inertia = True
        self.bound_mass: float | None = None
        self.bound_inertia: float | None = None
        self.validate_inertia_detailed = False
        self.inertia_relative_tolerance: float = 1e-6  # these three of 1.x alone
        self.inertia_absolute_tolerance: float = 1e-10
        self.inertia_correction: float = 1e-6

    def __getattr__(self, name: str) -> Any:
        # All lists are set above; this tells type checkers that they exist.
        if name == "add_actuator":  # of 1.x
            raise NotSupportedError(
                "ModelBuilder.add_actuator",
                "joints have position and velocity drives (`target_ke`, `target_kd`) with "
                "`effort_limit`, and scripts write other efforts into `Control.joint_f`",
            )
        raise AttributeError(f"ModelBuilder has no attribute {name!r}")

    @property
    def joint_target_q(self) -> CoordinateTargets:
        """Targets of positions by coordinate, as in 1.x."""
        return CoordinateTargets(self)

    @joint_target_q.setter
    def joint_target_q(self, values: Any) -> None:
        CoordinateTargets(self).assign(values)

    @property
    def up_vector(self) -> tuple[float, float, float]:
        """The unit vector that points up."""
        return self.up_axis.to_vector()

    @up_vector.setter
    def up_vector(self, value: Any) -> None:
        raise AttributeError(f"up_vector={value!r} cannot be set: set up_axis")

    @property
    def default_site_cfg(self) -> ShapeConfig:
        """A new configuration of a site."""
        config = ShapeConfig()
        config.mark_as_site()
        return config

    @property
    def gravity(self) -> Any:
        """Gravity of worlds that state none [m/s^2]: as it was given; after 1.0 a new vector."""
        return self.gravity_entry() if is_after_first_of_1() else self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = value

    def gravity_vector(self) -> tuple[float, float, float]:
        """Gravity of worlds that state none [m/s^2]."""
        if np.ndim(self._gravity):
            x, y, z = (float(v) for v in self._gravity)
            return (x, y, z)
        x, y, z = self.up_vector
        return (x * self._gravity, y * self._gravity, z * self._gravity)

    def gravity_entry(self) -> Any:
        """The same as ``world_gravity`` holds it: a tuple, after newton 1.0 a new vector."""
        found = self.gravity_vector()
        return wp.vec3(*found) if is_after_first_of_1() else found

    def count(self, entity: str) -> int:
        """How many there are of an entity, those of a joint's coordinates included."""
        if entity in COUNTED_BY:
            return len(getattr(self, COUNTED_BY[entity]))
        return int(getattr(self, f"{entity}_count"))

    def label_of(self, entity: str, index: int) -> str:
        """The index of an entity and its key, for messages."""
        labelled = entity in RANGES or entity == "tendon"
        name = f"{entity}_label" if labelled else f"{entity}_key"
        keys = getattr(self, name, [])
        key = keys[index] if index < len(keys) else None
        named = isinstance(key, str) and key  # scripts may have written anything there
        return f"{entity} {index}" + (f" ({key!r})" if named else "")

    particle_count: property = _counter("particle")
    shape_count: property = _counter("shape")
    spring_count: property = _counter("spring")
    tri_count: property = _counter("tri")
    edge_count: property = _counter("edge")
    tet_count: property = _counter("tet")
    muscle_count: property = _counter("muscle")
    body_count: property = _counter("body")
    joint_count: property = _counter("joint")
    articulation_count: property = _counter("articulation")
    attachment_particle_body_count: property = _counter("attachment_particle_body")
    tendon_count: property = _counter("tendon")
    tendon_guide_count: property = _counter("tendon_guide")
    tendon_segment_count: property = _counter("tendon_segment")
    curve_count: property = _counter("curve")
    surface_count: property = _counter("surface")
    volume_count: property = _counter("volume")


WORLD_STARTS = ("particle", "body", "shape", "joint", "articulation", "equality_constraint")
"""Entities whose first index of each world a model knows."""

JOINT_SPACES = {"joint_dof": "qd", "joint_coord": "q", "joint_constraint": "cts"}
"""Spaces of joints -> the part of their starts' name."""
