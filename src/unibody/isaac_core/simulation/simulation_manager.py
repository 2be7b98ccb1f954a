"""SimulationManager: the simulation of the process as a class of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.errors import NotSupportedError
from unibody.isaac_core.simulation.manager import IsaacEvents, simulation

__all__ = ["IsaacEvents", "SimulationManager"]


_CONTEXT = "the methods of World.get_physics_context() set the physics scene"
_WORLD = "World(physics_dt=..., device=...) sets up the simulation"
_ABSENT = {
    "setup_simulation": _WORLD,
    "get_physics_scenes": "World.get_physics_context() is of the scene that is simulated",
    "get_physics_simulation_view": "get_physics_sim_view gives the view of the physics",
    "is_simulating": "World.is_playing says whether the simulation runs",
    "is_paused": "World.is_playing says whether the simulation runs",
    "set_device": "set_physics_sim_device chooses where arrays are",
    "get_device": "get_physics_sim_device says where arrays are",
    "deregister_all_callbacks": "deregister_callback ends the calls of one",
    "set_physics_dt": "World.set_simulation_dt sets the time of a step",
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
    "switch_physics_engine": "physics is that of MuJoCo, whatever the engine's name",
}  # fmt: skip
"""Functions of the original that do not exist here -> the nearest thing that does."""


class _Refusing(type):
    """The class of a class that tells which of the original's functions do not exist."""

    def __getattr__(cls, name: str) -> Any:
        if name in _ABSENT:
            raise NotSupportedError(f"SimulationManager.{name}", _ABSENT[name])
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")


class SimulationManager(metaclass=_Refusing):
    """The simulation of the process."""

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
    def step(cls, render: bool = False) -> None:
        """Make one step of the physics.

        Args:
            render: Whether a frame is drawn: only False.

        Raises:
            NotSupportedError: A frame was to be drawn.
        """
        if render:
            raise NotSupportedError("render=True", "World.step(render=True) makes a frame")
        simulation.step()

    @classmethod
    def register_callback(
        cls, callback: Callable[..., Any], event: IsaacEvents, order: int = 0
    ) -> int:
        """Call a function when something happens.

        Returns:
            Number by which `deregister_callback` ends that.
        """
        return simulation.add_listener(event, lambda *given: callback(*(given or (None,))), order)

    @classmethod
    def deregister_callback(cls, callback_id: int) -> bool:
        """End calls; whether there were any."""
        return simulation.remove_listener(callback_id)
