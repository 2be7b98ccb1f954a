"""Soft bodies in the environments of a batch, each among the rigid bodies of its own."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np

from unibody.core.batch.environment import Environment
from unibody.core.batch.scene import build_scene
from unibody.core.engine.soft.bodies import SoftBody, SoftWorld
from unibody.core.engine.worlds.base import Worlds
from unibody.errors import NotSupportedError


class WorldOfMany:
    """One of many worlds as soft bodies see one: a model, and data that are brought up to date.

    Attributes:
        model: With the parameters of the world.
        data: With its state.
        generation: Nothing is compiled again.
    """

    generation = 0

    def __init__(self, worlds: Worlds, number: int) -> None:
        self.worlds, self.number = worlds, number
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

    def add(self, env: Environment, body: SoftBody) -> SoftWorld:
        """Put a soft body into an environment; all that are in it."""
        _, world = self._soft.setdefault(id(env), (env, SoftWorld()))
        world.add(body)
        return world

    def before_step(self) -> None:
        """Move all particles by a time step, and push the rigid bodies they touch."""
        gravity = self._batch.options.world.gravity
        if self._groups != tuple(self._batch.groups):
            self._groups, self._worlds = tuple(self._batch.groups), {}
        self._pushed = []
        for key, (env, soft) in self._soft.items():
            if key not in self._worlds:
                self._worlds[key] = self._world_of(env)
            world = self._worlds[key]
            soft.before_step(world, gravity)
            if isinstance(world, WorldOfMany):
                before = self._present(world)
                world.push()
                self._pushed.append((world, before))

    def after_step(self) -> None:
        """Take the forces of `before_step` away again."""
        for world, before in self._pushed:
            world.let_go(before)
        self._pushed = []

    def _present(self, world: WorldOfMany) -> Any:
        return np.array(world.worlds.xfrc_applied[world.number])

    def _world_of(self, env: Environment) -> Any:
        """The world of an environment; of one without actors a world of the ground alone."""
        if env.actors:
            group = self._batch.group_of(env.actors[0])
            return WorldOfMany(group.worlds, group.world_of(env))
        return build_scene([env], self._batch.grounds, self._batch.scene_options()).world
