"""The environments of one topology, as worlds of one scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.batch import parameters, tables
from unibody.core.batch.buffers import Buffers
from unibody.core.batch.devices import make_exchange
from unibody.core.batch.environment import Actor, Environment, Spring
from unibody.core.batch.exchange import Exchange, Members, Which
from unibody.core.batch.ground import Ground
from unibody.core.batch.index import Index
from unibody.core.batch.parameters import FIRST, Change
from unibody.core.batch.places import find_places
from unibody.core.batch.scene import SceneOptions, build_scene
from unibody.core.engine.worlds import Worlds, make_worlds

if TYPE_CHECKING:
    from unibody.core.batch.places import Places
    from unibody.core.engine.scene.scene import Scene

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
ALL = slice(None)


class Setting(NamedTuple):
    """What all groups of a batch have in common.

    Attributes:
        grounds: What environments stand on.
        options: Of the scenes.
        device: Of the worlds.
        threads: Of worlds on the CPU; 0: all cores.
    """

    grounds: Sequence[Ground]
    options: SceneOptions
    device: str
    threads: int


class Group:
    """Worlds, and the environments that they are.

    Attributes:
        number: Its own, in the batch.
        envs: One a world.
        places: Where the parts of an environment lie.
        worlds: The engine's.
        exchange: Copies between the worlds and the arrays of the batch.
        scales: Of each actor of an environment: the size it was compiled with.
        shifted: Of each actor of an environment: mass centres may be moved.
        weightless: Of each actor of an environment: bodies may be without gravity.
        underived: Worlds whose constants are to be derived again before the next step.
    """

    def __init__(
        self, number: int, envs: list[Any], setting: Setting, index: Index, buffers: Buffers
    ) -> None:
        self.number = number
        self.envs = envs
        self.underived: set[int] = set()
        self._world_of = {id(env): world for world, env in enumerate(envs)}
        self._grounds = list(setting.grounds)
        self._buffers = buffers
        self._held_at_speed = setting.options.speed_limits_by_torques
        self.scene: Scene = build_scene(envs, setting.grounds, setting.options)
        columns = [self._actors(local) for local in range(len(envs[0].actors))]
        self.shifted: list[bool] = [any(actor.off_centre for actor in actors) for actors in columns]
        self.weightless: list[bool] = [
            any(actor.weightless for actor in actors) for actors in columns
        ]
        self.scales: list[Any] = [actor.scale for actor in envs[0].actors]
        self._sizes = [np.array([a.scale for a in actors]) for actors in columns]
        self._starts = {
            "dof": np.array([[a.sim_dof for a in actors] for actors in columns], np.int64),
            "body": np.array([[a.sim_body for a in actors] for actors in columns], np.int64),
            "surface": np.array([[a.sim_shape for a in actors] for actors in columns], np.int64),
        }
        self.places: Places = find_places(self.scene, envs[0], len(self._grounds))
        self._model = self.scene.world.model
        self._write_first()
        self.worlds: Worlds = make_worlds(
            self.scene, len(envs), device=setting.device, threads=setting.threads
        )
        members = Members(number, envs, self.places, index, buffers)
        self.exchange: Exchange = make_exchange(members, self.worlds)
        self._vary()
        for local in range(len(self.places.actors)):
            self._put_drives(local, ALL)
        first = [spring.changed() for spring in envs[0].springs()]
        for world, env in enumerate(envs[1:], start=1):
            for place, spring in enumerate(env.springs()):
                if spring.changed() != first[place]:
                    self.spring_changed(world, place, spring)
        self._place_grounds()

    def _actors(self, local: int) -> list[Actor]:
        found: list[Actor] = [env.actors[local] for env in self.envs]
        return found

    def close(self) -> None:
        """Let go of the worlds: selections keep their group until they are used again."""
        self.exchange.close()
        self.scene.running = None
        del self.worlds, self.scene, self._model

    # --- properties ----------------------------------------------------------------------------

    def _rows(self, what: str, local: int, worlds: Which) -> Ints:
        """Rows of a table of the batch for one actor, (worlds, parts)."""
        first: Actor = self.envs[0].actors[local]
        count = len(getattr(first, f"{what}_records"))
        return self._starts[what][local][worlds][:, None] + np.arange(count)

    def _records(self, what: str, local: int, worlds: Which) -> tables.Records:
        table: tables.Records = getattr(self._buffers, f"{what}_table")
        return table[self._rows(what, local, worlds)]

    def _dof_changes(self, local: int, worlds: Which) -> list[Change]:
        table = self._records("dof", local, worlds)
        return parameters.dof_changes(
            self.places.actors[local], table, self._present, held_at_speed=self._held_at_speed
        )

    def _surface_changes(self, local: int, worlds: Which) -> list[Change]:
        table = self._records("surface", local, worlds)
        return parameters.surface_changes(self.places.actors[local], table, self._present)

    def _body_changes(self, local: int, worlds: Which) -> list[Change]:
        table = self._records("body", local, worlds)
        actor: Actor = self.envs[0].actors[local]
        return parameters.body_changes(
            self.places.actors[local], table, self._compiled, gravity=actor.kind.placement.gravity
        )

    def _scale_changes(self, local: int, worlds: Which) -> list[Change]:
        ratios = self._sizes[local][worlds] / self.scales[local]
        return parameters.scale_changes(self.places.actors[local], ratios, self._compiled)

    def _write_first(self) -> None:
        """Give the model the properties of the first environment."""
        for local, place in enumerate(self.places.actors):
            for change in (*self._dof_changes(local, FIRST), *self._surface_changes(local, FIRST)):
                getattr(self._model, change.name)[change.columns] = change.values[0]
            if len(place.joints):
                self._model.jnt_limited[place.joints[place.components < 0]] = 1

    def _vary(self) -> None:
        """Give the worlds that differ from the first their own parameters."""
        structural = False
        for local in range(len(self.places.actors)):
            changes = [*self._dof_changes(local, ALL), *self._surface_changes(local, ALL)]
            changed = [c for c in changes if not np.all(c.values == c.values[0])]
            sizes = self._sizes[local]
            if np.any(sizes != sizes[0]):
                changed += self._scale_changes(local, ALL)
            first: Actor = self.envs[0].actors[local]
            plain = tables.body_records(first.tree, first.kind.body_links)
            if self._records("body", local, ALL).tobytes() != plain.tobytes() * len(self.envs):
                changed += self._body_changes(local, ALL)
            for change in changed:
                self.exchange.put_parameter(change, ALL)
                structural |= change.structural
        if structural:
            self.worlds.parameters_changed()

    def _present(self, name: str) -> Array:
        """A parameter as it is in the first world."""
        if hasattr(self, "exchange"):
            return self.exchange.parameter(name, FIRST)[0]
        return self._compiled(name)

    def _compiled(self, name: str) -> Array:
        """A parameter as it was compiled, for the first environment."""
        return np.array(getattr(self._model, name), dtype=float)

    def _change(self, changes: list[Change], worlds: Ints) -> None:
        """Write parameters of some worlds."""
        which = _which(worlds)
        for change in changes:
            present = self.exchange.parameter(change.name)
            present = present[which] if len(present) > 1 else present
            if np.all(present[:, change.columns] == change.values):
                continue
            self.exchange.put_parameter(change, which)
            if change.structural:
                self.underived.update(worlds.tolist())

    def derive(self) -> None:
        """Derive again what follows from parameters that were changed."""
        if self.underived:
            self.worlds.parameters_changed(sorted(self.underived))
            self.underived.clear()

    def _put_drives(self, local: int, worlds: Which) -> None:
        rows = self._rows("dof", local, worlds)
        host = self._buffers.host
        drives = parameters.drive_rows(
            self._buffers.dof_table[rows],
            host.position_targets[rows],
            host.velocity_targets[rows],
        )
        self.exchange.put_drives(local, drives, worlds)

    def dofs_changed(self, local: int, worlds: Ints) -> None:
        """Make changed properties of the degrees of freedom of an actor effective."""
        self._change(self._dof_changes(local, worlds), worlds)
        for name in ("position_targets", "velocity_targets"):
            self._buffers.to_host(name)
        self._put_drives(local, _which(worlds))

    def bodies_changed(self, local: int, worlds: Ints) -> None:
        """Make changed mass properties of an actor effective."""
        self._change(self._body_changes(local, worlds), worlds)

    def surfaces_changed(self, local: int, worlds: Ints) -> None:
        """Make changed surfaces of an actor effective."""
        self._change(self._surface_changes(local, worlds), worlds)

    def scale_changed(self, local: int, worlds: Ints) -> None:
        """Make a changed size of an actor effective."""
        actors = self._actors(local)
        numbers: list[int] = worlds.tolist()
        self._sizes[local][worlds] = [actors[world].scale for world in numbers]
        changes = self._scale_changes(local, worlds) + self._body_changes(local, worlds)
        self._change(changes, worlds)
        self.dofs_changed(local, worlds)

    def spring_changed(self, world: int, number: int, spring: Spring) -> None:
        """Make changed properties of a spring effective."""
        data, rule = spring.changed()
        change = Change("eq_data", np.array([number]), np.array([[data]]))
        self.exchange.put_parameter(change, slice(world, world + 1))
        self.exchange.put_spring(world, number, rule)

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Change gravity [m/s^2] in all worlds."""
        values = np.broadcast_to(np.asarray(gravity, float), (len(self.envs), 3))
        if not np.array_equal(self.exchange.parameter("opt.gravity", FIRST)[0], values[0]):
            self.exchange.put_whole("opt.gravity", values)

    def _place_grounds(self) -> None:
        """Shift what does not move with the environments, such as terrain."""
        origins = self.exchange.origins
        for number, ground in enumerate(self._grounds):
            if ground.level and not np.any(origins @ _normal(ground.pose.quat)):
                continue
            self.place_ground(number)

    def place_ground(self, number: int) -> None:
        """Put a part of the ground where it is to be."""
        pose = self._grounds[number].pose
        positions = np.array(pose.pos) - self.exchange.origins
        self.exchange.put_mocap(self.scene.bodies[number].mocap, positions, pose.quat)

    def world_of(self, env: Environment) -> int:
        """Number of the world of an environment."""
        return self._world_of[id(env)]


def _which(worlds: Ints) -> Which:
    """Worlds as a slice where it is one world."""
    return worlds if len(worlds) != 1 else slice(int(worlds[0]), int(worlds[0]) + 1)


def _normal(quat_wxyz: Any) -> Array:
    return rotations(quat_wxyz)[:, 2]
