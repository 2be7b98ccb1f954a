"""The environments of one topology, as worlds of one scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.engine.worlds import make_worlds
from unibody.isaacgym.batch import parameters, tables
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.batch.attractor import Attractor
from unibody.isaacgym.batch.exchange import Exchange, make_exchange
from unibody.isaacgym.batch.parameters import FIRST, Change
from unibody.isaacgym.batch.places import find_places
from unibody.isaacgym.batch.scene import build_scene
from unibody.isaacgym.batch.tendon import Tendon

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment
    from unibody.isaacgym.batch.simulation import Simulation

Array = npt.NDArray[np.float64]


class Group:
    """Worlds, and the environments that they are.

    Attributes:
        number: Its own, in the simulation.
        envs: One a world.
        places: Where the parts of an environment lie.
        worlds: The engine's.
        exchange: Copies between the worlds and the simulation's tensors.
        scales: Of each actor of an environment: the size it was compiled with.
        shifted: Of each actor of an environment: mass centres may be moved.
        weightless: Of each actor of an environment: bodies may be without gravity.
    """

    def __init__(self, sim: Simulation, number: int, envs: list[Environment]) -> None:
        self.sim = sim
        self.number = number
        self.envs = envs
        self._grounds = len(sim.grounds)
        self.scene = build_scene(envs, sim.grounds, sim.params)
        columns = zip(*(env.actors for env in envs), strict=True)
        self.shifted = [any(actor.off_centre for actor in actors) for actors in columns]
        columns = zip(*(env.actors for env in envs), strict=True)
        self.weightless = [any(actor.weightless for actor in actors) for actors in columns]
        self.scales = [actor.scale for actor in envs[0].actors]
        self.places = find_places(self.scene, envs[0], self._grounds)
        self._model = self.scene.world.model
        self.worlds: Any = None
        for actor, changes in self._changes([envs[0]]):
            for change in changes:
                getattr(self._model, change.name)[change.columns] = change.values[0]
            place = self.places.actors[actor]
            if len(place.joints):
                self._model.jnt_limited[place.joints[place.components < 0]] = 1
        self.worlds = make_worlds(self.scene, len(envs), device=sim.device, threads=sim.threads)
        self.exchange: Exchange = make_exchange(self)
        self._vary()
        for local in range(len(self.places.actors)):
            self.exchange.put_drives(local, self._actors(local))
        first = [spring.changed() for spring in envs[0].springs()]
        for env in self.envs[1:]:
            for place, spring in enumerate(env.springs()):
                if spring.changed() != first[place]:
                    self.spring_changed(env, place, spring)
        self._place_grounds()

    # --- parameters ----------------------------------------------------------------------------

    def _actors(self, local: int, envs: Sequence[Environment] | None = None) -> list[Actor]:
        return [env.actors[local] for env in (self.envs if envs is None else envs)]

    def _changes(self, envs: list[Environment]) -> list[tuple[int, list[Change]]]:
        """All parameters that may differ between the worlds, of some environments."""
        found: list[tuple[int, list[Change]]] = []
        for local in range(len(self.places.actors)):
            actors = self._actors(local, envs)
            changes = parameters.dof_changes(self, local, actors)
            changes += parameters.shape_changes(self, local, actors)
            found.append((local, changes))
        return found

    def _vary(self) -> None:
        """Give the worlds that differ from the first their own parameters."""
        structural = False
        for local, changes in self._changes(self.envs):
            changed = [c for c in changes if not np.all(c.values == c.values[0])]
            actors = self._actors(local)
            if any(actor.scale != actors[0].scale for actor in actors):
                changed += parameters.scale_changes(self, local, actors)
            plain = tables.body_records(actors[0].model, actors[0].tree).tobytes()
            if any(actor.body_table.tobytes() != plain for actor in actors):
                changed += parameters.body_changes(self, local, actors)
            for change in changed:
                self.exchange.put_parameter(change, slice(None))
                structural |= change.structural
        if structural:
            self.worlds.parameters_changed()

    def worlds_values(self, name: str, worlds: slice = slice(None)) -> Array:
        """A parameter of some worlds, the world as first axis (one row: the same in all)."""
        if self.worlds is None:
            return np.asarray(getattr(self._model, name), dtype=float)[None]
        return self.exchange.parameter(name, worlds)

    def compiled_values(self, name: str) -> Array:
        """A parameter as it was compiled, for the first environment."""
        return np.array(getattr(self._model, name), dtype=float)

    def change(self, env: Environment, changes: list[Change]) -> None:
        """Write parameters of one world."""
        world = self.world_of(env)
        structural = False
        for change in changes:
            present = self.worlds_values(change.name, slice(world, world + 1))
            row = present[0, change.columns]
            if np.array_equal(row, change.values[0]):
                continue
            self.exchange.put_parameter(change, slice(world, world + 1))
            structural |= change.structural
        if structural:
            self.sim.parameters_changed(self, world)

    def world_of(self, env: Environment) -> int:
        """Number of the world of an environment."""
        return int(self.sim.actor_places[env.actor_base, 1]) if env.actors else 0

    def dofs_changed(self, actor: Actor) -> None:
        """Make the changed properties of degrees of freedom effective."""
        self.change(actor.env, parameters.dof_changes(self, actor.handle, [actor]))
        for name in ("position_targets", "velocity_targets"):
            self.sim.buffers.to_host(name)
        self.exchange.put_drives(actor.handle, [actor], self.world_of(actor.env))

    def scale_changed(self, actor: Actor) -> None:
        """Make a changed size effective."""
        changes = parameters.scale_changes(self, actor.handle, [actor])
        changes += parameters.body_changes(self, actor.handle, [actor])
        self.change(actor.env, changes)
        self.dofs_changed(actor)

    def bodies_changed(self, actor: Actor) -> None:
        """Make changed mass properties effective."""
        self.change(actor.env, parameters.body_changes(self, actor.handle, [actor]))

    def shapes_changed(self, actor: Actor) -> None:
        """Make changed surfaces effective."""
        self.change(actor.env, parameters.shape_changes(self, actor.handle, [actor]))

    def spring_changed(self, env: Environment, number: int, spring: Attractor | Tendon) -> None:
        """Make changed properties of an attractor or a tendon effective."""
        data, rule = spring.changed()
        world = self.world_of(env)
        change = Change("eq_data", np.array([number]), np.array([[data]]))
        self.exchange.put_parameter(change, slice(world, world + 1))
        self.exchange.put_spring(world, number, rule)

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Change gravity [m/s^2] in all worlds."""
        values = np.broadcast_to(np.asarray(gravity, float), (len(self.envs), 3))
        if not np.array_equal(self.worlds_values("opt.gravity", FIRST)[0], values[0]):
            self.exchange.put_whole("opt.gravity", values)

    def _place_grounds(self) -> None:
        """Shift what does not move with the environments, such as terrain."""
        origins = self.exchange.origins
        for number, ground in enumerate(self.sim.grounds):
            if ground.level and not np.any(origins @ _normal(ground.pose.quat)):
                continue
            row = self.scene.bodies[number].mocap
            self.exchange.put_mocap(row, np.array(ground.pose.pos) - origins)

    def record(self, local: int) -> Any:
        """The engine's record of an actor."""
        return self.scene.bodies[self._grounds + local]


def _normal(quat_wxyz: Any) -> Array:
    return rotations(quat_wxyz)[:, 2]
