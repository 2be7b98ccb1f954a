"""The physics clients of this process, and what one of them holds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from unibody.bullet.calls.compiled_states import states
from unibody.bullet.calls.threads import Turns
from unibody.bullet.constants import DIRECT
from unibody.bullet.errors import error
from unibody.bullet.geometry.plain_shapes import collision_shapes, visual_shapes
from unibody.bullet.tables.debug_items import DebugStore
from unibody.bullet.tables.serial_order import SerialOrder
from unibody.bullet.tables.shapes import ShapeTable
from unibody.bullet.tables.user_data import UserDataStore
from unibody.core.engine.model_cache.in_memory import CompiledModels
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.scene.edits import scale_motor_limits
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.scene.sessions import (
    IdPool,
    Session,
    close_session,
    find_session,
    open_session,
)
from unibody.core.engine.world import step_observers
from unibody.core.engine.world.world import World
from unibody.errors import EngineError, UnibodyError
from unibody.machine_code.calls import threads

if TYPE_CHECKING:
    from unibody.bullet.bodies.swept_spheres import SweptLinks
    from unibody.bullet.cameras.stage import Studio
    from unibody.bullet.clients.clock import Clock
    from unibody.bullet.handles.body import Body
    from unibody.bullet.handles.moving_bases import MovingBases
    from unibody.bullet.joints.pd_control import PdControls
    from unibody.bullet.joints.sensors import SensorReader
    from unibody.bullet.logs.commands import CommandLog
    from unibody.bullet.logs.table import LogTable
    from unibody.bullet.logs.trace import TraceFile
    from unibody.bullet.plugins.base import PluginTable
    from unibody.bullet.visuals.looks import Look
    from unibody.bullet.visuals.textures import Texture
    from unibody.bullet.window.film import WorldLog
    from unibody.bullet.window.page import Window
    from unibody.bullet.worlds.saved_worlds import LoadCall
    from unibody.core.assets.description import Vec3
    from unibody.core.engine.queries.bounds import BoxSearch

DEFAULT_TIME_STEP = 1.0 / 240.0  # s
_CONTACT_ERP = 0.08  # PyBullet's, not Bullet's own 0.2
CONTACT_SLOP = 1e-5  # m
CONTACT_REACH = 0.02  # Bullet's contactBreakingThreshold
LIMIT_DEPTH = 0.04  # rad or m: Bullet holds a limit crossed further, but does not correct it
ALL_OPTIONS, GRAVITY_ALONE = 1, 2  # what of the options the world has yet to hear of
_AT_LIMIT = 1e-9  # rad or m: Bullet's joint limits act once they are reached, not ahead


@dataclass(slots=True)
class PhysicsParameters:
    """What setPhysicsEngineParameter keeps, under getPhysicsEngineParameters' names."""

    fixedTimeStep: float = DEFAULT_TIME_STEP
    numSubSteps: int = 0
    numSolverIterations: int = 50
    useRealTimeSimulation: int = 0
    numNonContactInnerIterations: int = 1
    jointFeedbackMode: int = 0


class Tick(Protocol):
    """Something that takes part in every substep of a client."""

    def before_tick(self, client: Client) -> None:
        """Act before a substep."""
        ...

    def after_tick(self, client: Client) -> None:
        """Act after a substep, while the forces applied for it are still there."""
        ...


def _new_scene(models: CompiledModels) -> Scene:
    return Scene(
        WorldOptions(
            contact_erp=_CONTACT_ERP,
            contact_slop=CONTACT_SLOP,
            contact_reach=CONTACT_REACH,
            limit_depth=LIMIT_DEPTH,
            limit_margin=_AT_LIMIT,
            filters_both=False,
            speed_limits=True,
            exact_slipping=True,
            slip_by_mass=True,
            point_by_point=True,
            bullet_pairs=True,
        ),
        models,
    )


@dataclass(slots=True)
class Client:
    """One physics client: a scene, and PyBullet's bookkeeping around it."""

    id: int
    method: int
    session: Session
    scene: Scene
    body_ids: IdPool
    turns: Turns  # of the threads that may share this client
    bodies: dict[int, Body] = field(default_factory=dict)
    body_order: SerialOrder = field(default_factory=SerialOrder)
    seen_edits: int = 0  # of the session, that `bodies` knows about
    shape_ids: IdPool = field(default_factory=IdPool)
    visual_ids: IdPool = field(default_factory=IdPool)
    collision_shapes: ShapeTable = field(default_factory=collision_shapes)
    visual_shapes: ShapeTable = field(default_factory=visual_shapes)
    constraint_ids: IdPool = field(default_factory=lambda: IdPool(1))
    constraints: dict[int, Any] = field(default_factory=dict)
    constraint_order: SerialOrder = field(default_factory=SerialOrder)
    states: dict[int, Any] = field(default_factory=dict)
    state_ids: IdPool = field(default_factory=IdPool)
    archives: tuple[str, ...] = ()  # the last folders of the search path, from plugins
    files: str | None = None  # the only folder that clients of a server write to
    parameters: PhysicsParameters = field(default_factory=PhysicsParameters)
    visualizer: dict[int, int] = field(default_factory=dict)
    camera: dict[str, Any] = field(default_factory=dict)
    debug: DebugStore = field(default_factory=DebugStore)
    textures: list[Texture] = field(default_factory=list)
    looks: dict[int, list[Look]] = field(default_factory=dict)
    textures_numbered: int = -1  # edits of the session when those of its bodies were
    looks_version: int = 0  # counts changes of looks and textures
    studio: Studio | None = None  # what cameras work with, from the first picture on
    trace: TraceFile | None = None
    commands: CommandLog | None = None
    logs: LogTable | None = None
    plugins: PluginTable | None = None
    ticks: list[Tick] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    forces_applied: bool = False
    window: Window | None = None
    films: list[WorldLog] = field(default_factory=list)  # recordings that are being made
    pd_controls: PdControls | None = None  # these three are among the ticks
    joint_sensors: SensorReader | None = None
    swept_links: SweptLinks | None = None
    moving_bases: MovingBases | None = None
    user_data: UserDataStore = field(default_factory=UserDataStore)
    load_calls: dict[int, LoadCall] = field(default_factory=dict)  # of bodies from files
    caster: Any = None  # of rays, made when it is first needed
    box_search: BoxSearch | None = None  # for getOverlappingObjects, made when first needed
    body_pairs: dict[tuple[int, int, int, int], Any] = field(default_factory=dict)  # see closest
    contact_table: Any = None  # of the last state that contacts were asked for of
    options_stale: int = 0  # the world has yet to hear of changed options, or of GRAVITY_ALONE
    impulse_scale: float = 1.0  # time steps of this client to a step of the engine
    clock: Clock | None = None  # while it follows the clock

    @property
    def world(self) -> World:
        """The running world of the scene, compiled first if there were edits."""
        return self.scene.world

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
        from unibody.bullet.handles.body import Body

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
        self.session.replace(_new_scene(self.scene.give_models()))
        self.scene = self.session.scene
        self.bodies.clear()
        self.body_order.clear()
        self.body_ids = self.session.body_ids
        self.seen_edits = self.session.edits
        self.collision_shapes.clear()
        self.visual_shapes.clear()
        self.shape_ids, self.visual_ids = IdPool(), IdPool()
        self.constraints.clear()
        self.constraint_order.clear()
        self.constraint_ids = IdPool(1)
        self.states.clear()
        self.state_ids = IdPool()
        kept = self.parameters  # PyBullet keeps these three
        self.parameters = PhysicsParameters(
            fixedTimeStep=kept.fixedTimeStep,
            numSubSteps=kept.numSubSteps,
            useRealTimeSimulation=kept.useRealTimeSimulation,
        )
        self.looks.clear()
        self.debug.clear_items()
        self.debug.colors.clear()
        self.forces_applied = False
        self.time_step_changed()
        self.caster = self.box_search = None
        self.contact_table = None
        self.body_pairs.clear()
        for tick in (
            self.pd_controls, self.joint_sensors, self.swept_links, self.moving_bases,
        ):  # fmt: skip
            if tick is not None:
                self.ticks.remove(tick)
        self.pd_controls = self.joint_sensors = self.swept_links = self.moving_bases = None
        self.user_data = UserDataStore()
        self.load_calls.clear()

    def step_in_turn(self) -> None:
        """Step, while no other thread does."""
        if not threads.is_the_only_one():
            threads.call_from_all()
        with self.turns.lock:
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
            return ()
        begin = time.perf_counter_ns()
        self._advance()
        if self.trace is not None:
            self.trace.span("stepSimulation", begin, time.perf_counter_ns())
        if step_observers.observers:
            step_observers.notify_step(self.parameters.fixedTimeStep, self.world.data.ncon)
        return ()

    def _advance(self) -> None:
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
        if self.forces_applied:
            world.clear_forces()
            self.forces_applied = False

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
        self.options_stale = ALL_OPTIONS
        before = self.impulse_scale
        self.impulse_scale = self.parameters.fixedTimeStep / self.scene.options.timestep
        if self.impulse_scale != before:  # what a plan leaves as it is would be an older impulse
            for body in self.bodies.values():
                body.forget_motor_plan()

    def say_once(self, text: str) -> bool:
        """True the first time a text comes."""
        if text in self.said:
            return False
        self.said.add(text)
        return True


on_open: list[Callable[[Client], None]] = []
"""Called with every client that is opened."""
_search_folders: list[str] = []  # of all clients, also later ones, as in PyBullet


def set_search_folders(*folders: str) -> None:
    """Say in which folders the clients of this process look for files."""
    _search_folders[:] = folders


_clients: dict[int, Client] = {}
clients: dict[int, Client] = {}
"""The clients that need nothing done before a call; ``get_client`` finds the others too.

Functions that cost less than a call look here themselves first.
"""
_clocked: dict[int, float] = {}  # clients that step by the clock: id -> time caught up to [s]
_VECTOR, _QUATERNION = 3, 4  # the sizes that most calls are about
MAX_BACKLOG = 0.5  # s: what a client that was not asked for longer than this catches up at most


def step_by_clock(client: Client, enabled: bool) -> None:
    """Let a client follow the clock: at every call that reaches it, and between calls.

    No call ever meets a world in the middle of a step.
    """
    client.parameters.useRealTimeSimulation = int(enabled)
    if client.clock is not None:
        client.clock.stop()
        client.clock = None
    if enabled:
        _clocked[client.id] = time.perf_counter()
        clients.pop(client.id, None)
        if not client.turns.needless:
            from unibody.bullet.clients.clock import Clock

            client.clock = Clock(client.turns, lambda: _keep_up(client))
    else:
        _clocked.pop(client.id, None)
        clients[client.id] = client


def follows_clock(client_id: int) -> bool:
    """Whether a client steps by the clock."""
    return client_id in _clocked


def _keep_up(client: Client) -> bool:
    """Catch up, if the client follows the clock still."""
    if _clients.get(client.id) is not client or client.id not in _clocked:
        return False
    try:
        _catch_up(client.id)
    except UnibodyError:  # which the next call of the script meets, too
        return False
    return True


def _catch_up(client_id: int) -> None:
    begin = _clocked.get(client_id)
    if begin is None:
        return
    client = _clients[client_id]
    step = client.parameters.fixedTimeStep
    now = time.perf_counter()
    begin = max(begin, now - MAX_BACKLOG)
    count = int((now - begin) / step)
    _clocked[client_id] = begin + count * step
    for _ in range(count):
        client.step()
        if client.commands is not None:
            client.commands.step()


def get_client(client_id: int) -> Client:
    """The client with an id, for a call that is meant for it.

    Raises:
        error: There is none.
        TypeError: The id is no integer.
    """
    try:
        return clients[client_id]
    except (KeyError, TypeError):
        client = find_client(index(client_id))
    if client is None:
        raise error("Not connected to physics server.")
    return client


def find_client(client_id: int) -> Client | None:
    """The client with an id, or None."""
    if client_id in _clocked:
        _catch_up(client_id)
    session = find_session(client_id)
    if session is None:
        return None
    client = _clients.get(client_id)
    if client is None or client.session is not session:
        client = _client_of(session, DIRECT)
    if session.before_use:
        session.refresh()
        client.take_over()
    return client


def _client_of(session: Session, method: int) -> Client:
    client = Client(session.id, method, session, session.scene, session.body_ids, Turns(session.id))
    client.parameters.fixedTimeStep = session.time_step
    _clients[session.id] = client
    session.on_watched.append(lambda: _drop_fast(client))
    if not session.before_use:
        clients[session.id] = client
    return client


def _drop_fast(client: Client) -> None:
    """Let every call for a client go through `find_client`."""
    if clients.get(client.id) is client:
        del clients[client.id]


def open_client(method: int) -> Client:
    """A new client under the lowest free id."""
    try:
        session = open_session(_new_scene(CompiledModels()))
    except EngineError:
        raise error("Exceeding maximum number of physics connections.") from None
    client = _client_of(session, method)
    for told in tuple(on_open):
        told(client)
    return client


def close_client(client_id: int) -> None:
    """Forget a client and its world.

    Raises:
        error: There is none.
    """
    if close_session(client_id) is None:
        raise error("Not connected to physics server.")
    client = _clients.pop(client_id, None)
    clients.pop(client_id, None)
    _clocked.pop(client_id, None)
    if client is None:
        return
    if client.clock is not None:
        client.clock.stop()
    client.turns.close()
    if client.logs is not None:
        client.logs.close()
    for film in tuple(client.films):
        film.close()
    if client.window is not None:
        client.window.close()
    if client.plugins is not None:
        client.plugins.close()


def get_body(body_id: int, client_id: int, message: str) -> Body:
    """The body of a client.

    Raises:
        error: No such client, or no such body; then ``message`` is PyBullet's.
        TypeError: An id is no integer.
    """
    number = index(body_id)
    body = get_client(client_id).bodies.get(number)
    if body is None:
        raise error(message)
    return body


def joint_indices(values: Any) -> list[int]:
    """Joint or link indices: whatever has a length but a dict, as in PyBullet.

    Raises:
        error: It is none of these, or something in it is no integer; PyBullet's messages.
    """
    if isinstance(values, dict) or not hasattr(values, "__len__"):
        raise error("expected a sequence of joint indices")
    try:
        return [index(value) for value in values]
    except TypeError:
        raise error("Joint index out-of-range.") from None


def real(value: Any) -> float:
    """A number as a float.

    Raises:
        TypeError: It is not a real number. ``float`` would read text.
    """
    return math.copysign(value, value)


@overload
def vector(value: Any, size: Literal[3], message: str) -> Vec3: ...
@overload
def vector(value: Any, size: Literal[4], message: str) -> tuple[float, float, float, float]: ...
@overload
def vector(value: Any, size: int, message: str) -> tuple[float, ...]: ...
def vector(value: Any, size: int, message: str) -> tuple[float, ...]:
    """A sequence of numbers as floats.

    Raises:
        error: Not ``size`` numbers; ``message`` is PyBullet's.
    """
    read = plain_vector(value, size)
    if read is not None:
        return read
    try:
        numbers = tuple(map(float, value))
    except (TypeError, ValueError):
        raise error(message) from None
    if len(numbers) != size:
        raise error(message)
    return numbers


def plain_vector(value: Any, size: int) -> Any:
    """A sequence of numbers as floats, if it comes in a form that most scripts use; else None."""
    if value.__class__ is list:
        value = tuple(value)
    if value.__class__ is tuple and len(value) == size:
        if size == _VECTOR:
            x, y, z = value
            if x.__class__ is y.__class__ is z.__class__ is float:
                return value
        elif size == _QUATERNION:
            x, y, z, w = value
            if x.__class__ is y.__class__ is z.__class__ is w.__class__ is float:
                return value
    return states().vector(value, size)
