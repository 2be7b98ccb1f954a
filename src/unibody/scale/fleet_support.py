"""What a fleet may consist of when shards of space share its work."""

from __future__ import annotations

from typing import Any

from unibody.errors import NotSupportedError
from unibody.fleet.actions.action import MoveAction, WaitAction
from unibody.fleet.agents.agent import Agent
from unibody.fleet.controllers.batch_base import KernelBatchController
from unibody.fleet.controllers.circuit_controller import CircuitController
from unibody.fleet.controllers.controller import DifferentialController, OmniController
from unibody.fleet.controllers.patrol_controller import PatrolController
from unibody.fleet.controllers.route_controller import RouteController

_ALL = "step the simulation in one process"
_ACTIONS = (MoveAction, WaitAction)


def check_supported(core: Any) -> None:
    """See that the shards of a simulation can do all that is in it.

    Raises:
        NotSupportedError: They cannot; the message names what.
    """
    if core.params.physics:
        _refuse("physics=True")
    if core._callbacks or core.behavior_trees or core.plugins:
        _refuse("a callback, behaviour tree or plugin of the simulation")
    if any(core.events._handlers.values()) or core._objects_are_heard:
        _refuse("a handler of events")
    for obj in core.sim_objects:
        if obj.attached_objects or obj._attached_to is not None:
            _refuse("an attached object")
        if core._tables.bodies.data["lifts"][obj._row]:
            _refuse("a platform that lifts others")
        if isinstance(obj, Agent):
            _check_agent(obj)
        elif obj._needs_update:
            _refuse(f"a {type(obj).__name__}, which moves by itself,")


def _check_agent(agent: Agent) -> None:
    if type(agent).update is not Agent.update:
        _refuse(f"a {type(agent).__name__} with an update of its own")
    if agent._plugins:
        _refuse("a plugin of an agent")
    if agent._joints_pending():
        _refuse("an agent whose joints move")
    actions = [*agent._action_queue, agent._current_action]
    for action in actions:
        if action is not None and type(action) not in _ACTIONS:
            _refuse(f"{type(action).__name__}", "use MoveAction or WaitAction, or " + _ALL)
    batch = agent._batch_controller
    if batch is not None and not isinstance(batch, KernelBatchController):
        _refuse(f"{type(batch).__name__}", "use batch_omni or batch_differential, or " + _ALL)
    for place, controller in enumerate(agent._controllers):
        _check_controller(controller, base=place == 0)


def _check_controller(controller: Any, *, base: bool) -> None:
    kind = type(controller)
    if base and kind in (OmniController, DifferentialController):
        return
    if base or kind not in (CircuitController, PatrolController, RouteController):
        _refuse(f"{kind.__name__}", "use omni, differential, circuit, patrol or route, or " + _ALL)
    low, high = getattr(controller, "_wait_range", (0.0, 0.0))
    if low != high or getattr(controller, "_order", "cycle") != "cycle":
        _refuse(f"{kind.__name__} with random decisions", "state equal waits and order='cycle'")


def _refuse(what: str, instead: str = _ALL) -> None:
    raise NotSupportedError(f"{what} in a fleet in shards", instead)
