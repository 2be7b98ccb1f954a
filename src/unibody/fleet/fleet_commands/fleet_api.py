"""States of all robots, and commands to them by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any
from uuid import uuid4

from unibody.fleet.actions.action_parser import parse_action_goal
from unibody.fleet.fleet_commands.commands import (
    DEFAULT_ATTACH_SEARCH_RADIUS,
    FLEET_COMMAND_EVENT,
    CommandAck,
    CommandEvent,
    Quat,
    RobotActionCommand,
    RobotAttachCommand,
    RobotGoalCommand2D,
    RobotGoalCommand3D,
    RobotJointPositionsCommand,
    RobotNamedJointPositionsCommand,
    Vec3,
)
from unibody.fleet.fleet_commands.states import RobotState2D, RobotState3D

__all__ = [
    "FLEET_COMMAND_EVENT",
    "CommandAck",
    "CommandEvent",
    "FleetCommandDispatcher",
    "FleetStateProvider",
    "RobotActionCommand",
    "RobotAttachCommand",
    "RobotGoalCommand2D",
    "RobotGoalCommand3D",
    "RobotJointPositionsCommand",
    "RobotNamedJointPositionsCommand",
    "RobotState2D",
    "RobotState3D",
]


class FleetStateProvider:
    """Says how all robots of a simulation are.

    Args:
        sim_core: The simulation.
    """

    def __init__(self, sim_core: Any) -> None:
        self.sim_core = sim_core

    def get_states(self) -> list[RobotState3D]:
        """All robots in space."""
        return self.get_states_3d()

    def _agents(self, names: Iterable[str] | None) -> list[tuple[str, Any]]:
        wanted = None if names is None else {str(name) for name in names}
        named = ((_name(agent), agent) for agent in _agents_of(self.sim_core))
        return [(name, agent) for name, agent in named if wanted is None or name in wanted]

    def get_states_2d(self, names: Iterable[str] | None = None) -> list[RobotState2D]:
        """Robots on the ground, all of them or those of some names."""
        states = []
        for name, agent in self._agents(names):
            pose = agent.get_pose()
            vx, vy, _ = _three(getattr(agent, "velocity", ()))
            spin = _three(getattr(agent, "angular_velocity", 0.0), scalar_axis=2)[2]
            states.append(
                RobotState2D(
                    name=name,
                    position=(float(pose.x), float(pose.y)),
                    yaw=float(pose.yaw),
                    linear_velocity=(vx, vy),
                    angular_velocity=spin,
                    **_common(agent),
                )
            )
        return states

    def get_states_3d(self, names: Iterable[str] | None = None) -> list[RobotState3D]:
        """Robots in space, all of them or those of some names."""
        states = []
        for name, agent in self._agents(names):
            pose = agent.get_pose()
            states.append(
                RobotState3D(
                    name=name,
                    position=_three(pose.position),
                    orientation=_four(pose.orientation),
                    linear_velocity=_three(getattr(agent, "velocity", ())),
                    angular_velocity=_three(getattr(agent, "angular_velocity", ()), scalar_axis=2),
                    **_common(agent),
                )
            )
        return states


class FleetCommandDispatcher:
    """Passes commands on to robots by name.

    A name that is unknown, given twice, or belongs to several robots is rejected; the others are
    served.

    Args:
        sim_core: The simulation.
        allowed_names: Who may be commanded here; None: everybody.

    Attributes:
        command_events: All commands so far.
    """

    def __init__(self, sim_core: Any, *, allowed_names: Iterable[str] | None = None) -> None:
        self.sim_core = sim_core
        self.command_events: list[CommandEvent] = []
        self.allowed_names: frozenset[str] | None = (
            None if allowed_names is None else frozenset(allowed_names)
        )
        self._name_index: dict[str, Any] = {}
        self.refresh_name_index()

    def refresh_name_index(self) -> None:
        """Take note of robots that came, went, or have another name."""
        index: dict[str, Any] = {}
        for agent in _agents_of(self.sim_core):
            name = getattr(agent, "name", None)
            if name:
                index[str(name)] = None if str(name) in index else agent
        self._name_index = index

    def navigate(
        self,
        goals: Iterable[RobotGoalCommand2D | RobotGoalCommand3D],
        *,
        source: str = "python",
        command_id: str | None = None,
    ) -> CommandAck:
        """Send robots to goals."""
        return self._dispatch(
            "navigate",
            goals,
            source,
            command_id,
            lambda agent, goal: agent.set_goal_pose(goal.to_pose()),
        )

    def joint_command(
        self,
        commands: Iterable[RobotJointPositionsCommand | RobotNamedJointPositionsCommand],
        *,
        source: str = "python",
        command_id: str | None = None,
    ) -> CommandAck:
        """Send joints to positions."""

        def send(agent: Any, command: Any) -> None:
            if isinstance(command, RobotJointPositionsCommand):
                agent.set_all_joints_targets(list(command.positions))
            else:
                agent.set_joints_targets_by_name(dict(command.positions))

        return self._dispatch("joint_command", commands, source, command_id, send)

    def stop(
        self, names: Iterable[str], *, source: str = "python", command_id: str | None = None
    ) -> CommandAck:
        """Let robots stand still."""
        targets = tuple(names)
        accepted, rejected = self._resolve(targets)
        event = self._emit("stop", command_id or uuid4().hex, source, targets, accepted, rejected)
        for agent in accepted.values():
            agent.stop()
        return _ack(event, accepted, rejected)

    def execute_action(
        self,
        commands: Iterable[RobotActionCommand],
        *,
        source: str = "python",
        command_id: str | None = None,
    ) -> CommandAck:
        """Give robots actions."""
        actions: dict[str, Any] = {}

        def parse(agent: Any, command: RobotActionCommand) -> str | None:
            action = parse_action_goal(command.action_type, command.action_params_json)
            actions[command.name] = action
            return f"invalid action '{command.action_type}'" if action is None else None

        return self._dispatch(
            "execute_action",
            commands,
            source,
            command_id,
            lambda agent, command: agent.add_action(actions[command.name]),
            parse,
        )

    def attach(
        self,
        commands: Iterable[RobotAttachCommand],
        *,
        source: str = "python",
        command_id: str | None = None,
    ) -> CommandAck:
        """Let robots attach things, or let go of them."""
        given = tuple(commands)
        names = tuple(command.name for command in given)
        accepted, rejected = self._resolve(names)
        targets: dict[str, Any] = {}
        by_name = {command.name: command for command in reversed(given)}
        for name in list(accepted):
            targets[name], reason = _attach_target(accepted[name], by_name[name])
            if reason is not None:
                rejected[name] = reason
                del accepted[name]
        number = _number(command_id, given)
        event = self._emit("attach", number, source, names, accepted, rejected)
        for name in list(accepted):
            command = by_name[name]
            if command.attach:
                done = accepted[name].attach_object(
                    targets[name],
                    parent_link_index=command.parent_link or "base_link",
                    relative_pose=command.offset,
                )
            else:
                done = accepted[name].detach_object(targets[name])
            if not done:
                verb = "attach" if command.attach else "detach"
                rejected[name] = f"{verb} mutation failed"
                del accepted[name]
        return _ack(event, accepted, rejected)

    def _dispatch(
        self,
        kind: str,
        commands: Iterable[Any],
        source: str,
        command_id: str | None,
        act: Callable[[Any, Any], Any],
        check: Callable[[Any, Any], str | None] | None = None,
    ) -> CommandAck:
        given = tuple(commands)
        names = tuple(command.name for command in given)
        accepted, rejected = self._resolve(names)
        by_name = {command.name: command for command in reversed(given)}
        for name in list(accepted) if check is not None else ():
            reason = check(accepted[name], by_name[name]) if check is not None else None
            if reason is not None:
                rejected[name] = reason
                del accepted[name]
        number = _number(command_id, given)
        event = self._emit(kind, number, source, names, accepted, rejected)
        for name, agent in accepted.items():
            act(agent, by_name[name])
        return _ack(event, accepted, rejected)

    def _resolve(self, names: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, str]]:
        self.refresh_name_index()
        accepted: dict[str, Any] = {}
        rejected: dict[str, str] = {}
        for name, count in Counter(names).items():
            if count > 1:
                rejected[name] = "duplicate target"
            elif name not in self._name_index:
                rejected[name] = "unknown robot"
            elif self.allowed_names is not None and name not in self.allowed_names:
                rejected[name] = "not managed by this interface"
            elif self._name_index[name] is None:
                rejected[name] = "ambiguous robot name"
            else:
                accepted[name] = self._name_index[name]
        return accepted, rejected

    def _emit(
        self,
        kind: str,
        command_id: str,
        source: str,
        names: tuple[str, ...],
        accepted: Mapping[str, Any],
        rejected: Mapping[str, str],
    ) -> CommandEvent:
        event = CommandEvent(
            command_id=command_id,
            source=source,
            sim_time=float(getattr(self.sim_core, "sim_time", 0.0)),
            command_type=kind,
            target_names=names,
            accepted_names=tuple(accepted),
            rejected=dict(rejected),
        )
        self.command_events.append(event)
        events = getattr(self.sim_core, "events", None)
        if events is not None:
            events.emit(FLEET_COMMAND_EVENT, command_event=event)
        return event


def _ack(
    event: CommandEvent, accepted: Mapping[str, Any], rejected: Mapping[str, str]
) -> CommandAck:
    return CommandAck(
        command_id=event.command_id,
        source=event.source,
        sim_time=event.sim_time,
        accepted_names=tuple(accepted),
        rejected=dict(rejected),
    )


def _number(command_id: str | None, commands: tuple[Any, ...]) -> str:
    stated = (getattr(command, "command_id", None) for command in commands)
    return command_id or next((str(number) for number in stated if number), "") or uuid4().hex


def _agents_of(sim_core: Any) -> tuple[Any, ...]:
    return tuple(getattr(sim_core, "agents", ()))


def _name(agent: Any) -> str:
    name = getattr(agent, "name", None)
    return str(name) if name else f"agent_{getattr(agent, 'object_id', 'unknown')}"


def _common(agent: Any) -> dict[str, Any]:
    charge = getattr(agent, "battery_soc", None)
    charging = getattr(agent, "is_charging", None)
    return {
        "object_id": int(getattr(agent, "object_id", -1)),
        "is_moving": bool(getattr(agent, "is_moving", False)),
        "battery_soc": None if charge is None else float(charge),
        "is_charging": None if charging is None else bool(charging),
    }


def _three(value: Any, scalar_axis: int = 0) -> Vec3:
    """Three numbers; fewer are filled up with zeros, a single one stands for an axis."""
    numbers = [0.0, 0.0, 0.0]
    if isinstance(value, Real):
        numbers[scalar_axis] = float(value)
    else:
        for index, item in enumerate(tuple(value)[:3]):
            numbers[index] = float(item)
    return numbers[0], numbers[1], numbers[2]


def _four(value: Any) -> Quat:
    numbers = tuple(float(item) for item in value)
    if len(numbers) != 4:
        raise ValueError(f"Expected quaternion with 4 values, got {len(numbers)}")
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _attach_target(agent: Any, command: RobotAttachCommand) -> tuple[Any, str | None]:
    """What to attach or detach, and why there is nothing."""
    if not command.attach:
        attached = tuple(agent.get_attached_objects())
        if not command.object_name:
            return (attached[0], None) if attached else (None, "no attached object to detach")
        named = [o for o in attached if getattr(o, "name", None) == command.object_name]
        return (named[0], None) if named else (None, f"object '{command.object_name}' not attached")
    if command.object_name:
        objects = getattr(getattr(agent, "sim_core", None), "sim_objects", ())
        named = [o for o in objects if getattr(o, "name", None) == command.object_name]
        return (named[0], None) if named else (None, f"object '{command.object_name}' not found")
    radius = float(command.search_radius)
    if radius <= 0.0:
        radius = DEFAULT_ATTACH_SEARCH_RADIUS
    found = agent.find_nearest_pickable(search_radius=radius)
    return (None, f"no pickable object within {radius:.3g}m") if found is None else (found, None)
