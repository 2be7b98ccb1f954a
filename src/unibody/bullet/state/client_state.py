"""What one physics client holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unibody.bullet.calls.call_lock import CallLock
from unibody.bullet.geometry.plain_shapes import new_collision_shape, new_visual_shape
from unibody.bullet.state.debug_items import DebugStore
from unibody.bullet.state.serial_order import SerialOrder
from unibody.bullet.state.shapes import ShapeTable
from unibody.bullet.state.user_data import UserDataStore
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.scene.sessions import IdPool, Session
from unibody.core.engine.world.world import World

if TYPE_CHECKING:
    from unibody.bullet.state.load_calls import LoadCall
    from unibody.bullet.state.looks import Look, Texture
    from unibody.bullet.state.parts import (
        Clock,
        CommandRecord,
        Logs,
        Page,
        Plugins,
        Recording,
        Trace,
    )
    from unibody.bullet.substeps.joint_sensors import SensorReader
    from unibody.bullet.substeps.moving_bases import MovingBases
    from unibody.bullet.substeps.pd_control import PdControls
    from unibody.bullet.substeps.soft_bodies import SoftBodies
    from unibody.bullet.substeps.swept_spheres import SweptSpheres
    from unibody.bullet.substeps.tick import Tick
    from unibody.core.engine.queries.bounds import BoxSearch

DEFAULT_TIME_STEP = 1.0 / 240.0  # s
ALL_OPTIONS, GRAVITY_ALONE = 1, 2  # what of the options the world has yet to hear of


SOFT_CELL = 0.25
"""Of lattices that soft bodies sample distances on, at first [m]."""


@dataclass(slots=True)
class PhysicsParameters:
    """What setPhysicsEngineParameter keeps, under getPhysicsEngineParameters' names."""

    fixedTimeStep: float = DEFAULT_TIME_STEP
    numSubSteps: int = 0
    numSolverIterations: int = 50
    useRealTimeSimulation: int = 0
    numNonContactInnerIterations: int = 1
    jointFeedbackMode: int = 0


@dataclass(slots=True)
class ClientState:
    """A scene, and PyBullet's bookkeeping around it; `clients.client` says what is done with it.

    Bodies are of ``handles.body``, which knows of this and not the other way round.
    """

    id: int
    method: int
    session: Session
    scene: Scene
    body_ids: IdPool
    call_lock: CallLock  # for the threads that may share this client
    bodies: dict[int, Any] = field(default_factory=dict)
    body_order: SerialOrder = field(default_factory=SerialOrder)
    seen_edits: int = 0  # of the session, that `bodies` knows about
    shape_ids: IdPool = field(default_factory=IdPool)
    visual_ids: IdPool = field(default_factory=IdPool)
    collision_shapes: ShapeTable = field(default_factory=lambda: ShapeTable(new_collision_shape))
    visual_shapes: ShapeTable = field(default_factory=lambda: ShapeTable(new_visual_shape))
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
    cameras: object | None = None  # of the cameras, from the first picture on
    trace: Trace | None = None
    commands: CommandRecord | None = None
    logs: Logs | None = None
    plugins: Plugins | None = None
    ticks: list[Tick] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    forces_applied: bool = False
    window: Page | None = None
    films: list[Recording] = field(default_factory=list)  # recordings that are being made
    deformable_world: bool = False  # soft bodies are finite elements, not position-based
    soft_cell: float = SOFT_CELL  # of lattices that these sample distances on [m]
    pd_controls: PdControls | None = None  # these five are among the ticks
    joint_sensors: SensorReader | None = None
    swept_links: SweptSpheres | None = None
    moving_bases: MovingBases | None = None
    soft_bodies: SoftBodies | None = None
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

    def forget_queries(self) -> None:
        """Let go of what answers questions about the bodies."""
        self.caster = self.box_search = self.contact_table = None
        self.body_pairs.clear()

    def remove_ticks(self) -> None:
        """Take away what takes part in steps as some bodies need it."""
        for tick in (
            self.pd_controls, self.joint_sensors, self.swept_links, self.moving_bases,
            self.soft_bodies,
        ):  # fmt: skip
            if tick is not None:
                self.ticks.remove(tick)
        self.pd_controls = self.joint_sensors = self.swept_links = self.moving_bases = None
        self.soft_bodies = None

    def say_once(self, text: str) -> bool:
        """True the first time a text comes."""
        if text in self.said:
            return False
        self.said.add(text)
        return True
