"""Controllers: what moves an agent, and their registry.

The kinematic controllers are views onto rows of an array; one kernel advances all of them.
"""

from __future__ import annotations

import contextlib
import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.bodies.tables import Tables
from unibody.fleet.foundation.types import ControllerMode, MovementDirection, PosePhase
from unibody.fleet.motion import motion_kernels as kernels
from unibody.fleet.motion.path_checks import check_limits, check_velocity, rows_of_path
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.parameters.registries import PluginRegistry
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent

_registry: PluginRegistry[Controller] = PluginRegistry("controller")
_MODES = (ControllerMode.IDLE, ControllerMode.VELOCITY, ControllerMode.POSE)
_DIRECTIONS = (MovementDirection.FORWARD, MovementDirection.BACKWARD, MovementDirection.AUTO)
_DIRECTION_NUMBERS = {direction: number for number, direction in enumerate(_DIRECTIONS)}


def register_controller(name: str, cls: type[Controller]) -> None:
    """Let a class be made by name."""
    _registry.register(name, cls)


def create_controller(name: str, config: dict[str, Any] | None = None) -> Controller:
    """Make a controller by name.

    Raises:
        KeyError: There is none of that name.
    """
    return create_controller_from_entry({"type": name, "config": config or {}})


def create_controller_from_entry(entry: dict[str, Any]) -> Controller:
    """Make a controller from an entry of a file: ``type`` or ``class``, and ``config``.

    Raises:
        KeyError: There is none of that name.
        TypeError: The class is no controller.
        ValueError: Neither ``type`` nor ``class``.
    """
    cls = _registry.resolve_from_entry(entry, Controller)  # type: ignore[type-abstract]
    return cls.from_config(entry.get("config", {}))


def list_controllers() -> dict[str, type[Controller]]:
    """All classes by name."""
    return _registry.items()


class Controller(ABC):
    """What moves an agent, step by step. A subclass with a ``_registry_name`` registers itself.

    Args:
        params: Limits and switches.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _registry.auto_register_subclass(cls)

    def __init__(self, params: ControllerParams | None = None) -> None:
        self.params: ControllerParams = ControllerParams() if params is None else params

    @abstractmethod
    def compute(self, agent: Agent, dt: float) -> bool:
        """Do one step of ``dt`` seconds; True if the agent moved."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Make one from a dictionary: fields of `ControllerParams` and its own arguments."""
        own = inspect.signature(cls.__init__).parameters
        kwargs = {k: v for k, v in config.items() if k in own and k not in ("self", "params")}
        return cls(params=ControllerParams.from_dict(config), **kwargs)

    def on_stop(self, agent: Agent) -> None:  # noqa: B027 - most have nothing to do
        """Called when the agent is stopped."""

    def reset(self) -> None:  # noqa: B027 - most have nothing to do
        """Forget everything."""


class KinematicController(Controller):
    """Puts an agent from pose to pose, after a velocity command or along a path."""

    _batch: ClassVar[int] = 0

    @property
    @abstractmethod
    def _kind(self) -> int:
        """How it moves: the number the kernels use."""

    def __init__(self, params: ControllerParams | None = None) -> None:
        super().__init__(params)
        self._open()

    def _open(self) -> None:
        self._tables = Tables(1)  # until it is bound to an agent
        self._m = self._tables.motions.take()
        self._path: list[Pose] = []
        motion = self._tables.motions.data[self._m]
        motion["kind"] = self._kind
        motion["batch"] = self._batch
        motion["body"] = -1
        self.params.bind(self._tables, self._m)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be going down
            self._leave()

    def _leave(self) -> None:
        """Give back the row and the path."""
        motion = self._motion
        self.params.unbind(self._tables, self._m)
        self._tables.waypoints.give_back(int(motion["path"]), int(motion["room"]))
        self._tables.motions.give_back(self._m)

    def _enter(self, tables: Tables) -> None:
        """Move row and path to the tables of another simulation."""
        motion, points = self._held()
        self._leave()
        self._tables, self._m = tables, tables.motions.take()
        self._put_back(motion, points)
        self.params.bind(tables, self._m)

    def _held(self) -> tuple[Any, NDArray[np.float64]]:
        """Copies of the row and of the waypoints."""
        motion = self._motion.copy()
        first, room = int(motion["path"]), int(motion["room"])
        return motion, self._tables.waypoints.data[first : first + room].copy()

    def _put_back(self, motion: Any, points: NDArray[np.float64]) -> None:
        """Let row and waypoints be as they were."""
        pool, count = self._tables.waypoints, len(points)
        first, room = int(self._motion["path"]), int(self._motion["room"])
        if room < count:
            pool.give_back(first, room)
            first, room = pool.take(count), count
        pool.data[first : first + count] = points
        self._tables.motions.data[self._m] = motion
        self._motion["path"], self._motion["room"] = first, room

    @property
    def _motion(self) -> Any:
        return self._tables.motions.data[self._m]

    @property
    def default_direction(self) -> MovementDirection:
        """Which side goes first where a path does not say."""
        return self.params.default_direction

    @default_direction.setter
    def default_direction(self, value: MovementDirection | str) -> None:
        self.params.default_direction = MovementDirection(value)

    @property
    def mode(self) -> ControllerMode:
        """What it follows."""
        return _MODES[self._motion["mode"]]

    @property
    def goal_pose(self) -> Pose | None:
        """The waypoint it is on its way to; None without one."""
        motion = self._motion
        if not (motion["count"] or motion["aligning"]):
            return None
        if motion["aligning"]:
            here = self._tables.bodies.data["pos"][motion["body"]]
            return Pose(here.tolist(), motion["goal_quat"].tolist())
        return self._path[int(motion["index"])]

    @property
    def current_waypoint_index(self) -> int:
        """Number of that waypoint."""
        return int(self._motion["index"])

    @property
    def path(self) -> list[Pose]:
        """The path it follows; empty without one, and while it turns at its end."""
        return self._path if self._motion["count"] else []

    def bind(self, agent: Agent) -> None:
        """Move this agent from now on."""
        if agent._tables is not self._tables:
            self._enter(agent._tables)
        self._tables.motions.data["body"][self._m] = agent._row

    def compute(self, agent: Agent, dt: float) -> bool:
        """Do one step; True if the agent is on its way."""
        motion, dt = self._motion, float(dt)
        if motion["mode"] == kernels.IDLE:
            return False
        self.bind(agent)
        agent._read_world()
        active = kernels.advance(
            np.array([self._m]),
            self._tables.motions.data,
            self._tables.bodies.data,
            self._tables.waypoints.data,
            agent._now(),
            dt,
        )
        self.settle(agent)
        return bool(active)

    def settle(self, agent: Agent) -> None:
        """Do what a step leaves to be done: carry along, come to rest."""
        agent._carry_along()
        motion = self._motion
        if motion["ended"] or motion["mode"] == kernels.IDLE:
            motion["ended"] = 0
            agent._rest()

    def set_velocity(
        self,
        vx: float = 0.0,
        vy: float = 0.0,
        vz: float = 0.0,
        wx: float = 0.0,
        wy: float = 0.0,
        wz: float = 0.0,
    ) -> None:
        """Follow a velocity [m/s, rad/s] in the body's frame until told otherwise.

        Raises:
            InvalidArgumentError: A number is not finite.
        """
        check_velocity(vx, vy, vz, wx, wy, wz)
        motion = self._motion
        motion["rotating"] = motion["going"] = motion["aligning"] = 0
        motion["mode"] = kernels.VELOCITY
        motion["linear"] = vx, vy, vz
        motion["angular"] = wx, wy, wz
        motion["quiet"] = 0.0

    def set_path(
        self,
        agent: Agent,
        path: list[Pose],
        final_orientation_align: bool = True,
        direction: MovementDirection | str | None = None,
    ) -> None:
        """Follow a path.

        Args:
            agent: The agent.
            path: Its waypoints, at least one.
            final_orientation_align: Turn to the last one's orientation at the end.
            direction: Which side of a differential base goes first.

        Raises:
            ValueError: A number of the path is not finite, or a limit that it needs not positive.
        """
        self.params.check()
        rows = rows_of_path(path)
        side = MovementDirection(direction or self.params.default_direction)
        self.bind(agent)
        agent._read_world()
        motion, body = self._motion, self._tables.bodies.data[agent._row]
        wanted = _DIRECTION_NUMBERS[side]
        check_limits(self.params, motion, body, rows, align=final_orientation_align, wanted=wanted)
        self._path = list(path)
        count = len(path)
        if count > motion["room"]:
            self._tables.waypoints.give_back(int(motion["path"]), int(motion["room"]))
            motion["room"] = max(count, 2 * int(motion["room"]))
            motion["path"] = self._tables.waypoints.take(int(motion["room"]))
        first = int(motion["path"])
        pool = self._tables.waypoints.data
        pool[first : first + count] = rows
        motion["count"] = count
        motion["align"] = bool(final_orientation_align)
        motion["wanted"] = wanted
        kernels.set_path(
            self._m, self._tables.motions.data, self._tables.bodies.data, pool, agent._now()
        )
        agent._carry_along()

    def cancel_pose(self) -> None:
        """Stop following the path, at once."""
        motion = self._motion
        motion["rotating"] = motion["going"] = 0
        motion["mode"] = kernels.IDLE

    def on_stop(self, agent: Agent) -> None:
        """Stop following anything, at once."""
        self.reset()

    def reset(self) -> None:
        """Forget commands and path."""
        motion = self._motion
        for name in ("rotating", "going", "aligning", "here", "align", "count", "index", "ended"):
            motion[name] = 0
        motion["linear"] = motion["angular"] = 0.0
        motion["quiet"] = 0.0
        motion["mode"] = kernels.IDLE
        self._path = []

    # --- what it does at the moment, under the names subclasses of the original use -----------

    @property
    def _linear_velocity(self) -> NDArray[np.float64]:
        return self._motion["linear"].copy()

    @property
    def _angular_velocity(self) -> NDArray[np.float64]:
        return self._motion["angular"].copy()

    @property
    def _movement_direction(self) -> MovementDirection:
        if self._motion["mode"] == kernels.IDLE:
            return self.params.default_direction
        return _DIRECTIONS[self._motion["side"]]

    @property
    def _pose_phase(self) -> PosePhase:
        turning = self._motion["phase"] == kernels.ROTATE
        return PosePhase.ROTATE if turning else PosePhase.FORWARD

    @property
    def _is_final_orientation_aligning(self) -> bool:
        return bool(self._motion["aligning"])

    @property
    def _align_final_orientation(self) -> bool:
        return bool(self._motion["align"])


class OmniController(KinematicController):
    """A base that moves in any direction, and turns at the end of its path."""

    _registry_name = "omni"

    @property
    def _kind(self) -> int:
        return kernels.OMNI

    def set_velocity(
        self,
        vx: float = 0.0,
        vy: float = 0.0,
        vz: float = 0.0,
        wx: float = 0.0,
        wy: float = 0.0,
        wz: float = 0.0,
    ) -> None:
        """Follow a velocity within the limits; see `KinematicController.set_velocity`."""
        check_velocity(vx, vy, vz, wx, wy, wz)
        linear = self.params.clamp_linear_vec(np.array([vx, vy, vz], dtype=float))
        angular = self.params.clamp_angular_vec(np.array([wx, wy, wz], dtype=float))
        super().set_velocity(*linear.tolist(), *angular.tolist())


class DifferentialController(KinematicController):
    """A base that turns towards a waypoint, then drives there.

    Args:
        params: Limits and switches.
        wheel_separation: Distance between the wheels [m], for who wants to know.
    """

    _registry_name = "differential"

    @property
    def _kind(self) -> int:
        return kernels.DIFFERENTIAL

    def __init__(
        self, params: ControllerParams | None = None, wheel_separation: float = 0.0
    ) -> None:
        super().__init__(params)
        self._wheel_separation = wheel_separation

    def set_velocity(
        self,
        vx: float = 0.0,
        vy: float = 0.0,
        vz: float = 0.0,
        wx: float = 0.0,
        wy: float = 0.0,
        wz: float = 0.0,
    ) -> None:
        """Follow a speed ahead and a yaw rate within the limits; the rest does not apply."""
        check_velocity(vx, vy, vz, wx, wy, wz)
        fastest = self.params.scalar_max_linear_vel()
        quickest = self.params.scalar_max_angular_vel()
        super().set_velocity(
            vx=max(-fastest, min(vx, fastest)), wz=max(-quickest, min(wz, quickest))
        )


def direction_number(direction: MovementDirection | str) -> int:
    """The number the kernels use."""
    return _DIRECTION_NUMBERS[MovementDirection(direction)]


__all__ = [
    "Controller",
    "DifferentialController",
    "KinematicController",
    "OmniController",
    "create_controller",
    "create_controller_from_entry",
    "list_controllers",
    "register_controller",
]
