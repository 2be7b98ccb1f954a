"""A physics client: what is done with its state, and its steps."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.state.client_state import (
    ALL_OPTIONS,
    GRAVITY_ALONE,
    ClientState,
    PhysicsParameters,
)
from unibody.bullet.state.user_data import UserDataStore
from unibody.core.engine.model_cache.in_memory import CompiledModels
from unibody.core.engine.records.dialects import BULLET
from unibody.core.engine.scene.edits import scale_motor_limits
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.scene.sessions import IdPool
from unibody.core.engine.world import step_observers
from unibody.errors import EngineError
from unibody.machine_code.calls import threads

_search_folders: list[str] = []  # of all clients, also later ones, as in PyBullet


def set_search_folders(*folders: str) -> None:
    """Say in which folders the clients of this process look for files."""
    _search_folders[:] = folders


def new_scene(models: CompiledModels) -> Scene:
    """An empty scene with the rules of Bullet."""
    return Scene(BULLET.world_options(), models)


@dataclass(slots=True)
class Client(ClientState):
    """One physics client."""

    bodies: dict[int, Body] = field(default_factory=dict)

    def body(self, body_id: int, message: str) -> Body:
        """The body with an id.

        Raises:
            error: There is none; ``message`` is PyBullet's.
        """
        try:
            return self.bodies[body_id]
        except KeyError:
            raise error(message) from None

    @property
    def search_path(self) -> tuple[str, ...]:
        """Where files are looked for: the process's folders, those from plugins, and `files`."""
        return (*_search_folders, *self.archives, *filter(None, [self.files]))

    def add_body(self, body: Body) -> None:
        """Take a loaded body into the table."""
        self.bodies[body.id] = body
        self.body_order.add(body.id)
        self.session.note(body.id, body.asset)
        self.seen_edits = self.session.edits

    def take_over(self) -> None:
        """Take note of bodies that came or went through another surface."""
        session = self.session
        if self.seen_edits == session.edits:
            return
        for body_id in [number for number in self.bodies if number not in session.assets]:
            self._forget(body_id)
        for body_id, asset in session.assets.items():
            record = session.scene.bodies[body_id]
            known = self.bodies.get(body_id)
            if known is None or known.record is not record:
                self.bodies[body_id] = Body(self, record, asset)
                self.body_order.add(body_id)
        self.seen_edits = session.edits

    def remove_body(self, body_id: int) -> None:
        """Remove a body with the constraints that hold it."""
        record = self.bodies[body_id]
        self.scene.remove(record.id)
        self._forget(body_id)
        self.body_ids.give_back(body_id)
        self.session.forget(body_id)
        self.seen_edits = self.session.edits

    def _forget(self, body_id: int) -> None:
        del self.bodies[body_id]
        self.body_order.remove(body_id)
        if self.joint_sensors is not None:
            self.joint_sensors.forget(body_id)
        if self.swept_links is not None:
            self.swept_links.forget(body_id)
        if self.moving_bases is not None:
            self.moving_bases.velocity.pop(body_id, None)
        if self.soft_bodies is not None:
            self.soft_bodies.forget(body_id)
        self.user_data.forget_body(body_id)
        self.load_calls.pop(body_id, None)
        for unique_id in self.constraint_order.backwards():  # as PyBullet goes through them
            if self.constraints[unique_id].holds(body_id):
                del self.constraints[unique_id]
                self.constraint_order.remove(unique_id)
        self.looks.pop(body_id, None)
        self.debug.forget_body(body_id)

    def reset(self) -> None:
        """Forget everything but the connection, search path, textures, sliders and open trace."""
        if self.logs is not None:
            self.logs.stop_states()
        self.session.replace(new_scene(self.scene.give_models()))
        self.scene: Scene = self.session.scene
        self.bodies.clear()
        self.body_order.clear()
        self.body_ids: IdPool = self.session.body_ids
        self.seen_edits: int = self.session.edits
        self.collision_shapes.clear()
        self.visual_shapes.clear()
        self.shape_ids: IdPool = IdPool()
        self.visual_ids: IdPool = IdPool()
        self.constraints.clear()
        self.constraint_order.clear()
        self.constraint_ids: IdPool = IdPool(1)
        self.states.clear()
        self.state_ids: IdPool = IdPool()
        kept = self.parameters  # PyBullet keeps these three
        self.parameters: PhysicsParameters = PhysicsParameters(
            fixedTimeStep=kept.fixedTimeStep,
            numSubSteps=kept.numSubSteps,
            useRealTimeSimulation=kept.useRealTimeSimulation,
        )
        self.looks.clear()
        self.debug.clear_items()
        self.debug.colors.clear()
        self.forces_applied = False
        self.time_step_changed()
        self.forget_queries()
        self.remove_ticks()
        self.user_data: UserDataStore = UserDataStore()
        self.load_calls.clear()

    def step_in_turn(self) -> None:
        """Step, while no other thread does."""
        if not threads.is_the_only_one():
            threads.call_from_all()
        with self.call_lock.lock:
            self.step()

    def step(self) -> tuple[()]:
        """Advance by one time step, in substeps if asked; applied forces last for one step.

        Returns:
            What stepSimulation returns.
        """
        if self.options_stale:
            self.apply_options()
        if self.window is not None:
            self.window.before_step()
        if self.trace is None and not step_observers.observers:
            if self.bodies or self.ticks:  # nothing happens in an empty world
                self._advance()
                self._end_forces()
            return ()
        begin = time.perf_counter_ns()
        self._advance()
        if self.trace is not None:
            self.trace.span("stepSimulation", begin, time.perf_counter_ns())
        try:
            if step_observers.observers:
                step_observers.notify_step(
                    self.parameters.fixedTimeStep, self.world.data.ncon, self
                )
        finally:
            self._end_forces()
        return ()

    def _advance(self) -> None:
        try:
            world = self.scene.world
            for _ in range(self.parameters.numSubSteps or 1):
                if not self.ticks:
                    world.step()
                    continue
                for tick in tuple(self.ticks):
                    tick.before_tick(self)
                world.step()
                for tick in tuple(self.ticks):
                    tick.after_tick(self)
        except EngineError as problem:
            raise error(f"stepSimulation failed. {problem}") from problem

    def _end_forces(self) -> None:
        if self.forces_applied:
            self.world.clear_forces()
            self.forces_applied: bool = False

    def apply_options(self) -> None:
        """Make changed options of the world effective, the time step and substeps among them.

        Settings are collected, and take effect with the next step.
        """
        stale, self.options_stale = self.options_stale, 0
        if stale == GRAVITY_ALONE:
            self.scene.apply_gravity()
            return
        options, substeps = self.scene.options, max(1, self.parameters.numSubSteps)
        before, options.timestep = options.timestep, self.parameters.fixedTimeStep / substeps
        self.scene.apply_options()
        if options.timestep != before:
            scale_motor_limits(self.scene, before / options.timestep)
            for held in self.constraints.values():
                held.record.max_force *= before / options.timestep
                self.scene.update_constraint(held.record)
            for body in self.bodies.values():
                body.forget_motor_plan()
        self.impulse_scale = float(substeps)

    def time_step_changed(self) -> None:
        """Say that the time step or the number of substeps is another.

        PyBullet bounds a motor by an impulse, its force times the time step that was set when it
        was told, and grants that impulse in each substep.
        """
        self.options_stale: int = ALL_OPTIONS
        before = self.impulse_scale
        self.impulse_scale: float = self.parameters.fixedTimeStep / self.scene.options.timestep
        if self.impulse_scale != before:  # what a plan leaves as it is would be an older impulse
            for body in self.bodies.values():
                body.forget_motor_plan()
