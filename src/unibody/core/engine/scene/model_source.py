"""Where a scene gets its models: they were made before, or are compiled of its spec."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco

from unibody.core.engine.insertion.constraint_slots import add_spares
from unibody.core.engine.insertion.reserved_slots import write_slots
from unibody.core.engine.library.freed_memory import note_compile
from unibody.core.engine.model_cache import on_disk
from unibody.core.engine.model_cache.in_memory import CompiledModels, Content, content_of, finished
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.scene.scene_spec import SceneSpec
from unibody.core.engine.spec.world_rules import reserve_memory
from unibody.core.engine.world.pending_edits import PendingEdits

_MOST_REMOVED = 64  # bodies that stay in the spec if no compile needs it
_Made = tuple[Any, Any]  # a model and its data


class Request(NamedTuple):
    """What a model is to have.

    Attributes:
        pattern: A body like those that it has slots for; None: slots for bodies of any kind.
        capacity: How many slots.
        drives: How many drives there are.
        balls: How many of ball joints.
        first: No world of the scene runs yet.
        spares: It has equalities to spare.
    """

    pattern: BodyRecord | None
    capacity: int
    drives: int
    balls: int
    first: bool
    spares: bool


class ModelSource:
    """The models of a scene.

    Args:
        written: The scene's spec, with what it is written of.
        late: Edits that are not in it yet.
        models: Those to look among before a compile.

    Attributes:
        models: As above; None: every model is compiled, and none is kept.
    """

    def __init__(
        self, written: SceneSpec, late: PendingEdits, models: CompiledModels | None
    ) -> None:
        self._written, self._late = written, late
        self.models = models

    def model(self, request: Request) -> _Made:
        """A model of the scene as it is now, with its data; its slots are those of the scene."""
        content = self._content(request)
        return self._made_before(content, request) or self._make(content, request)

    def _content(self, request: Request) -> Content | None:
        """What a model is looked for by; None if it is not to be kept."""
        pattern, capacity = request.pattern, request.capacity
        if capacity and pattern is None:
            return None
        spares = self._written.dropped or (self._written.constraints and not request.first)
        reordered = self._written.slots.reordered
        if self.models is None or spares or not self._written.pairs.is_empty or reordered:
            return None
        slots = None if pattern is None else (pattern, capacity)
        bodies, constraints = self._written.bodies.values(), self._written.constraints.values()
        return content_of(self._written.options, bodies, constraints, slots=slots)

    def _made_before(self, content: Content | None, request: Request) -> _Made | None:
        """A model and its data that were made of the same once; the spec stays as it is."""
        if self.models is None or content is None or len(self._written.removed) > _MOST_REMOVED:
            return None
        slots = self._written.slots
        if (found := self.models.find(content, request.pattern)) is not None:
            slots.slots = found.slots
            return found.model, found.data
        if request.capacity or not request.first or (model := on_disk.find(content)) is None:
            return None
        slots.slots = None
        return finished(
            self.models, None, content, (model, mujoco.MjData(model)), int(model.nbuffer)
        )

    def _make(self, content: Content | None, request: Request) -> _Made:
        """Write all that is not in the spec yet, and build."""
        written, constraints = self._written, self._written.constraints
        self._late.write_spec(self._written.bodies)
        written.write_all()
        spares = add_spares(written.spec, constraints.values()) if request.spares else []
        written.reserve(request.drives, request.balls, len(constraints) + len(spares))
        try:
            return self._build(content, request)
        finally:
            for element in spares:
                written.spec.delete(element)

    def _build(self, content: Content | None, request: Request) -> _Made:
        """A new model with its data, and slots for bodies like the pattern, or of any kind."""
        pattern, capacity, slots = request.pattern, request.capacity, self._written.slots
        slots.slots = None
        spec = self._written.spec
        if pattern is not None:
            spec = spec.copy()
            write_slots(spec, pattern, capacity)
        reserve_memory(spec, self._written.bodies.values(), capacity)
        model = spec.compile()
        note_compile()
        opened = None
        if capacity and pattern is None:
            opened = slots.reserve_any_kind(model, len(self._written.bodies), capacity)
        model, data = opened or (model, mujoco.MjData(model))
        self._written.store.hold(model)
        length = int(model.nbuffer)
        if pattern is not None and not slots.reserve(model, data, pattern, capacity):
            return self._build(None, request._replace(pattern=None, capacity=0))
        if content is not None and not capacity and request.first:
            on_disk.keep(content, model)
        content = content or self._content(request)
        return finished(self.models, slots.slots, content, (model, data), length)
