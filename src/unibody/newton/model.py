"""Model: what a simulation does not change, as arrays of a device."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, SupportsIndex

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert, targets
from unibody.newton.attributes import AttributeNamespace, AttributeSpec
from unibody.newton.builder.references import OBJECTS, domain
from unibody.newton.builder.tables import LATER_LISTS
from unibody.newton.dialect import is_after_first_of_1, with_later_attributes
from unibody.newton.enums import AttributeAssignment, AttributeFrequency, Axis, GeoType
from unibody.newton.filter_pairs import FilterPairs
from unibody.newton.mesh_adjacency import MeshAdjacency
from unibody.newton.state import Contacts, Control, MaybeArray, State

_CLONED_STATE = ("particle_q", "particle_qd", "body_q", "body_qd", "joint_q", "joint_qd")
_FORCES = {"particle_f": "particle_qd", "body_f": "body_qd"}
_CONTROL = {
    "joint_f": "joint_count",
    "joint_target_pos": "joint_count",
    "joint_target_vel": "joint_count",
    "joint_act": "joint_count",
    "tri_activations": "tri_count",
    "tet_activations": "tet_count",
    "muscle_activations": "muscle_count",
}


@with_later_attributes(LATER_LISTS)
class Model:
    """All that a builder describes, as arrays of a device.

    Args:
        device: Where the arrays are; None: Warp's current device.
    """

    AttributeAssignment = AttributeAssignment
    AttributeFrequency = AttributeFrequency
    AttributeNamespace = AttributeNamespace
    AttributeSpec = AttributeSpec

    # What `finalize` works out and sets, beside the columns of the builder.
    particle_inv_mass: wp.array[Any]
    spring_indices: wp.array[Any]
    spring_constraint_lambdas: wp.array[Any] | None
    edge_constraint_lambdas: wp.array[Any] | None
    muscle_start: wp.array[Any]
    muscle_bodies: wp.array[Any]
    muscle_points: wp.array[Any]
    body_shapes: dict[int, list[int]]
    shape_filter: wp.array[Any] | None
    shape_source_ptr: wp.array[Any]
    shape_collision_aabb_lower: wp.array[Any]
    shape_collision_aabb_upper: wp.array[Any]
    joint_q_start: wp.array[Any]
    joint_qd_start: wp.array[Any]
    joint_ancestor: wp.array[Any]
    _coordinate_of_dof: wp.array[Any]
    _dof_of_dof: wp.array[Any]
    joint_twist_lower: wp.array[Any] | None
    joint_twist_upper: wp.array[Any] | None
    articulation_start: wp.array[Any]
    tendon_start: wp.array[Any]
    max_joints_per_articulation: int
    max_dofs_per_articulation: int

    def __init__(self, device: Any = None) -> None:
        self.device: wp.Device = wp.get_device(device)
        self.requires_grad = False
        self.num_worlds = 0
        self.up_axis = Axis.Z
        self.gravity: MaybeArray = None
        self.attribute_frequency: dict[str, Any] = {}
        self.attribute_assignment: dict[str, Any] = {}
        self.attribute_specs: dict[str, AttributeSpec] = {}
        self.custom_frequency_counts: dict[str, int] = {}
        self.actuators: list[Any] = []
        self.particle_ke: float = 1.0e3
        self.particle_kd: float = 1.0e2
        self.particle_kf: float = 1.0e2
        self.particle_mu: float = 0.5
        self.particle_cohesion: float = 0.0
        self.particle_adhesion: float = 0.0
        self.particle_max_radius: float = 0.0
        self.particle_max_velocity: float = 1e5
        self.particle_grid: Any = None
        self.soft_contact_ke: float = 1.0e3
        self.soft_contact_kd: float = 10.0
        self.soft_contact_kf: float = 1.0e3
        self.soft_contact_mu: float = 0.5
        self.soft_contact_restitution: float = 0.0
        self.rigid_contact_max = 0
        self._shape_collision_filter_pairs: Set[tuple[int, int]] = FilterPairs()
        self.shape_contact_pairs: MaybeArray = None
        self.shape_contact_pair_count = 0
        self._collision_pipeline: Any = None
        self._soft_mesh_adjacency: MeshAdjacency | None = None
        self._joint_target_q: MaybeArray = None
        self._requested_state_attributes: set[str] = set()
        self._requested_contact_attributes: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        # Arrays are set by `finalize`; this tells type checkers that they exist.
        raise AttributeError(f"Model has no attribute {name!r}")

    @property
    def joint_target_q(self) -> wp.array[Any]:
        """The targets of positions by their name of 1.x; see `Control.joint_target_q`."""
        if self.joint_coord_count == self.joint_dof_count:
            return self.joint_target_pos
        if self._joint_target_q is None:
            self._joint_target_q = targets.by_coordinate(self, self.joint_target_pos)
        return self._joint_target_q

    @joint_target_q.setter
    def joint_target_q(self, value: wp.array[Any]) -> None:
        if self.joint_coord_count == self.joint_dof_count:
            self.joint_target_pos = value
        else:
            self._joint_target_q = value

    @property
    def joint_target_q_start(self) -> wp.array[Any]:
        """Where the targets of each joint begin in `joint_target_q`."""
        return self.joint_q_start

    @property
    def joint_target_qd(self) -> wp.array[Any]:
        """The targets of velocities by their name of 1.x."""
        return self.joint_target_vel

    @joint_target_qd.setter
    def joint_target_qd(self, value: wp.array[Any]) -> None:
        self.joint_target_vel = value

    @property
    def shape_collision_filter_pairs(self) -> Set[tuple[int, int]]:
        """Pairs of shapes that do not collide; in later releases of 1.x it does not change."""
        return self._shape_collision_filter_pairs

    @shape_collision_filter_pairs.setter
    def shape_collision_filter_pairs(self, pairs: Set[tuple[int, int]]) -> None:
        if is_after_first_of_1():
            raise AttributeError(
                "shape_collision_filter_pairs of a Model cannot be set: a ModelBuilder's can"
            )
        self._shape_collision_filter_pairs = pairs

    def shape_collision_filter_pairs_array(self) -> np.ndarray:
        """Pairs of shapes that do not collide, in order, shape (pairs, 2), read-only."""
        return self._filter_pairs().rows

    def shape_collision_filter_contains(
        self, shape_a: SupportsIndex, shape_b: SupportsIndex
    ) -> bool:
        """Whether two shapes do not collide, because of a filter."""
        return self._filter_pairs().holds(shape_a, shape_b)

    def shape_collision_filter_mask(self, pairs: Any) -> np.ndarray:
        """Which of some pairs, shape (n, 2), do not collide, because of a filter."""
        return self._filter_pairs().mask(pairs)

    def _filter_pairs(self) -> FilterPairs:
        pairs = self._shape_collision_filter_pairs
        return pairs if isinstance(pairs, FilterPairs) else FilterPairs(pairs)

    @property
    def soft_mesh_adjacency(self) -> MeshAdjacency | None:
        """What of cloth and soft bodies meets where; None without triangles, edges and so on."""
        if self._soft_mesh_adjacency is None and self.particle_count:
            rows = (self.tri_indices, self.edge_indices, self.spring_indices, self.tet_indices)
            found = MeshAdjacency(*(row.numpy() for row in rows))
            self._soft_mesh_adjacency = found.init_vertex_adjacency(self.particle_count)
        return self._soft_mesh_adjacency

    def state(self, requires_grad: bool | None = None) -> State:
        """A state as the builder left it, without forces.

        Args:
            requires_grad: Whether it takes part in gradients; None: as the model.
        """
        grad = self.requires_grad if requires_grad is None else requires_grad
        state = State()
        for name in _CLONED_STATE:
            array = getattr(self, name)
            if len(array):
                setattr(state, name, wp.clone(array, requires_grad=grad))
        for name, like in _FORCES.items():
            array = getattr(state, like)
            if array is not None:
                setattr(state, name, wp.zeros_like(array, requires_grad=grad))
        for name in ("body_qdd", "body_parent_f"):
            if name in self._requested_state_attributes:
                setattr(state, name, wp.zeros_like(self.body_qd, requires_grad=grad))
        if "mujoco:qfrc_actuator" in self._requested_state_attributes:
            holder: Any = state.__dict__.setdefault("mujoco", AttributeNamespace("mujoco"))
            holder.qfrc_actuator = wp.zeros_like(self.joint_qd, requires_grad=grad)
        if self.tendon_count:
            from unibody.newton.solvers.tendons.cables import new_history

            vars(state).update(new_history(self))
        self._assign_custom(state, AttributeAssignment.STATE, grad)
        return state

    def control(self, requires_grad: bool | None = None, clone_variables: bool = True) -> Control:
        """Targets and activations as the builder left them.

        Args:
            requires_grad: Whether they take part in gradients; None: as the model.
            clone_variables: Whether they are copies, not the model's own arrays.
        """
        grad = self.requires_grad if requires_grad is None else requires_grad
        control = Control()
        control._model = self
        for name, count in _CONTROL.items():
            if getattr(self, count):
                array = getattr(self, name)
                own = wp.clone(array, requires_grad=grad) if clone_variables else array
                setattr(control, name, own)
        stated = self._joint_target_q
        if stated is not None:
            own = wp.clone(stated, requires_grad=grad) if clone_variables else stated
            control._joint_target_q = own
        self._assign_custom(control, AttributeAssignment.CONTROL, grad, clone=clone_variables)
        return control

    def contacts(self, collision_pipeline: Any = None) -> Contacts:
        """Room for contacts of this model.

        Args:
            collision_pipeline: What finds them, from now on; None: the last one, or one with
                default options.
        """
        if collision_pipeline is not None:
            self._collision_pipeline = collision_pipeline
        return self._default_pipeline().contacts()

    def collide(
        self,
        state: State,
        contacts: Contacts | None = None,
        *,
        collision_pipeline: Any = None,
        enable_rigid_soft_full_surface_contact: bool = False,
    ) -> Contacts:
        """Find the contacts of a state.

        Args:
            state: The state.
            contacts: What is written; None: new ones.
            collision_pipeline: What finds them, from now on; None: the last one, or one with
                default options.
            enable_rigid_soft_full_surface_contact: Whether the pipeline that is made finds contacts
                of edges and triangles of soft bodies.

        Raises:
            ValueError: These are asked for, and the last pipeline does not find them.
        """
        full = enable_rigid_soft_full_surface_contact
        if collision_pipeline is not None:
            self._collision_pipeline = collision_pipeline
        pipeline = self._default_pipeline(full)
        if full and not pipeline.enable_rigid_soft_full_surface_contact:
            raise ValueError(
                "enable_rigid_soft_full_surface_contact=True requires a collision pipeline that was"
                " made with it: collision_pipeline= takes one"
            )
        return pipeline.collide(state, pipeline.contacts() if contacts is None else contacts)

    def _default_pipeline(self, full: bool = False) -> Any:
        if self._collision_pipeline is None:
            from unibody.newton.collision.pipeline import CollisionPipeline

            more: dict[str, Any] = {"enable_rigid_soft_full_surface_contact": True} if full else {}
            self._collision_pipeline = CollisionPipeline(self, **more)
        return self._collision_pipeline

    def set_gravity(self, gravity: Any, world: int | None = None) -> None:
        """Set gravity of all worlds, or of one.

        Args:
            gravity: m/s^2, one vector, or one a world.
            world: The world; None: all. In 1.x -1 is what belongs to all worlds.
        """
        values = np.array(gravity, dtype=np.float32)
        rows = self.gravity.numpy()  # type: ignore[union-attr]
        count = self.num_worlds
        shared = len(rows) > count
        lowest = -1 if shared else 0
        if world is not None and not lowest <= world < count:
            allowed = f"{lowest} to {count - 1}, or None"
            raise IndexError(f"world={world} is out of range: expected {allowed}")
        shapes = {(3,), (count, 3), (len(rows), 3)}
        if values.shape not in shapes or (world is not None and values.ndim != 1):
            allowed = "three numbers" + (f", or {count} rows of them" if world is None else "")
            raise InvalidArgumentError("gravity", gravity, allowed)
        if world is None:
            rows[: len(values) if values.ndim > 1 else None] = values
        else:
            rows[world] = values
        self.gravity.assign(rows)  # type: ignore[union-attr]

    def request_state_attributes(self, *attributes: str) -> None:
        """Let states have attributes that exist only when asked for."""
        State.validate_extended_attributes(attributes)
        self._requested_state_attributes.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        """Let contacts have attributes that exist only when asked for."""
        Contacts.validate_extended_attributes(attributes)
        self._requested_contact_attributes.update(attributes)

    def get_requested_state_attributes(self) -> list[str]:
        """Attributes of states that were asked for."""
        return sorted(self._requested_state_attributes)

    def get_requested_contact_attributes(self) -> set[str]:
        """Attributes of contacts that were asked for."""
        return self._requested_contact_attributes

    def add_attribute(
        self,
        name: str,
        attrib: Any,
        frequency: AttributeFrequency | str,
        assignment: AttributeAssignment | None = None,
        namespace: str | None = None,
        *,
        references: AttributeFrequency | str | None = None,
    ) -> None:
        """Add an attribute to the model.

        Args:
            name: Of the attribute.
            attrib: Its array, or list of strings.
            frequency: What it has one value for.
            assignment: The object that it becomes part of; None: the model.
            namespace: What it is grouped under.
            references: The entities whose indices its values are: a frequency, or the name of one
                of the script's own; None: they are no indices.

        Raises:
            AttributeError: There is one of that name.
            ValueError: What it refers to is not known.
        """
        holder: Any = self
        key = name
        if namespace:
            key = f"{namespace}:{name}"
            holder = self.__dict__.setdefault(namespace, AttributeNamespace(namespace))
        if name in vars(holder):
            raise AttributeError(f"Attribute {key!r} already exists on the model")
        if isinstance(attrib, wp.array) and attrib.device != self.device:
            raise InvalidArgumentError("attrib", str(attrib.device), f"an array on {self.device}")
        target = domain(references)
        if isinstance(target, str) and is_after_first_of_1():
            self._check_frequency(target)
        setattr(holder, name, attrib)
        self.attribute_frequency[key] = frequency
        self.attribute_specs[key] = AttributeSpec(frequency, assignment, target)
        if assignment is not None:
            self.attribute_assignment[key] = assignment

    def _check_frequency(self, name: str) -> None:
        if name in self.custom_frequency_counts:
            return
        hint = ""
        if name in OBJECTS:
            hint = (
                f"; to reference the built-in {name} domain, use"
                f" Model.AttributeFrequency.{name.upper()}"
            )
        raise ValueError(f"Unknown custom attribute reference frequency {name!r}{hint}")

    def get_attribute_frequency(self, name: str) -> AttributeFrequency | str:
        """What an attribute has one value for.

        Raises:
            KeyError: There is no attribute of that name.
        """
        try:
            return self.attribute_frequency[LATER_LISTS.get(name, name)]
        except KeyError:
            raise KeyError(f"Attribute frequency of {name!r} is not known") from None

    @property
    def heightfield_count(self) -> int:
        """How many shapes are height fields."""
        if not getattr(self, "shape_count", 0):  # a model without a builder
            return 0
        return int(np.count_nonzero(self.shape_type.numpy() == int(GeoType.HFIELD)))

    def get_custom_frequency_count(self, frequency: str) -> int:
        """How many values there are of a frequency of the script's own.

        Raises:
            KeyError: There is no such frequency.
        """
        try:
            return self.custom_frequency_counts[frequency]
        except KeyError:
            known = sorted(self.custom_frequency_counts)
            raise KeyError(f"Custom frequency {frequency!r} is not known: {known}") from None

    def _assign_custom(
        self, target: Any, assignment: AttributeAssignment, grad: bool, *, clone: bool = True
    ) -> None:
        for key, assigned in self.attribute_assignment.items():
            if assigned != assignment:
                continue
            namespace, _, name = key.rpartition(":")
            source: Any = getattr(self, namespace) if namespace else self
            value = getattr(source, name)
            if clone and isinstance(value, wp.array):
                value = wp.clone(value, requires_grad=grad)
            holder = target
            if namespace:
                holder = target.__dict__.setdefault(namespace, AttributeNamespace(namespace))
            setattr(holder, name, value)


def gravity_rows(vectors: list[Any]) -> np.ndarray:
    """Gravity of each world, shape (worlds, 3)."""
    return np.array([tuple(convert.vec3("gravity", v)) for v in vectors], np.float32).reshape(-1, 3)
