"""Agents as values without their simulation, which another shard makes the same agents of.

A shard holds Python's objects of its own agents alone: those of an agent that crosses a border end
here and are made anew there. Rows of ``bodies`` are the same in all shards; those of ``motions``
are each shard's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.controllers.batch_base import KernelBatchController
from unibody.fleet.controllers.deciding import DecidingController
from unibody.fleet.parameters.controller_params import ControllerParams

_set = object.__setattr__  # plain, and names of attributes are kept once
_OF_SIMULATION = ("sim_core", "_physics_world", "_tables", "_template", "_batch_controller")
_LEFT = frozenset([  # attributes of an agent that are not carried: shared, told apart, or unseen
    *_OF_SIMULATION, "_controllers", "controller_params", "user_data", "_logger", "_events",
])  # fmt: skip
_LEFT_OF_DRIVERS = frozenset(["_tables", "_m", "_path", "params"])
_LEFT_OF_DECIDING = frozenset(["_timers", "_place", "params"])


class Kind(NamedTuple):
    """What agents that are alike share in one process: the same in all shards, by its number.

    Attributes:
        agent: Their class.
        template: Their shape.
        batch: What moves them with others, if something does.
        drivers: Classes of what drives them: of the base, and that of ``batch``.
        deciding: Classes of the controllers above.
    """

    agent: type[Agent]
    template: Any
    batch: KernelBatchController | None
    drivers: tuple[type[Any], ...]
    deciding: tuple[type[DecidingController], ...]


class Kinds:
    """The kinds of agents of a simulation, in the order in which they appear.

    Args:
        core: The simulation.
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self._numbers: dict[Any, int] = {}
        self._kinds: list[Kind] = []
        for agent in core.agents:
            self.number_of(agent)

    @property
    def batches(self) -> list[KernelBatchController]:
        """What moves agents together."""
        found = [kind.batch for kind in self._kinds if kind.batch is not None]
        return list({id(batch): batch for batch in found}.values())

    def number_of(self, agent: Agent) -> int:
        """The kind of an agent."""
        batch, template = agent._batch_controller, agent._template
        held = tuple(map(type, drivers(agent)))
        above = tuple(map(type, agent._controllers[1:]))
        key = type(agent), id(template), id(batch), held, above
        number = self._numbers.setdefault(key, len(self._kinds))
        if number == len(self._kinds):
            self._kinds.append(Kind(type(agent), template, batch, held, above))
        return number

    def carried(self, agent: Agent) -> tuple[Any, ...]:
        """An agent without its simulation; rows and paths of what drives it are not in it."""
        own = {name: value for name, value in vars(agent).items() if name not in _LEFT}
        driven = [(each.params, _without(each, _LEFT_OF_DRIVERS)) for each in drivers(agent)]
        above = [
            (each.params, each._wait_timer, _without(each, _LEFT_OF_DECIDING))
            for each in agent._controllers[1:]
        ]
        return self.number_of(agent), own, agent.controller_params, driven, above

    def made(self, carried: Iterable[tuple[Any, ...]]) -> list[Agent]:
        """The agents of these values in this simulation, with idle drivers."""
        pairs = [self._made(each) for each in carried]
        by_batch: dict[int, list[tuple[Agent, Any]]] = {}
        for agent, driver in pairs:
            if agent._batch_controller is not None:
                by_batch.setdefault(id(agent._batch_controller), []).append((agent, driver))
        for same in by_batch.values():
            agents, members = zip(*same, strict=True)
            agents[0]._batch_controller.take_over(agents, members)
        return [agent for agent, _ in pairs]

    def _made(self, carried: tuple[Any, ...]) -> tuple[Agent, Any]:
        """An agent, and the last of its drivers: that of what moves it with others, if any."""
        number, own, params, driven, above = carried
        kind, core = self._kinds[number], self._core
        agent = object.__new__(kind.agent)
        shared = core, core._physics_world, core._tables, kind.template, kind.batch
        for name, value in zip(_OF_SIMULATION, shared, strict=True):
            _set(agent, name, value)
        for name, value in own.items():
            _set(agent, name, value)
        held = [
            _driver(cls, core._tables, *each)
            for cls, each in zip(kind.drivers, driven, strict=True)
        ]
        deciding = [_decider(cls, *each) for cls, each in zip(kind.deciding, above, strict=True)]
        _set(agent, "user_data", {})
        _set(agent, "controller_params", params)
        _set(agent, "_controllers", [*held[:1], *deciding])
        return agent, held[-1] if held else None


def drivers(agent: Agent) -> list[Any]:
    """Controllers that have a row: of the base, and that of a batch controller."""
    batch = agent._batch_controller
    return [*agent._controllers[:1], *([] if batch is None else [batch.member(agent)])]


def _without(obj: Any, left: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in vars(obj).items() if name not in left}


def _driver(cls: type[Any], tables: Tables, params: ControllerParams, own: dict[str, Any]) -> Any:
    driver = object.__new__(cls)
    driver._tables, driver._m, driver._path = tables, tables.motions.take(), []
    driver.params = params
    params.take_row(tables, driver._m)
    for name, value in own.items():
        _set(driver, name, value)
    return driver


def _decider(
    cls: type[DecidingController], params: ControllerParams, wait: float, own: dict[str, Any]
) -> DecidingController:
    controller = object.__new__(cls)
    DecidingController.__init__(controller, params)
    for name, value in own.items():
        _set(controller, name, value)
    controller._wait_timer = wait
    return controller
