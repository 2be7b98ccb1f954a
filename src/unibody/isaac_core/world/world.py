"""World: a simulation with a scene, tasks and a logger."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.loggers.data_logger import DataLogger
from unibody.isaac_core.scenes.scene import Scene
from unibody.isaac_core.simulation.manager import IsaacEvents, simulation
from unibody.isaac_core.tasks.base_task import BaseTask
from unibody.isaac_core.world.context import SimulationContext


class World(SimulationContext):
    """There is one; the arguments are those of `SimulationContext`."""

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
    ) -> None:
        is_new = not self.__dict__.get("_is_built")
        super().__init__(
            physics_dt, rendering_dt, stage_units_in_meters, physics_prim_path, sim_params,
            set_defaults, backend, device,
        )  # fmt: skip
        if is_new:
            self._tasks_are_set_up = False
            self._current_tasks: dict[str, BaseTask] = {}
            self._scene = Scene()
            self._data_logger = DataLogger()

    @classmethod
    def clear_instance(cls) -> None:
        """Forget the one there is, with its callbacks."""
        SimulationContext.clear_instance()

    @property
    def scene(self) -> Scene:
        """The objects."""
        return self._scene

    def add_task(self, task: BaseTask) -> None:
        """Take a task, before the first reset.

        Raises:
            InvalidArgumentError: A task of that name is there.
        """
        if task.name in self._current_tasks:
            raise InvalidArgumentError("task", task.name, "a task whose name is not taken yet")
        self._current_tasks[task.name] = task

    def get_task(self, name: str) -> BaseTask:
        """The task of a name.

        Raises:
            InvalidArgumentError: There is none.
        """
        if name not in self._current_tasks:
            allowed = f"one of {', '.join(self._current_tasks) or 'none'}"
            raise InvalidArgumentError("name", name, allowed)
        return self._current_tasks[name]

    def get_current_tasks(self) -> Any:
        """The tasks by name."""
        return self._current_tasks

    def is_tasks_scene_built(self) -> bool:
        """Whether the tasks have added what they need."""
        return self._tasks_are_set_up

    def get_observations(self, task_name: str | None = None) -> dict[str, Any]:
        """What a task observes; without a name, what all do."""
        if task_name is not None:
            return self.get_task(task_name).get_observations()
        return {
            name: value
            for task in self._current_tasks.values()
            for name, value in task.get_observations().items()
        }

    def calculate_metrics(self, task_name: str | None = None) -> dict[str, Any]:
        """How well a task goes; without a name, how well all do."""
        if task_name is not None:
            return self.get_task(task_name).calculate_metrics()
        return {
            name: value
            for task in self._current_tasks.values()
            for name, value in task.calculate_metrics().items()
        }

    def is_done(self, task_name: str | None = None) -> bool:
        """Whether a task is done; without a name, whether all are."""
        if task_name is not None:
            return self.get_task(task_name).is_done()
        return all([task.is_done() for task in self._current_tasks.values()])

    def get_data_logger(self) -> DataLogger:
        """What is written down each step."""
        return self._data_logger

    def initialize_physics(self) -> None:
        """Begin, if it has not begun, and let the objects take hold of the physics."""
        SimulationContext.initialize_physics(self)
        self._scene.initialize(self.physics_sim_view)

    def reset(self, soft: bool = False) -> None:
        """Begin anew: the tasks, the objects, and what they are by default.

        Args:
            soft: Whether the simulation goes on, without stop and play.
        """
        self._set_tasks_up()
        if not soft:
            self.stop()
        for task in self._current_tasks.values():
            task.cleanup()
        SimulationContext.reset(self, soft=soft)
        self._after_reset()

    async def reset_async(self, soft: bool = False) -> None:
        """The same as `reset`, with updates of the app."""
        await self.reset_async_set_up_scene()
        await self.reset_async_no_set_up_scene(soft=soft)

    async def reset_async_set_up_scene(self, soft: bool = False) -> None:
        """The first part of `reset_async`: the tasks add what they need."""
        self._set_tasks_up()

    async def reset_async_no_set_up_scene(self, soft: bool = False) -> None:
        """The rest of `reset_async`."""
        if not soft:
            await self.stop_async()
        for task in self._current_tasks.values():
            task.cleanup()
        await SimulationContext.reset_async(self, soft=soft)
        self._after_reset()

    def _set_tasks_up(self) -> None:
        if not self._tasks_are_set_up:
            for task in self._current_tasks.values():
                task.set_up_scene(self._scene)
            self._tasks_are_set_up = True

    def _after_reset(self) -> None:
        self._scene.initialize(self.physics_sim_view)
        self._scene.post_reset()
        simulation.tell(IsaacEvents.POST_RESET)
        for task in self._current_tasks.values():
            task.post_reset()

    def step(self, render: bool = True, step_sim: bool = True) -> None:
        """Make a frame, or with ``render=False`` one step of the physics.

        Args:
            render: Whether a frame is made, with all steps that fit into it.
            step_sim: Whether anything moves; without, only tasks and logger are called.
        """
        self._before_step()
        if step_sim:
            SimulationContext.step(self, render=render)
        self._log()

    def step_async(self, step_size: float | None = None) -> None:
        """Call tasks and logger, as before a frame that the app makes itself.

        Args:
            step_size: Time of the step [s]; it is that of the scene in any case.
        """
        self._before_step()
        self._log()

    def _before_step(self) -> None:
        if self._tasks_are_set_up:
            for task in self._current_tasks.values():
                task.pre_step(self.current_time_step_index, self.current_time)

    def _log(self) -> None:
        if self._data_logger.is_started():
            data = self._data_logger.logged(self._current_tasks, self._scene)
            self._data_logger.add_data(data, self.current_time_step_index, self.current_time)

    def clear(self) -> None:
        """Forget objects, tasks and what was logged, and delete what is on the stage."""
        self._scene.clear(registry_only=False)
        self._current_tasks = {}
        self._tasks_are_set_up = False
        self._data_logger = DataLogger()
        SimulationContext.clear(self)
