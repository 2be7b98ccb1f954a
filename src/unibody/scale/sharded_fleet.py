"""A fleet whose work is shared among shards of space, in this process or in workers of Ray."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from unibody.errors import EngineError, InvalidArgumentError, NotSupportedError
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.collisions.collision_system import pairs_of_keys
from unibody.scale.cluster import start_ray
from unibody.scale.fleet_shard import FleetShard
from unibody.scale.fleet_support import check_supported

Array = NDArray[Any]
_NO_KEYS = np.zeros(0, dtype=np.int64)
_LOG = 256 << 20  # [bytes] of what shards were told, kept to do a lost one's work again
_PASSENGER = 4096  # [bytes] in that log, about


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
        self._make = [(build, number, borders) for number in range(shards)]
        self._log: list[tuple[str, list[tuple[Any, ...]]]] = []
        self._logged = 0
        self._ray: Any = None
        self._started = False
        if processes:
            import ray

            self._ray, self._started = ray, not ray.is_initialized()
            if self._started:
                start_ray(shards, address)
        self._shards = [self._begin(number) for number in range(shards)]
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
        if self._ray is None:  # copies, as between processes
            given = [pickle.loads(pickle.dumps(each)) for each in arguments]
            return [
                getattr(shard, name)(*each) for shard, each in zip(self._shards, given, strict=True)
            ]
        self._note(name, arguments)
        flying = [
            getattr(shard, name).remote(*each)
            for shard, each in zip(self._shards, arguments, strict=True)
        ]
        from ray.exceptions import RayActorError

        found: list[Any] = []
        for number, reference in enumerate(flying):
            try:
                found.append(self._ray.get(reference))
            except RayActorError:
                found.append(self._again(number))
        return found

    def _begin(self, number: int) -> Any:
        if self._ray is None:
            return FleetShard(*self._make[number])
        return self._ray.remote(num_cpus=1)(FleetShard).remote(*self._make[number])

    def _note(self, name: str, arguments: list[tuple[Any, ...]]) -> None:
        """Keep what the shards are told, while there is room."""
        for (given,) in arguments if name in ("advance", "take", "collide") else ():
            self._logged += sum(
                each[0].nbytes + each[1].nbytes if name == "collide" else _PASSENGER
                for each in given
            )
        if self._logged <= _LOG:
            self._log.append((name, arguments))
        else:
            self._log = []

    def _again(self, number: int) -> Any:
        """Do the work of a lost shard once more; what its last call gives."""
        from ray.exceptions import RayActorError

        if not self._log:
            raise EngineError("a shard of the fleet was lost, with more work than is kept")
        while True:
            shard = self._shards[number] = self._begin(number)
            try:
                found: Any = None
                for name, arguments in self._log:
                    found = self._ray.get(getattr(shard, name).remote(*arguments[number]))
            except RayActorError:
                continue
            return found

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
        if self._ray is None:
            for shard in self._shards:
                shard.close()
        else:
            for shard in self._shards:
                self._ray.kill(shard)
            if self._started:
                self._ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
