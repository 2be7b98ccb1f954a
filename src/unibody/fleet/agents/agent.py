"""Agents: robots with goals, actions, joints and plugins."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.agents import action_queue
from unibody.fleet.agents.agent_params import AgentSpawnParams, IKParams
from unibody.fleet.agents.controller_chain import chain_of, default_controller
from unibody.fleet.agents.joints import JointedObject, Tolerance
from unibody.fleet.bodies.assets import read_urdf
from unibody.fleet.foundation.argument_checks import ArgumentKindError
from unibody.fleet.foundation.defaults import AGENT
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.foundation.types import CollisionMode, MotionMode, MovementDirection
from unibody.fleet.objects.sim_object import ShapeParams, SimObject, _physics_world
from unibody.fleet.parameters.config_files import forward_spawn_params
from unibody.fleet.plugins.agent_plugin import AgentPlugin
from unibody.fleet.spatial.geometry import Path, Pose, as_axes

if TYPE_CHECKING:
    from unibody.fleet.actions.action import Action
    from unibody.fleet.controllers.controller import Controller
    from unibody.fleet.parameters.controller_params import ControllerParams

logger: logging.Logger = logging.getLogger(__name__)
_PluginT = TypeVar("_PluginT", bound=AgentPlugin)
_DEFAULT_MODE = MotionMode(AGENT["motion_mode"])
_DEFAULT_IK = IKParams()
_NEAR = 0.5  # m: a path that begins farther away begins where the agent is


class Agent(JointedObject):
    """A robot.

    Args:
        body_id: Number of the body in the world.
        urdf_path: Where it was loaded from, if from a file.
        motion_mode: How the base moves, where ``controller`` does not say.
        use_fixed_base: The base does not move.
        collision_mode: How it takes part in collision checks.
        sim_core: The simulation it belongs to.
        name: For people; need not be unique.
        user_data: Anything.
        mass: In kg; None: as the body has it. 0: it only moves when it is moved.
        ik_params: How inverse kinematics is solved.
        joint_tolerance: How far a joint may be from its target.
        controller: A name, a mapping, a list of them, `ControllerParams`, or a `Controller`.
        notify_spawn: Tell the simulation's bus.
    """

    _needs_update = True
    _entity_type_name = "agent"
    _spawn_params_cls: Any = AgentSpawnParams
    _ready = False
    _batch_controller: Any = None
    _current_action: Action | None = None
    path_visualize = False
    path_visualize_color: list[float] | None = None
    path_visualize_width: float = 2.0

    def __init__(
        self,
        body_id: int,
        urdf_path: str | None = None,
        motion_mode: MotionMode | str = _DEFAULT_MODE,
        use_fixed_base: bool = AGENT["use_fixed_base"],
        collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
        sim_core: Any = None,
        name: str | None = None,
        user_data: dict[str, Any] | None = None,
        mass: float | None = None,
        ik_params: IKParams | None = None,
        joint_tolerance: Tolerance | None = None,
        controller: Any = None,
        notify_spawn: bool = True,
    ) -> None:
        self.urdf_path = urdf_path
        self.use_fixed_base = use_fixed_base
        self._controllers: list[Any] = []
        self._action_queue: list[Action] = []
        self._plugins: list[AgentPlugin] = []
        self._path_items: list[int] = []
        super().__init__(
            body_id,
            sim_core=sim_core,
            collision_mode=collision_mode,
            name=name,
            user_data=user_data,
            mass=mass,
        )
        self.pickable = False
        self._ik_params = _DEFAULT_IK if ik_params is None else ik_params
        self._init_joints(joint_tolerance)
        self._motion_mode = MotionMode(motion_mode)
        self._init_controller_chain(controller)
        self._ready = True
        self._changed()
        if notify_spawn:
            self._emit_agent_spawned()

    def _emit_agent_spawned(self) -> None:
        if self.sim_core is not None:
            self.sim_core.events.emit(SimEvents.AGENT_SPAWNED, agent=self)

    # --- what the kernels need -----------------------------------------------------------------

    def _now(self) -> float:
        return 0.0 if self.sim_core is None else float(self.sim_core.sim_time)

    def _read_world(self) -> None:
        if self._simulated:
            self._physics_world.read()

    def _rest(self) -> None:
        """Take the velocity off a base the engine moves."""
        if self._simulated:
            self._physics_world.halt(self.body_id)
            self._tables.bodies.data["pending"][self._row] = 1

    def _changed(self) -> None:
        note = getattr(self.sim_core, "_note_agent", None)
        if note is not None and self._ready:
            note(self)

    # --- limits and state ----------------------------------------------------------------------

    @property
    def max_linear_vel(self) -> NDArray[np.float64]:
        """Speed limit, one an axis [m/s]."""
        return as_axes(self.controller_params._eff_linear_vel())

    @property
    def max_linear_accel(self) -> NDArray[np.float64]:
        """Acceleration limit, one an axis [m/s^2]."""
        return as_axes(self.controller_params._eff_linear_accel())

    @property
    def max_angular_vel(self) -> NDArray[np.float64]:
        """Limit of the angular velocity, one an axis [rad/s]."""
        return as_axes(self.controller_params._eff_angular_vel())

    @property
    def max_angular_accel(self) -> NDArray[np.float64]:
        """Limit of the angular acceleration, one an axis [rad/s^2]."""
        return as_axes(self.controller_params._eff_angular_accel())

    @property
    def _is_moving(self) -> bool:
        return bool(self._tables.bodies.data["moving"][self._row])

    @_is_moving.setter
    def _is_moving(self, value: bool) -> None:
        self._tables.bodies.data["moving"][self._row] = value

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way to a goal."""
        return self._is_moving

    @property
    def motion_mode(self) -> MotionMode:
        """How the base moves."""
        return self._motion_mode

    @property
    def velocity(self) -> NDArray[np.float64]:
        """World frame [m/s]."""
        return self._tables.bodies.data["vel"][self._row].copy()

    def get_velocity(self) -> NDArray[np.float64]:
        """World frame [m/s]."""
        return self.velocity

    @property
    def angular_velocity(self) -> float:
        """About z; while it turns on the spot, about the axis of the turn [rad/s]."""
        return float(self._tables.bodies.data["spin"][self._row])

    def _driver(self) -> Any:
        """The controller that drives the base."""
        if self._batch_controller is not None:
            return self._batch_controller.member(self)
        return self.controller

    @property
    def goal_pose(self) -> Pose | None:
        """The waypoint it is on its way to."""
        return getattr(self._driver(), "goal_pose", None)

    @property
    def current_waypoint_index(self) -> int:
        """Number of that waypoint."""
        return getattr(self._driver(), "current_waypoint_index", 0)

    @property
    def path(self) -> list[Pose]:
        """The path it follows."""
        return getattr(self._driver(), "path", [])

    # --- making --------------------------------------------------------------------------------

    @classmethod
    def from_params(cls, spawn_params: Any, sim_core: Any = None) -> Self:
        """Make an agent from spawn parameters.

        Raises:
            ArgumentKindError: They are not `AgentSpawnParams`, nor stand for them.
        """
        if isinstance(spawn_params, type) or not hasattr(spawn_params, "urdf_path"):
            kind = "an object of the class AgentSpawnParams"
            raise ArgumentKindError("spawn_params", spawn_params, kind)
        maker = cls.from_mesh if spawn_params.urdf_path is None else cls.from_urdf
        agent = maker(
            **forward_spawn_params(
                maker,
                spawn_params,
                aliases={"initial_pose": "pose"},
                extra_kwargs={"sim_core": sim_core, "notify_spawn": False},
            )
        )
        if spawn_params.plugins:
            from unibody.fleet.plugins.agent_plugin import create_agent_plugin_from_entry

            for entry in spawn_params.plugins:
                agent.add_plugin(create_agent_plugin_from_entry(entry, agent))
        agent._emit_agent_spawned()
        return agent

    @classmethod
    def from_mesh(  # type: ignore[override]
        cls,
        visual_shape: ShapeParams | None = None,
        collision_shape: ShapeParams | None = None,
        pose: Pose | None = None,
        mass: float = 0.0,
        motion_mode: MotionMode | str = _DEFAULT_MODE,
        use_fixed_base: bool = AGENT["use_fixed_base"],
        collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
        sim_core: Any = None,
        name: str | None = None,
        user_data: dict[str, Any] | None = None,
        controller: Any = None,
        notify_spawn: bool = True,
    ) -> Self:
        """Make an agent of shapes; see `SimObject.from_mesh`."""
        return cls(
            body_id=cls._make_body(visual_shape, collision_shape, pose, mass, sim_core),
            motion_mode=motion_mode,
            use_fixed_base=use_fixed_base,
            collision_mode=collision_mode,
            sim_core=sim_core,
            name=name,
            user_data=user_data,
            mass=mass,
            controller=controller,
            notify_spawn=notify_spawn,
        )

    @classmethod
    def from_urdf(
        cls,
        urdf_path: str,
        pose: Pose | None = None,
        mass: float | None = None,
        motion_mode: MotionMode | str = _DEFAULT_MODE,
        use_fixed_base: bool = AGENT["use_fixed_base"],
        collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
        sim_core: Any = None,
        name: str | None = None,
        user_data: dict[str, Any] | None = None,
        ik_params: IKParams | None = None,
        joint_tolerance: Tolerance | None = None,
        controller: Any = None,
        notify_spawn: bool = True,
    ) -> Self:
        """Make an agent from a URDF file, or the name of a known model.

        Args:
            urdf_path: The file or name.
            pose: Where its base link's frame appears.
            mass: 0: nothing of it is simulated; None: as in the file.
            motion_mode: See the class.
            use_fixed_base: See the class.
            collision_mode: See the class.
            sim_core: See the class.
            name: See the class.
            user_data: See the class.
            ik_params: See the class.
            joint_tolerance: See the class.
            controller: See the class.
            notify_spawn: See the class.

        Raises:
            FileNotFoundError: There is no model of that name.
            AssetError: The file is not there, or cannot be read.
        """
        from unibody.fleet.models.robot_models import resolve_model

        path = resolve_model(urdf_path)
        asset = read_urdf(path, massless=mass == 0.0)
        where = Pose.from_xyz(0.0, 0.0, 0.0) if pose is None else pose
        fixed = use_fixed_base or asset.links[0].inertial.mass == 0.0
        physics_world = _physics_world(sim_core)
        total = sum(link.inertial.mass for link in asset.links)
        return cls(
            body_id=physics_world.add(asset, where.position, where.orientation, fixed=fixed),
            urdf_path=path,
            motion_mode=motion_mode,
            use_fixed_base=use_fixed_base,
            collision_mode=collision_mode,
            sim_core=sim_core,
            name=name,
            user_data=user_data,
            mass=total if mass is None else mass,
            ik_params=ik_params,
            joint_tolerance=joint_tolerance,
            controller=controller,
            notify_spawn=notify_spawn,
        )

    def set_motion_mode(self, mode: MotionMode | str) -> bool:
        """Change how the base moves; False while it is on its way."""
        if self._is_moving:
            self._log.warning("Cannot change motion mode while robot is moving. Call stop() first.")
            return False
        self._motion_mode = MotionMode(mode)
        self.set_controller(default_controller(self._motion_mode, self.controller_params))
        return True

    def _init_controller_chain(self, controller: Any) -> None:
        self.controller_params: ControllerParams
        self.controller_params, (base, *above) = chain_of(controller, self._motion_mode)
        self.set_controller(base)
        self._controllers += above

    # --- controllers and plugins ---------------------------------------------------------------

    @property
    def controllers(self) -> list[Any]:
        """Its controllers; the first one drives the base."""
        return list(self._controllers)

    @property
    def controller(self) -> Any:
        """The one that drives the base; None without one."""
        return self._controllers[0] if self._controllers else None

    @property
    def _controller(self) -> Any:
        return self.controller

    @_controller.setter
    def _controller(self, value: Any) -> None:
        self.set_controller(value)

    def set_controller(self, controller: Controller | None = None) -> None:
        """Let another controller drive the base; None takes all of them away."""
        if controller is None:
            self._controllers.clear()
        else:
            self._controllers[:1] = [controller]
            bind = getattr(controller, "bind", None)  # those that hold state of an agent have it
            if bind is not None:
                bind(self)
        self._changed()

    def add_controller(self, controller: Controller) -> None:
        """Put a controller above the others; it is asked before them."""
        self._controllers.append(controller)
        self._changed()

    def remove_controller(self, controller_or_cls: Any) -> None:
        """Remove a controller above the first, or the first of them of a class."""
        for number, known in enumerate(self._controllers[1:], start=1):
            by_class = isinstance(controller_or_cls, type) and isinstance(known, controller_or_cls)
            if by_class or known is controller_or_cls:
                del self._controllers[number]
                break
        self._changed()

    def get_controller_by_type(self, cls: type) -> Any:
        """The first controller of a class; None without one."""
        return next((known for known in self._controllers if isinstance(known, cls)), None)

    @property
    def battery_plugin(self) -> Any:
        """Its battery; None without one."""
        from unibody.fleet.plugins.battery_plugin import BatteryPlugin

        return self.get_plugin(BatteryPlugin)

    @property
    def battery_soc(self) -> float:
        """State of charge, 0 to 1; 1 without a battery."""
        battery = self.battery_plugin
        return 1.0 if battery is None else battery.soc

    @property
    def is_charging(self) -> bool:
        """Whether its battery is charging."""
        return self.battery_plugin is not None and self.battery_plugin.is_charging

    def set_charging(self, charging: bool) -> None:
        """Begin or end charging; nothing without a battery."""
        if self.battery_plugin is not None:
            self.battery_plugin.set_charging(charging)

    @property
    def plugins(self) -> list[AgentPlugin]:
        """Its plugins."""
        return list(self._plugins)

    def add_plugin(self, plugin: AgentPlugin) -> None:
        """Add a plugin that was made for this agent.

        Raises:
            ValueError: It was made for another one.
        """
        if plugin.agent is not self:
            raise ValueError(f"Plugin {plugin!r} is bound to a different agent")
        self._plugins.append(plugin)
        self._changed()

    def remove_plugin(self, plugin_or_cls: Any) -> None:
        """Remove a plugin, or the first one of a class.

        Raises:
            ValueError: The plugin is not there.
        """
        if isinstance(plugin_or_cls, type):
            plugin_or_cls = self.get_plugin(plugin_or_cls)
            if plugin_or_cls is None:
                return
        if not any(plugin_or_cls is known for known in self._plugins):
            allowed = f"one of {self._plugins}, or the class of one"
            raise InvalidArgumentError("plugin_or_cls", plugin_or_cls, allowed)
        self._plugins.remove(plugin_or_cls)
        self._changed()

    def get_plugin(self, cls: type[_PluginT]) -> _PluginT | None:
        """The first plugin of a class; None without one."""
        return next((plugin for plugin in self._plugins if isinstance(plugin, cls)), None)

    # --- goals ---------------------------------------------------------------------------------

    def set_goal_pose(self, goal: Pose, direction: MovementDirection | str | None = None) -> None:
        """Go to a pose."""
        self.set_path([goal], direction=direction)

    def set_path(
        self,
        path: Sequence[Pose] | Path,
        auto_approach: bool = True,
        final_orientation_align: bool = True,
        direction: MovementDirection | str | None = None,
    ) -> None:
        """Follow a path.

        Args:
            path: Its waypoints.
            auto_approach: Begin where the agent is, if that is more than 0.5 m from the first.
            final_orientation_align: Turn to the last one's orientation at the end.
            direction: Which side of a differential base goes first.

        Raises:
            ValueError: A number of the path is not finite, or a limit that it needs not positive.
        """
        if self.use_fixed_base:
            self._log.warning("Cannot set path for fixed-base robot")
            return
        waypoints = list(path)
        if not waypoints:
            self._log.warning("Empty path provided")
            return
        side = None if direction is None else MovementDirection(direction)
        here = self.get_pose()
        if auto_approach and math.dist(waypoints[0].position, here.position) > _NEAR:
            waypoints.insert(0, here)
        batch = self._batch_controller
        driver = batch or self.controller
        if driver is None:
            self._log.warning("No controller set — movement ignored. Use set_controller().")
            return
        was_moving, self._is_moving = self._is_moving, True
        try:
            follow = driver.set_path if batch is None else batch.synchronized_set_path
            follow(self, waypoints, final_orientation_align=final_orientation_align, direction=side)
        except ValueError:
            self._is_moving = was_moving
            raise
        self._draw_path(waypoints)

    def _draw_path(self, waypoints: list[Pose]) -> None:
        self._clear_path_visualization()
        if self.path_visualize:
            color = [0, 1, 1] if self.path_visualize_color is None else self.path_visualize_color
            places = [waypoint.position for waypoint in waypoints]
            width = self.path_visualize_width
            self._path_items = self._physics_world.drawings.lines(places, color, width)

    def _clear_path_visualization(self) -> None:
        self._physics_world.drawings.remove(self._path_items)
        self._path_items.clear()

    def stop(self) -> None:
        """Stand still at once, and forget the path."""
        row = self._tables.bodies.data[self._row]
        row["moving"] = 0
        row["vel"] = 0.0
        row["spin"] = 0.0
        self._rest()
        self._clear_path_visualization()
        if self._batch_controller is not None:
            self._batch_controller.synchronized_cancel_path(self)
        elif self._controllers:
            self._controllers[0].on_stop(self)

    # --- actions -------------------------------------------------------------------------------

    def add_action(self, action: Action) -> None:
        """Put an action at the end of the queue."""
        self.add_action_sequence([action])

    def add_action_sequence(self, actions: list[Action]) -> None:
        """Put actions at the end of the queue."""
        self._action_queue.extend(actions)
        self._changed()
        self._log.info(
            lambda: f"Added {len(actions)} actions to queue (queue size: {len(self._action_queue)})"
        )

    def clear_actions(self) -> None:
        """Empty the queue and cancel what is being done."""
        self._action_queue.clear()
        if self._current_action is not None:
            self._current_action.cancel()
            self._current_action = None
        self._changed()
        self._log.info("Cleared all actions")

    def get_current_action(self) -> Action | None:
        """What is being done."""
        return self._current_action

    def get_action_queue_size(self) -> int:
        """How many actions wait."""
        return len(self._action_queue)

    def is_action_queue_empty(self) -> bool:
        """Nothing waits and nothing is being done."""
        return not self._action_queue and self._current_action is None

    # --- one step ------------------------------------------------------------------------------

    def update(self, dt: float) -> bool:
        """Do one step of ``dt`` seconds: actions, joints, base, plugins; True if it moved."""
        dt = float(dt)
        if self._events is not None:
            self._events.emit(SimEvents.PRE_UPDATE, dt=dt)
        action_queue.advance(self, dt)
        joints_moved = self._use_kinematic_joints and self._update_kinematic_joints(dt)
        moved = self._update_base(dt)
        if joints_moved:
            self._carry_along()
        for plugin in self._plugins:
            plugin.on_update(dt)
        result = bool(moved or joints_moved)
        if self._events is not None:
            self._events._emit_updated(dt, result)
        return result

    def _update_base(self, dt: float) -> bool:
        """Let the controllers do one step, the upper ones first; True if one moved the base."""
        moved = False
        if not self.use_fixed_base and self._batch_controller is None:
            for controller in reversed(self._controllers):
                moved = controller.compute(self, dt) or moved
        return moved

    def __repr__(self) -> str:
        where = self.get_pose().position[:2]
        fixed = " [FIXED]" if self.use_fixed_base else ""
        kind = " [URDF]" if self.is_urdf_robot() else " [MESH]"
        speed = self.velocity[:2].tolist()
        return (
            f"Agent(id={self.body_id}{fixed}{kind}, pos={where}, vel={speed}, "
            f"moving={self._is_moving})"
        )


__all__ = ["Agent", "AgentSpawnParams", "IKParams", "SimObject"]
