"""Shards of a fleet in this process or in workers of Ray, and the messages between them."""

from __future__ import annotations

import contextlib
import pickle
from collections import deque
from collections.abc import Sequence
from typing import Any

from unibody.errors import EngineError
from unibody.scale.cluster import start_ray
from unibody.scale.fleet_shard import FleetShard
from unibody.scale.shard_worker import ShardLostError, ShardWorker

_AHEAD = 4  # calls that workers get before the first of them is done
_TOGETHER = 8  # steps of linked workers that one call tells of
_ATTEMPTS = 20  # to have workers that are not lost


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
    """Shards in workers of Ray, which hand one another arrays.

    Workers of one machine are linked and exchange messages by themselves, through memory that they
    share; this process tells them how many steps to do. Otherwise messages go through Ray's object
    store, and this process says which. Nobody waits for a step but for who gets its messages, so
    this process runs ahead. If a worker is lost, all begin again and do the same steps once more:
    they end as they were.

    Args:
        arguments: What each is made with; each takes one CPU.
        address: Of a cluster of Ray; None: the one that runs in this process, or a new one on this
            machine.

    Attributes:
        actors: The workers, `ShardWorker`.
        linked: Whether they exchange messages by themselves.
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
        made = self._ray.remote(num_cpus=1)(ShardWorker)
        self.actors: list[Any] = [made.remote(*each) for each in self._arguments]
        self._messages: list[list[Any]] = [[] for _ in self.actors]
        self._flying: deque[list[Any]] = deque()
        self._waiting = 0  # steps that no worker was told of yet
        self.linked: bool = self._link()

    def _link(self) -> bool:
        """Connect all workers, if they are on one machine; whether they are."""
        get = self._ray.get
        places = get([actor.place.remote() for actor in self.actors])
        linked = all(get([actor.join.remote(places) for actor in self.actors]))
        if linked:
            get([actor.meet.remote(len(self.actors)) for actor in self.actors])
        else:
            get([actor.part.remote() for actor in self.actors])
        return linked

    def about(self) -> list[Any]:
        """What `FleetShard.about` gives."""
        return self._ray.get([actor.about.remote() for actor in self.actors])

    def step(self) -> None:
        """Do one step, or have it done soon."""
        self._steps += 1
        if not self.linked:
            self._hand_out_messages()
            return
        self._waiting += 1
        if not self._flying or self._waiting >= _TOGETHER or self._is_done(self._flying[-1]):
            self._hand_out_steps()

    def _is_done(self, calls: list[Any]) -> bool:
        ready, _ = self._ray.wait(calls, num_returns=len(calls), timeout=0, fetch_local=False)
        return len(ready) == len(calls)

    def _hand_out_steps(self) -> None:
        """Tell workers of the steps that wait."""
        count, self._waiting = self._waiting, 0
        if count:
            self._fly([actor.steps.remote(count) for actor in self.actors])

    def _hand_out_messages(self) -> None:
        """Tell workers of a step, and of the messages for it."""
        count = len(self.actors)
        sent = [
            actor.step.options(num_returns=count).remote(*given)
            for actor, given in zip(self.actors, self._messages, strict=True)
        ]
        self._messages = exchanged(sent)
        self._fly([each[0] if count > 1 else each for each in sent])

    def _fly(self, calls: list[Any]) -> None:
        """Wait for earlier calls if workers are too far behind."""
        self._flying.append(calls)
        if len(self._flying) > _AHEAD:
            waited = self._flying.popleft()
            self._ray.wait(waited, num_returns=len(waited), fetch_local=False)

    def looked(self) -> list[dict[str, Any]]:
        """What `FleetShard.looked` gives, after the steps so far.

        Raises:
            EngineError: Workers were lost again and again.
        """
        from ray.exceptions import RayActorError

        for _ in range(_ATTEMPTS):
            self._hand_out_steps()
            flying = [
                actor.looked.remote(*given)
                for actor, given in zip(self.actors, self._messages, strict=True)
            ]
            self._messages = [[] for _ in self.actors]
            found = self._found(flying)
            if found is not None:
                return found
            with contextlib.suppress(RayActorError):  # lost again: the next look tells
                self._again()
        raise EngineError(f"workers of a fleet in shards were lost {_ATTEMPTS} times")

    def _found(self, flying: Sequence[Any]) -> list[dict[str, Any]] | None:
        """What calls give, all of them; None if a worker is lost."""
        from ray.exceptions import RayActorError

        found, lost = [], False
        for each in flying:
            try:
                found.append(self._ray.get(each))
            except (RayActorError, ShardLostError):
                lost = True  # and one of the others may say that it failed
        return None if lost else found

    def _again(self) -> None:
        """Do all steps once more, with new workers."""
        for actor in self.actors:
            self._ray.kill(actor)
        self._begin()
        if self.linked:
            self._waiting = self._steps
            return
        for _ in range(self._steps):
            self._hand_out_messages()

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
