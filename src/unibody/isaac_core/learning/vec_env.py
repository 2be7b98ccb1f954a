"""VecEnvBase: one task in a world, in the manner of environments of Gym."""

from __future__ import annotations

from typing import Any

from unibody.errors import NotSupportedError
from unibody.isaac_core.launch import SimulationApp
from unibody.isaac_core.world.world import World


class TaskStopException(Exception):  # noqa: N818 - the original's name
    """The task of a training was stopped from outside."""


class VecEnvBase:
    """A world with one task, which begins with `set_task`.

    Args:
        headless: Whether there is no page that shows the stage.
        sim_device: Number of the GPU that the app is told.
        enable_livestream: Pictures for other computers: not here.
        enable_viewport: Whether pictures are taken while the world steps.
        launch_simulation_app: Whether the app is started.
        experience: File of an app's settings: kept, not read.

    Raises:
        NotSupportedError: Pictures for other computers were asked for.
    """

    metadata: Any = None
    reward_range: tuple[float, float] = (-float("inf"), float("inf"))
    spec: Any = None

    def __init__(
        self,
        headless: bool,
        sim_device: int = 0,
        enable_livestream: bool = False,
        enable_viewport: bool = False,
        launch_simulation_app: bool = True,
        experience: str | None = None,
    ) -> None:
        if enable_livestream:
            raise NotSupportedError("enable_livestream=True", "pictures of the viewer or a camera")
        self._simulation_app: SimulationApp | None = None
        if launch_simulation_app:
            options = {"headless": headless, "physics_gpu": sim_device}
            self._simulation_app = SimulationApp(options, experience or "")
        self._render = not headless or enable_viewport
        self._record = enable_viewport
        self._world: Any = None
        self._task: Any = None
        self.sim_frame_count: int = 0

    def set_task(
        self,
        task: Any,
        backend: str = "numpy",
        sim_params: dict[str, Any] | None = None,
        init_sim: bool = True,
        rendering_dt: float = 1.0 / 60.0,
    ) -> None:
        """Make the world of a task.

        Args:
            task: An `RLTaskInterface`.
            backend: "numpy", "torch" or "warp".
            sim_params: Of the world; None: as it is by default.
            init_sim: Whether the world is reset, so that it plays.
            rendering_dt: Time between pictures [s].
        """
        parameters = sim_params or {}
        device = parameters.get("sim_device") or task.device
        self._world = World(
            stage_units_in_meters=1.0,
            physics_dt=parameters.get("dt"),
            rendering_dt=rendering_dt,
            backend=backend,
            sim_params=sim_params,
            device=device,
        )
        self._world.add_task(task)
        self._task = task
        self._num_envs = task.num_envs
        self.observation_space: Any = task.observation_space
        self.action_space: Any = task.action_space
        self.num_states: Any = task.num_states
        self.state_space: Any = getattr(task, "state_space", None)
        if init_sim:
            self._world.reset()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any]:
        """Do one step of control.

        Returns:
            Observations, rewards, which environments ended, and what else is told.
        """
        self._task.pre_physics_step(actions)
        self._world.step(render=self._render)
        self.sim_frame_count += 1
        return self._task.post_physics_step()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Let all environments begin anew; returns what is observed then.

        Raises:
            NotSupportedError: Options were given.
        """
        if options:
            raise NotSupportedError(f"options={options!r}", "arguments of the task")
        if seed is not None:
            self.seed(seed)
        self._task.reset()
        self._world.step(render=self._render)
        return self._task.get_observations()

    def render(self, mode: str = "human") -> None:
        """Take a picture of the world as it is.

        Raises:
            NotSupportedError: Pictures as arrays were asked for.
        """
        if mode != "human":
            raise NotSupportedError(f"mode={mode!r}", "a Camera of isaacsim.sensors.camera")
        self._world.render()

    def seed(self, seed: int = -1) -> int:
        """Set where random numbers begin; -1: anywhere. Returns what was set."""
        from unibody.isaac_core.functions.torch.maths import set_seed

        return set_seed(seed)

    def close(self) -> None:
        """End the world, and the app if it was started here."""
        if self._world is not None:
            self._world.stop()
        if self._simulation_app is not None:
            self._simulation_app.close()

    @property
    def simulation_app(self) -> SimulationApp | None:
        """The app, if it was started here."""
        return self._simulation_app

    @property
    def world(self) -> Any:
        """The world; None before `set_task`."""
        return self._world

    @property
    def task(self) -> Any:
        """The task; None before `set_task`."""
        return self._task

    @property
    def num_envs(self) -> int:
        """Environments of the task."""
        return self._num_envs

    @property
    def render_enabled(self) -> bool:
        """Whether pictures are taken while the world steps."""
        return self._render

    @property
    def unwrapped(self) -> VecEnvBase:
        """Itself: nothing is around it."""
        return self
