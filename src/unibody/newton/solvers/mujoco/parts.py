"""A group of worlds that are alike, as one plain model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import warp as wp

from unibody.core.engine.plain import PlainWorlds, make_plain_worlds
from unibody.core.engine.plain import spec as plain
from unibody.newton.solvers.mujoco import actuators, attributes, groups, maps, reports, tendons
from unibody.newton.solvers.mujoco.contacts import InjectedContacts
from unibody.newton.solvers.mujoco.exchange import Exchange
from unibody.newton.solvers.mujoco.given import Given
from unibody.newton.solvers.mujoco.updates import Updates
from unibody.newton.solvers.mujoco.writer import Writer

if TYPE_CHECKING:
    from unibody.newton.solvers.mujoco.maps import Maps


class Part:
    """A group of worlds that are alike, and what moves numbers to and from it."""

    def __init__(
        self, model: Any, group: groups.Group, given: Given, *, general: bool = False
    ) -> None:
        self.group = group
        self.general: bool = general
        writer = Writer(model, group, sites=given.sites, visual=given.visual, general=general)
        tendons.refer(model, writer)
        actuators.refer(model, writer)
        writer.write()
        actuators.refine_servos(model, writer, int(group.worlds[0]))
        world = int(group.worlds[0])
        actuators.write_pairs(model, writer, world)
        written = tendons.TendonWriter(model, writer)
        written.write(world)
        tendons.write_equalities(writer, written.names)
        actuators.write_actuators(model, writer, world, written.names)
        plain.set_options(writer.spec, {**given.options(model)})
        writer.spec.option.gravity = model.gravity.numpy()[max(world, 0)]
        if given.no_contacts:
            plain.disable_contacts(writer.spec)
        flags, added = given.flags_of(model)
        if given.no_contacts:
            flags["contact"] = None
        if given.device == "cpu" and (given.reports or reports.wanted(model)):
            plain.report_body_forces(writer.spec)
            flags.pop("sensor", None)  # the only one is that which has them told
        plain.set_disabled(writer.spec, flags)
        plain.set_enabled(writer.spec, added)
        self.spec: Any = writer.spec
        self.mj_model: Any
        self.mj_data: Any
        self.mj_model, self.mj_data = plain.compile_model(writer.spec)
        writer.close_loops(self.mj_model)
        given.raise_rooms(self.mj_model, self.mj_data)
        controls = _controls_a_world(model)
        self.maps: Maps = maps.find(model, group, writer, written.names, self.mj_model, controls)
        self.worlds: PlainWorlds = make_plain_worlds(
            self.mj_model,
            self.mj_data,
            len(group.worlds),
            given.device,
            contacts=given.contacts,
            rows=given.rows,
            nonzeros=given.nonzeros,
            parallel_search=given.parallel_search,
        )
        stated = self.maps.equality[0] >= 0
        self.worlds.connected = np.flatnonzero(plain.connections(self.mj_model) & stated)
        self.exchange: Exchange = Exchange(model, self.worlds, self.maps)
        self.updates: Updates = Updates(
            model, self.worlds, self.maps, group.worlds, set(given.stated)
        )
        self.successor: Part | None = None
        self.injected: InjectedContacts | None = None

    def take_contacts(self, model: Any, own: bool) -> None:
        """Be given contacts from now on, if MuJoCo does not find its own."""
        self.injected = None if own else InjectedContacts(model, self.worlds, self.maps)

    def latest(self) -> Part:
        """The part that has replaced this one, or itself."""
        return self if self.successor is None else self.successor.latest()

    def step(self, dt: float) -> None:
        """Step the worlds, or those of the part that has replaced this one in recorded graphs."""
        if self.successor is None:
            self._step_or_stay(dt)
            return
        self.successor.worlds.copy_state(self.worlds)
        self.successor.step(dt)
        self.worlds.copy_state(self.successor.worlds)

    def _step_or_stay(self, dt: float) -> None:
        """Step the worlds; where that fails they stay where they were."""
        worlds = self.worlds
        if worlds.device != "cpu":
            worlds.step(dt)
            return
        places = (worlds.qpos, worlds.qvel)
        before = [np.array(place) for place in places]
        try:
            worlds.step(dt)
        except BaseException:
            for place, values in zip(places, before, strict=True):
                place[...] = values
            raise


class Recording(NamedTuple):
    """What moves numbers before and after the worlds' step, for one part."""

    part: Part
    before: list[wp.Launch]
    after: list[wp.Launch]


def _controls_a_world(model: Any) -> int:
    worlds = attributes.values_of(model, "actuator_world")
    if worlds is None or not len(worlds):
        return 0
    return len(worlds) // model.num_worlds if (worlds >= 0).any() else 0
