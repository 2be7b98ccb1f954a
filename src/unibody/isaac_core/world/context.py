"""SimulationContext: plays, steps and resets the simulation of the process."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar, Self

from pxr import Usd, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.kit import app, settings, timeline
from unibody.isaac_core.kit import context as usd_context
from unibody.isaac_core.simulation import seam
from unibody.isaac_core.simulation.manager import PLAY_SIMULATIONS, simulation
from unibody.isaac_core.world.callbacks import Callbacks
from unibody.isaac_core.world.physics_context import PhysicsContext

_FRAME = 1.0 / 60.0
_WAIT = "/app/hydraEngine/waitIdle"


class SimulationContext(Callbacks):
    """There is one: a second construction gives the first again, whatever its arguments.

    Args:
        physics_dt: Time of a step [s].
        rendering_dt: Time of a frame [s].
        stage_units_in_meters: Length of the stage's unit [m].
        physics_prim_path: Where a new physics scene is made.
        sim_params: Settings of the physics by name.
        set_defaults: Whether what is None gets a usual value.
        backend: "numpy", "torch" or "warp".
        device: Where arrays are, "cpu" or "cuda:0"; None: "cpu".
        stage: The stage; None: that of the app.
    """

    _instance: ClassVar[Any] = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """The one there is, or a new one."""
        if SimulationContext._instance is None:
            SimulationContext._instance = super().__new__(cls)
        return SimulationContext._instance

    def __init__(
        self,
        physics_dt: float | None = None,
        rendering_dt: float | None = None,
        stage_units_in_meters: float | None = None,
        physics_prim_path: str = "/physicsScene",
        sim_params: dict[str, Any] | None = None,
        set_defaults: bool = True,
        backend: str = "numpy",
        device: str | None = None,
        stage: Usd.Stage | None = None,
    ) -> None:
        if self.__dict__.get("_is_built"):
            return
        self._is_built = True
        Callbacks.__init__(self)
        self._given_stage = stage
        self._timeline = timeline.get_timeline_interface()
        if not self._timeline.is_stopped():
            self._timeline.stop()
        simulation.connect()
        simulation.set_backend(backend)
        simulation.device = device or "cpu"
        self._wanted = (physics_dt, rendering_dt, stage_units_in_meters, physics_prim_path)
        self._sim_params, self._set_defaults = sim_params, set_defaults
        self._rendering_dt = _FRAME
        self._set_up()
        opened = usd_context.StageEventType.OPENED
        stream = usd_context.get_context().get_stage_event_stream()
        self._on_open = stream.create_subscription_to_pop_by_type(
            opened, lambda _: type(self).clear_instance()
        )

    def _set_up(self) -> None:
        """Give the stage units, an axis, and a physics scene."""
        physics_dt, rendering_dt, units, path = self._wanted
        if self._set_defaults:
            rendering_dt = _FRAME if rendering_dt is None else rendering_dt
            units = 1.0 if units is None else units
        elif rendering_dt is None:
            rendering_dt = 1.0 / self.stage.GetTimeCodesPerSecond()
        stages.set_stage_up_axis("z")
        if units is not None:
            stages.set_stage_units(units)
        self._physics_context = PhysicsContext(
            physics_dt, path, self._sim_params, self._set_defaults, simulation.backend
        )
        self.set_simulation_dt(physics_dt, rendering_dt)

    @classmethod
    def instance(cls) -> Any:
        """The one there is; None if there is none."""
        return SimulationContext._instance

    @classmethod
    def clear_instance(cls) -> None:
        """Forget the one there is, with its callbacks."""
        found = SimulationContext._instance
        if found is not None:
            if found.__dict__.get("_is_built"):
                found.clear_all_callbacks()
                found._on_open = None
            SimulationContext._instance = None
            simulation.set_backend("numpy")
            simulation.device = "cpu"

    @property
    def app(self) -> Any:
        """The app."""
        return app.get_app()

    @property
    def stage(self) -> Usd.Stage:
        """The stage."""
        return self._given_stage or handles.current_stage()

    @property
    def backend(self) -> str:
        """Library of the arrays."""
        return simulation.backend

    @property
    def backend_utils(self) -> ModuleType:
        """Functions of the arrays."""
        return simulation.backend_utils()

    @property
    def device(self) -> str:
        """Where arrays are."""
        return simulation.device

    @property
    def physics_sim_view(self) -> Any:
        """The view of the physics; None while there is none."""
        return simulation.view

    @property
    def current_time(self) -> float:
        """Simulated since it plays [s]."""
        return simulation.time - simulation.begun[0]

    @property
    def current_time_step_index(self) -> int:
        """How many steps were made since it plays."""
        return simulation.steps - simulation.begun[1]

    def get_physics_context(self) -> PhysicsContext:
        """The settings of the physics."""
        return self._physics_context

    def get_physics_dt(self) -> float:
        """Time of a step [s]."""
        return self._physics_context.get_physics_dt()

    def get_rendering_dt(self) -> float:
        """Time of a frame [s]."""
        return self._rendering_dt

    def set_simulation_dt(
        self, physics_dt: float | None = None, rendering_dt: float | None = None
    ) -> None:
        """Set the times of a step and of a frame.

        Args:
            physics_dt: [s]; 0: nothing moves; None: as it is.
            rendering_dt: [s]; None: as it is. A frame has as many steps as fit.

        Raises:
            InvalidArgumentError: A time is negative, or that of a step above 1 s.
        """
        frame = self._rendering_dt if rendering_dt is None else float(rendering_dt)
        if frame < 0.0:
            raise InvalidArgumentError("rendering_dt", rendering_dt, "a time of at least 0 s")
        if physics_dt is not None:
            steps = max(int(frame / physics_dt), 1) if physics_dt > 0.0 else 1
            self._physics_context.set_physics_dt(physics_dt, steps)
        self._rendering_dt = frame
        if frame > 0.0:
            self.stage.SetTimeCodesPerSecond(1.0 / frame)
            self._timeline.set_time_codes_per_second(1.0 / frame)
        app.get_app().frame_time = frame

    def set_block_on_render(self, block: bool) -> None:
        """Set whether a frame waits for its picture; a record."""
        settings.get_settings().set(_WAIT, bool(block))

    def get_block_on_render(self) -> bool:
        """Whether a frame waits for its picture; a record."""
        return settings.get_settings().get_as_bool(_WAIT)

    def is_simulating(self) -> bool:
        """Whether there is a physics: it plays or is paused."""
        return simulation.view is not None

    def is_playing(self) -> bool:
        """Whether it plays."""
        return self._timeline.is_playing()

    def is_stopped(self) -> bool:
        """Whether it was stopped, and not played since."""
        return self._timeline.is_stopped()

    def play(self) -> None:
        """Begin, or go on after a pause. To begin makes two steps, at the time 0."""
        self._timeline.play()
        simulation.update_without_physics()

    def pause(self) -> None:
        """Hold the simulation where it is; the stage gets the poses."""
        self._timeline.pause()
        simulation.update_without_physics()

    def stop(self) -> None:
        """End the simulation; the stage is again as it was before."""
        self._timeline.stop()
        simulation.update_without_physics()

    async def play_async(self) -> None:
        """The same as `play`, with an update of the app."""
        self._timeline.play()
        await self._update_without_physics()

    async def pause_async(self) -> None:
        """The same as `pause`, with an update of the app."""
        self._timeline.pause()
        await self._update_without_physics()

    async def stop_async(self) -> None:
        """The same as `stop`, with an update of the app."""
        self._timeline.stop()
        await self._update_without_physics()

    def initialize_physics(self) -> None:
        """Begin, if it has not begun."""
        if self.is_stopped():
            self.play()
        simulation.initialize()

    async def initialize_simulation_context_async(self) -> None:
        """Set the stage up again, with updates of the app."""
        if self.is_playing():
            await self.stop_async()
        await app.get_app().next_update_async()
        self._set_up()
        await app.get_app().next_update_async()

    def reset(self, soft: bool = False) -> None:
        """Begin anew.

        Args:
            soft: Whether the simulation goes on, without stop and play.
        """
        if not soft:
            if not self.is_stopped():
                self.stop()
            self.play()
            simulation.initialize()

    async def reset_async(self, soft: bool = False) -> None:
        """The same as `reset`, with updates of the app."""
        if not soft:
            if not self.is_stopped():
                await self.stop_async()
            await self.play_async()
            simulation.initialize()

    def step(self, render: bool = True) -> None:
        """Make a frame, or with ``render=False`` one step of the physics.

        Args:
            render: Whether a frame is made, with all steps that fit into it.
        """
        if not render or (self._rendering_dt == 0.0 and self.get_physics_dt() > 0.0):
            if self.is_playing():
                simulation.step()
            if render:
                self.render()
        elif self.get_physics_dt() == 0.0:
            self.render()
        else:
            app.get_app().update()

    def render(self) -> None:
        """Make a frame in which the physics rests; the stage gets the poses."""
        seam.flush()
        simulation.update_without_physics()

    async def render_async(self) -> None:
        """The same as `render`, as a coroutine."""
        seam.flush()
        await self._update_without_physics()

    def clear(self) -> None:
        """Delete what is on the stage, but for the physics scene and "/World"."""
        stages.clear_stage(_is_deletable)

    async def _update_without_physics(self) -> None:
        settings.get_settings().set(PLAY_SIMULATIONS, False)
        try:
            await app.get_app().next_update_async()
        finally:
            settings.get_settings().set(PLAY_SIMULATIONS, True)


def _is_deletable(path: str) -> bool:
    prim = functions.get_prim_at_path(path)
    kept = path in ("/", "/World") or path.startswith("/Render") or prim.IsA(UsdPhysics.Scene)
    return not (kept or functions.is_prim_no_delete(path) or functions.is_prim_ancestral(path))
