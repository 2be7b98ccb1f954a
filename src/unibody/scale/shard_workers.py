"""Shards of a fleet in this process or in workers of Ray, and the messages between them."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Sequence
from typing import Any

from unibody.scale.cluster import start_ray
from unibody.scale.fleet_shard import FleetShard

_AHEAD = 4  # steps that are told to workers before the first of them is done


class LocalShards:
    """Shards in this process, one after the other, with copies of what they send.

    Args:
        arguments: What each is made with.
    """

    def __init__(self, arguments: Sequence[tuple[Any, ...]]) -> None:
        self._shards = [FleetShard(*each) for each in arguments]
        self._messages: list[list[Any]] = [[] for _ in arguments]

    def about(self) -> list[Any]:
        """What `FleetShard.about` gives."""
        return [shard.about() for shard in self._shards]

    def step(self) -> None:
        """Do one step."""
        given = pickle.loads(pickle.dumps(self._messages))
        sent = [shard.step(*each) for shard, each in zip(self._shards, given, strict=True)]
        self._messages = exchanged(sent)

    def looked(self) -> list[dict[str, Any]]:
        """What `FleetShard.looked` gives, after the steps so far."""
        given, self._messages = self._messages, [[] for _ in self._shards]
        return [shard.looked(*each) for shard, each in zip(self._shards, given, strict=True)]

    def close(self) -> None:
        """End the simulations."""
        for shard in self._shards:
            shard.close()


class RayShards:
    """Shards in workers of Ray, which send one another arrays through its object store.

    Nobody waits for a step but for who gets its messages, so this process hands out steps ahead.
    If a worker is lost, all begin again and do the same steps once more: they end as they were.

    Args:
        arguments: What each is made with; each takes one CPU.
        address: Of a cluster of Ray; None: the one that runs in this process, or a new one on this
            machine.
    """

    def __init__(self, arguments: Sequence[tuple[Any, ...]], address: str | None) -> None:
        import ray

        self._ray, self._arguments = ray, arguments
        self._started = not ray.is_initialized()
        if self._started:
            start_ray(len(arguments), address)
        self._steps = 0
        self._begin()

    def _begin(self) -> None:
        made = self._ray.remote(num_cpus=1)(FleetShard)
        self.actors: list[Any] = [made.remote(*each) for each in self._arguments]
        self._messages: list[list[Any]] = [[] for _ in self.actors]
        self._flying: deque[list[Any]] = deque()

    def about(self) -> list[Any]:
        """What `FleetShard.about` gives."""
        return self._ray.get([actor.about.remote() for actor in self.actors])

    def step(self) -> None:
        """Do one step, or have it done soon."""
        self._steps += 1
        self._hand_out()

    def _hand_out(self) -> None:
        """Tell workers of a step; wait for an earlier one if they are too far behind."""
        count = len(self.actors)
        sent = [
            actor.step.options(num_returns=count).remote(*given)
            for actor, given in zip(self.actors, self._messages, strict=True)
        ]
        self._messages = exchanged(sent)
        self._flying.append([each[0] if count > 1 else each for each in sent])
        if len(self._flying) > _AHEAD:
            waited = self._flying.popleft()
            self._ray.wait(waited, num_returns=len(waited), fetch_local=False)

    def looked(self) -> list[dict[str, Any]]:
        """What `FleetShard.looked` gives, after the steps so far."""
        from ray.exceptions import RayActorError

        while True:
            flying = [
                actor.looked.remote(*given)
                for actor, given in zip(self.actors, self._messages, strict=True)
            ]
            self._messages = [[] for _ in self.actors]
            try:
                return self._ray.get(flying)
            except RayActorError:
                self._again()

    def _again(self) -> None:
        """Do all steps once more, with new workers."""
        for actor in self.actors:
            self._ray.kill(actor)
        self._begin()
        for _ in range(self._steps):
            self._hand_out()

    def close(self) -> None:
        """End the workers, and Ray if it was started here."""
        for actor in self.actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()


def exchanged(sent: Sequence[Any]) -> list[list[Any]]:
    """What each shard gets, from what each sends: a message for every shard, or its only one."""
    if len(sent) == 1:
        return [[]]
    numbers = range(len(sent))
    return [[sent[source][to] for source in numbers if source != to] for to in numbers]
