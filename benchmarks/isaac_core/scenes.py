"""Environments of robots, made as scripts of Isaac core make them."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

VARIANTS = 4  # of the targets
_SETTLING = 60  # steps
_SPACING = 3.0  # m


class Robot(NamedTuple):
    """A robot of the asset server.

    Attributes:
        name: In the table of results.
        asset: Below the assets' root.
        reach: Of targets around where the robot stands at first [rad, m].
        body: A link that contacts are read of.
    """

    name: str
    asset: str
    reach: float
    body: str


ROBOTS = (
    Robot("cartpole", "/Isaac/Robots/Cartpole/cartpole.usd", 0.5, "pole"),
    Robot("ant", "/Isaac/Robots/Ant/ant_instanceable.usd", 0.5, "torso"),
    Robot("franka", "/Isaac/Robots/Franka/franka.usd", 0.3, "panda_hand"),
)


class Scene:
    """Copies of a robot over a ground, in motion.

    Attributes:
        world, view: ``World`` and ``Articulation`` of the surface.
        group: The worlds that the engine has of it.
        begun: From an empty stage to the first step [s of the processor].
        targets: Of all joints, (VARIANTS, count, dofs).
    """

    def __init__(self, robot: Robot, count: int) -> None:
        from unibody.cli import aliases

        aliases.install()
        from isaacsim import SimulationApp  # type: ignore[import-not-found]

        SimulationApp({"headless": True})
        self.robot, self.count = robot, count
        start = time.process_time()
        self._build()
        self.world.step(render=False)
        self.begun = time.process_time() - start
        for _ in range(_SETTLING):
            self.world.step(render=False)
        from unibody.isaac_core import physics

        scene: Any = physics.current()
        self.batch = scene.batch
        (self.group,) = scene.batch.groups
        random = np.random.default_rng(0)
        held = self.view.get_joint_positions()
        offsets = random.uniform(-robot.reach, robot.reach, (VARIANTS, *held.shape))
        self.targets = (held + offsets).astype(np.float32)

    def _build(self) -> None:
        from isaacsim.core.api import World  # type: ignore[import-not-found]
        from isaacsim.core.cloner import GridCloner  # type: ignore[import-not-found]
        from isaacsim.core.prims import Articulation  # type: ignore[import-not-found]
        from isaacsim.core.utils.stage import (  # type: ignore[import-not-found]
            add_reference_to_stage,
            create_new_stage,
        )
        from isaacsim.storage.native import (  # type: ignore[import-not-found]
            get_assets_root_path,
        )

        World.clear_instance()
        create_new_stage()
        self.world = World(backend="numpy")
        cloner = GridCloner(spacing=_SPACING)
        cloner.define_base_env("/World/envs")
        asset = get_assets_root_path() + self.robot.asset
        add_reference_to_stage(asset, "/World/envs/env_0/Robot")
        paths = cloner.generate_paths("/World/envs/env", self.count)
        cloner.clone("/World/envs/env_0", paths)
        self.world.scene.add_default_ground_plane()
        robots = Articulation(prim_paths_expr="/World/envs/env_.*/Robot", name="robots")
        self.view = self.world.scene.add(robots)
        self.world.reset()

    def run(self, frames: int) -> None:
        """Set targets, step, and read positions, velocities and root poses, ``frames`` times."""
        view = self.view
        for frame in range(frames):
            view.set_joint_position_targets(self.targets[frame % VARIANTS])
            self.world.step(render=False)
            view.get_joint_positions()
            view.get_joint_velocities()
            view.get_world_poses()

    def rows(self) -> Any:
        """The targets in the order of the engine's drives, (VARIANTS, count, drives)."""
        drives = self.group.exchange.places.actors[0].drives
        found = np.zeros((VARIANTS, *self.group.worlds.drives.shape[:2]))
        found[:, :, drives] = self.targets
        return found

    def close(self) -> None:
        """Let go of the stage."""
        from isaacsim.core.api import World

        World.clear_instance()
