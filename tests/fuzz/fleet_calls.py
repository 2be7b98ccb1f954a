"""Hostile calls on ``unibody.fleet``: functions, constructors, methods, properties of a fleet."""

from __future__ import annotations

import contextlib
import enum
import importlib
import inspect
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.calls import NotFiniteError, hostile
from unibody import bullet, fleet
from unibody.fleet.actions import action
from unibody.fleet.models import robot_models
from unibody.fleet.original_modules import MODULES

# What runs without an end, serves, opens a window, or is the command line.
LEFT_OUT = {
    "run_simulation", "view", "setup_monitor", "shutdown", "record", "main", "get_search_paths",
}  # fmt: skip
_MODULES_LEFT_OUT = {"cli"}
# Parts of our own implementation in modules that scripts import.
_HELPERS = {"direction_number", "field_names"}
# What these raise when they are called is not the fleet's.
_CALLED = ("callback", "handler", "func", "factory", "predicate")
_SPOILED, _GIVEN = 0.03, 0.3  # shares of arguments: of further ones, of those with a default
_NAMES = ("mobile_robot", "simple_cube", "box", "omni", "patrol", "battery", "nothing.yaml")
_STEPS = 2
_MODELS = dict(robot_models.KNOWN_MODELS)


class World:
    """Three robots, one of them an arm, with a box, a door, an elevator, and what controls them."""

    errors = (LookupError, RuntimeError, OSError)

    def __init__(self) -> None:
        robot_models.KNOWN_MODELS.clear()  # calls may have given other files to the names
        robot_models.KNOWN_MODELS.update(_MODELS)
        self.core = fleet.MultiRobotSimulationCore(
            fleet.SimulationParams(gui=False, monitor=False, physics=False, log_level="CRITICAL")
        )
        manager = fleet.AgentManager(sim_core=self.core)
        robot = self._agent("mobile_robot", 0.0, controller={"type": "differential"})
        patrol = {"type": "patrol", "waypoints": [[4, 0, 0.1]]}
        omni = self._agent("simple_cube", 3.0, controller=[{"type": "omni"}, patrol])
        arm = self._agent("arm_robot", -3.0, use_fixed_base=True)
        box = fleet.SimObject.from_mesh(
            collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.1, 0.1]),
            pose=fleet.Pose.from_xyz(0, 4, 0.1), sim_core=self.core,
        )  # fmt: skip
        for agent in (robot, omni, arm):
            manager.add_object(agent)
        self.agents = [robot, omni, arm]
        self.objects: list[Any] = [
            self.core, manager, *self.agents, box, *robot._controllers, *omni._controllers,
            self.core.events, robot.events, robot.controller_params, robot.get_pose(),
            fleet.Path.create_rectangle([0, 0, 0], 1.0, 2.0),
            action.WaitAction(1.0), action.MoveAction(fleet.Path.from_positions([[1, 0, 0.1]])),
            fleet.FleetStateProvider(self.core), fleet.FleetCommandDispatcher(self.core),
        ]  # fmt: skip
        self.calls = list(_functions(self.objects))

    def _agent(self, model: str, x: float, **more: Any) -> Any:
        pose = fleet.Pose.from_xyz(x, 0, 0.1)
        return fleet.Agent.from_urdf(model, pose=pose, sim_core=self.core, **more)

    def call(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A call: of hostile arguments alone, or with one among arguments that fit."""
        name, function, parameters = chance.choice(self.calls)
        all_hostile = chance.random() < 0.5
        spoiled = chance.choice(parameters).name if parameters else ""
        named: dict[str, Any] = {}
        for parameter in parameters:
            optional = parameter.default is not parameter.empty
            is_spoiled = parameter.name == spoiled or chance.random() < _SPOILED
            if not (is_spoiled or not optional or chance.random() < _GIVEN):
                continue
            if all_hostile or is_spoiled:
                value = hostile(chance)
                if callable(value) and any(word in parameter.name for word in _CALLED):
                    value = None
            else:
                value = self._plausible(parameter, chance)
            named[parameter.name] = value
        words = ", ".join(f"{key}={_short(value)}" for key, value in named.items())
        by_place = [named.pop(one.name) for one in parameters if one.kind is one.POSITIONAL_ONLY]
        return f"{name}({words})", lambda: function(*by_place, **named)

    def _plausible(self, parameter: inspect.Parameter, chance: random.Random) -> object:
        """A value that fits an annotation."""
        kind = str(parameter.annotation).replace(" | None", "")
        pose = fleet.Pose.from_xyz(chance.choice((0.0, 1.0, -2.0)), 0.5, 0.1)
        makes: tuple[tuple[str, Callable[[], object]], ...] = (
            ("[Pose", lambda: [pose]), ("Pose", lambda: pose), ("Path", lambda: [pose]),
            ("[Agent", lambda: self.agents), ("Agent", lambda: chance.choice(self.agents)),
            ("SimObject", lambda: self.objects[5]), ("Core", lambda: self.core),
            ("[float", lambda: [0.1, 0.2, 0.3]), ("[int", lambda: [0]), ("[str", lambda: ["box"]),
            ("bool", lambda: True), ("float", lambda: chance.choice((0.0, 0.5, 1.0))),
            ("int", lambda: chance.randrange(3)), ("str", lambda: chance.choice(_NAMES)),
            ("dict", dict), ("Mapping", dict), ("list", list), ("Sequence", list),
            ("Callable", lambda: lambda *_, **__: None),
        )  # fmt: skip
        if parameter.name in ("sim_core", "core"):
            return self.core
        for word, make in makes:
            if word in kind:
                return make()
        return hostile(chance)

    def step(self) -> None:
        """Make steps and look at all poses."""
        self.core.resume()
        for _ in range(_STEPS):
            self.core.step_once()
        for one in list(self.core.sim_objects):
            pose = one.get_pose()
            if not all(math.isfinite(value) for value in (*pose.position, *pose.orientation)):
                raise NotFiniteError(f"{one.name} is at {pose}")

    def close(self) -> None:
        """Give the world back."""
        with contextlib.suppress(bullet.error):  # a call closed it
            bullet.disconnect(self.core.client)


def _functions(
    objects: list[Any],
) -> Iterator[tuple[str, Callable[..., Any], list[inspect.Parameter]]]:
    """Every public function, constructor and bound method with its parameters."""
    for name, call in _public(objects):
        try:
            parameters = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            continue
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        yield name, call, [one for one in parameters if one.kind not in variable]


def _public(objects: list[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    found = {name: getattr(fleet, name) for name in fleet.__all__}
    for module in sorted(MODULES.keys() - _MODULES_LEFT_OUT):
        space = vars(importlib.import_module(f"unibody.fleet.{MODULES[module]}"))
        for name, value in space.items():
            if getattr(value, "__module__", "") == space["__name__"] and name[0] != "_":
                found.setdefault(name, value)
    for name, value in found.items():
        is_class = isinstance(value, type)
        is_protocol = getattr(value, "_is_protocol", False)
        if name in LEFT_OUT | _HELPERS or not callable(value) or _is_enum(value) or is_protocol:
            continue
        yield name, value
        for key, member in inspect.getmembers_static(value) if is_class else ():
            if isinstance(member, (classmethod, staticmethod)) and _is_public(key):
                yield f"{name}.{key}", getattr(value, key)
    for thing in objects:
        kind = type(thing)
        for key, member in inspect.getmembers_static(kind):
            if inspect.isfunction(member) and _is_public(key):
                yield f"{kind.__name__}().{key}", getattr(thing, key)
            elif isinstance(member, property) and member.fset is not None and _is_public(key):
                yield f"{kind.__name__}().{key} = ", _setter(thing, key)


def _is_enum(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, enum.Enum)


def _is_public(name: str) -> bool:
    return name[0] != "_" and name not in LEFT_OUT


def _setter(thing: Any, name: str) -> Callable[[Any], None]:
    def assign(value: Any) -> None:
        setattr(thing, name, value)

    return assign


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 100 else f"{text[:100]}..."
