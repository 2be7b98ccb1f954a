"""CollisionPipeline: finds the contacts of a model's shapes and particles."""

from __future__ import annotations

import importlib
import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.collision import broad_kernels
from unibody.newton.collision.broad_phase import BroadPhase, mode_named
from unibody.newton.collision.feature_pass import FeaturePass, pair_count
from unibody.newton.collision.matching import matcher_of
from unibody.newton.dialect import in_use, is_after_first_of_1, normal_sign
from unibody.newton.enums import AttributeAssignment, GeoType, ShapeFlags
from unibody.newton.launching import launch_rows
from unibody.newton.state import Contacts

if TYPE_CHECKING:
    from unibody.newton.model import Model
    from unibody.newton.state import State

_FEWEST_CONTACTS = 1000
_NEIGHBOURS = 20  # of a shape, in the estimate of how many contacts there can be
_EDGE_STEPS = 10  # of the original when none are stated
_CONTACTS_A_PAIR = 6
_CONTACTS_A_MESH_PAIR = 24
_UNREDUCED = 4  # times as many contacts where none are left out
_ROUND = {GeoType.SPHERE, GeoType.CAPSULE}
_SURFACES = {GeoType.MESH, GeoType.HFIELD}


class CollisionPipeline:
    """Finds contacts: pairs of boxes that overlap first, then points of contact.

    Args:
        model: The model.
        reduce_contacts: Whether few of the contacts of triangle meshes are kept: 12 a pair.
        rigid_contact_max: Most rigid contacts; None: the model's, or an estimate.
        shape_pairs_filtered: Pairs of shapes that may collide; None: the model's.
        soft_contact_max: Most soft contacts; None: one for each particle and shape.
        soft_contact_margin: Distance from which soft contacts exist [m].
        requires_grad: Whether soft contacts take part in gradients; None: as the model.
        broad_phase: "explicit" (a list of pairs), "nxn" (all pairs) or "sap" (a tree of boxes).
        narrow_phase: Not supported: there is one.
        sdf_hydroelastic_config: Not supported.
        soft_contact_gap: The name of `soft_contact_margin` in 1.x; None: that one counts.
        deterministic: Whether contacts are in the same order each time: on a CPU they are; not
            supported on a GPU.
        include_static_kinematic_pairs: Whether kinematic bodies have contacts with one another and
            with what does not move.
        contact_matching: Whether contacts know which contact of the pass before they are:
            "disabled", "latest", or "sticky", with which contacts that press keep the points of
            their bodies as well.
        contact_matching_pos_threshold: Distance that a contact may move by between passes [m].
        contact_matching_normal_dot_threshold: Least product of its directions in the two passes.
        contact_report: Not supported but for False.
        **later: Of 1.x after 1.0. ``enable_rigid_soft_full_surface_contact``: whether edges and
            triangles of soft bodies touch shapes, too, which SolverVBD alone acts on; of a mesh
            the deepest place of each. ``max_triangle_pairs`` is accepted: triangles are not listed.
            Not supported but for what leaves them out: ``body_pair_reduction``,
            ``dynamic_shape_scale`` and ``speculative_contact_gap_max``.
    """

    def __init__(
        self,
        model: Model,
        *,
        reduce_contacts: bool = True,
        rigid_contact_max: int | None = None,
        shape_pairs_filtered: wp.array[Any] | None = None,
        soft_contact_max: int | None = None,
        soft_contact_margin: float = 0.01,
        requires_grad: bool | None = None,
        broad_phase: Any = None,
        narrow_phase: Any = None,
        sdf_hydroelastic_config: Any = None,
        soft_contact_gap: float | None = None,
        deterministic: bool = False,
        include_static_kinematic_pairs: bool = True,
        contact_matching: str = "disabled",
        contact_matching_pos_threshold: float = 0.0005,
        contact_matching_normal_dot_threshold: float = 0.995,
        contact_report: bool = False,
        **later: Any,
    ) -> None:
        _refuse(narrow_phase, sdf_hydroelastic_config, contact_report, later)
        if deterministic and wp.get_device(model.device).is_cuda:
            raise NotSupportedError("deterministic=True on a GPU", "a model on the CPU")
        self.model, self.device = model, model.device
        self.contact_matching, self.reduce_contacts = contact_matching, reduce_contacts
        self.shape_count: int = model.shape_count
        self.soft_contact_margin = soft_contact_margin
        if soft_contact_gap is not None:
            if not soft_contact_gap >= 0.0:
                raise InvalidArgumentError("soft_contact_gap", soft_contact_gap, "0 or more")
            self.soft_contact_margin: float = soft_contact_gap
        self.requires_grad: bool = model.requires_grad if requires_grad is None else requires_grad
        self.broad_phase_mode: str = mode_named("explicit" if broad_phase is None else broad_phase)
        if rigid_contact_max is None:
            rigid_contact_max = model.rigid_contact_max or estimated_contacts(model)
            if not reduce_contacts:
                rigid_contact_max *= _UNREDUCED
        self._rigid_contact_max: int = int(rigid_contact_max)
        model.rigid_contact_max = self._rigid_contact_max
        self.enable_rigid_soft_full_surface_contact: bool = bool(later.get(_FULL, False))
        full = self.enable_rigid_soft_full_surface_contact and model.shape_count
        self._features: FeaturePass | None = FeaturePass(model) if full else None
        all_soft = self._most_soft_contacts()
        self._soft_contact_max: int = all_soft if soft_contact_max is None else soft_contact_max
        self.include_static_kinematic_pairs = include_static_kinematic_pairs
        mode, held = self.broad_phase_mode, include_static_kinematic_pairs
        self.broad_phase: BroadPhase = BroadPhase(model, mode, shape_pairs_filtered, held=held)
        self.shape_pairs_filtered: Any = self.broad_phase.candidates
        self.shape_pairs_max: int = len(self.broad_phase.pairs)
        self._kernels = narrow_kernels(model)
        self._moving = self._moving_surfaces()
        with wp.ScopedDevice(model.device):
            self._pose = wp.zeros(model.shape_count, dtype=wp.transform)
            self._reach = wp.zeros(model.shape_count, dtype=wp.float32)
        limits = contact_matching_pos_threshold, contact_matching_normal_dot_threshold
        self._matcher = matcher_of(model, self._rigid_contact_max, contact_matching, *limits)

    @classmethod
    def from_model(
        cls,
        model: Model,
        rigid_contact_max_per_pair: int | None = None,
        rigid_contact_margin: float | None = None,
        soft_contact_max: int | None = None,
        soft_contact_margin: float = 0.01,
        edge_sdf_iter: int = 10,
        iterate_mesh_vertices: bool = True,
        requires_grad: bool | None = None,
        **more: Any,
    ) -> CollisionPipeline:
        """A pipeline by the names of earlier versions.

        Args:
            model: The model.
            rigid_contact_max_per_pair: Most contacts of a pair, for the number of all; None or 0:
                an estimate.
            rigid_contact_margin: Distance from which shapes have contacts, set on all of them [m];
                None: that of each shape.
            soft_contact_max: Most soft contacts.
            soft_contact_margin: Distance from which soft contacts exist [m].
            edge_sdf_iter: Not supported but for 10: nearest points are found exactly here.
            iterate_mesh_vertices: Not supported but for True: all vertices are looked at.
            requires_grad: Whether soft contacts take part in gradients.
            **more: Parameters of the class.

        Raises:
            NotSupportedError: ``edge_sdf_iter`` or ``iterate_mesh_vertices`` is another value.
        """
        if edge_sdf_iter != _EDGE_STEPS:
            raise NotSupportedError(f"edge_sdf_iter={edge_sdf_iter!r}", "10 finds exact points")
        if not iterate_mesh_vertices:
            raise NotSupportedError("iterate_mesh_vertices=False", "True looks at all vertices")
        if rigid_contact_max_per_pair:
            most = rigid_contact_max_per_pair * max(model.shape_contact_pair_count, 1)
            more.setdefault("rigid_contact_max", most)
        if rigid_contact_margin is not None:
            model.shape_contact_margin.fill_(rigid_contact_margin)
        mode = more.pop("broad_phase_mode", None)
        if mode is not None:
            more["broad_phase"] = mode
        return cls(
            model,
            soft_contact_max=soft_contact_max,
            soft_contact_margin=soft_contact_margin,
            requires_grad=requires_grad,
            **more,
        )

    @property
    def narrow_phase(self) -> Any:
        """The boxes around shapes in the world frame, as ``shape_aabb_lower`` and `..._upper`."""
        boxes = self.broad_phase
        return SimpleNamespace(shape_aabb_lower=boxes.lower, shape_aabb_upper=boxes.upper)

    @property
    def rigid_contact_max(self) -> int:
        """Most rigid contacts."""
        return self._rigid_contact_max

    @property
    def soft_contact_max(self) -> int:
        """Most soft contacts."""
        return self._soft_contact_max

    @property
    def soft_contact_pair_count(self) -> int:
        """Pairs of a particle and a shape that may meet."""
        return pair_count(self.model)

    def _most_soft_contacts(self) -> int:
        """One for each pair of a particle, edge or triangle and a shape."""
        if not is_after_first_of_1():
            return self.shape_count * self.model.particle_count
        return pair_count(self.model) + (0 if self._features is None else self._features.size)

    def contacts(self) -> Contacts:
        """Room for the contacts of this pipeline."""
        contacts = Contacts(
            self.rigid_contact_max,
            self.soft_contact_max,
            requires_grad=self.requires_grad,
            device=self.device,
            requested_attributes=self.model.get_requested_contact_attributes(),
            rigid_contact_surface_velocity=self._moving is not None,
            contact_matching=self._matcher is not None,
            soft_contact_tids_size=self.shape_count * self.model.particle_count,
            soft_features=self._features is not None,
        )
        self.model._assign_custom(contacts, AttributeAssignment.CONTACT, self.requires_grad)
        return contacts

    def collide(
        self,
        state: Any,
        contacts: Any = None,
        *,
        soft_contact_margin: float | None = None,
    ) -> Contacts:
        """Find the contacts of a state.

        Args:
            state: The state; earlier versions' ``collide(model, state)`` works, too.
            contacts: What is written; None: new ones.
            soft_contact_margin: Distance from which soft contacts exist [m]; None: the pipeline's.

        Returns:
            The contacts.
        """
        if state is self.model:
            state, contacts = contacts, None
        if contacts is None:
            contacts = self.contacts()
        self._check(contacts)
        contacts.clear()
        if self.shape_count:
            self._collide_shapes(state, contacts)
            if self._matcher is not None:
                self._matcher.match(contacts, state.body_q)
            self._note_surfaces(state, contacts)
            if state.particle_q is not None and len(state.particle_q):
                margin = soft_contact_margin
                if margin is None:
                    margin = self.soft_contact_margin
                self._collide_particles(state, contacts, margin)
        return contacts

    def reset_contact_matching(self, world_mask: wp.array[Any] | None = None) -> None:
        """Forget the contacts of the pass before.

        Args:
            world_mask: Not supported but for None: contacts of all worlds are forgotten.
        """
        if world_mask is not None:
            raise NotSupportedError("reset_contact_matching(world_mask)", "None forgets all worlds")
        if self._matcher is not None:
            self._matcher.reset()

    def _check(self, contacts: Contacts) -> None:
        if self._matcher is not None and (
            contacts.rigid_contact_match_index is None
            or contacts.rigid_contact_max != self.rigid_contact_max
        ):
            raise InvalidArgumentError(
                "contacts",
                f"room for {contacts.rigid_contact_max} rigid contacts",
                f"{self.rigid_contact_max} with indices of matches: those of this pipeline's "
                f"contacts()",
            )
        pairs = self.shape_count * self.model.particle_count
        if pairs and len(contacts.soft_contact_tids) < pairs:
            raise InvalidArgumentError(
                "contacts",
                f"room for {len(contacts.soft_contact_tids)} soft contacts",
                f"{pairs}, one for each particle and shape: those of this pipeline's contacts()",
            )

    def _collide_shapes(self, state: State, contacts: Contacts) -> None:
        model = self.model
        broad = self.broad_phase
        wp.launch(
            broad_kernels.place_shapes,
            dim=self.shape_count,
            inputs=[
                state.body_q,
                model.shape_transform,
                model.shape_body,
                model.shape_type,
                model.shape_scale,
                model.shape_collision_aabb_lower,
                model.shape_collision_aabb_upper,
                model.shape_thickness,
                model.shape_contact_margin,
                0.0 if in_use() == "1" else 1.0,
            ],
            outputs=[self._pose, self._reach, broad.lower, broad.upper],
            device=self.device,
            record_tape=False,
        )
        broad.find()
        if not self._kernels or not len(broad.pairs):
            return
        shapes, out = self._arguments(state, contacts)
        for kernel in self._kernels:
            inputs = [broad.pairs, broad.count, shapes, out]
            launch_rows(kernel, len(broad.pairs), inputs, device=self.device, record_tape=False)

    def _moving_surfaces(self) -> wp.array[Any] | None:
        """Whether the surface of each shape moves of itself; None where none does."""
        sources = self.model.shape_source if self.shape_count else []
        moving = [int(getattr(source, "enable_surface_velocity", False)) for source in sources]
        return wp.array(moving, dtype=wp.int32, device=self.device) if any(moving) else None

    def _note_surfaces(self, state: State, contacts: Contacts) -> None:
        """Write how fast surfaces slide of themselves at contacts."""
        from unibody.newton.collision.surface_kernels import surface_velocities

        if self._moving is None or contacts.rigid_contact_surface_velocity is None:
            return
        model = self.model
        names = ("count", "shape0", "shape1", "point0", "point1")
        wp.launch(
            surface_velocities,
            dim=contacts.rigid_contact_max,
            inputs=[
                *(getattr(contacts, f"rigid_contact_{name}") for name in names),
                state.body_q,
                model.shape_body,
                self._moving,
                model.shape_type,
                model.shape_scale,
                self._pose,
                model.shape_source_ptr,
            ],
            outputs=[contacts.rigid_contact_surface_velocity],
            device=self.device,
            record_tape=False,
        )

    def _arguments(self, state: State, contacts: Contacts) -> tuple[Any, Any]:
        from unibody.newton.collision.output import Output, Shapes

        model = self.model
        shapes: Any = Shapes()
        shapes.kind, shapes.scale = model.shape_type, model.shape_scale
        shapes.pose, shapes.reach = self._pose, self._reach
        shapes.source, shapes.thickness = model.shape_source_ptr, model.shape_thickness
        shapes.body = model.shape_body
        shapes.lower, shapes.upper = self.broad_phase.lower, self.broad_phase.upper
        out: Any = Output()
        out.most = contacts.rigid_contact_max
        if state.body_q is not None:
            out.body_q = state.body_q
        out.count = contacts.rigid_contact_count
        for name in (
            *("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal"),
            *("margin0", "margin1", "tids"),
        ):
            setattr(out, name, getattr(contacts, f"rigid_contact_{name}"))
        out.sign = normal_sign()
        out.every = int(not self.reduce_contacts)
        return shapes, out

    def _collide_particles(self, state: State, contacts: Contacts, margin: float) -> None:
        from unibody.newton.collision.soft_contacts import soft_contacts

        model = self.model
        wp.launch(
            soft_contacts,
            dim=(len(state.particle_q), self.shape_count),  # type: ignore[arg-type]
            inputs=[
                state.particle_q,
                model.particle_radius,
                model.particle_flags,
                model.particle_world,
                state.body_q,
                model.shape_transform,
                model.shape_body,
                model.shape_type,
                model.shape_scale,
                model.shape_source_ptr,
                model.shape_world,
                model.shape_flags,
                model.shape_thickness,
                float(is_after_first_of_1()),
                margin,
                contacts.soft_contact_max,
            ],
            outputs=[
                contacts.soft_contact_count,
                contacts.soft_contact_particle,
                contacts.soft_contact_shape,
                contacts.soft_contact_body_pos,
                contacts.soft_contact_body_vel,
                contacts.soft_contact_normal,
                contacts.soft_contact_tids,
                contacts.soft_contact_indices,
                contacts.soft_contact_barycentric,
            ],
            device=self.device,
        )
        if self._features is not None:
            self._features.find(state, contacts, margin)


class CollisionPipelineUnified(CollisionPipeline):
    """The same, by an earlier name."""


_FULL = "enable_rigid_soft_full_surface_contact"
_THERE: dict[str, Any] = {"max_triangle_pairs": None, _FULL: False}
"""Arguments after 1.0 that are there -> their defaults."""

_ABSENT = {
    "body_pair_reduction": (None, "reduce_contacts=True keeps 12 contacts a pair of shapes"),
    "speculative_contact_gap_max": (None, "ShapeConfig.gap finds contacts before shapes touch"),
    "dynamic_shape_scale": (False, "a model with the scale, finalized anew"),
}
"""Arguments after 1.0 that are not there -> what leaves them out, and what works instead."""


def _check_later(given: dict[str, Any]) -> None:
    """Refuse arguments after 1.0 that are unknown, not allowed or not there."""
    for name, value in given.items():
        if name == "max_triangle_pairs":
            if value is not None and not value > 0:
                raise InvalidArgumentError(name, value, "a number > 0, or None")
        elif name not in _ABSENT and name not in _THERE:
            raise TypeError(
                f"CollisionPipeline.__init__() got an unexpected keyword argument {name!r}"
            )
        elif name in _ABSENT and value != _ABSENT[name][0]:
            raise NotSupportedError(f"CollisionPipeline({name}={value!r})", _ABSENT[name][1])


def show_later_arguments() -> None:
    """Let the signature that tools see have the arguments after 1.0, too."""
    shown = inspect.signature(CollisionPipeline.__init__)
    own = [p for p in shown.parameters.values() if p.kind is not p.VAR_KEYWORD]
    later = {name: default for name, (default, _) in _ABSENT.items()} | _THERE
    own += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in later.items()
    ]
    function: Any = CollisionPipeline.__init__
    function.__signature__ = shown.replace(parameters=own)


def _refuse(
    narrow_phase: Any, sdf_hydroelastic_config: Any, contact_report: bool, later: dict[str, Any]
) -> None:
    """Refuse features of pipelines that do not exist here."""
    _check_later(later)
    if narrow_phase is not None:
        raise NotSupportedError("narrow_phase", "the pipeline has one for all kinds of shapes")
    if sdf_hydroelastic_config is not None:
        raise NotSupportedError("sdf_hydroelastic_config", "contacts of points, without it")
    if contact_report:
        raise NotSupportedError("contact_report=True", "Contacts.rigid_contact_match_index")


def estimated_contacts(model: Model) -> int:
    """How many rigid contacts a model may have, by its shapes and pairs."""
    kinds = model.shape_type.numpy()
    collides = model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES != 0
    meshes = np.isin(kinds, list(_SURFACES))
    a_pair = np.where(meshes, _CONTACTS_A_MESH_PAIR, _CONTACTS_A_PAIR)
    solid = collides & (kinds != GeoType.PLANE)
    among = int(a_pair[solid].sum()) * _NEIGHBOURS // 2
    worlds = model.shape_world.numpy()
    planes = 0
    for plane in np.flatnonzero(collides & (kinds == GeoType.PLANE)):
        near = solid if worlds[plane] < 0 else solid & np.isin(worlds, [-1, worlds[plane]])
        planes += int(a_pair[near].sum())
    largest = int(a_pair.max(initial=_CONTACTS_A_PAIR))
    of_pairs = model.shape_contact_pair_count * largest or among + planes
    return max(_FEWEST_CONTACTS, min(among + planes, of_pairs))


def narrow_kernels(model: Model) -> list[Any]:
    """The kernels that the kinds of a model's shapes need; each is compiled when it is."""
    flags = model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES != 0
    kinds = {GeoType(kind) for kind in model.shape_type.numpy()[flags].tolist()}
    kinds.discard(GeoType.NONE)
    solids = kinds - _SURFACES - {GeoType.PLANE}
    found = []
    if solids - {GeoType.CONVEX_MESH} and (GeoType.PLANE in kinds or solids & _ROUND):
        found.append("simple_pairs")
    boxes = int((model.shape_type.numpy()[flags] == GeoType.BOX).sum())
    if solids - _ROUND - {GeoType.BOX} or (boxes and (boxes > 1 or GeoType.CAPSULE in solids)):
        found.append("convex_pairs")
    if kinds & {*_SURFACES, GeoType.CONVEX_MESH}:
        found.append("triangle_pairs")
    modules = {name: f"unibody.newton.collision.{name}" for name in found}
    return [getattr(importlib.import_module(path), name) for name, path in modules.items()]
