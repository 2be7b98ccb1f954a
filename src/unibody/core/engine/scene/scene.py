"""The editable description of one world.

Bodies and constraints come and go at any time under stable ids. Edits are collected and compiled
once, at the next step or query, and the state of everything that stays is carried over. The scene
alone decides whether an edit is written in place or needs a recompile.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Asset, Pose, Shape
from unibody.core.engine.insertion.allocation import SlotAllocation, describe
from unibody.core.engine.insertion.constraint_slots import ConstraintSlots, clear_rows
from unibody.core.engine.insertion.deferred_bodies import DeferredBodies
from unibody.core.engine.insertion.renumbering import referred_to
from unibody.core.engine.model_cache.in_memory import CompiledModels
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.free_body_constants import set_scale
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.filter_changes import FilterChanges
from unibody.core.engine.scene.model_source import ModelSource, Request
from unibody.core.engine.scene.scene_spec import SceneSpec
from unibody.core.engine.solver.settings import set_solver
from unibody.core.engine.spec import asset_checks
from unibody.core.engine.spec.blank import new_spec
from unibody.core.engine.spec.constraint import (
    ConstraintKind,
    ConstraintRecord,
    element_names,
)
from unibody.core.engine.spec.contact_margins import write_reach
from unibody.core.engine.spec.link_pairs import End, LinkPairs
from unibody.core.engine.spec.world_rules import write_rules
from unibody.core.engine.spec.writer import (
    make_record,
    replace_shapes,
    with_collisions,
)
from unibody.core.engine.states import transfer
from unibody.core.engine.states.drives import default_drives, name_ball_drives
from unibody.core.engine.world.pending_edits import Edit, PendingEdits
from unibody.core.engine.world.world import World
from unibody.errors import InvalidArgumentError, NotSupportedError


class Scene:
    """Bodies, constraints and world options, and the world compiled from them.

    Args:
        options: Of the world.
        models: Models to look among before a compile, of a scene that is thrown away. Nobody may
            go on using a model or MjData of a world that has been replaced then.
    """

    def __init__(
        self, options: WorldOptions | None = None, models: CompiledModels | None = None
    ) -> None:
        self.options: WorldOptions = options or WorldOptions()
        self.bodies: dict[int, BodyRecord] = {}
        self.constraints: dict[int, ConstraintRecord] = {}
        self._pairs = LinkPairs()
        self._body_slots = SlotAllocation()  # of the bodies in the running world
        self._written = SceneSpec(
            self.options, self.bodies, self.constraints, self._pairs, self._body_slots
        )
        self._compiles = True  # there are edits that need a compile
        self.running: World | None = None  # as last compiled; `world` brings it up to date
        self.stale = True  # edits wait to be compiled
        self._late = PendingEdits()
        self._source = ModelSource(self._written, self._late, models)
        self._filters = FilterChanges()
        self._compiled_time = 0.0  # of the world when it was last compiled [s]
        self._next_constraint = 0
        self._has_tendons = False
        self._constraint_slots = ConstraintSlots()

    # --- bodies --------------------------------------------------------------------------------

    def add(self, body_id: int, asset: Asset, options: BodyOptions) -> BodyRecord:
        """Add a body under an id of the caller's.

        Raises:
            InvalidArgumentError: The id is taken, or a size or mass is not allowed.
            AssetError: A mesh of the asset cannot be read. The scene is as it was before.
        """
        if body_id in self.bodies:
            raise InvalidArgumentError("body_id", body_id, "an id that is not in use")
        if self._has_tendons:
            raise NotSupportedError("bodies after a tendon", "add all bodies before it")
        asset_checks.check(lambda: new_spec(self.options), asset, options)
        record = make_record(body_id, asset, options)
        self._written.add(record)
        self.bodies[body_id] = record
        self._body_slots.add(record)
        self.stale = True
        return record

    def remove(self, body_id: int) -> None:
        """Remove a body and the constraints that hold it."""
        record = self.bodies[body_id]
        for constraint in list(self.constraints.values()):
            if body_id in constraint.body_ids:
                self.remove_constraint(constraint.id)
        if self._pairs.forget(self._written.spec, body_id):
            self._edited()
        self._written.remove(record)
        del self.bodies[body_id]
        self._body_slots.remove(record)
        self.stale = True

    def clear(self) -> None:
        """Remove everything; the world options stay."""
        self.bodies.clear()
        self._late.clear()
        self.constraints.clear()
        self._pairs.clear()
        self.running = None
        self._body_slots = SlotAllocation()
        self._written.clear(self._body_slots)
        self._constraint_slots = ConstraintSlots()
        self._edited()

    def give_models(self) -> CompiledModels:
        """The models of this scene, for one that takes its place; its world ends here."""
        models, self._source.models = self._source.models or CompiledModels(), None
        self.running = None
        self._body_slots.renumber()
        self._edited()
        models.use(None)
        return models

    def set_pair(self, first: End, second: End, enabled: bool) -> None:
        """Switch collision between two links on or off.

        Raises:
            LookupError: There is no such link.
        """
        if self._written.set_pair(first, second, enabled):
            self._edited()
        if self.running is not None:
            self.running.before_step = self._before_step

    def set_fixed(self, body_id: int, fixed: bool, pose: Pose) -> None:
        """Hold the base of a body in place at ``pose`` (T_world_base), or let it go."""
        record = self.bodies[body_id]
        joints = transfer.joint_state(self.world.data, transfer.address(record), record)
        self._written.write_bodies()
        self._pairs.write(self._written.spec, self.bodies)
        excluded, included = self._pairs.of(body_id)
        held = [c for c in self.constraints.values() if body_id in c.body_ids]
        self._pairs.forget(self._written.spec, body_id)
        for constraint in held:  # MuJoCo drops what refers to a deleted body
            self.remove_constraint(constraint.id)
        self._written.drop_equalities()
        self._written.erase(record)
        del self.bodies[body_id]
        self._body_slots.renumber()
        record = make_record(body_id, record.asset, record.options, like=record)
        record.options.fixed, record.home = fixed, pose
        self._written.write(record)
        self.bodies[body_id] = record
        self._body_slots.add(record)
        for constraint in held:
            self._write_constraint(constraint)
        for pair in excluded:
            self._pairs.waiting[pair] = False
        for pair in included:
            self._pairs.include(self._written.spec, self.bodies, pair)
        self._edited()
        transfer.put_joint_state(self.world.data, record, joints)
        self.world.changed()

    def set_collisions(self, body_id: int, index: int, shapes: list[Shape]) -> None:
        """Give a link other collision shapes; its mass and inertia stay as they are."""
        record = self.bodies[body_id]
        asset = with_collisions(record.asset, index, shapes)
        asset_checks.check(lambda: new_spec(self.options), asset, record.options)
        self._written.write_bodies()
        _, included = self._pairs.of(body_id)
        for pair in included:
            self._pairs.drop_include(self._written.spec, pair)
        replace_shapes(self._written.spec, record, index, asset, self._written.store)
        for pair in included:
            self._pairs.include(self._written.spec, self.bodies, pair)
        self._body_slots.renumber()
        self._edited()

    # --- constraints ---------------------------------------------------------------------------

    def add_constraint(
        self,
        kind: ConstraintKind,
        parent: tuple[int, int],
        child: tuple[int, int] | None,
        parent_frame: Pose,
        child_frame: Pose,
    ) -> ConstraintRecord:
        """Hold two links together, or one link to the world."""
        number = self._next_constraint
        return self._added(ConstraintRecord(number, kind, parent, child, parent_frame, child_frame))

    def add_tendon(self, body_id: int, terms: Sequence[tuple[int, float]]) -> ConstraintRecord:
        """Hold the weighted sum of joints of a body; ``terms``: their links, and weights.

        Raises:
            InvalidArgumentError: A joint has none or several degrees of freedom.
        """
        ends = (body_id, terms[0][0])
        record = ConstraintRecord(self._next_constraint, ConstraintKind.TENDON, ends, None)
        record.terms = tuple(terms)
        return self._added(record)

    def _added(self, record: ConstraintRecord) -> ConstraintRecord:
        self._write_constraint(record)
        self._next_constraint += 1
        return record

    def _write_constraint(self, record: ConstraintRecord) -> None:
        kind = record.kind
        if kind is ConstraintKind.GEAR or kind is ConstraintKind.TENDON:
            element_names(record, self.bodies)  # which looks whether these joints can have one
            self._has_tendons |= kind is ConstraintKind.TENDON
        self.constraints[record.id] = record
        world = self.compiled
        if world is not None and self._constraint_slots.take(world, record):
            world.before_step = self._before_step
        else:
            self._edited()

    def remove_constraint(self, constraint_id: int) -> None:
        """Remove a constraint."""
        record = self.constraints.pop(constraint_id)
        if record.terms:
            self._has_tendons = any(held.terms for held in self.constraints.values())
        self._written.drop(record)
        world = self.compiled
        if world is not None:
            self._constraint_slots.give_back(world, record)
        else:
            self._constraint_slots.forget(record)
            self._edited()

    def update_constraint(self, record: ConstraintRecord) -> None:
        """Say that frames, limit or gains of a constraint were changed."""
        self._constraint_slots.changed[record.id] = record
        if self.running is not None:
            self.running.before_step = self._before_step

    # --- the world -----------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The running world, compiled first if there were edits."""
        if self._late.waiting:
            self.write_late()
        if (self.stale or self.running is None) and not self._settle():
            self._compile()
        self._write_waiting(self.running)  # pyright: ignore[reportArgumentType] - _compile sets it
        return self.running  # pyright: ignore[reportReturnType]

    def _write_waiting(self, world: World) -> None:
        """Write what was collected into the running world, which is up to date but for that."""
        if self._pairs.waiting:
            if not self._pairs.write_running(self._written.spec, world.model, self.bodies):
                self._edited()
                self._compile()
            world.changed()
        if self._filters.waiting:
            self._write_filters(world.model)
            world.changed()
        if self._constraint_slots.changed:
            self._constraint_slots.write_changed(world, self.bodies)

    @property
    def compiled(self) -> World | None:
        """The running world if it is up to date without a compile, else None."""
        return None if self.stale and not self._settle() else self.running

    def later(self, edit: Edit, record: BodyRecord, index: int) -> None:
        """Have an edit of a link written before the next step, once for many changes."""
        self._late.waiting[edit, record.id, index] = record
        if self.running is not None:
            self.running.before_step = self._before_step

    def write_late(self) -> None:
        """Write the edits that wait into the running world, if it is not to be compiled."""
        self._late.write_model(self.compiled, self.bodies)

    def _before_step(self) -> None:
        if self._late.waiting:
            self.write_late()
        world = self.compiled
        if world is not None:
            self._write_waiting(world)

    def _edited(self) -> None:
        """Say that something was edited that only a compile makes effective."""
        self.stale = self._compiles = True
        self._body_slots.close()

    def _settle(self) -> bool:
        """Let bodies come and go in the running world, if they can without a compile."""
        if (world := self.running) is None or self._compiles:
            return False
        held = referred_to(self.constraints, self._pairs)
        if not self._body_slots.settle(world, self._filters.filters, self.options, held):
            return False
        set_scale(world.model)
        set_solver(world.model, self.options)
        world.grown()
        self.stale = False
        return True

    def _compile(self, *, enters: bool = True) -> None:
        """Compile all; bodies that ``enters`` lets enter slots of the model come after that."""
        slots, world, written = self._body_slots, self.running, self._written
        has_run = world is not None and world.data.time != self._compiled_time
        only_bodies = has_run and not self._compiles and not self.options.report_forces
        pattern, count = slots.wanted(len(self.bodies), only_bodies=only_bodies)
        held = referred_to(self.constraints, self._pairs)
        entry = DeferredBodies(self.bodies, written.unwritten, slots, held, world and world.data)
        enters = enters and count > 0 and pattern is None and entry.take_out()
        slots.begin()
        drives = sum(len(record.drive_joints) for record in self.bodies.values())
        balls = sum(len(record.ball_joints) for record in self.bodies.values())
        spares = has_run and bool(self.constraints)
        request = Request(pattern, count, drives, balls, first=world is None, spares=spares)
        try:
            model, data = self._source.model(request)
        except BaseException:
            if enters:
                entry.put_back()
            raise
        if enters and not entry.has_slots:
            entry.put_back()
            return self._compile(enters=False)
        known = slots.index.count
        new = list(itertools.islice(self.bodies.values(), known, None))
        model.numeric_data[t.N_BALLS] = balls
        write_rules(model, self.options, drives, int(model.neq))
        before = transfer.addresses(self.bodies) if world is not None and known == 0 else {}
        slots.index.number(model, new)
        self._constraint_slots.number(self.constraints.values())
        for record in new:
            if record.id not in before:
                default_drives(data, record)
        if balls or drives:
            name_ball_drives(model, self.bodies)
        if world is None:
            world = self.running = World(model, data)
        else:
            transfer.go_on(world, (model, data), self.bodies, known, before)
        describe(world, new, known, self.options)
        self._filters.refresh()
        self._write_filters(model)
        clear_rows(model, data)
        self._constraint_slots.write_changed(world, self.bodies)
        self._compiled_time = float(data.time)
        slots.compiled()
        self.stale: bool
        self.stale = self._compiles = False
        if enters:
            entry.put_back()
            self._settle()
            entry.carry_over(world.data)

    # --- world options and rules ---------------------------------------------------------------

    def apply_options(self) -> None:
        """Make changed world options effective, without a recompile."""
        if (world := self.compiled) is not None:
            model, before = world.model, float(world.model.opt.timestep)
            write_rules(model, self.options, int(model.numeric_data[t.N_DRIVES]), int(model.neq))
            if self.options.timestep != before:
                world.place_damping()

    def apply_gravity(self) -> None:
        """Make changed gravity alone effective."""
        if (world := self.compiled) is not None:
            world.model.opt.gravity = self.options.gravity

    def set_contact_reach(self, share: float) -> None:
        """Change how far ahead contacts are found, without a recompile."""
        self.options.contact_reach = share
        if self._body_slots.slots is not None:
            self._body_slots.slots.margins = None
        if (world := self.compiled) is not None:
            write_reach(world.model, share)
            world.changed()

    def set_filter(self, record: BodyRecord, index: int, group: int, mask: int) -> None:
        """Set collision group and mask of a link, without a recompile.

        Raises:
            EngineError: There would be too many different ones; nothing is changed.
        """
        state = record.links[index]
        if state.group == group and state.mask == mask:
            return
        news = self._filters.change(self.bodies.values(), state, group, mask)
        if news and self.running is not None:
            self.running.before_step = self._before_step

    def refresh_filters(self) -> None:
        """Make groups and masks that were changed in the records effective, or how they meet."""
        self._filters.refresh()
        if self.running is not None:
            self.running.before_step = self._before_step

    @property
    def geom_filters(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Collision group and mask of each geom, two (ngeom,); new arrays whenever one changes."""
        if self._filters.waiting and (world := self.compiled) is not None:
            self._write_filters(world.model)
        return self._filters.filters.of_geoms

    def _write_filters(self, model: Any) -> None:
        self._filters.write(model, self.bodies.values(), both=self.options.filters_both)
