"""What all of a simulation share: backend, device, the view of the physics, and who is told.

The stage is read when the simulation starts to play; two steps are made then, one before the
views of the physics are made and one after.
"""

from __future__ import annotations

import enum
import importlib
import itertools
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from pxr import Usd, UsdPhysics

from unibody.core.engine.library.devices import use_gpu
from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.kit import app, context, settings, timeline
from unibody.isaac_core.kit.timeline import TimelineEventType
from unibody.isaac_core.simulation import seam

BACKENDS = ("numpy", "torch", "warp")
PLAY_SIMULATIONS = "/app/player/playSimulations"
"""Setting: whether updates of the app move the physics."""
DEFAULT_RATE = 60.0
"""Steps a second of a physics scene that does not say."""


class IsaacEvents(enum.Enum):
    """What a simulation tells of."""

    PHYSICS_WARMUP = "isaac.physics_warmup"
    SIMULATION_VIEW_CREATED = "isaac.simulation_view_created"
    PHYSICS_READY = "isaac.physics_ready"
    POST_RESET = "isaac.post_reset"
    PRE_PHYSICS_STEP = "isaac.pre_physics_step"
    POST_PHYSICS_STEP = "isaac.post_physics_step"
    TIMELINE_STOP = "isaac.timeline_stop"


class Simulation:
    """The simulation of the process.

    Attributes:
        backend: Library of the arrays: "numpy", "torch" or "warp".
        worlds_device: Where worlds run: "cpu", "cuda:0", "warp-cpu".
        view: Of the physics; None while there is none.
        time: Simulated since the timeline played from its start [s].
        steps: How many steps that were, with the two before anything is told.
        begun: Time and steps when the physics was ready.
        fabric: Whether Fabric was asked for.
        registered: Numbers of the calls that scripts asked for.
    """

    def __init__(self) -> None:
        self.backend, self.worlds_device = "numpy", "cpu"
        self.view: Any = None
        self.time = 0.0
        self.steps = 0
        self.begun: tuple[float, int] = (0.0, 0)
        self.fabric: bool = False
        self.registered: set[int] = set()
        self._views: weakref.WeakSet[Any] = weakref.WeakSet()
        self._listeners: dict[int, tuple[IsaacEvents, Callable[..., Any], int]] = {}
        self._numbers = itertools.count()
        self._scene: Usd.Prim | None = None
        self._left_over = 0.0
        self._subscriptions: list[Any] = []

    @property
    def device(self) -> str:
        """Where arrays are: "cpu" or "cuda:0"; to set it says where worlds run.

        Where there is no GPU, the CPU takes the place of one, and one line says so.
        """
        return "cpu" if self.worlds_device == "warp-cpu" else self.worlds_device

    @device.setter
    def device(self, device: str) -> None:
        if device.startswith("cuda") and not use_gpu(f"device={device!r}"):
            device = "cpu"
        self.worlds_device: str = device

    def connect(self) -> None:
        """Listen to the app: once."""
        if self._subscriptions:
            return
        stream = timeline.get_timeline_interface().get_timeline_event_stream()
        opened = context.StageEventType.OPENED
        stages = context.get_context().get_stage_event_stream()
        listen = stream.create_subscription_to_pop_by_type
        self._subscriptions = [
            listen(TimelineEventType.PLAY, lambda _: self._play()),
            listen(TimelineEventType.PAUSE, lambda _: seam.flush()),
            listen(TimelineEventType.STOP, lambda _: self._stop()),
            stages.create_subscription_to_pop_by_type(opened, lambda _: self._new_stage()),
        ]
        app.get_app().steppers.append(self._frame)

    def backend_utils(self) -> ModuleType:
        """Functions of the arrays of the backend."""
        return importlib.import_module(f"unibody.isaac_core.functions.{self.backend}")

    def set_backend(self, backend: str) -> None:
        """Choose the library of the arrays, before the physics begins.

        Raises:
            InvalidArgumentError: There is no such backend.
        """
        if backend not in BACKENDS:
            raise InvalidArgumentError("backend", backend, f"one of {', '.join(BACKENDS)}")
        self.backend: str = backend

    def scene_prim(self) -> Usd.Prim | None:
        """The prim of the physics scene; None if the stage has none."""
        stage = handles.current_stage()
        found = self._scene  # looked for once: every step asks for it
        if found and found.GetStage() == stage and found.IsA(UsdPhysics.Scene):
            return found
        self._scene = handles.physics_scene(stage)
        return self._scene

    def physics_dt(self) -> float:
        """Time of a step [s]; 0 if the scene is at rest."""
        prim = self.scene_prim()
        rate = None
        if prim is not None:
            rate = prim.GetAttribute("physxScene:timeStepsPerSecond").Get()
        rate = DEFAULT_RATE if rate is None else rate
        return 1.0 / rate if rate else 0.0

    def initialize(self) -> None:
        """Read the stage and make the view of the physics, if there is none."""
        if self.view is not None:
            return
        if self.scene_prim() is None:
            from unibody.isaac_core.schemas import physx_schema

            made = UsdPhysics.Scene.Define(handles.current_stage(), "/physicsScene")
            physx_schema.PhysxSceneAPI.Apply(made.GetPrim())
        dt = self.physics_dt() or 1.0 / DEFAULT_RATE
        seam.begin(handles.current_stage(), self.worlds_device)
        self._count(dt)
        seam.simulate(dt)
        view = seam.create_view(self.backend, context.get_context().get_stage_id())
        view.set_subspace_roots("/")
        self.view = view
        self._count(dt)
        seam.simulate(dt)
        self.begun = (self.time, self.steps)
        self.tell(IsaacEvents.PHYSICS_WARMUP)
        self.tell(IsaacEvents.SIMULATION_VIEW_CREATED)
        for one in list(self._views):
            one._on_physics_ready()
        self.tell(IsaacEvents.PHYSICS_READY)

    def invalidate(self, *, restore: bool = True) -> None:
        """Let go of the physics, and of the views made from it.

        Args:
            restore: Whether the stage gets back what it had before it was simulated.
        """
        if self.view is not None:
            self.view.invalidate()
            seam.end(restore=restore)
        self.view = None
        for one in list(self._views):
            one._on_physics_gone()

    def enroll(self, view: Any) -> None:
        """Tell a view of prims when the physics is ready, and when it is gone."""
        self.connect()
        self._views.add(view)

    def add_listener(self, event: IsaacEvents, function: Callable[..., Any], order: int = 0) -> int:
        """Call a function when something happens.

        Returns:
            Number by which `remove_listener` ends that.
        """
        number = next(self._numbers)
        self._listeners[number] = (event, function, order)
        return number

    def remove_listener(self, number: int) -> bool:
        """End calls; whether there were any."""
        return self._listeners.pop(number, None) is not None

    def tell(self, event: IsaacEvents, *arguments: Any) -> None:
        """Call those who listen to an event, in their order."""
        called = [(order, f) for kind, f, order in self._listeners.values() if kind is event]
        for _, function in sorted(called, key=lambda pair: pair[0]):
            function(*arguments)

    def step(self, dt: float | None = None) -> None:
        """Make one step of the physics, and tell of it before and after."""
        dt = self.physics_dt() if dt is None else dt
        if dt <= 0.0:
            return
        self.tell(IsaacEvents.PRE_PHYSICS_STEP, dt)
        seam.simulate(dt)
        self._count(dt)
        self.tell(IsaacEvents.POST_PHYSICS_STEP, dt)

    def _count(self, dt: float) -> None:
        """Count a step; those that begin the physics count, too, as in the original."""
        self.time += dt
        self.steps += 1

    def _frame(self, frame_time: float) -> None:
        """As many steps as fit into a frame; what is left over counts for the next one."""
        if settings.get_settings().get(PLAY_SIMULATIONS) is False or not seam.is_here():
            return
        dt = self.physics_dt()
        if dt <= 0.0:
            return
        self.initialize()
        self._left_over += frame_time
        count = int(self._left_over / dt + 1e-6)
        self._left_over = max(self._left_over - count * dt, 0.0)
        for _ in range(count):
            if not timeline.get_timeline_interface().is_playing():
                return  # a callback stopped it
            self.step(dt)

    def _play(self) -> None:
        if seam.is_here() and handles.current_stage() is not None:
            self.initialize()

    def _stop(self) -> None:
        self.invalidate()
        self._begin_to_count()
        self.tell(IsaacEvents.TIMELINE_STOP)

    def _new_stage(self) -> None:
        self.invalidate(restore=False)
        self._views.clear()  # their prims were those of the stage that is closed
        self._scene = None
        self._begin_to_count()
        for number in self.registered:  # calls of scripts end with the stage they were for
            self.remove_listener(number)
        self.registered.clear()

    def _begin_to_count(self) -> None:
        self.time: float = 0.0
        self.steps: int = 0
        self.begun = (0.0, 0)
        self._left_over = 0.0

    def play(self) -> None:
        """Let the timeline play, without a step of the frame."""
        self.connect()
        timeline.get_timeline_interface().play()
        self.update_without_physics()

    def update_without_physics(self) -> None:
        """An update of the app in which the physics rests."""
        settings.get_settings().set(PLAY_SIMULATIONS, False)
        try:
            app.get_app().update()
        finally:
            settings.get_settings().set(PLAY_SIMULATIONS, True)


simulation: Simulation = Simulation()
"""The simulation of the process."""
