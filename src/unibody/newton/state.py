"""What changes in a simulation: State, Control and Contacts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import warp as wp

from unibody.newton import targets
from unibody.newton.attributes import AttributeNamespace

MaybeArray = Any
"""An array, or None where a model has none of its entities: who reads it knows whether it has."""


def _check_names(kind: str, names: Iterable[str], allowed: frozenset[str]) -> None:
    unknown = sorted(set(names) - allowed)
    if unknown:
        raise ValueError(
            f"Unknown extended {kind} attribute(s): {', '.join(unknown)}."
            f" Allowed: {', '.join(sorted(allowed))}."
        )


def _arrays(holder: object) -> dict[str, wp.array[Any]]:
    """Arrays by name; those of a namespace have it in front, with a colon."""
    found: dict[str, wp.array[Any]] = {}
    for name, value in vars(holder).items():
        if isinstance(value, wp.array):
            found[name] = value
        elif isinstance(value, AttributeNamespace):
            found |= {f"{name}:{own}": array for own, array in _arrays(value).items()}
    return found


def _count(array: wp.array[Any] | None) -> int:
    return 0 if array is None else len(array)


class State:
    """Positions, velocities and forces, as arrays of a device."""

    EXTENDED_ATTRIBUTES = frozenset({"body_qdd", "body_parent_f", "mujoco:qfrc_actuator"})

    def __init__(self) -> None:
        self.particle_q: MaybeArray = None
        self.particle_qd: MaybeArray = None
        self.particle_f: MaybeArray = None
        self.body_q: MaybeArray = None
        self.body_qd: MaybeArray = None
        self.body_q_prev: MaybeArray = None
        self.body_qdd: MaybeArray = None
        self.body_f: MaybeArray = None
        self.body_parent_f: MaybeArray = None
        self.joint_q: MaybeArray = None
        self.joint_qd: MaybeArray = None
        self.tendon_segment_rest_length: MaybeArray = None
        self.tendon_segment_attachment_l_local: MaybeArray = None
        self.tendon_segment_attachment_r_local: MaybeArray = None
        self.tendon_guide_active: MaybeArray = None
        self._tendon_phase: MaybeArray = None

    @classmethod
    def validate_extended_attributes(cls, attributes: Iterable[str]) -> None:
        """Check names of attributes that exist only when asked for.

        Raises:
            ValueError: There is none of a name.
        """
        _check_names("state", attributes, cls.EXTENDED_ATTRIBUTES)

    def clear_forces(self) -> None:
        """Set the forces on particles and bodies to zero."""
        for forces in (self.particle_f, self.body_f):
            if forces is not None:
                forces.zero_()

    def assign(self, other: State) -> None:
        """Copy the arrays of another state.

        Raises:
            ValueError: One of the two has an array that the other has not.
        """
        mine, theirs = _arrays(self), _arrays(other)
        for name in sorted({*mine, *theirs}):
            if name in mine and name in theirs:
                mine[name].assign(theirs[name])
            else:
                owner = "other state" if name in mine else "state"
                raise ValueError(f"the {owner} is missing array {name!r}, which its partner has")

    @property
    def requires_grad(self) -> bool:
        """Whether the arrays take part in gradients."""
        for array in (self.particle_q, self.body_q):
            if array is not None:
                return bool(array.requires_grad)
        return False

    @property
    def body_count(self) -> int:
        """How many bodies there are."""
        return _count(self.body_q)

    @property
    def particle_count(self) -> int:
        """How many particles there are."""
        return _count(self.particle_q)

    @property
    def joint_coord_count(self) -> int:
        """How many joint positions there are."""
        return _count(self.joint_q)

    @property
    def joint_dof_count(self) -> int:
        """How many joint velocities there are."""
        return _count(self.joint_qd)


class Control:
    """Forces, targets and activations of a step, as arrays of a device."""

    def __init__(self) -> None:
        self.joint_f: MaybeArray = None
        self.joint_target_pos: MaybeArray = None
        self.joint_target_vel: MaybeArray = None
        self.joint_act: MaybeArray = None
        self.tri_activations: MaybeArray = None
        self.tet_activations: MaybeArray = None
        self.muscle_activations: MaybeArray = None
        self._joint_target_q: MaybeArray = None
        self._model: Any = None

    @property
    def joint_target_q(self) -> MaybeArray:
        """The targets of positions by their name of 1.x, one a coordinate.

        Where free and ball joints have more coordinates than axes it is an array of its own, made
        of ``joint_target_pos`` when it is asked for; from then on it is what counts.
        """
        if self._one_a_dof():
            return self.joint_target_pos
        if self._joint_target_q is None and self.joint_target_pos is not None:
            self._joint_target_q = targets.by_coordinate(self._model, self.joint_target_pos)
        return self._joint_target_q

    @joint_target_q.setter
    def joint_target_q(self, value: wp.array[Any] | None) -> None:
        if self._one_a_dof():
            self.joint_target_pos = value
        else:
            self._joint_target_q = value

    def _one_a_dof(self) -> bool:
        model = self._model
        return model is not None and model.joint_coord_count == model.joint_dof_count

    @property
    def joint_target_qd(self) -> MaybeArray:
        """The targets of velocities by their name of 1.x."""
        return self.joint_target_vel

    @joint_target_qd.setter
    def joint_target_qd(self, value: wp.array[Any] | None) -> None:
        self.joint_target_vel = value

    def clear(self, model: Any = None) -> None:
        """Set everything to zero.

        Args:
            model: Its ``joint_target_q`` takes the place of zeros, which are no rotations of free
                and ball joints.
        """
        for value in vars(self).values():
            group = vars(value).values() if isinstance(value, AttributeNamespace) else [value]
            for array in group:
                if isinstance(array, wp.array):
                    array.zero_()
        if model is not None and self.joint_target_q is not None:
            wp.copy(self.joint_target_q, model.joint_target_q)


_NONE_IS_NEGATIVE = ("shape0", "shape1", "tids", "particle", "contact_shape", "match_index")
"""Ends of names of arrays of contacts that have -1 where there is nothing."""


class Contacts:
    """Contacts between shapes (rigid), and between particles and shapes (soft).

    Args:
        rigid_contact_max: Most rigid contacts.
        soft_contact_max: Most soft contacts.
        requires_grad: Whether soft contacts take part in gradients.
        device: Where the arrays are.
        per_contact_shape_properties: Whether contacts have stiffness, damping and friction.
        clear_buffers: Whether `clear` clears all arrays, not only the counts.
        requested_attributes: Attributes that exist only when asked for.
        rigid_contact_surface_velocity: Whether contacts know how fast surfaces slide of themselves.
        contact_matching: Whether contacts know which contact of the pass before they are:
            ``rigid_contact_match_index``, -1 for those of new pairs, -2 for others without one.
        soft_contact_tids_size: Pairs of particles and shapes that are looked at; None: as many as
            there may be soft contacts.
        soft_features: Whether edges and triangles may have soft contacts, as particles have.
    """

    EXTENDED_ATTRIBUTES = frozenset({"force"})

    # Arrays of which the names are made when there is room for them.
    rigid_contact_shape0: wp.array[Any]
    rigid_contact_shape1: wp.array[Any]
    rigid_contact_tids: wp.array[Any]
    rigid_contact_point_id: wp.array[Any]
    rigid_contact_point0: wp.array[Any]
    rigid_contact_point1: wp.array[Any]
    rigid_contact_offset0: wp.array[Any]
    rigid_contact_offset1: wp.array[Any]
    rigid_contact_normal: wp.array[Any]
    rigid_contact_force: wp.array[Any]
    rigid_contact_margin0: wp.array[Any]
    rigid_contact_margin1: wp.array[Any]
    rigid_contact_stiffness: MaybeArray
    rigid_contact_damping: MaybeArray
    rigid_contact_friction: MaybeArray
    soft_contact_particle: wp.array[Any]
    soft_contact_shape: wp.array[Any]
    soft_contact_tids: wp.array[Any]
    soft_contact_body_pos: wp.array[Any]
    soft_contact_body_vel: wp.array[Any]
    soft_contact_normal: wp.array[Any]
    soft_contact_indices: wp.array[Any]
    """Corners of what touches: a particle, -1 and -1; both of an edge and -1; three."""
    soft_contact_barycentric: wp.array[Any]
    """How much of each corner is where they touch."""
    soft_contact_rigid_indices: wp.array[Any]
    """Which indices of a mesh are the corners of its triangle that is touched, where edges and
    triangles are looked at; else -1."""

    def __init__(
        self,
        rigid_contact_max: int,
        soft_contact_max: int,
        requires_grad: bool = False,
        device: Any = None,
        per_contact_shape_properties: bool = False,
        clear_buffers: bool = False,
        requested_attributes: set[str] | None = None,
        rigid_contact_surface_velocity: bool = False,
        contact_matching: bool = False,
        soft_contact_tids_size: int | None = None,
        soft_features: bool = False,
    ) -> None:
        self.rigid_contact_max = rigid_contact_max
        self.soft_contact_max = soft_contact_max
        self.requires_grad = requires_grad
        self.per_contact_shape_properties = per_contact_shape_properties
        self.clear_buffers = clear_buffers
        self.soft_features = soft_features
        self.force: MaybeArray = None
        self.matched_in: Any = None
        self.matched_pass = 0
        with wp.ScopedDevice(device):
            self._counters = wp.zeros(2, dtype=wp.int32)
            self.rigid_contact_count: wp.array[Any] = self._counters[0:1]
            self.soft_contact_count: wp.array[Any] = self._counters[1:2]
            self._allocate_rigid(rigid_contact_max)
            self.rigid_contact_surface_velocity: MaybeArray = (
                wp.zeros(rigid_contact_max, dtype=wp.vec3)
                if rigid_contact_surface_velocity
                else None
            )
            self.rigid_contact_match_index: MaybeArray = (
                wp.full(rigid_contact_max, -1, dtype=wp.int32) if contact_matching else None
            )
            threads = soft_contact_max if soft_contact_tids_size is None else soft_contact_tids_size
            self._allocate_soft(soft_contact_max, threads)
            if "force" in (requested_attributes or ()):
                total = rigid_contact_max + soft_contact_max
                self.force = wp.zeros(total, dtype=wp.spatial_vector, requires_grad=requires_grad)

    def _allocate_rigid(self, count: int) -> None:
        for name in ("shape0", "shape1", "tids"):
            setattr(self, f"rigid_contact_{name}", wp.full(count, -1, dtype=wp.int32))
        self.rigid_contact_point_id = wp.zeros(count, dtype=wp.int32)
        for name in ("point0", "point1", "offset0", "offset1", "normal", "force"):
            setattr(self, f"rigid_contact_{name}", wp.zeros(count, dtype=wp.vec3))
        for name in ("margin0", "margin1"):
            setattr(self, f"rigid_contact_{name}", wp.zeros(count, dtype=wp.float32))
        for name in ("stiffness", "damping", "friction"):
            array = wp.zeros(count, dtype=wp.float32) if self.per_contact_shape_properties else None
            setattr(self, f"rigid_contact_{name}", array)

    def _allocate_soft(self, count: int, threads: int) -> None:
        for name in ("particle", "shape"):
            setattr(self, f"soft_contact_{name}", wp.full(count, -1, dtype=wp.int32))
        self.soft_contact_tids = wp.full(threads, -1, dtype=wp.int32)
        self.soft_contact_indices = wp.full(count, wp.vec3i(-1, -1, -1), dtype=wp.vec3i)
        self.soft_contact_rigid_indices = wp.full(count, wp.vec3i(-1, -1, -1), dtype=wp.vec3i)
        self.soft_contact_barycentric = wp.zeros(count, dtype=wp.vec3)
        for name in ("body_pos", "body_vel", "normal"):
            array = wp.zeros(count, dtype=wp.vec3, requires_grad=self.requires_grad)
            setattr(self, f"soft_contact_{name}", array)

    @classmethod
    def validate_extended_attributes(cls, attributes: Iterable[str]) -> None:
        """Check names of attributes that exist only when asked for.

        Raises:
            ValueError: There is none of a name.
        """
        _check_names("contact", attributes, cls.EXTENDED_ATTRIBUTES)

    def clear(self) -> None:
        """Forget all contacts."""
        self._counters.zero_()
        if not self.clear_buffers:
            return
        for name, array in vars(self).items():
            if isinstance(array, wp.array) and not name.endswith("_count"):
                none = name.endswith(
                    ("shape0", "shape1", "tids", "particle", "contact_shape", "index", "indices")
                )
                array.fill_(-1 if none else 0)
        self._counters.zero_()

    @property
    def device(self) -> Any:
        """Where the arrays are."""
        return self._counters.device
