"""A fleet whose work is shared among shards of space, in this process or in workers of Ray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.collisions.collision_system import pairs_of_keys
from unibody.scale.fleet_support import check_supported
from unibody.scale.shard_workers import LocalShards, RayShards

Array = NDArray[Any]
_STATE = ("user", "pos", "quat", "vel", "spin", "moving", "actions")


class ShardedFleet:
    """A simulation of robots in strips along x, each stepped by a shard; the bits of one process.

    In every step the shards move their own agents, send one another those that lie near a border
    (the halo) and those that crossed one, and find the collisions of their own. A shard knows which
    of its pairs collide. If a worker is lost, all begin again and do the same steps once more.

    Attributes:
        step_count: Steps so far.
    """

    def __init__(
        self,
        build: Callable[[], Any],
        shards: int = 2,
        *,
        processes: bool = True,
        address: str | None = None,
    ) -> None:
        """Make one.

        Args:
            build: Makes the simulation, a ``MultiRobotSimulationCore`` with all that is in it, the
                same at every call: every shard calls it.
            shards: Strips; their borders lie so that each begins with as many agents.
            processes: Each is a worker of Ray; else all are in this process, one after the other.
            address: Of a cluster of Ray; None: the one that runs in this process, or a new one.

        Raises:
            InvalidArgumentError: There are no shards, or ``build`` makes different simulations.
            NotSupportedError: Something is in the simulation that shards cannot do.
        """
        if shards < 1:
            raise InvalidArgumentError("shards", shards, "1 or more")
        core = build()  # where the agents begin; never stepped
        try:
            check_supported(core)
        finally:
            close_physics_world(core._physics_world)
        x = np.array([agent.get_pose().position[0] for agent in core.agents])
        del core
        ends = np.linspace(0.0, 1.0, shards + 1)[1:-1]
        borders = np.quantile(x, ends) if len(x) else np.arange(shards - 1.0)
        made = [(build, number, borders) for number in range(shards)]
        self._shards = RayShards(made, address) if processes else LocalShards(made)
        self._looked: list[dict[str, Any]] | None = None
        self.step_count: int = 0
        if len(set(self._shards.about())) > 1:
            self.close()
            allowed = "a function that makes the same objects, in the same order, at every call"
            raise InvalidArgumentError("build", build, allowed)

    def step(self) -> None:
        """Do one step; workers do it soon, and who looks waits for them."""
        self._shards.step()
        self._looked = None
        self.step_count += 1

    def _look(self) -> list[dict[str, Any]]:
        """What the shards tell after the steps so far."""
        if self._looked is None:
            self._looked = self._shards.looked()
        return self._looked

    @property
    def collision_count(self) -> int:
        """Collisions that began so far."""
        return sum(each["begun"] for each in self._look())

    @property
    def handed_over(self) -> int:
        """How many agents crossed a border so far."""
        return sum(each["handed_over"] for each in self._look())

    def get_active_collision_pairs(self) -> list[tuple[int, int]]:
        """Pairs that collide, as object numbers."""
        return pairs_of_keys(np.sort(np.concatenate([each["keys"] for each in self._look()])))

    def state(self) -> dict[str, Array]:
        """The agents in the order of their numbers.

        Returns:
            ``user`` (n,), their numbers; ``pos`` (n, 3) [m]; ``quat`` (n, 4), (x, y, z, w); ``vel``
            (n, 3) [m/s]; ``spin`` (n,) [rad/s]; ``moving`` (n,); ``actions`` (n,), how many are
            being done or wait.
        """
        parts = self._look()
        found = {name: np.concatenate([each[name] for each in parts]) for name in _STATE}
        order = np.argsort(found["user"])
        return {name: values[order] for name, values in found.items()}

    def close(self) -> None:
        """End the simulations and the workers, and Ray if it was started here."""
        self._shards.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
