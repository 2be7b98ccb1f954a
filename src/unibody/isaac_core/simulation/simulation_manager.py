"""SimulationManager: the simulation of the process as a class of functions."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from typing import Any

from unibody.errors import NotSupportedError
from unibody.isaac_core.kit import log
from unibody.isaac_core.kit.timeline import get_timeline_interface
from unibody.isaac_core.simulation import step_events
from unibody.isaac_core.simulation.manager import IsaacEvents, simulation
from unibody.isaac_core.simulation.physics_scenes import PhysicsScene, PhysxScene

__all__ = ["IsaacEvents", "PhysicsScene", "PhysxScene", "SimulationEvent", "SimulationManager"]


ENGINE = "physx"
"""Name of the engine whose rules of drives and contacts the physics keeps; it is MuJoCo's."""
_CONTEXT = "the methods of World.get_physics_context() set the physics scene"
_ABSENT = {
    "get_physics_simulation_view": "get_physics_sim_view gives the view of the physics",
    "set_default_physics_scene": _CONTEXT,
    "get_default_physics_scene": "World.get_physics_context().prim_path is that of the scene",
    **dict.fromkeys(
        (
            "get_broadphase_type", "set_broadphase_type", "enable_ccd", "is_ccd_enabled",
            "enable_gpu_dynamics", "is_gpu_dynamics_enabled", "set_solver_type",
            "get_solver_type", "enable_stablization", "is_stablization_enabled",
        ),
        _CONTEXT,
    ),
}  # fmt: skip
"""Functions of the original that do not exist here -> the nearest thing that does."""


class SimulationEvent(enum.Enum):
    """What a simulation tells of, by the names of Isaac Sim 6."""

    PHYSICS_PRE_STEP = "isaacsim.simulation.physics_pre_step"
    PHYSICS_POST_STEP = "isaacsim.simulation.physics_post_step"
    SIMULATION_SETUP = "isaacsim.simulation.simulation_setup"
    SIMULATION_STARTED = "isaacsim.simulation.started"
    SIMULATION_PAUSED = "isaacsim.simulation.paused"
    SIMULATION_RESUMED = "isaacsim.simulation.resumed"
    SIMULATION_STOPPED = "isaacsim.simulation.stopped"
    PRIM_DELETED = "isaacsim.simulation.prim_deleted"


_HEARD = {
    SimulationEvent.PHYSICS_PRE_STEP: IsaacEvents.PRE_PHYSICS_STEP,
    SimulationEvent.PHYSICS_POST_STEP: IsaacEvents.POST_PHYSICS_STEP,
    SimulationEvent.SIMULATION_SETUP: IsaacEvents.PHYSICS_READY,
    SimulationEvent.SIMULATION_STARTED: IsaacEvents.PHYSICS_READY,
    SimulationEvent.SIMULATION_STOPPED: IsaacEvents.TIMELINE_STOP,
}
"""Names of Isaac Sim 6 -> what happens here."""


class _Refusing(type):
    """The class of a class that tells which of the original's functions do not exist."""

    def __getattr__(cls, name: str) -> Any:
        if name in _ABSENT:
            raise NotSupportedError(f"SimulationManager.{name}", _ABSENT[name])
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")


class SimulationManager(metaclass=_Refusing):
    """The simulation of the process."""

    @classmethod
    def get_default_engine(cls) -> str:
        """Name of the engine whose rules the physics keeps: "physx"."""
        return ENGINE

    @classmethod
    def get_active_physics_engine(cls) -> str:
        """Name of the engine whose rules the physics keeps: "physx"."""
        return ENGINE

    @classmethod
    def get_available_physics_engines(cls, verbose: bool = False) -> list[tuple[str, bool]]:
        """Names of engines, and whether each is the active one.

        Args:
            verbose: Whether they are printed, too.
        """
        if verbose:
            log.log_info(f"available physics engines: {ENGINE} (active)")
        return [(ENGINE, True)]

    @classmethod
    def switch_physics_engine(cls, engine_name: str, verbose: bool = False) -> bool:
        """Choose an engine: there is one.

        Args:
            engine_name: Its name, in letters of any case.
            verbose: Whether the change is told: there is none.

        Returns:
            Whether the engine of that name is active; an error is logged if it is not.
        """
        if engine_name.lower() != ENGINE:
            log.log_error(f"there is no engine {engine_name!r}: the physics keeps PhysX's rules")
            return False
        if verbose:
            log.log_warn(f"the physics engine is {ENGINE} already")
        return True

    @classmethod
    def get_physics_sim_view(cls) -> Any:
        """The view of the physics; None while there is none."""
        return simulation.view

    @classmethod
    def get_physics_dt(cls, physics_scene: str | None = None) -> float:
        """Time of a step [s].

        Args:
            physics_scene: Path of the physics scene; None: that of the stage.

        Raises:
            NotSupportedError: It is not the scene that is simulated.
        """
        scene = simulation.scene_prim()
        if physics_scene is not None and (scene is None or str(scene.GetPath()) != physics_scene):
            here = scene.GetPath() if scene else "none"
            raise NotSupportedError(
                f"physics_scene={physics_scene!r}", f"one scene is simulated, here {here}"
            )
        return simulation.physics_dt()

    @classmethod
    def get_backend(cls) -> str:
        """Library of the arrays."""
        return simulation.backend

    @classmethod
    def set_backend(cls, val: str) -> None:
        """Choose the library of the arrays."""
        simulation.set_backend(val)

    @classmethod
    def get_physics_sim_device(cls) -> str:
        """Where arrays are."""
        return simulation.device

    @classmethod
    def set_physics_sim_device(cls, val: str) -> None:
        """Choose where arrays are."""
        simulation.device = val

    @classmethod
    def get_simulation_time(cls) -> float:
        """Simulated since it plays [s]."""
        return simulation.time

    @classmethod
    def get_num_physics_steps(cls) -> int:
        """How many steps were made since it plays."""
        return simulation.steps

    @classmethod
    def enable_fabric(cls, enable: bool) -> None:
        """Ask for Fabric: a record; the stage is written when it is read, with and without."""
        simulation.fabric = bool(enable)

    @classmethod
    def is_fabric_enabled(cls) -> bool:
        """Whether Fabric was asked for."""
        return simulation.fabric

    @classmethod
    def initialize_physics(cls) -> None:
        """Read the stage and make the view of the physics, if there is none."""
        simulation.connect()
        simulation.initialize()

    @classmethod
    def invalidate_physics(cls) -> None:
        """Let go of the physics, and of the views made from it."""
        simulation.invalidate()

    @classmethod
    def setup_simulation(cls, dt: float | None = None, device: Any = None) -> None:
        """Set the time of a step and where worlds run; a physics scene is made if there is none.

        Args:
            dt: [s]; None: as it is.
            device: Such as "cpu" or "cuda:0"; None: as it is.
        """
        simulation.connect()
        for scene in cls.get_physics_scenes() or [PhysxScene("/physicsScene")]:
            if dt is not None:
                scene.set_dt(dt)
        if device is not None:
            cls.set_device(device)

    @classmethod
    def get_physics_scenes(cls) -> list[PhysicsScene]:
        """The physics scenes of the stage."""
        return [PhysxScene(path) for path in PhysicsScene.get_physics_scene_paths()]

    @classmethod
    def set_physics_dt(cls, dt: float = 1.0 / 60.0, physics_scene: str | None = None) -> None:
        """Set the time of a step [s].

        Args:
            dt: From 0, at which nothing moves, to 1 s.
            physics_scene: Path of the physics scene; None: of all there are, or of a new one.
        """
        if physics_scene is not None:
            PhysxScene(physics_scene).set_dt(dt)
        else:
            cls.setup_simulation(dt)

    @classmethod
    def set_device(cls, device: Any) -> None:
        """Choose where worlds run and arrays are."""
        simulation.device = str(device)

    @classmethod
    def get_device(cls) -> Any:
        """Where arrays are: a device of Warp."""
        import warp as wp

        return wp.get_device(simulation.device)

    @classmethod
    def is_simulating(cls) -> bool:
        """Whether there is a physics: it plays or is paused."""
        return simulation.view is not None

    @classmethod
    def is_paused(cls) -> bool:
        """Whether there is a physics that rests."""
        return simulation.view is not None and not get_timeline_interface().is_playing()

    @classmethod
    def step(
        cls,
        render: bool = False,
        *,
        steps: int = 1,
        callback: Callable[[int, int], Any] | None = None,
        update_fabric: bool = False,
    ) -> None:
        """Make steps of the physics.

        Args:
            render: Whether a frame is drawn: only False.
            steps: How many.
            callback: What is called after each, with its number from 1 and how many there are;
                False ends them.
            update_fabric: Whether Fabric is written: what it would have is, when it is read.

        Raises:
            NotSupportedError: A frame was to be drawn.
        """
        if render:
            raise NotSupportedError("render=True", "World.step(render=True) makes a frame")
        for number in range(1, steps + 1):
            simulation.step()
            if callback is not None and callback(number, steps) is False:
                break

    @classmethod
    def register_callback(
        cls,
        callback: Callable[..., Any],
        event: IsaacEvents | SimulationEvent,
        order: int = 0,
        **kwargs: Any,
    ) -> int:
        """Call a function when something happens.

        Args:
            callback: The function. Steps give it their time [s], and the context of the physics
                where it takes two arguments, as in Isaac Sim 6.
            event: What happens.
            order: Those with smaller numbers are called first.
            **kwargs: Of events that have more: none is here.

        Returns:
            Number by which `deregister_callback` ends that.
        """
        if kwargs:
            raise NotSupportedError(f"register_callback({', '.join(kwargs)}=...)", "order")
        heard = _HEARD.get(event, event) if isinstance(event, SimulationEvent) else event
        if not isinstance(heard, IsaacEvents):
            allowed = f"one of {', '.join(str(one) for one in _HEARD)}"
            raise NotSupportedError(f"register_callback({event})", allowed)
        if heard in _OF_STEPS and _takes_two(callback):
            context = step_events.get_physics_simulation_interface()

            def tell(*given: Any) -> None:
                callback(*given, context)

        else:

            def tell(*given: Any) -> None:
                callback(*(given or (None,)))

        number = simulation.add_listener(heard, tell, order)
        simulation.registered.add(number)
        return number

    @classmethod
    def deregister_callback(cls, callback_id: int) -> bool:
        """End calls; whether there were any."""
        simulation.registered.discard(callback_id)
        return simulation.remove_listener(callback_id)

    @classmethod
    def deregister_all_callbacks(cls) -> None:
        """End the calls of all that was registered."""
        for number in list(simulation.registered):
            cls.deregister_callback(number)


_OF_STEPS = (IsaacEvents.PRE_PHYSICS_STEP, IsaacEvents.POST_PHYSICS_STEP)


def _takes_two(callback: Callable[..., Any]) -> bool:
    """Whether a function can be called with two arguments."""
    try:
        inspect.signature(callback).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True
