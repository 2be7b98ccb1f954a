"""A fleet whose work is shared among shards of space, in this process or in workers of Ray."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.collisions.collision_system import pairs_of_keys
from unibody.scale.fleet_shard import FleetShard
from unibody.scale.fleet_support import check_supported
from unibody.scale.repeating_workers import RepeatingWorkers

Array = NDArray[Any]
_NO_KEYS = np.zeros(0, dtype=np.int64)
_LOST = "a shard of the fleet was lost, with more work than is kept"
_PASSENGER = 4096  # [bytes] in the log of what workers were told, about


class ShardedFleet:
    """A simulation of robots in strips along x, each stepped by a shard; the bits of one process.

    In every step the shards move their own agents, tell how far these reach, send one another those
    that lie within reach (the halo), find the collisions of their own agents, and hand over who
    crossed a border. This object knows which pairs collide. A worker that is lost is started again,
    and repeats what it was told since the beginning.
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
        self._core = build()  # where the agents begin, and the parameters; never stepped
        try:
            check_supported(self._core)
        except NotSupportedError:
            close_physics_world(self._core._physics_world)
            raise
        x = np.array([agent.get_pose().position[0] for agent in self._core.agents])
        ends = np.linspace(0.0, 1.0, shards + 1)[1:-1]
        borders = np.quantile(x, ends) if len(x) else np.arange(shards - 1.0)
        made = [(build, number, borders) for number in range(shards)]
        self._pool: RepeatingWorkers | None = None
        if processes:
            self._pool = RepeatingWorkers(FleetShard, made, address, _LOST)
        self._shards: list[Any] = (
            [FleetShard(*each) for each in made] if self._pool is None else self._pool.actors
        )
        self._waiting: list[list[Any]] = [[] for _ in range(shards)]
        self._keys, self._time, self._checked = _NO_KEYS, 0.0, 0.0
        self.collision_count = self.step_count = self.handed_over = 0
        self._number_most = max(self._core._sim_objects_dict, default=-1) + 1
        if len({same for _, same in self._call("about", [()] * shards)}) > 1:
            self.close()
            allowed = "a function that makes the same objects, in the same order, at every call"
            raise InvalidArgumentError("build", build, allowed)

    def _call(self, name: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call a method of all shards, at once where they are processes; what each gives."""
        if self._pool is None:  # copies, as between processes
            given = [pickle.loads(pickle.dumps(each)) for each in arguments]
            return [
                getattr(shard, name)(*each) for shard, each in zip(self._shards, given, strict=True)
            ]
        return self._pool.call(name, arguments, _size_of(name, arguments))

    def step(self) -> None:
        """Do one step.

        Raises:
            EngineError: A worker was lost whose work is too long to be done again.
        """
        now, count = self._time, len(self._shards)
        reaches = self._call("advance", [(each,) for each in self._waiting])
        frequency = self._core._collision_check_frequency
        due = frequency is None or (frequency > 0 and now - self._checked >= 1.0 / frequency)
        if due:
            sent = self._call("halo", [(reaches,)] * count)
            got = [([each[number] for each in sent],) for number in range(count)]
            self._check(self._call("collide", got))
            self._checked = now
        self._waiting = [[] for _ in range(count)]
        for leaving in self._call("depart", [()] * count):
            for number, passenger in leaving:
                self._waiting[number].append(passenger)
                self.handed_over += 1
        self._time += self._core.params.timestep
        self.step_count += 1

    def _check(self, answers: list[tuple[Array, Array]]) -> None:
        """Work out which collisions are there now, and how many of them began."""
        found = np.unique(np.concatenate([keys for keys, _ in answers]))
        moved = np.zeros(self._number_most, dtype=bool)
        for _, numbers in answers:
            moved[numbers] = True
        rests = ~(moved[self._keys >> 32] | moved[self._keys & 0xFFFFFFFF])
        now = np.union1d(self._keys[rests], found)
        self.collision_count += len(np.setdiff1d(now, self._keys, assume_unique=True))
        self._keys = now

    def get_active_collision_pairs(self) -> list[tuple[int, int]]:
        """Pairs that collide, as object numbers."""
        return pairs_of_keys(self._keys)

    def state(self) -> dict[str, Array]:
        """The agents in the order of their numbers.

        Returns:
            ``user`` (n,), their numbers; ``pos`` (n, 3) [m]; ``quat`` (n, 4), (x, y, z, w); ``vel``
            (n, 3) [m/s]; ``spin`` (n,) [rad/s]; ``moving`` (n,); ``actions`` (n,), how many are
            being done or wait.
        """
        arrivals = self._waiting
        self._waiting = [[] for _ in self._shards]
        self._call("take", [(each,) for each in arrivals])
        parts = self._call("state", [()] * len(self._shards))
        found = {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}
        order = np.argsort(found["user"])
        return {name: values[order] for name, values in found.items()}

    def close(self) -> None:
        """End the simulations and the workers, and Ray if it was started here."""
        close_physics_world(self._core._physics_world)
        if self._pool is not None:
            self._pool.close()
            return
        for shard in self._shards:
            shard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _size_of(name: str, arguments: list[tuple[Any, ...]]) -> int:
    """How much what the shards are told takes in a log [bytes], about."""
    size = 0
    for (given,) in arguments if name in ("advance", "take", "collide") else ():
        size += sum(
            each[0].nbytes + each[1].nbytes if name == "collide" else _PASSENGER for each in given
        )
    return size
