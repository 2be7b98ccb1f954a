"""Soft bodies in the environments of a batch, each among the rigid bodies of its own."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from unibody.core.batch.environment import Actor, Environment
from unibody.core.batch.group import Group
from unibody.core.batch.scene import build_scene, shape_geoms
from unibody.core.engine.soft.bodies import Anchor, SoftBody, SoftWorld
from unibody.core.engine.soft.near import near_body
from unibody.core.engine.worlds.base import Worlds
from unibody.errors import NotSupportedError


@dataclass(frozen=True, eq=False)
class Attachment:
    """A link that carries the particles near its shapes.

    Attributes:
        soft: The soft body.
        actor: Whose link it is.
        link: Number in the actor's tree.
        local: All particles of the body at rest, in the frame of the link, (p, 3) [m].
        distance: How near its shapes they have to be [m].
    """

    soft: SoftBody
    actor: Actor
    link: int
    local: Any
    distance: float

    def body(self, group: Group) -> int:
        """Number of the link's body in the compiled model."""
        return int(group.exchange.record(self.actor.handle).body) + self.link


class WorldOfMany:
    """One of many worlds as soft bodies see one: a model, and data that are brought up to date.

    Attributes:
        model: With the parameters of the world.
        data: With its state.
        generation: Nothing is compiled again.
    """

    generation = 0

    def __init__(self, worlds: Worlds, number: int) -> None:
        self.worlds: Worlds = worlds
        self.number: int = number
        self.model: Any = copy.copy(worlds.model)
        self.data: Any = mujoco.MjData(self.model)

    def velocities(self) -> None:
        """Bring poses and velocities up to the state."""
        self.worlds.copy_into(self.number, self.model, self.data)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)

    def push(self) -> None:
        """Give the world the forces on its bodies."""
        self.worlds.xfrc_applied[self.number] = self.data.xfrc_applied

    def let_go(self, before: Any) -> None:
        """Take the forces back."""
        self.worlds.xfrc_applied[self.number] = before


class SoftEnvironments:
    """The soft bodies of a batch. Places are in the frames of the environments.

    Args:
        batch: A `Batch` on the CPU.

    Raises:
        NotSupportedError: It is on another device.
    """

    def __init__(self, batch: Any) -> None:
        if batch.device != "cpu":
            raise NotSupportedError(f"soft bodies on the device {batch.device}", 'device="cpu"')
        self._batch = batch
        self._soft: dict[int, tuple[Environment, SoftWorld]] = {}
        self._worlds: dict[int, Any] = {}
        self._groups: tuple[Any, ...] = ()
        self._pushed: list[tuple[WorldOfMany, Any]] = []
        self._classes: dict[int, list[Hashable]] = {}
        self._attached: dict[int, list[Attachment]] = {}
        self._touched: dict[int, Any] = {}

    def add(self, env: Environment, body: SoftBody, collision_class: Hashable = None) -> SoftWorld:
        """Put a soft body into an environment; all that are in it.

        Args:
            env: The environment.
            body: The soft body.
            collision_class: As those of shapes (``Actor.collision_classes``); the soft bodies of an
                environment touch what one of them touches. None: they touch all shapes.
        """
        _, world = self._soft.setdefault(id(env), (env, SoftWorld()))
        world.add(body)
        self._classes.setdefault(id(env), []).append(collision_class)
        return world

    def attach(self, attachment: Attachment) -> None:
        """Let a link carry the particles near its shapes, which soft bodies then do not touch."""
        self._attached.setdefault(id(attachment.actor.env), []).append(attachment)
        self._groups = ()

    def ground_moved(self) -> None:
        """Look at the ground again where soft bodies have nothing else."""
        self._worlds = {
            key: world for key, world in self._worlds.items() if isinstance(world, WorldOfMany)
        }

    def before_step(self) -> None:
        """Move all particles by a time step, and push the rigid bodies they touch."""
        gravity = self._batch.options.world.gravity
        if self._groups != tuple(self._batch.groups):
            self._groups, self._worlds, self._touched = tuple(self._batch.groups), {}, {}
        self._pushed = []
        for key, (env, soft) in self._soft.items():
            if key not in self._worlds:
                self._worlds[key] = self._world_of(env)
                self._touched[key] = self._prepare(env, soft, self._worlds[key])
            world = self._worlds[key]
            soft.before_step(world, gravity, self._touched[key])
            if isinstance(world, WorldOfMany):
                before = self._present(world)
                world.push()
                self._pushed.append((world, before))

    def after_step(self) -> None:
        """Take the forces of `before_step` away again."""
        for world, before in self._pushed:
            world.let_go(before)
        self._pushed = []

    def _prepare(self, env: Environment, soft: SoftWorld, world: Any) -> Any:
        """Anchor what links carry in a new world; the geoms that particles touch there."""
        if not isinstance(world, WorldOfMany):
            return None
        group, model = self._batch.group_of(env.actors[0]), world.model
        touched = np.ones(model.ngeom, dtype=bool)
        classes = self._classes[id(env)]
        if None not in classes:
            collide = self._batch.options.collide
            for actor in env.actors:
                geoms = shape_geoms(group.exchange.record(actor.handle), actor)
                for own, of_shape in zip(actor.collision_classes(), geoms, strict=True):
                    meets = not actor.disabled and any(collide(own, other) for other in classes)
                    touched[list(of_shape)] = meets
        attached = self._attached.get(id(env), [])
        if attached:
            world.velocities()
        for anchor in [anchor for anchor in soft.anchors if attached]:
            soft.detach(anchor)
        for one in attached:
            body = one.body(group)
            near = near_body(model, world.data, body, one.local, one.distance)
            for particle in near.tolist():
                soft.attach(Anchor(one.soft, particle, body, one.local[particle]))
            touched[model.geom_bodyid == body] = False
        return np.flatnonzero(touched)

    def _present(self, world: WorldOfMany) -> Any:
        return np.array(world.worlds.xfrc_applied[world.number])

    def _world_of(self, env: Environment) -> Any:
        """The world of an environment; of one without actors a world of the ground alone."""
        if env.actors:
            group = self._batch.group_of(env.actors[0])
            return WorldOfMany(group.worlds, group.world_of(env))
        return build_scene([env], self._batch.grounds, self._batch.scene_options()).world
